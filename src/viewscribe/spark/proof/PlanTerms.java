package viewscribe;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Locale;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Cast;
import org.apache.spark.sql.catalyst.expressions.ExprId;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GetStructField;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.NamedLambdaVariable;
import org.apache.spark.sql.catalyst.expressions.RuntimeReplaceable;
import org.apache.spark.sql.catalyst.expressions.TimeZoneAwareExpression;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.aggregate.V2Aggregator;
import org.apache.spark.sql.catalyst.plans.ExistenceJoin;
import org.apache.spark.sql.catalyst.plans.logical.CTERelationRef;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Range;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.connector.catalog.functions.BoundFunction;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import org.apache.spark.sql.types.AtomicType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.StringType;

/**
 * Plans as JSON texts that can be compared with each other: terms.py reads them.
 *
 * <p>Nothing is lost. What is neither a node, a list, a word nor a number is written as the place of
 * the first object that Java says is equal to it, in this plan or in one written before; so is a
 * leaf, by what Spark's own canonical form says. One object serves the plans of one comparison.
 */
public class PlanTerms {
  private final HashMap seen = new HashMap();
  private final SessionSymbols symbols = new SessionSymbols();
  private SparkSession session;
  private StringBuilder nodes;
  private int count;
  private IdentityHashMap known;
  private StringBuilder classes;
  private HashSet classesSeen;

  /** The text of a plan, or of the one that was analyzed for a DataFrame. */
  public String write(Object asked) {
    Object plan = asked instanceof Dataset ? ((Dataset) asked).queryExecution().analyzed() : asked;
    nodes = new StringBuilder();
    count = 0;
    known = new IdentityHashMap();
    classes = new StringBuilder();
    classesSeen = new HashSet();
    int root = node((TreeNode) plan);
    return Packing.pack("{\"root\":" + root + ",\"classes\":{" + classes + "},\"nodes\":["
        + nodes + "]}");
  }

  /**
   * The plan of a DataFrame once optimized, whatever the day, the user and the current names are:
   * Spark would write theirs into it.
   */
  public Object optimized(QueryExecution execution) {
    LogicalPlan analyzed = execution.analyzed();
    LogicalPlan symbolic = symbols.put(analyzed);
    if (symbolic == analyzed) return execution.optimizedPlan();
    return session.sessionState().optimizer().execute(symbolic);
  }

