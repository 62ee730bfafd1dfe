package viewscribe;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry$;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.Cast;
import org.apache.spark.sql.catalyst.expressions.Cast$;
import org.apache.spark.sql.catalyst.expressions.ExprId;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.PivotFirst;
import org.apache.spark.sql.catalyst.plans.logical.Command;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.MapData;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * An analyzed plan as one JSON text: the form that plan.py reads. Nodes come before those that
 * refer to them; a node or attribute that occurs twice is written once.
 */
public class PlanDump {
  private static final int DEEPEST_PRODUCT = 6;
  private static final HashSet DERIVED = new HashSet(Arrays.asList(new String[] {
      "Project", "Filter", "Sort", "GlobalLimit", "LocalLimit", "Offset", "SubqueryAlias",
      "Distinct", "Repartition", "RepartitionByExpression", "ResolvedHint", "Sample"}));

  private org.apache.spark.sql.connector.catalog.CatalogManager catalogs;
  private HashSet derived;
  private StringBuilder nodes;
  private int count;
  private IdentityHashMap known;
  private HashMap attributes;
  private StringBuilder types;
  private HashMap typePlaces;
  private StringBuilder classes;
  private HashSet classesSeen;

  /** The text of a DataFrame's plan; every operator may say its columns. */
  public synchronized String write(Dataset frame, boolean withColumns) {
    catalogs = frame.sparkSession().sessionState().catalogManager();
    derived = withColumns ? new HashSet() : DERIVED;
    nodes = new StringBuilder();
    count = 0;
    known = new IdentityHashMap();
    attributes = new HashMap();
    types = new StringBuilder();
    typePlaces = new HashMap();
    classes = new StringBuilder();
    classesSeen = new HashSet();
    int root = node(frame.queryExecution().analyzed());
    return Packing.pack("{\"root\":" + root + ",\"classes\":{" + classes + "},\"types\":["
        + types + "],\"nodes\":[" + nodes + "]}");
  }

  /** The place of a node; children go first and without recursion, however deep the plan is. */
  private int node(TreeNode root) {
    ArrayDeque stack = new ArrayDeque();
    stack.push(root);
    while (!stack.isEmpty()) {
      TreeNode next = (TreeNode) stack.peek();
      if (known.containsKey(next)) {
        stack.pop();
        continue;
      }
      boolean ready = true;
      scala.collection.Iterator children = next.children().iterator();
      while (children.hasNext()) {
        Object child = children.next();
        if (!known.containsKey(child) && child != CatalogFunctions.target(next)) {
          stack.push(child);
          ready = false;
        }
      }
      if (ready) {
        stack.pop();
        write(next);
      }
    }
    return ((Integer) known.get(root)).intValue();
  }

  private void write(TreeNode node) {
    if (node instanceof AttributeReference) {
      Integer place = (Integer) attributes.get(node);
      if (place != null) {
        known.put(node, place);
        return;
      }
    }
    String kind = simpleName(node);
    StringBuilder out = new StringBuilder();
    out.append('[');
    Packing.quote(out, kind);
    out.append(",[");
    scala.Product product = (scala.Product) node;
    StringBuilder names = classesSeen.add(kind) ? new StringBuilder() : null;
    for (int i = 0; i < product.productArity(); i++) {
      if (i > 0) out.append(',');
      if (names != null) {
        if (i > 0) names.append(',');
        Packing.quote(names, product.productElementName(i));
      }
      argument(out, node, i, product.productElement(i));
    }
    if (names != null) {
      if (classes.length() > 0) classes.append(',');
      Packing.quote(classes, kind);
      classes.append(":[").append(names).append(']');
    }
    out.append("],{");
    int before = out.length();
    if (node instanceof Expression) {
      ofExpression(out, (Expression) node);
    } else if (node instanceof LogicalPlan && !derived.contains(kind)) {
      key(out, before, "output");
      sequence(out, ((LogicalPlan) node).output(), 0);
    }
    if (node instanceof Command) {
      key(out, before, "command");
      out.append("true");
    }
    line(out, before, node);
    out.append("}]");
    if (count > 0) nodes.append(",\n");
    nodes.append(out);
    Integer place = Integer.valueOf(count);
    count += 1;
    known.put(node, place);
    if (node instanceof AttributeReference) attributes.put(node, place);
  }

