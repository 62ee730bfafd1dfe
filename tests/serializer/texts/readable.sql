-- The text of each pipeline of cases.py in the style `readable`.

-- case: filters_merge_in_order
SELECT
  id
FROM spark_catalog.shop.people
WHERE id > 0
  AND name <> 'x'
  AND (ok OR born IS NULL)

-- case: filter_above_aggregate_is_having
SELECT
  person,
  sum(n) AS spent
FROM spark_catalog.shop.orders
GROUP BY person
HAVING sum(n) > 2

-- case: groups_sorted_by_what_is_not_shown
SELECT
  person
FROM (
  SELECT
    person,
    sum(n) AS spent,
    count(id) AS orders
  FROM spark_catalog.shop.orders
  GROUP BY person
  HAVING count(id) > 0
  ORDER BY spent DESC
) AS orders_sorted

-- case: groups_filtered_and_sorted_by_what_is_computed
SELECT
  person,
  spent
FROM (
  SELECT
    person,
    sum(n) AS spent
  FROM spark_catalog.shop.orders
  GROUP BY person
  HAVING count(id) > 0
) AS orders_grouped
ORDER BY -spent

-- case: sorted_groups_filtered_by_what_is_computed
SELECT
  person,
  more
FROM (
  SELECT
    person,
    count(id) + 1 AS more
  FROM spark_catalog.shop.orders
  GROUP BY person
  ORDER BY sum(n) DESC
) AS orders_sorted
WHERE more > 1

-- case: groups_filtered_by_a_key_and_sorted_by_what_are_not_shown
SELECT
  person + 1 AS next
FROM (
  SELECT
    person,
    sum(n) AS spent,
    count(id) AS orders
  FROM spark_catalog.shop.orders
  GROUP BY person
  HAVING person > 1
  ORDER BY spent DESC
) AS orders_sorted

-- case: rollup_filtered_by_a_key_that_was_filled
SELECT
  person,
  state,
  spent
FROM (
  SELECT
    coalesce(orders.person, 0) AS person,
    state,
    sum(n) AS spent
  FROM spark_catalog.shop.orders
  GROUP BY ROLLUP (orders.person, state)
) AS orders_grouped
WHERE person <> 3

-- case: groups_sorted_by_what_is_not_shown_and_filtered_by_what_is
SELECT
  person,
  count(id) AS orders
FROM spark_catalog.shop.orders
GROUP BY person
HAVING count(id) > 0
ORDER BY sum(n) DESC

-- case: filter_on_key_above_aggregate
SELECT
  person,
  sum(n) AS spent
FROM spark_catalog.shop.orders
GROUP BY person
HAVING person IS NOT NULL
  AND sum(n) > 2

-- case: filter_above_window_is_qualify
SELECT
  id,
  person,
  row_number() OVER (PARTITION BY person ORDER BY id) AS place
FROM spark_catalog.shop.orders
QUALIFY place = 1

-- case: window_above_filter_above_window
SELECT
  id,
  n,
  place,
  sum(n) OVER (ORDER BY id) AS running
FROM (
  SELECT
    id,
    n,
    row_number() OVER (PARTITION BY person ORDER BY id) AS place
  FROM spark_catalog.shop.orders
  QUALIFY place = 1
) AS orders_windowed

-- case: filter_above_distinct
SELECT
  state
FROM (
  SELECT DISTINCT
    state
  FROM spark_catalog.shop.orders
) AS orders_distinct
WHERE state = 'new'

-- case: filter_above_limit
SELECT
  id
FROM (
  SELECT
    id
  FROM spark_catalog.shop.orders
  ORDER BY id
  LIMIT 3
) AS orders_limited
WHERE id > 1

-- case: negations_people_write
SELECT
  id
FROM spark_catalog.shop.people
WHERE id NOT IN (7, 8)
  AND name NOT LIKE 'z%'
  AND name IS NOT NULL
  AND id NOT BETWEEN 50 AND 60
  AND id <> 4
  AND NOT NOT ok
  AND NOT (ok AND ok IS NULL)

-- case: limits_and_offsets_add_up
SELECT
  id
FROM spark_catalog.shop.orders
ORDER BY id
LIMIT 4 OFFSET 2

-- case: offsets_add_up
SELECT
  id