  /** An object for the plans of another comparison, which are of this session. */
  public Object another(SparkSession session) {
    PlanTerms made = new PlanTerms();
    made.session = session;
    return made;
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
      scala.collection.Iterator children = next.children().reverseIterator();
      while (children.hasNext()) {  // the first one is on top: a CTE goes before those that read it
        Object child = children.next();
        if (!known.containsKey(child)) {
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
    if (node instanceof RuntimeReplaceable) {  // what it stands for
      known.put(node, Integer.valueOf(node(((RuntimeReplaceable) node).replacement())));
      return;
    }
    StringBuilder out = new StringBuilder("[");
    if (symbols.isOne(node)) {
      out.append("\"Symbol\",[").append(symbols.id(node)).append("],null");
    } else if (node instanceof Attribute) {
      out.append("\"Attribute\",[],").append(((NamedExpression) node).exprId().id());
    } else if (node instanceof NamedLambdaVariable) {
      out.append("\"Variable\",[],").append(((NamedExpression) node).exprId().id());
    } else if (node instanceof Literal) {
      out.append("\"Literal\",[").append(place(node)).append(',');
      Packing.quote(out, node.toString());
      out.append("],null");
    } else if (node instanceof CTERelationRef) {
      out.append("\"CTERelationRef\",[").append(((CTERelationRef) node).cteId()).append("],");
      columns(out, (LogicalPlan) node);
    } else if (node.getClass().getSimpleName().equals("UnionLoopRef")) {
      scala.Product loop = (scala.Product) node;  // Spark 4.0 has no such class
      out.append("\"UnionLoopRef\",[").append(loop.productElement(0)).append(',');
      Packing.quote(out, String.valueOf(loop.productElement(2)));
      out.append("],");
      columns(out, (LogicalPlan) node);
    } else if (node instanceof Range) {
      Range range = (Range) node;
      Object cut = range.numSlices().isDefined() ? range.numSlices().get()
          : Integer.valueOf(session.leafNodeDefaultParallelism());
      Packing.quote(out, "Leaf");
      out.append(",[");
      Packing.quote(out, "range " + range.start() + ' ' + range.end() + ' ' + range.step() + ' ' + cut
          + ' ' + range.isStreaming());
      out.append("],");
      columns(out, range);
    } else if (node instanceof LogicalPlan && node.children().isEmpty()) {
      Packing.quote(out, "Leaf");
      out.append(",[").append(place(source(((LogicalPlan) node).canonicalized())));
      if (node instanceof LocalRelation) rows(out, (LocalRelation) node);
      out.append("],");
      columns(out, (LogicalPlan) node);
    } else {
      product(out, node);
    }
    boolean chance = node instanceof Expression && !((Expression) node).deterministic();
    if (node instanceof V2Aggregator) {  // which Spark does not ask
      chance = chance || !((V2Aggregator) node).aggrFunc().isDeterministic();
    }
    out.append(chance ? ",true]" : ",false]");
    if (count > 0) nodes.append(",\n");
    nodes.append(out);
    known.put(node, Integer.valueOf(count));
    count += 1;
  }

  /** What decides the rows of a leaf: of files not how their path was given, which they lie at. */
  private Object source(Object canonical) {
    if (!(canonical instanceof LogicalRelation)) return canonical;
    LogicalRelation leaf = (LogicalRelation) canonical;
    if (leaf.isStreaming() || !(leaf.relation() instanceof HadoopFsRelation)) return canonical;
    HadoopFsRelation files = (HadoopFsRelation) leaf.relation();
    HashMap options = new HashMap();
    scala.collection.Iterator each = files.options().iterator();
    while (each.hasNext()) {
      scala.Tuple2 option = (scala.Tuple2) each.next();
      options.put(((String) option._1()).toLowerCase(Locale.ROOT), option._2());
    }
    options.remove("path");
    return Arrays.asList(new Object[] {leaf.output(), files.location(), files.partitionSchema(),
        files.dataSchema(), files.bucketSpec(), files.fileFormat(), options});
  }

  /** The bytes of local rows: for Spark those of 0.0 and -0.0 are equal. */
  private void rows(StringBuilder out, LocalRelation relation) {
    UnsafeProjection bytes = UnsafeProjection.create(relation.schema());
    scala.collection.Iterator each = relation.data().iterator();
    StringBuilder all = new StringBuilder();
    while (each.hasNext()) {
      all.append(bytes.apply((InternalRow) each.next()).toString());
    }
    out.append(',');
    Packing.quote(out, all.toString());
  }

  private void product(StringBuilder out, TreeNode node) {
    String kind = node.getClass().getName();
    kind = kind.substring(kind.lastIndexOf('.') + 1);
    if (node instanceof Cast && neverFails((Cast) node)) kind = "WideCast";
    if (kind.equals("Now")) kind = "CurrentTimestamp";  // another name of it
    Packing.quote(out, kind);
    out.append(",[");
    scala.Product product = (scala.Product) node;
    if (classesSeen.add(kind)) {
      if (classes.length() > 0) classes.append(',');
      Packing.quote(classes, kind);
      classes.append(":[");
      for (int i = 0; i < product.productArity(); i++) {
        if (i > 0) classes.append(',');
        Packing.quote(classes, product.productElementName(i));
      }
      classes.append(']');
    }
    for (int i = 0; i < product.productArity(); i++) {
      if (i > 0) out.append(',');
      value(out, isIdle(node, i) ? null : argument(node, product, i));
    }
    out.append("],");
    if (node instanceof LogicalPlan) {
      columns(out, (LogicalPlan) node);
    } else if (node instanceof NamedExpression && ((Expression) node).resolved()) {
      out.append(((NamedExpression) node).exprId().id());
    } else {
      out.append("null");
    }
  }

  /** Whether an argument has no part in the value: a field's name beside its place, a zone. */
  private boolean isIdle(TreeNode node, int argument) {
    if (node instanceof Cast) return argument == 2 && !((Cast) node).needsTimeZone();
    return node instanceof GetStructField && argument == 2;
  }

  /**
   * An argument; instead of a zone's name its rules, which several names stand for, but where a
   * pattern may show the name.
   */
  private Object argument(TreeNode node, scala.Product product, int place) {
    Object value = product.productElement(place);
    boolean zone = value instanceof scala.Some && product.productElementName(place).equals("timeZoneId");
    return zone && !showsZone(node) ? ((TimeZoneAwareExpression) node).zoneId().getRules() : value;
  }

  private boolean showsZone(TreeNode node) {
    if (node instanceof Cast) return false;
    scala.collection.Iterator children = node.children().iterator();
    while (children.hasNext()) {
      DataType type = ((Expression) children.next()).dataType();
      if (!(type instanceof AtomicType) || type instanceof StringType) return true;
    }
    return false;
  }

  /** Whether each value has a counterpart in the other type; a far date has none as a time. */
  private boolean neverFails(Cast cast) {
    return Cast.canUpCast(cast.child().dataType(), cast.dataType())
        && !(cast.child().dataType() instanceof DateType);
  }

  private void columns(StringBuilder out, LogicalPlan plan) {
    out.append('[');
    scala.collection.Iterator each = plan.output().iterator();
    while (each.hasNext()) {
      out.append(((NamedExpression) each.next()).exprId().id());
      if (each.hasNext()) out.append(',');
    }
    out.append(']');
  }

  private void value(StringBuilder out, Object value) {
    if (value == null || value instanceof scala.None$) {
      out.append("null");
    } else if (value instanceof scala.Some) {
      value(out, ((scala.Some) value).get());
    } else if (value instanceof TreeNode
        && (value instanceof Expression || value instanceof LogicalPlan)) {
      out.append("{\"r\":").append(node((TreeNode) value)).append('}');
    } else if (value instanceof ExistenceJoin) {
      out.append("{\"e\":").append(((ExistenceJoin) value).exists().exprId().id()).append('}');
    } else if (value instanceof ExprId) {
      out.append("{\"i\":").append(((ExprId) value).id()).append('}');
    } else if (value instanceof scala.collection.Seq) {
      out.append('[');
      scala.collection.Iterator each = ((scala.collection.Seq) value).iterator();
      while (each.hasNext()) {
        value(out, each.next());
        if (each.hasNext()) out.append(',');
      }
      out.append(']');
    } else if (value instanceof scala.Tuple2) {  // a branch of CASE
      out.append('[');
      value(out, ((scala.Tuple2) value)._1());
      out.append(',');
      value(out, ((scala.Tuple2) value)._2());
      out.append(']');
    } else if (value instanceof String || value instanceof Boolean || value instanceof Integer
        || value instanceof Long) {
      Packing.quote(out, value.toString());
    } else if (value instanceof scala.Product && ((scala.Product) value).productArity() == 0) {
      Packing.quote(out, value.toString());
    } else if (value instanceof BoundFunction) {
      out.append(function((BoundFunction) value));
    } else {
      out.append(place(value));
    }
  }

  /** The place of a catalog's function: two of one canonical name are the same, says Spark. */
  private int function(BoundFunction function) {
    Object name = Arrays.asList(new Object[] {BoundFunction.class, function.canonicalName()});
    if (!seen.containsKey(function)) seen.put(function, Integer.valueOf(place(name)));
    return place(function);
  }

  /** The place of the first object that equals this one. */
  private int place(Object value) {
    Integer place = (Integer) seen.get(value);
    if (place == null) {
      place = Integer.valueOf(seen.size());
      seen.put(value, place);
    }
    return place.intValue();
  }
}