  private void argument(StringBuilder out, TreeNode node, int place, Object value) {
    if (value != null && value == CatalogFunctions.target(node)) {
      out.append("null");  // an object of Java's: what it is called is in "called"
    } else if (node instanceof Literal && place == 0) {
      literal(out, value, ((Literal) node).dataType());
    } else if (node instanceof LocalRelation && place == 1) {
      rows(out, (LocalRelation) node);
    } else if (node instanceof PivotFirst && place == 2) {
      DataType type = ((PivotFirst) node).pivotColumn().dataType();
      out.append('[');
      scala.collection.Iterator values = ((PivotFirst) node).pivotColumnValues().iterator();
      while (values.hasNext()) {
        literal(out, values.next(), type);
        if (values.hasNext()) out.append(',');
      }
      out.append(']');
    } else if (node instanceof LogicalRelation && place == 0
        && ((LogicalRelation) node).catalogTable().isDefined()) {
      ofNamedTable(out, (LogicalRelation) node);
    } else {
      value(out, value, 0);
    }
  }

  /** Null for a table that goes by its name; else what the name does not say. */
  private void ofNamedTable(StringBuilder out, LogicalRelation node) {
    Object relation = node.relation();
    if (relation.getClass().getName().endsWith("DeltaCDFRelation")) {
      Packing.quote(out, "changes");
    } else if (relation instanceof org.apache.spark.sql.execution.datasources.HadoopFsRelation) {
      org.apache.spark.sql.execution.datasources.HadoopFsRelation files =
          (org.apache.spark.sql.execution.datasources.HadoopFsRelation) relation;
      String version = versionOf(files.location());
      java.util.TreeMap options = optionsOf(files, (CatalogTable) node.catalogTable().get());
      if (version != null) {
        Packing.quote(out, version);
      } else if (!options.isEmpty()) {
        javaMap(out, options);
      } else {
        out.append("null");
      }
    } else {
      out.append("null");
    }
  }

  /** Files by their path, and a table of Delta by its: the log lists the files of that one. */
  private void files(
      StringBuilder out, org.apache.spark.sql.execution.datasources.HadoopFsRelation files) {
    out.append("{\"p\":\"HadoopFsRelation\",\"f\":{\"location\":");
    value(out, files.location(), 1);
    out.append(",\"fileFormat\":");
    named(out, isOfDelta(files.location()) ? "delta" : formatOf(files.fileFormat()));
    out.append(",\"options\":");
    map(out, files.options(), 1);
    out.append(",\"version\":");
    String version = versionOf(files.location());
    if (version == null) out.append("null"); else Packing.quote(out, version);
    out.append("}}");
  }

  /** The name of a format; one that has it from another format alone goes by its class. */
  private String formatOf(Object format) {
    try {
      if (format instanceof org.apache.spark.sql.sources.DataSourceRegister
          && format.getClass().getMethod("shortName", new Class[0]).getDeclaringClass()
              == format.getClass()) {
        return ((org.apache.spark.sql.sources.DataSourceRegister) format).shortName();
      }
    } catch (NoSuchMethodException error) {
      // every format that registers itself has the method
    }
    return format.getClass().getName();
  }

  private boolean isOfDelta(Object files) {
    try {
      files.getClass().getMethod("isTimeTravelQuery", new Class[0]);
      return true;
    } catch (NoSuchMethodException error) {
      return false;
    }
  }

  /** The version of a Delta table that a query asks for; null for the present one. */
  private String versionOf(Object files) {
    if (!isOfDelta(files)) return null;
    Class[] none = new Class[0];
    Object[] nothing = new Object[0];
    try {
      Object travels = files.getClass().getMethod("isTimeTravelQuery", none).invoke(files, nothing);
      if (!Boolean.TRUE.equals(travels)) return null;
      Object snapshot =
          files.getClass().getMethod("snapshotAtAnalysis", none).invoke(files, nothing);
      return snapshot.getClass().getMethod("version", none).invoke(snapshot, nothing).toString();
    } catch (Exception error) {
      return "unknown";
    }
  }

  /** The snapshot of an Iceberg table that a query asks for; null for the present one. */
  private String snapshotOf(Object table) {
    try {
      org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation.class
          .getMethod("timeTravelSpec", new Class[0]);
      return null;  // which says it, since Spark 4.1
    } catch (NoSuchMethodException error) {
      // Spark 4.0: the table alone knows
    }
    try {
      Object found = table.getClass().getMethod("snapshotId", new Class[0])
          .invoke(table, new Object[0]);
      return found == null ? null : found.toString();
    } catch (NoSuchMethodException error) {
      return null;  // no table of Iceberg
    } catch (Exception error) {
      return "unknown";
    }
  }

