FROM spark_catalog.default.lineitem
|> JOIN (
  FROM spark_catalog.default.part
  |> WHERE p_brand = 'Brand#23'
  |> WHERE p_container = 'MED BOX'
) AS joined
  ON p_partkey = l_partkey
|> AS input
|> WHERE l_quantity < (
  FROM spark_catalog.default.lineitem AS lineitem_2
  |> WHERE l_partkey = input.p_partkey
  |> AGGREGATE avg(l_quantity) AS `avg(l_quantity)`
  |> SELECT 0.2 * `avg(l_quantity)` AS `0.2 * avg(l_quantity)`
)
|> AGGREGATE sum(l_extendedprice) AS `sum(l_extendedprice)`
|> SELECT `sum(l_extendedprice)` / 7.0 AS avg_yearly