FROM spark_catalog.shop.orders
ORDER BY id
OFFSET 3

-- case: offset_past_the_limit
SELECT
  id
FROM spark_catalog.shop.orders
ORDER BY id
LIMIT 0 OFFSET 3

-- case: sort_below_select
SELECT
  id,
  state
FROM spark_catalog.shop.orders
ORDER BY n DESC, id

-- case: sort_keys_with_nulls
SELECT
  id,
  n,
  state
FROM spark_catalog.shop.orders
ORDER BY n NULLS LAST, state DESC NULLS FIRST, id DESC

-- case: no_ordinals
SELECT
  id,
  1 AS one
FROM spark_catalog.shop.orders
ORDER BY CAST(2 AS INT), one, id

-- case: group_by_a_literal
SELECT
  k,
  count(*) AS rows
FROM (
  SELECT
    id,
    person,
    price,
    state,
    at,
    n,
    1 AS k
  FROM spark_catalog.shop.orders
) AS orders_computed
GROUP BY k

-- case: join_inner
SELECT
  name,
  n
FROM spark_catalog.shop.people
JOIN spark_catalog.shop.orders ON people.id = orders.person
WHERE ok
  AND n > 1

-- case: join_left
SELECT
  name,
  n
FROM spark_catalog.shop.people
LEFT JOIN spark_catalog.shop.orders ON people.id = orders.person AND orders.n > 1
WHERE ok

-- case: join_right
SELECT
  name,
  n
FROM spark_catalog.shop.people
RIGHT JOIN spark_catalog.shop.orders ON people.id = orders.person AND people.ok
WHERE n > 1

-- case: join_full
SELECT
  name,
  n
FROM (
  SELECT
    id,
    name,
    ok
  FROM spark_catalog.shop.people
  WHERE ok
) AS people_filtered
FULL JOIN (
  SELECT
    person,
    n
  FROM spark_catalog.shop.orders
  WHERE n > 1
) AS orders_filtered
  ON people_filtered.id = orders_filtered.person

-- case: join_semi
SELECT
  name
FROM spark_catalog.shop.people
LEFT SEMI JOIN spark_catalog.shop.orders ON people.id = orders.person AND orders.n > 1
WHERE ok

-- case: join_anti
SELECT
  name
FROM spark_catalog.shop.people
LEFT ANTI JOIN spark_catalog.shop.orders ON people.id = orders.person AND orders.n > 1
WHERE ok

-- case: join_cross
SELECT
  people.id,
  n
FROM spark_catalog.shop.people
CROSS JOIN spark_catalog.shop.orders
WHERE n > 1

-- case: join_filter_above_stays_in_where
SELECT
  people.id,
  name,
  person,
  n
FROM spark_catalog.shop.people
LEFT JOIN spark_catalog.shop.orders ON people.id = orders.person
WHERE n IS NULL

-- case: join_on_or
SELECT
  name,
  n
FROM spark_catalog.shop.people
JOIN spark_catalog.shop.orders
  ON (people.id = orders.person OR people.id = orders.n)
  AND orders.n > 0

-- case: join_using
SELECT
  people.id,
  name,
  n
FROM spark_catalog.shop.people
JOIN spark_catalog.shop.orders ON people.id = orders.id

-- case: join_using_right
SELECT
  orders.id,
  name,
  n
FROM spark_catalog.shop.people
RIGHT JOIN spark_catalog.shop.orders ON people.id = orders.id

-- case: join_using_full
SELECT
  coalesce(people.id, orders.id) AS id,
  name,
  n
FROM spark_catalog.shop.people
FULL JOIN spark_catalog.shop.orders ON people.id = orders.id

-- case: self_join_by_alias
SELECT
  a.id,
  b.id AS later
FROM spark_catalog.shop.orders AS a
JOIN spark_catalog.shop.orders AS b ON a.person = b.person AND a.id < b.id

-- case: three_tables
SELECT
  name,
  state,
  `a b`
FROM spark_catalog.shop.people
JOIN spark_catalog.shop.orders ON people.id = orders.person
JOIN spark_catalog.shop.odd ON odd.id = orders.n

-- case: join_of_an_aggregate
SELECT
  name,
  spent
FROM spark_catalog.shop.people
JOIN (
  SELECT
    person,
    sum(n) AS spent
  FROM spark_catalog.shop.orders
  GROUP BY person
) AS orders_grouped
  ON people.id = orders_grouped.person