  /** The options of a read that its table does not have itself. */
  private java.util.TreeMap optionsOf(
      org.apache.spark.sql.execution.datasources.HadoopFsRelation files, CatalogTable table) {
    HashSet own = new HashSet(Arrays.asList(new String[] {
        "path", "mergeschema", "serialization.format"}));
    scala.collection.Iterator known = table.storage().properties().keysIterator();
    while (known.hasNext()) own.add(known.next().toString().toLowerCase());
    java.util.TreeMap found = new java.util.TreeMap();
    scala.collection.Iterator given = files.options().keysIterator();
    while (given.hasNext()) {
      String name = given.next().toString();
      if (!own.contains(name.toLowerCase())) found.put(name, files.options().apply(name));
    }
    return found;
  }

  private void ofExpression(StringBuilder out, Expression node) {
    int before = out.length();
    scala.Option alias = node.getTagValue(FunctionRegistry$.MODULE$.FUNC_ALIAS());
    if (alias.isDefined()) {
      key(out, before, "alias");
      Packing.quote(out, (String) alias.get());
    }
    if (node instanceof Cast
        && node.getTagValue(Cast$.MODULE$.USER_SPECIFIED_CAST()).isDefined()) {
      key(out, before, "written");
      out.append("true");
    }
    if (node instanceof AttributeReference) {
      key(out, before, "id");
      out.append(((NamedExpression) node).exprId().id());
    } else if (node instanceof NamedExpression && !simpleName(node).equals("OuterReference")) {
      key(out, before, "id");
      out.append(((NamedExpression) node).exprId().id());
    }
    if (node instanceof org.apache.spark.sql.catalyst.expressions.InheritAnalysisRules) {
      org.apache.spark.sql.catalyst.expressions.InheritAnalysisRules replaced =
          (org.apache.spark.sql.catalyst.expressions.InheritAnalysisRules) node;
      key(out, before, "parameters");
      sequence(out, replaced.parameters(), 0);
    }
    if (node instanceof org.apache.spark.sql.catalyst.expressions.UserDefinedExpression
        || simpleName(node).startsWith("PythonUD")) {
      key(out, before, "type");
      type(out, node.dataType());
    }
    Object function = CatalogFunctions.implementation(node);
    if (function != null) {
      key(out, before, "class");
      Packing.quote(out, CatalogFunctions.classOf(function).getName());
      key(out, before, "deterministic");
      out.append(CatalogFunctions.isDeterministic(node, function));
      key(out, before, "called");
      names(out, CatalogFunctions.names(node, function, catalogs));
      key(out, before, "type");
      type(out, node.dataType());
    }
  }

  private void names(StringBuilder out, java.util.List names) {
    out.append('[');
    for (int i = 0; i < names.size(); i++) {
      if (i > 0) out.append(',');
      String[] name = (String[]) names.get(i);
      out.append('[');
      for (int k = 0; k < name.length; k++) {
        if (k > 0) out.append(',');
        Packing.quote(out, name[k]);
      }
      out.append(']');
    }
    out.append(']');
  }

  private void line(StringBuilder out, int before, TreeNode node) {
    scala.Option context = node.origin().pysparkErrorContext();
    if (context.isDefined()) {
      key(out, before, "line");
      Packing.quote(out, String.valueOf(((scala.Tuple2) context.get())._2()));
    }
  }

