
/**
 * Names of functions that catalogs have themselves. A plan holds the class of such a function and
 * not its name: that is in the text of the call, if it was one, or is looked for in the catalogs.
 */
class CatalogFunctions {
  /** The function that an expression calls, or its class where Java's own call needs no more. */
  static Object implementation(org.apache.spark.sql.catalyst.expressions.Expression node) {
    Object found = null;
    if (node instanceof org.apache.spark.sql.catalyst.expressions.ApplyFunctionExpression) {
      found = ((org.apache.spark.sql.catalyst.expressions.ApplyFunctionExpression) node).function();
    } else if (
        node instanceof org.apache.spark.sql.catalyst.expressions.aggregate.V2Aggregator) {
      found =
          ((org.apache.spark.sql.catalyst.expressions.aggregate.V2Aggregator) node).aggrFunc();
    } else if (node instanceof org.apache.spark.sql.catalyst.expressions.objects.Invoke) {
      Object target =
          ((org.apache.spark.sql.catalyst.expressions.objects.Invoke) node).targetObject();
      if (target instanceof org.apache.spark.sql.catalyst.expressions.Literal) {
        found = ((org.apache.spark.sql.catalyst.expressions.Literal) target).value();
      }
    } else if (node instanceof org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke) {
      found = ((org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke) node)
          .staticObject();
    }
    if (found == null) return null;
    return org.apache.spark.sql.connector.catalog.functions.BoundFunction.class
        .isAssignableFrom(classOf(found)) ? found : null;
  }

  /** The object that is called, where it is a function of a catalog; no value of SQL. */
  static Object target(Object node) {
    if (node instanceof org.apache.spark.sql.catalyst.expressions.aggregate.V2Aggregator) {
      return ((org.apache.spark.sql.catalyst.expressions.aggregate.V2Aggregator) node).aggrFunc();
    }
    if (!(node instanceof org.apache.spark.sql.catalyst.expressions.objects.Invoke)) return null;
    org.apache.spark.sql.catalyst.expressions.objects.Invoke call =
        (org.apache.spark.sql.catalyst.expressions.objects.Invoke) node;
    return implementation(call) == null ? null : call.targetObject();
  }

  static boolean isDeterministic(
      org.apache.spark.sql.catalyst.expressions.Expression node, Object function) {
    if (function instanceof Class) {
      return ((org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke) node)
          .isDeterministic();
    }
    return ((org.apache.spark.sql.connector.catalog.functions.BoundFunction) function)
        .isDeterministic();
  }

  static Class classOf(Object function) {
    return function instanceof Class ? (Class) function : function.getClass();
  }

  /** The full names that the function of a call may have; the one that was written, if any was. */
  static java.util.List names(
      org.apache.spark.sql.catalyst.expressions.Expression node, Object function,
      org.apache.spark.sql.connector.catalog.CatalogManager catalogs) {
    java.util.List found = new java.util.ArrayList();
    String[] written = written(node);
    if (written.length > 2) {
      String[] namespace = new String[written.length - 2];
      System.arraycopy(written, 1, namespace, 0, namespace.length);
      add(found, written[0], namespace, written[written.length - 1], node, function, catalogs);
      if (!found.isEmpty()) return found;
    }
    scala.collection.Iterator names = catalogs.listCatalogs(scala.Option.apply(null)).iterator();
    while (names.hasNext()) {
      String catalog = (String) names.next();
      if (written.length == 2 && isCatalog(written[0], catalogs) && !written[0].equals(catalog)) {
        continue;
      }
      search(found, catalog, node, function, catalogs);
    }
    return found;
  }

  private static boolean isCatalog(
      String name, org.apache.spark.sql.connector.catalog.CatalogManager catalogs) {
    return functionsOf(name, catalogs) != null;
  }

  /** The name in the text that the call was written in; no parts where it was written in none. */
  private static String[] written(org.apache.spark.sql.catalyst.expressions.Expression node) {
    org.apache.spark.sql.catalyst.trees.Origin origin = node.origin();
    if (origin.sqlText().isEmpty() || origin.startIndex().isEmpty()) return new String[0];
    String text = (String) origin.sqlText().get();
    int start = ((Number) origin.startIndex().get()).intValue();
    int end = start < 0 ? -1 : text.indexOf('(', start);
    if (end < 0) return new String[0];
    try {
      scala.collection.immutable.Seq parts =
          org.apache.spark.sql.catalyst.parser.CatalystSqlParser$.MODULE$
              .parseMultipartIdentifier(text.substring(start, end).trim());
      String[] name = new String[parts.size()];
      for (int i = 0; i < name.length; i++) name[i] = (String) parts.apply(i);
      return name;
    } catch (Exception error) {
      return new String[0];  // a name with a parenthesis in it, or no call at all
    }
  }