-- case: shared_step_is_a_cte
WITH orders_grouped AS (
  SELECT
    person,
    sum(n) AS spent
  FROM spark_catalog.shop.orders
  GROUP BY person
)
SELECT
  person,
  spent
FROM orders_grouped
UNION ALL
SELECT
  person,
  spent
FROM orders_grouped
WHERE spent > 2

-- case: named_step_is_a_cte
WITH per_person AS (
  SELECT
    person,
    sum(n) AS spent
  FROM spark_catalog.shop.orders
  GROUP BY person
)
SELECT
  name,
  spent
FROM spark_catalog.shop.people
JOIN per_person ON per_person.person = people.id

-- case: named_step_twice
WITH big AS (
  SELECT
    id,
    person
  FROM spark_catalog.shop.orders
  WHERE n > 1
)
SELECT
  big.id,
  again.id AS other
FROM big
JOIN big AS again ON TRUE

-- case: aggregate_of_aggregate
SELECT
  spent,
  count(*) AS people
FROM (
  SELECT
    person,
    sum(n) AS spent
  FROM spark_catalog.shop.orders
  GROUP BY person
) AS orders_grouped
GROUP BY spent

-- case: quoted_where_needed
SELECT
  `select`,
  `a b`,
  `x.y`,
  `c``d`,
  id
FROM spark_catalog.shop.odd
WHERE `a b` > 0
  AND `select` > 0

-- case: output_names_to_quote
SELECT
  id + 0 AS `order`,
  id + 1 AS `two words`,
  id + 2 AS `dot.ted`,
  id + 3 AS `it's`,
  id + 4 AS `1a`,
  id + 5 AS `Größe`,
  id + 6 AS `-- x`,
  id + 7 AS plain_1
FROM spark_catalog.shop.orders

-- case: shadowed_name_in_where
SELECT
  -people.id AS id,
  name
FROM spark_catalog.shop.people
WHERE -people.id < -1
ORDER BY id

-- case: shadowed_names_in_having
SELECT
  orders.n + 1 AS id,
  max(orders.id) AS n
FROM spark_catalog.shop.orders
GROUP BY orders.n + 1
HAVING max(orders.id) > 1
ORDER BY n, id

-- case: swapped_names
SELECT
  orders.id AS n,
  orders.n AS id
FROM spark_catalog.shop.orders
WHERE orders.n > 1
ORDER BY n DESC

-- case: minimal_parentheses
SELECT
  (id = 1) IS NULL AS a,
  (id = 1) = ok AS b,
  ok = (name IS NULL) AS c,
  (id = 10) IN (TRUE, FALSE) AS d,
  -(-id) AS e,
  1 - (id - -2) AS f,
  (id + 1) * 2 % 3 AS g,
  id - (id + 1) - 2 AS h,
  NOT (ok AND ok) AS i,
  (NOT ok) IS NULL AS j,
  id + 1 BETWEEN id - 1 AND id * 2 AS k,
  ok AND (ok OR id > 2) AS l,
  id / 2 / (id / 3) AS m,
  -(id + 1) AS n,
  id * -1 AS o,
  home.geo.lat + 1 AS p
FROM spark_catalog.shop.people

-- case: case_on_one_line
SELECT
  CASE WHEN id = 1 THEN 'one' ELSE 'many' END AS how_many
FROM spark_catalog.shop.people

-- case: case_over_several_lines
SELECT
  CASE
    WHEN id = 1 THEN 'just the one, and nobody else'
    WHEN id = 2 AND ok THEN 'two of them, or so they say'
    ELSE NULL
  END AS how_many
FROM spark_catalog.shop.people

-- case: long_calls_break_at_88
SELECT
  concat_ws(
    '; ',
    concat(name, ' and some text 0'),
    concat(name, ' and some text 1'),
    concat(name, ' and some text 2')
  ) AS short,
  upper(name) AS up
FROM spark_catalog.shop.people

-- case: literals_of_many_types
SELECT
  NULL AS a,
  TRUE AS b,
  1 AS c,
  1099511627776L AS d,
  1.5D AS e,
  1.50 AS f,
  'it\'s' AS g,
  X'00FF' AS h,
  DATE '2020-01-02' AS i