  private void value(StringBuilder out, Object value, int depth) {
    if (value == null || value instanceof scala.None$) {
      out.append("null");
    } else if (value instanceof scala.Some) {
      value(out, ((scala.Some) value).get(), depth);
    } else if (value instanceof DataType) {
      type(out, (DataType) value);
    } else if (value instanceof org.apache.spark.sql.execution.SparkPlan) {
      named(out, simpleName(value));
    } else if (value instanceof TreeNode) {
      out.append(node((TreeNode) value));
    } else if (value instanceof String || value instanceof Character
        || value instanceof org.apache.spark.unsafe.types.UTF8String) {
      Packing.quote(out, value.toString());
    } else if (value instanceof Boolean) {
      out.append(value);
    } else if (value instanceof Number) {
      out.append("{\"n\":\"").append(value).append("\"}");
    } else if (value instanceof Metadata) {
      out.append("{\"j\":").append(((Metadata) value).json()).append('}');
    } else if (value instanceof scala.Enumeration.Value || value instanceof Enum) {
      named(out, value.toString());
    } else if (value instanceof CatalogTable) {
      table(out, (CatalogTable) value);
    } else if (value instanceof ExprId) {
      out.append("{\"n\":\"").append(((ExprId) value).id()).append("\"}");
    } else if (value instanceof scala.collection.Map) {
      map(out, (scala.collection.Map) value, depth);
    } else if (value instanceof org.apache.spark.sql.util.CaseInsensitiveStringMap) {
      javaMap(out, ((org.apache.spark.sql.util.CaseInsensitiveStringMap) value)
          .asCaseSensitiveMap());
    } else if (value instanceof scala.collection.Iterable) {
      sequence(out, (scala.collection.Iterable) value, depth + 1);
    } else {
      object(out, value, depth);
    }
  }

  private void object(StringBuilder out, Object value, int depth) {
    if (value instanceof org.apache.spark.sql.connector.catalog.CatalogPlugin) {
      Packing.quote(out, ((org.apache.spark.sql.connector.catalog.CatalogPlugin) value).name());
    } else if (value instanceof org.apache.spark.sql.connector.catalog.Identifier) {
      org.apache.spark.sql.connector.catalog.Identifier name =
          (org.apache.spark.sql.connector.catalog.Identifier) value;
      out.append('[');
      for (int i = 0; i < name.namespace().length; i++) {
        Packing.quote(out, name.namespace()[i]);
        out.append(',');
      }
      Packing.quote(out, name.name());
      out.append(']');
    } else if (value instanceof org.apache.spark.sql.execution.datasources.FileIndex) {
      out.append('[');
      scala.collection.Iterator paths =
          ((org.apache.spark.sql.execution.datasources.FileIndex) value).rootPaths().iterator();
      while (paths.hasNext()) {
        Packing.quote(out, paths.next().toString());
        if (paths.hasNext()) out.append(',');
      }
      out.append(']');
    } else if (value instanceof org.apache.spark.sql.connector.catalog.Table
        && snapshotOf(value) != null) {
      Packing.quote(out, snapshotOf(value));  // Spark 4.0 keeps no other word of it in the plan
    } else if (value instanceof scala.Tuple2) {
      out.append('[');
      value(out, ((scala.Tuple2) value)._1(), depth + 1);
      out.append(',');
      value(out, ((scala.Tuple2) value)._2(), depth + 1);
      out.append(']');
    } else if (value instanceof org.apache.spark.sql.execution.datasources.HadoopFsRelation) {
      files(out, (org.apache.spark.sql.execution.datasources.HadoopFsRelation) value);
    } else if (value instanceof scala.Product && ((scala.Product) value).productArity() > 0
        && depth < DEEPEST_PRODUCT) {
      product(out, (scala.Product) value, depth);
    } else {
      named(out, simpleName(value));
    }
  }

  private void product(StringBuilder out, scala.Product value, int depth) {
    out.append("{\"p\":");
    Packing.quote(out, simpleName(value));
    out.append(",\"f\":{");
    for (int i = 0; i < value.productArity(); i++) {
      if (i > 0) out.append(',');
      Packing.quote(out, value.productElementName(i));
      out.append(':');
      value(out, value.productElement(i), depth + 1);
    }
    out.append("}}");
  }

  private void table(StringBuilder out, CatalogTable table) {
    out.append("{\"p\":\"CatalogTable\",\"f\":{\"path\":[");
    if (table.identifier().catalog().isDefined()) {
      Packing.quote(out, (String) table.identifier().catalog().get());
      out.append(',');
    }
    if (table.identifier().database().isDefined()) {
      Packing.quote(out, (String) table.identifier().database().get());
      out.append(',');
    }
    Packing.quote(out, table.identifier().table());
    out.append("],\"kind\":");
    Packing.quote(out, table.tableType().name());
    out.append("}}");
  }

