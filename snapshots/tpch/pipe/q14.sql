FROM spark_catalog.default.lineitem
|> JOIN spark_catalog.default.part ON l_partkey = p_partkey
|> WHERE l_shipdate >= DATE '1995-09-01'
|> WHERE l_shipdate < DATE '1995-09-01' + INTERVAL '1' MONTH
|> AGGREGATE
  sum(
    CASE WHEN p_type LIKE 'PROMO%' THEN l_extendedprice * (1 - l_discount) ELSE 0 END
  ) AS `sum(case(like(p_type, 'PROMO%'), times(l_extendedprice, minus(1, l_discount)), 0))`,
  sum(l_extendedprice * (1 - l_discount)) AS `sum(l_extendedprice * (1 - l_discount))`
|> SELECT
  100.00
    * `sum(case(like(p_type, 'PROMO%'), times(l_extendedprice, minus(1, l_discount)), 0))`
    / `sum(l_extendedprice * (1 - l_discount))` AS promo_revenue