FROM spark_catalog.shop.orders
LIMIT 1

-- case: dates_and_intervals
SELECT
  born + INTERVAL '90' DAY AS a
FROM spark_catalog.shop.people
WHERE born + INTERVAL '90' DAY >= DATE '1980-01-01'

-- case: expression_used_twice
SELECT
  (id + 1) * (id + 1) AS y
FROM spark_catalog.shop.people

-- case: large_expression_used_twice
SELECT
  x * x AS y
FROM (
  SELECT
    id + 1 + id * 2 - id * 3 + 7 + id * 11 + id * 13 AS x
  FROM spark_catalog.shop.people
) AS people_computed

-- case: random_value_used_twice
SELECT
  x - x AS zero
FROM (
  SELECT
    id,
    rand(1) AS x
  FROM spark_catalog.shop.people
) AS people_computed
WHERE x > 0.5D

-- case: structs_and_lambdas
SELECT
  struct(id, name AS label) AS pair,
  transform(tags, tag -> concat(tag, '!')) AS loud,
  filter(tags, name -> name <> 'x') AS kept
FROM spark_catalog.shop.people

-- case: exists_correlated
SELECT
  name
FROM spark_catalog.shop.people
WHERE EXISTS (
  SELECT
    1
  FROM spark_catalog.shop.orders
  WHERE person = people.id
)

-- case: not_exists_correlated
SELECT
  name
FROM spark_catalog.shop.people
WHERE NOT EXISTS (
    SELECT
      1
    FROM spark_catalog.shop.orders
    WHERE person = people.id
  )
  AND id > 0

-- case: correlated_with_the_same_table
SELECT
  name
FROM spark_catalog.shop.people
WHERE EXISTS (
  SELECT
    1
  FROM spark_catalog.shop.people AS people_2
  WHERE born < people.born
)

-- case: scalar_correlated
SELECT
  name,
  (
    SELECT
      max(n)
    FROM spark_catalog.shop.orders
    WHERE person = people.id
  ) AS most
FROM spark_catalog.shop.people

-- case: in_query
SELECT
  name
FROM spark_catalog.shop.people
WHERE id IN (
  SELECT
    person
  FROM spark_catalog.shop.orders
)

-- case: not_in_query
SELECT
  name
FROM spark_catalog.shop.people
WHERE id NOT IN (
  SELECT
    person
  FROM spark_catalog.shop.orders
  WHERE person IS NOT NULL
)

-- case: lateral_join_of_the_first
SELECT
  id,
  name,
  n
FROM spark_catalog.shop.people
JOIN LATERAL (
  SELECT
    n
  FROM (
    SELECT
      id,
      person,
      price,
      state,
      at,
      n
    FROM spark_catalog.shop.orders
    WHERE person = people.id
    ORDER BY id DESC
    LIMIT 1
  ) AS orders_limited
) AS orders_rows

-- case: lateral_left_join
SELECT
  id,
  name,
  n
FROM spark_catalog.shop.people
LEFT JOIN LATERAL (
  SELECT
    n
  FROM spark_catalog.shop.orders
  WHERE person = people.id
) AS orders_filtered

-- case: lateral_view
SELECT
  id,
  tag
FROM spark_catalog.shop.people
LATERAL VIEW explode(tags) tag AS tag

-- case: lateral_view_outer
SELECT
  id,
  tag
FROM spark_catalog.shop.people
LATERAL VIEW OUTER explode(tags) tag AS tag
WHERE tag IS NULL OR tag <> 'x'

-- case: lateral_view_of_two_columns
SELECT
  id,
  i,
  tag
FROM spark_catalog.shop.people
LATERAL VIEW posexplode(tags) posexplode AS i, tag

-- case: filter_below_lateral_view
SELECT
  id,
  tag
FROM spark_catalog.shop.people
LATERAL VIEW explode(tags) tag AS tag
WHERE id < 3

-- case: pivoted
SELECT
  person,
  new,
  `it's`
FROM (
  SELECT
    person,
    state,
    n
  FROM spark_catalog.shop.orders
)
PIVOT (
  sum(n) AS `sum(n)`
  FOR state IN ('new' AS new, 'it\'s' AS `it's`)
) AS orders_rows_pivot

-- case: pivoted_twice_over
SELECT
  person,
  new_s,
  new_k,
  x_s,
  x_k
