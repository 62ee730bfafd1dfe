

/**
 * Symbols for what the session supplies: the time, the user, current names, variables.
 *
 * <p>A symbol is a column of a row around the whole query: the optimizer knows nothing of its value,
 * and takes it for the same wherever it stands.
 */
class SessionSymbols extends scala.runtime.AbstractPartialFunction {
  private static final java.util.regex.Pattern SPECIAL =
      java.util.regex.Pattern.compile("(?is)\\s*(now|today|tomorrow|yesterday).*");

  private final java.util.HashMap known = new java.util.HashMap();
  private final java.util.HashSet ids = new java.util.HashSet();
  private boolean asked;

  /** The plan with symbols; the same one where the session supplies nothing. */
  org.apache.spark.sql.catalyst.plans.logical.LogicalPlan put(
      org.apache.spark.sql.catalyst.plans.logical.LogicalPlan plan) {
    asked = false;
    org.apache.spark.sql.catalyst.plans.logical.LogicalPlan first = with(plan);
    org.apache.spark.sql.catalyst.plans.logical.LogicalPlan second = with(
        org.apache.spark.sql.catalyst.optimizer.ReplaceExpressions$.MODULE$.apply(first));
    return asked ? second : plan;
  }

  private org.apache.spark.sql.catalyst.plans.logical.LogicalPlan with(
      org.apache.spark.sql.catalyst.plans.logical.LogicalPlan plan) {
    return (org.apache.spark.sql.catalyst.plans.logical.LogicalPlan)
        plan.transformAllExpressionsWithSubqueries(this);
  }

  /** Whether it is a symbol, or what the optimizer leaves of one that it takes out of a query. */
  boolean isOne(org.apache.spark.sql.catalyst.trees.TreeNode node) {
    boolean named = node instanceof org.apache.spark.sql.catalyst.expressions.OuterReference
        || node instanceof org.apache.spark.sql.catalyst.expressions.Attribute;
    return named && ids.contains(Long.valueOf(id(node)));
  }

  long id(org.apache.spark.sql.catalyst.trees.TreeNode node) {
    return ((org.apache.spark.sql.catalyst.expressions.NamedExpression) node).exprId().id();
  }

  public boolean isDefinedAt(Object expression) {
    return key((org.apache.spark.sql.catalyst.expressions.Expression) expression) != null;
  }

  public Object applyOrElse(Object expression, scala.Function1 otherwise) {
    org.apache.spark.sql.catalyst.expressions.Expression node =
        (org.apache.spark.sql.catalyst.expressions.Expression) expression;
    Object key = key(node);
    if (key == null) return otherwise.apply(expression);
    asked = true;
    if (!known.containsKey(key)) known.put(key, symbol(node));
    return known.get(key);
  }

  private Object symbol(org.apache.spark.sql.catalyst.expressions.Expression node) {
    org.apache.spark.sql.catalyst.expressions.AttributeReference column =
        new org.apache.spark.sql.catalyst.expressions.AttributeReference(
            node.prettyName(), node.dataType(), node.nullable(),
            org.apache.spark.sql.types.Metadata.empty(),
            org.apache.spark.sql.catalyst.expressions.NamedExpression$.MODULE$.newExprId(),
            scala.collection.immutable.Nil$.MODULE$);
    ids.add(Long.valueOf(column.exprId().id()));
    return new org.apache.spark.sql.catalyst.expressions.OuterReference(column);
  }

  /** What two expressions of one value have alike; null for what the session does not supply. */
  private Object key(org.apache.spark.sql.catalyst.expressions.Expression node) {
    String name = node.getClass().getSimpleName();
    boolean supplied = name.equals("SparkVersion") || name.equals("VariableReference")
        || ((scala.collection.Seq) node.nodePatterns()).contains(
            org.apache.spark.sql.catalyst.trees.TreePattern$.MODULE$.CURRENT_LIKE());
    if (name.equals("Now")) return new org.apache.spark.sql.catalyst.expressions.CurrentTimestamp();
    return supplied || isSpecial(node) ? node.canonicalized() : null;
  }

  /** Whether it is {@code CAST('today' AS DATE)} or the like, which is a constant to Spark. */
  private boolean isSpecial(org.apache.spark.sql.catalyst.expressions.Expression node) {
    if (!(node instanceof org.apache.spark.sql.catalyst.expressions.Cast)) return false;
    org.apache.spark.sql.catalyst.expressions.Expression child =
        ((org.apache.spark.sql.catalyst.expressions.Cast) node).child();
    String type = node.dataType().typeName();
    boolean dated = type.equals("date") || type.startsWith("timestamp");
    if (!dated || !child.foldable()
        || !(child.dataType() instanceof org.apache.spark.sql.types.StringType)) return false;
    try {
      Object text = child.eval(null);
      return text != null && SPECIAL.matcher(text.toString()).matches();
    } catch (RuntimeException error) {
      return true;  // it is told once it runs
    }
  }
}