  private void rows(StringBuilder out, LocalRelation relation) {
    scala.collection.immutable.Seq output = relation.output();
    out.append('[');
    scala.collection.Iterator rows = relation.data().iterator();
    boolean first = true;
    while (rows.hasNext()) {
      if (!first) out.append(',');
      first = false;
      InternalRow row = (InternalRow) rows.next();
      out.append('[');
      for (int i = 0; i < output.size(); i++) {
        if (i > 0) out.append(',');
        DataType type = ((Expression) output.apply(i)).dataType();
        literal(out, row.get(i, type), type);
      }
      out.append(']');
    }
    out.append(']');
  }

  /** A value as Spark holds it: dates are days, timestamps and intervals microseconds … */
  private void literal(StringBuilder out, Object value, DataType type) {
    if (value == null) {
      out.append("null");
    } else if (value instanceof byte[]) {
      hex(out, (byte[]) value);
    } else if (value instanceof Boolean) {
      out.append(value);
    } else if (value instanceof ArrayData) {
      items(out, (ArrayData) value, ((ArrayType) type).elementType());
    } else if (value instanceof MapData) {
      MapData map = (MapData) value;
      out.append('[');
      items(out, map.keyArray(), ((MapType) type).keyType());
      out.append(',');
      items(out, map.valueArray(), ((MapType) type).valueType());
      out.append(']');
    } else if (value instanceof InternalRow && type instanceof StructType) {
      StructField[] fields = ((StructType) type).fields();
      out.append('[');
      for (int i = 0; i < fields.length; i++) {
        if (i > 0) out.append(',');
        literal(out, ((InternalRow) value).get(i, fields[i].dataType()), fields[i].dataType());
      }
      out.append(']');
    } else {
      Packing.quote(out, value.toString());
    }
  }

  private void items(StringBuilder out, ArrayData array, DataType type) {
    out.append('[');
    for (int i = 0; i < array.numElements(); i++) {
      if (i > 0) out.append(',');
      literal(out, array.get(i, type), type);
    }
    out.append(']');
  }

  private void hex(StringBuilder out, byte[] bytes) {
    out.append('"');
    for (int i = 0; i < bytes.length; i++) {
      out.append(Character.forDigit((bytes[i] >> 4) & 15, 16));
      out.append(Character.forDigit(bytes[i] & 15, 16));
    }
    out.append('"');
  }

  /** A type inside a struct: alone, a string would lose its collation. */
  private void type(StringBuilder out, DataType type) {
    Integer place = (Integer) typePlaces.get(type);
    if (place == null) {
      place = Integer.valueOf(typePlaces.size());
      typePlaces.put(type, place);
      if (place.intValue() > 0) types.append(',');
      Packing.quote(types, new StructType().add("x", type, true).json());
    }
    out.append("{\"t\":").append(place).append('}');
  }

  private void sequence(StringBuilder out, scala.collection.Iterable values, int depth) {
    out.append('[');
    scala.collection.Iterator each = values.iterator();
    boolean first = true;
    while (each.hasNext()) {
      if (!first) out.append(',');
      first = false;
      value(out, each.next(), depth);
    }
    out.append(']');
  }

  private void map(StringBuilder out, scala.collection.Map values, int depth) {
    out.append("{\"m\":[");
    scala.collection.Iterator each = values.iterator();
    boolean first = true;
    while (each.hasNext()) {
      if (!first) out.append(',');
      first = false;
      value(out, each.next(), depth + 1);
    }
    out.append("]}");
  }

  private void javaMap(StringBuilder out, java.util.Map values) {
    out.append("{\"m\":[");
    java.util.Iterator each = values.entrySet().iterator();
    while (each.hasNext()) {
      java.util.Map.Entry entry = (java.util.Map.Entry) each.next();
      out.append('[');
      Packing.quote(out, (String) entry.getKey());
      out.append(',');
      Packing.quote(out, (String) entry.getValue());
      out.append(']');
      if (each.hasNext()) out.append(',');
    }
    out.append("]}");
  }

  private void named(StringBuilder out, String name) {
    out.append("{\"o\":");
    Packing.quote(out, name);
    out.append('}');
  }

  private void key(StringBuilder out, int before, String name) {
    if (out.length() > before) out.append(',');
    Packing.quote(out, name);
    out.append(':');
  }

  private static String simpleName(Object value) {
    String name = value.getClass().getName();
    int end = name.endsWith("$") ? name.length() - 1 : name.length();
    int start = Math.max(name.lastIndexOf('.', end - 1), name.lastIndexOf('$', end - 1));
    return name.substring(start + 1, end);
  }
}