FROM (
  SELECT
    person,
    state,
    n
  FROM spark_catalog.shop.orders
)
PIVOT (
  sum(n) AS s,
  count(*) AS k
  FOR state IN ('new' AS new, 'x' AS x)
) AS orders_rows_pivot

-- case: unpivoted
SELECT
  id,
  what,
  value
FROM (
  SELECT
    id,
    n,
    person
  FROM spark_catalog.shop.orders
)
UNPIVOT INCLUDE NULLS (
  value FOR what IN (n, person)
) AS orders_rows_unpivot

-- case: unpivoted_without_nulls
SELECT
  id,
  name,
  value
FROM (
  SELECT
    id,
    n,
    person
  FROM spark_catalog.shop.orders
)
UNPIVOT (
  value FOR name IN (n, person)
) AS orders_rows_unpivot

-- case: hint_broadcast
SELECT /*+ BROADCAST(people) */
  name,
  n
FROM spark_catalog.shop.orders
JOIN spark_catalog.shop.people ON orders.person = people.id

-- case: hint_repartition
SELECT /*+ REPARTITION(3, id) */
  id
FROM spark_catalog.shop.people

-- case: sample
SELECT
  id
FROM spark_catalog.shop.people TABLESAMPLE (10 PERCENT) REPEATABLE (42)

-- case: rollup
SELECT
  person,
  state,
  sum(n) AS spent
FROM spark_catalog.shop.orders
GROUP BY ROLLUP (person, state)

-- case: cube
SELECT
  person,
  state,
  grouping_id() AS level,
  count(*) AS rows
FROM spark_catalog.shop.orders
GROUP BY CUBE (person, state)

-- case: grouping_sets
SELECT
  person,
  state,
  sum(n) AS spent
FROM spark_catalog.shop.orders
GROUP BY GROUPING SETS ((person, state), (person), ())

-- case: whole_table_aggregate
SELECT
  count(*) AS rows,
  max(n) AS n
FROM spark_catalog.shop.orders
WHERE id > 100

-- case: aggregate_clauses
SELECT
  count(DISTINCT person) AS people,
  sum(n) FILTER (WHERE id > 1) AS later,
  sum(n) / count(*) AS mean
FROM spark_catalog.shop.orders

-- case: window_with_frames
SELECT
  id,
  sum(n) OVER (
    PARTITION BY person, state
    ORDER BY id DESC
    ROWS BETWEEN 2 PRECEDING AND CURRENT ROW
  ) AS last_three,
  max(n) OVER (ORDER BY id RANGE BETWEEN UNBOUNDED PRECEDING AND 5 FOLLOWING) AS near,
  count(*) OVER (PARTITION BY person) AS orders
FROM spark_catalog.shop.orders

-- case: window_over_aggregate
SELECT
  person,
  sum(n) AS spent,
  rank() OVER (ORDER BY sum(n) DESC) AS place
FROM spark_catalog.shop.orders
GROUP BY person

-- case: windows_over_sums_of_groups
SELECT
  person,
  sum(sum(n)) OVER (ORDER BY person) AS so_far,
  lag(max(n)) OVER (ORDER BY person) AS before,
  sum(n) / sum(sum(n)) OVER () AS share
FROM spark_catalog.shop.orders
GROUP BY person

-- case: tumble
SELECT
  window(at, '10 minutes') AS window,
  count(*) AS rows
FROM spark_catalog.shop.orders
GROUP BY window(at, '10 minutes')

-- case: hop
SELECT
  window(at, '10 minutes', '5 minutes').start AS start,
  state,
  count(*) AS rows
FROM spark_catalog.shop.orders
GROUP BY window(at, '10 minutes', '5 minutes'), state

-- case: session
SELECT
  session_window(at, '5 minutes') AS session_window,
  count(*) AS rows
FROM spark_catalog.shop.orders
GROUP BY session_window(at, '5 minutes')

-- case: values
SELECT
  id,
  word
FROM VALUES
  (1, 'a'),
  (2, CAST(NULL AS STRING)) AS v(id, word)
WHERE id > 1

-- case: set_operations
(
  (
    SELECT
      n
    FROM spark_catalog.shop.orders
    UNION
    SELECT
      person
    FROM spark_catalog.shop.orders
  )
  INTERSECT
  SELECT
    id
  FROM spark_catalog.shop.people
)
EXCEPT ALL
SELECT
  id