  private static org.apache.spark.sql.connector.catalog.FunctionCatalog functionsOf(
      String name, org.apache.spark.sql.connector.catalog.CatalogManager catalogs) {
    try {
      Object found = catalogs.catalog(name);
      if (found instanceof org.apache.spark.sql.connector.catalog.FunctionCatalog) {
        return (org.apache.spark.sql.connector.catalog.FunctionCatalog) found;
      }
    } catch (Exception error) {
      // no catalog of that name, or one that does not start
    }
    return null;
  }

  /** Looks into the namespace of Iceberg's functions, and into those at the top of a catalog. */
  private static void search(
      java.util.List found, String catalog,
      org.apache.spark.sql.catalyst.expressions.Expression node, Object function,
      org.apache.spark.sql.connector.catalog.CatalogManager catalogs) {
    org.apache.spark.sql.connector.catalog.FunctionCatalog functions =
        functionsOf(catalog, catalogs);
    if (functions == null) return;
    java.util.LinkedHashSet namespaces = new java.util.LinkedHashSet();
    namespaces.add("system");
    try {
      if (functions instanceof org.apache.spark.sql.connector.catalog.SupportsNamespaces
          && !catalog.equals("spark_catalog")) {
        String[][] top =
            ((org.apache.spark.sql.connector.catalog.SupportsNamespaces) functions)
                .listNamespaces();
        for (int i = 0; i < top.length; i++) if (top[i].length == 1) namespaces.add(top[i][0]);
      }
    } catch (Exception error) {
      // a catalog that does not tell them
    }
    java.util.Iterator each = namespaces.iterator();
    while (each.hasNext()) {
      String[] namespace = new String[] {(String) each.next()};
      try {
        org.apache.spark.sql.connector.catalog.Identifier[] listed =
            functions.listFunctions(namespace);
        for (int i = 0; i < listed.length; i++) {
          add(found, catalog, namespace, listed[i].name(), node, function, catalogs);
        }
      } catch (Exception error) {
        // a namespace without functions
      }
    }
  }

  /** Adds a name if it is one of the function: what it is bound to is of the same class. */
  private static void add(
      java.util.List found, String catalog, String[] namespace, String name,
      org.apache.spark.sql.catalyst.expressions.Expression node, Object function,
      org.apache.spark.sql.connector.catalog.CatalogManager catalogs) {
    org.apache.spark.sql.connector.catalog.FunctionCatalog functions =
        functionsOf(catalog, catalogs);
    if (functions == null) return;
    try {
      Object bound = functions.loadFunction(identifier(namespace, name)).bind(types(node));
      if (!isSame(bound, function)) return;
      String[] path = new String[namespace.length + 2];
      path[0] = catalog;
      System.arraycopy(namespace, 0, path, 1, namespace.length);
      path[path.length - 1] = name;
      found.add(path);
    } catch (Exception error) {
      // not this one: it is not there, or takes other arguments
    }
  }

  private static boolean isSame(Object bound, Object function) {
    if (bound.getClass() != classOf(function)) return false;
    if (function instanceof Class) return true;
    String name =
        ((org.apache.spark.sql.connector.catalog.functions.BoundFunction) function).name();
    return name.equals(
        ((org.apache.spark.sql.connector.catalog.functions.BoundFunction) bound).name());
  }

  private static org.apache.spark.sql.connector.catalog.Identifier identifier(
      String[] namespace, String name) throws Exception {
    return (org.apache.spark.sql.connector.catalog.Identifier)
        org.apache.spark.sql.connector.catalog.Identifier.class
            .getMethod("of", new Class[] {String[].class, String.class})
            .invoke(null, new Object[] {namespace, name});
  }

  /** The types of the arguments; the target of a call is none of them. */
  private static org.apache.spark.sql.types.StructType types(
      org.apache.spark.sql.catalyst.expressions.Expression node) {
    scala.collection.Iterable given = node.children();
    if (node instanceof org.apache.spark.sql.catalyst.expressions.objects.Invoke) {
      given = ((org.apache.spark.sql.catalyst.expressions.objects.Invoke) node).arguments();
    }
    org.apache.spark.sql.types.StructType types = new org.apache.spark.sql.types.StructType();
    scala.collection.Iterator each = given.iterator();
    int count = 0;
    while (each.hasNext()) {
      types = types.add("c" + count,
          ((org.apache.spark.sql.catalyst.expressions.Expression) each.next()).dataType());
      count += 1;
    }
    return types;
  }
}
