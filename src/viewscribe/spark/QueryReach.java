package viewscribe;

import java.util.ArrayDeque;
import java.util.TreeSet;
import org.apache.spark.sql.catalyst.catalog.TempVariableManager;
import org.apache.spark.sql.catalyst.parser.ParserInterface;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.classic.SparkSession$;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.unsafe.types.UTF8String;
import scala.Option;
import scala.collection.immutable.Nil$;

/**
 * What a text names and what it is made of, as Spark's parser reads it; nothing runs, and nothing is
 * looked up but whether a name is a variable of the session.
 * Everything that a node holds is gone through, so that nothing hides in an argument of a new class.
 */
public class QueryReach {
  private StringBuilder relations;
  private StringBuilder calls;
  private StringBuilder variables;
  private TempVariableManager known;
  private TreeSet classes;
  private ArrayDeque stack;

  /** The reach of a query, or of an expression, as JSON. */
  public synchronized String read(SparkSession session, String text, boolean isExpression)
      throws Exception {
    Object root = parse(session, text, isExpression);
    relations = new StringBuilder();
    calls = new StringBuilder();
    variables = new StringBuilder();
    known = session.sessionState().catalogManager().tempVariableManager();
    classes = new TreeSet();
    stack = new ArrayDeque();
    stack.push(root);
    while (!stack.isEmpty()) visit(stack.pop());
    StringBuilder out = new StringBuilder("{\"root\":");
    Packing.quote(out, root.getClass().getName());
    out.append(",\"classes\":[");
    int count = 0;
    for (java.util.Iterator each = classes.iterator(); each.hasNext(); count++) {
      if (count > 0) out.append(',');
      Packing.quote(out, (String) each.next());
    }
    out.append("],\"relations\":[").append(relations);
    out.append("],\"calls\":[").append(calls);
    out.append("],\"variables\":[").append(variables).append("]}");
    return Packing.pack(out.toString());
  }

  /**
   * Parses a text under the settings of its session: Spark's parsers read those of the session that
   * is active, which is another one in threads, and where somebody has several.
   */
  private static Object parse(SparkSession session, String text, boolean isExpression)
      throws Exception {
    ParserInterface parser = session.sessionState().sqlParser();
    Option active = SparkSession$.MODULE$.getActiveSession();
    SparkSession$.MODULE$.setActiveSession(session);
    try {
      return isExpression ? (Object) parser.parseExpression(text) : parser.parsePlan(text);
    } finally {
      if (active.isDefined()) {
        SparkSession$.MODULE$.setActiveSession((SparkSession) active.get());
      } else {
        SparkSession$.MODULE$.clearActiveSession();
      }
    }
  }

  private void visit(Object value) {
    if (value instanceof String && ((String) value).equalsIgnoreCase("_metadata")) {
      next(calls).append("[[\"_metadata\"],[]]"); // what is told of files, whatever table they are of
    }
    if (value instanceof DataType || value instanceof String || value instanceof Number
        || value instanceof Boolean || value instanceof UTF8String) {
      return;
    }
    if (value instanceof Object[]) {
      Object[] items = (Object[]) value;
      for (int i = 0; i < items.length; i++) push(items[i]);
      return;
    }
    if (value instanceof scala.collection.Iterable && !(value instanceof TreeNode)) {
      scala.collection.Iterator items = ((scala.collection.Iterable) value).iterator();
      while (items.hasNext()) push(items.next());
      return;
    }
    if (!(value instanceof scala.Tuple2 || value instanceof scala.Tuple3
        || value instanceof scala.Option)) {
      classes.add(value.getClass().getName());
    }
    if (value instanceof TreeNode) name((TreeNode) value);
    if (value instanceof scala.Product) {
      scala.Product product = (scala.Product) value;
      for (int i = 0; i < product.productArity(); i++) push(product.productElement(i));
    }
  }

  private void push(Object value) {
    if (value != null) stack.push(value);
  }

  /** Notes the name of what is read or called. */
  private void name(TreeNode node) {
    String kind = node.getClass().getSimpleName();
    if (kind.equals("UnresolvedRelation")) {
      StringBuilder out = next(relations);
      out.append('[');
      strings(out, (scala.collection.Iterable) field(node, "multipartIdentifier"));
      out.append(',');
      pairs(out, ((java.util.Map) field(node, "options")).entrySet().iterator());
      out.append(',').append(field(node, "isStreaming")).append(']');
    } else if (kind.equals("UnresolvedAttribute") || kind.equals("UnresolvedNamedLambdaVariable")) {
      column((scala.collection.Iterable) field(node, "nameParts"));
    } else if (kind.equals("UnresolvedFunction")) {
      call((scala.collection.Iterable) field(node, "nameParts"), field(node, "arguments"));
    } else if (kind.equals("UnresolvedTableValuedFunction")) {
      call((scala.collection.Iterable) field(node, "name"), field(node, "functionArgs"));
    } else if (kind.equals("UnresolvedGenerator")) {
      Object name = field(node, "name");
      Object parts = nameParts((scala.Product) name);
      call((scala.collection.Iterable) parts, field(node, "children"));
    }
  }