FROM spark_catalog.shop.orders
WHERE id = 3
ORDER BY n
LIMIT 3

-- case: set_operation_on_the_right
SELECT
  n
FROM spark_catalog.shop.orders
EXCEPT
(
  SELECT
    person
  FROM spark_catalog.shop.orders
  UNION ALL
  SELECT
    id
  FROM spark_catalog.shop.people
)

-- case: union_with_a_limited_part_of_other_names
SELECT
  id,
  n
FROM spark_catalog.shop.orders
UNION ALL
(
  SELECT
    n,
    id
  FROM spark_catalog.shop.orders
  ORDER BY id
  LIMIT 1
)

-- case: union_of_a_limited_part_of_new_names
SELECT
  id,
  n
FROM spark_catalog.shop.orders
EXCEPT
(
  SELECT
    id,
    n
  FROM spark_catalog.shop.orders
  ORDER BY id DESC
  LIMIT 1
)

-- case: in_a_limited_part_of_other_names
SELECT
  id,
  person,
  price,
  state,
  at,
  n
FROM spark_catalog.shop.orders
WHERE id IN (
  SELECT
    id
  FROM spark_catalog.shop.orders
  ORDER BY id
  LIMIT 1
)

-- case: union_of_three
SELECT
  id
FROM spark_catalog.shop.people
UNION ALL
SELECT
  n
FROM spark_catalog.shop.orders
UNION ALL
SELECT
  `select`
FROM spark_catalog.shop.odd

-- case: filter_above_union
SELECT
  id
FROM (
  SELECT
    id
  FROM spark_catalog.shop.people
  UNION ALL
  SELECT
    n
  FROM spark_catalog.shop.orders
) AS people_combined
WHERE id > 2

-- case: sql_text
SELECT
  id,
  name
FROM (
  select id, name from spark_catalog.shop.people where id > 1
) AS query
WHERE id < 5

-- case: without_rows
SELECT
  id,
  word
FROM (SELECT CAST(NULL AS INT) AS id, CAST(NULL AS STRING) AS word WHERE FALSE) AS v
WHERE id > 1

-- case: sorted_within_partitions
SELECT
  id,
  name
FROM spark_catalog.shop.people
SORT BY name

-- case: drawn_after_the_rows_are_sorted
SELECT
  id,
  drawn
FROM (
  SELECT
    id,
    rand(3) AS drawn
  FROM (
    SELECT
      id
    FROM spark_catalog.shop.people
    ORDER BY id
  ) AS people_sorted
) AS people_computed
WHERE rand(4) < 0.5D

-- case: numbered_after_the_rows_are_sorted
SELECT
  id,
  name,
  monotonically_increasing_id() AS n
FROM (
  SELECT
    id,
    name
  FROM spark_catalog.shop.people
  ORDER BY name
) AS people_sorted

-- case: hint_below_what_sees_partitions
WITH numbered AS (
  SELECT
    id,
    spark_partition_id() AS `spark_partition_id()`
  FROM (
    SELECT /*+ COALESCE(1) */
      id
    FROM spark_catalog.shop.people
  ) AS people_rows
)
SELECT
  id,
  `spark_partition_id()`
FROM numbered
WHERE id > 1

-- case: hint_by_a_computed_column
SELECT /*+ REPARTITION(3, half) */
  id,
  half
FROM (
  SELECT
    id,
    id % 2 AS half
  FROM spark_catalog.shop.people
) AS people_computed

-- case: aggregate_of_a_random_value
SELECT
  person,
  max(nothing) AS most
FROM (
  SELECT
    person,
    rand(3) * 0 AS nothing
  FROM spark_catalog.shop.orders
) AS orders_computed
GROUP BY person

-- case: sample_of_a_third
SELECT
  id
FROM (
  SELECT
    id
  FROM spark_catalog.shop.people
) TABLESAMPLE (7.000000000000001 PERCENT) REPEATABLE (1) AS people_rows

-- case: generator_over_the_row_around
SELECT
  id,
  tag
FROM spark_catalog.shop.people
JOIN LATERAL (
  SELECT
    tag
  FROM explode(people.tags) AS explode(tag)
) AS explode_rows