  /** Notes a name that is a variable of the session, whose home is ``system.session``. */
  private void column(scala.collection.Iterable parts) {
    scala.collection.Iterator each = parts.iterator();
    boolean isHome = !known.isEmpty();
    while (isHome && each.hasNext()) {
      String part = (String) each.next();
      if (isVariable(part)) {
        strings(next(variables), parts);
        return;
      }
      isHome = part.equalsIgnoreCase("system") || part.equalsIgnoreCase("session");
    }
  }

  private boolean isVariable(String name) {
    return isDefined(name) || isDefined(name.toLowerCase(java.util.Locale.ROOT));
  }

  private boolean isDefined(String name) {
    return known.get(new scala.collection.immutable.$colon$colon(name, Nil$.MODULE$)).isDefined();
  }

  /** The parts of a ``FunctionIdentifier``, which has the last one first. */
  private static Object nameParts(scala.Product name) {
    scala.collection.mutable.ListBuffer parts = new scala.collection.mutable.ListBuffer();
    for (int i = name.productArity() - 1; i >= 0; i--) {
      Object part = name.productElement(i);
      if (part instanceof scala.Some) {
        parts.addOne(((scala.Some) part).get());
      } else if (part instanceof String) {
        parts.addOne(part);
      }
    }
    return parts;
  }

  private void call(scala.collection.Iterable name, Object arguments) {
    StringBuilder out = next(calls);
    out.append('[');
    strings(out, name);
    out.append(",[");
    scala.collection.Iterator each = ((scala.collection.Iterable) arguments).iterator();
    int count = 0;
    while (each.hasNext()) {
      if (count++ > 0) out.append(',');
      argument(out, each.next());
    }
    out.append("]]");
  }

  /** A text, a map of texts as pairs, whether it is another constant, and what its class is. */
  private static void argument(StringBuilder out, Object node) {
    if (isText(node)) {
      Packing.quote(out, field((TreeNode) node, "value").toString());
    } else if (node.getClass().getSimpleName().equals("Literal")) {
      out.append(field((TreeNode) node, "value") != null);
    } else if (isMapOfConstants(node)) {
      Object given = field((TreeNode) node, "arguments");
      scala.collection.Iterator each = ((scala.collection.Iterable) given).iterator();
      out.append('[');
      int count = 0;
      while (each.hasNext()) {
        out.append(count++ > 0 ? ",[" : "[");
        Packing.quote(out, field((TreeNode) each.next(), "value").toString());
        out.append(',');
        Packing.quote(out, field((TreeNode) each.next(), "value").toString());
        out.append(']');
      }
      out.append(']');
    } else {
      out.append(node.getClass().getSimpleName().startsWith("NamedArg") ? "null" : "false");
    }
  }

  private static boolean isText(Object node) {
    return node.getClass().getSimpleName().equals("Literal")
        && field((TreeNode) node, "dataType") instanceof StringType
        && field((TreeNode) node, "value") != null;
  }

  private static boolean isMapOfConstants(Object node) {
    if (!node.getClass().getSimpleName().equals("UnresolvedFunction")) return false;
    scala.collection.Iterable name = (scala.collection.Iterable) field((TreeNode) node, "nameParts");
    scala.collection.Iterable given = (scala.collection.Iterable) field((TreeNode) node, "arguments");
    if (name.size() != 1 || !name.head().toString().equalsIgnoreCase("map")) return false;
    if (given.size() % 2 != 0) return false;
    scala.collection.Iterator each = given.iterator();
    while (each.hasNext()) {
      Object next = each.next();
      if (!next.getClass().getSimpleName().equals("Literal")) return false;
      if (field((TreeNode) next, "value") == null) return false;
    }
    return true;
  }

  private static Object field(TreeNode node, String name) {
    scala.Product product = (scala.Product) node;
    for (int i = 0; i < product.productArity(); i++) {
      if (product.productElementName(i).equals(name)) return product.productElement(i);
    }
    throw new IllegalStateException(node.getClass().getName() + " has no " + name);
  }

  private static StringBuilder next(StringBuilder out) {
    return out.length() > 0 ? out.append(',') : out;
  }

  private static void strings(StringBuilder out, scala.collection.Iterable values) {
    out.append('[');
    scala.collection.Iterator each = values.iterator();
    int count = 0;
    while (each.hasNext()) {
      if (count++ > 0) out.append(',');
      Packing.quote(out, each.next().toString());
    }
    out.append(']');
  }

  private static void pairs(StringBuilder out, java.util.Iterator entries) {
    out.append('[');
    for (int count = 0; entries.hasNext(); count++) {
      java.util.Map.Entry entry = (java.util.Map.Entry) entries.next();
      out.append(count > 0 ? ",[" : "[");
      Packing.quote(out, (String) entry.getKey());
      out.append(',');
      Packing.quote(out, (String) entry.getValue());
      out.append(']');
    }
    out.append(']');
  }

}
