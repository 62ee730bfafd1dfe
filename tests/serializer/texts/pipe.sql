-- The text of each pipeline of cases.py in the style `pipe`.

-- case: filters_merge_in_order
FROM spark_catalog.shop.people
|> WHERE id > 0
|> WHERE name <> 'x'
|> WHERE ok OR born IS NULL
|> SELECT id

-- case: filter_above_aggregate_is_having
FROM spark_catalog.shop.orders
|> AGGREGATE sum(n) AS spent GROUP BY person
|> WHERE spent > 2

-- case: groups_sorted_by_what_is_not_shown
FROM spark_catalog.shop.orders
|> AGGREGATE sum(n) AS spent, count(id) AS orders GROUP BY person
|> WHERE orders > 0
|> ORDER BY spent DESC
|> SELECT person

-- case: groups_filtered_and_sorted_by_what_is_computed
FROM spark_catalog.shop.orders
|> AGGREGATE sum(n) AS spent, count(id) AS orders GROUP BY person
|> WHERE orders > 0
|> SELECT person, spent
|> ORDER BY -spent

-- case: sorted_groups_filtered_by_what_is_computed
FROM spark_catalog.shop.orders
|> AGGREGATE sum(n) AS spent, count(id) AS orders GROUP BY person
|> ORDER BY spent DESC
|> SELECT person, orders + 1 AS more
|> WHERE more > 1

-- case: groups_filtered_by_a_key_and_sorted_by_what_are_not_shown
FROM spark_catalog.shop.orders
|> AGGREGATE sum(n) AS spent, count(id) AS orders GROUP BY person
|> WHERE person > 1
|> ORDER BY spent DESC
|> SELECT person + 1 AS next

-- case: rollup_filtered_by_a_key_that_was_filled
SELECT
  person,
  state,
  sum(n) AS spent
FROM spark_catalog.shop.orders
GROUP BY ROLLUP (person, state)
|> SELECT coalesce(person, 0) AS person, state, spent
|> WHERE person <> 3

-- case: groups_sorted_by_what_is_not_shown_and_filtered_by_what_is
FROM spark_catalog.shop.orders
|> AGGREGATE sum(n) AS spent, count(id) AS orders GROUP BY person
|> WHERE orders > 0
|> ORDER BY spent DESC
|> SELECT person, orders

-- case: filter_on_key_above_aggregate
FROM spark_catalog.shop.orders
|> AGGREGATE sum(n) AS spent GROUP BY person
|> WHERE person IS NOT NULL AND spent > 2

-- case: filter_above_window_is_qualify
FROM spark_catalog.shop.orders
|> SELECT id, person, row_number() OVER (PARTITION BY person ORDER BY id) AS place
|> WHERE place = 1

-- case: window_above_filter_above_window
FROM spark_catalog.shop.orders
|> SELECT id, n, row_number() OVER (PARTITION BY person ORDER BY id) AS place
|> WHERE place = 1
|> EXTEND sum(n) OVER (ORDER BY id) AS running

-- case: filter_above_distinct
FROM spark_catalog.shop.orders
|> SELECT state
|> SELECT DISTINCT state
|> WHERE state = 'new'

-- case: filter_above_limit
FROM spark_catalog.shop.orders
|> SELECT id
|> ORDER BY id
|> LIMIT 3
|> WHERE id > 1

-- case: negations_people_write
FROM spark_catalog.shop.people
|> WHERE id NOT IN (7, 8)
  AND name NOT LIKE 'z%'
  AND name IS NOT NULL
  AND id NOT BETWEEN 50 AND 60
  AND id <> 4
  AND NOT NOT ok
  AND NOT (ok AND ok IS NULL)
|> SELECT id

-- case: limits_and_offsets_add_up
FROM spark_catalog.shop.orders
|> SELECT id
|> ORDER BY id
|> LIMIT 10
|> OFFSET 1
|> LIMIT 5
|> OFFSET 1

-- case: offsets_add_up
FROM spark_catalog.shop.orders
|> SELECT id
|> ORDER BY id
|> OFFSET 1
|> OFFSET 2

-- case: offset_past_the_limit
FROM spark_catalog.shop.orders
|> SELECT id
|> ORDER BY id
|> LIMIT 2
|> OFFSET 3

-- case: sort_below_select
FROM spark_catalog.shop.orders
|> ORDER BY n DESC, id
|> SELECT id, state

-- case: sort_keys_with_nulls
FROM spark_catalog.shop.orders
|> SELECT id, n, state
|> ORDER BY n NULLS LAST, state DESC NULLS FIRST, id DESC

-- case: no_ordinals
FROM spark_catalog.shop.orders
|> SELECT id, 1 AS one
|> ORDER BY CAST(2 AS INT), one, id

-- case: group_by_a_literal
FROM spark_catalog.shop.orders
|> EXTEND 1 AS k
|> AGGREGATE count(*) AS rows GROUP BY k

-- case: join_inner
FROM spark_catalog.shop.people
|> SELECT id, name, ok
|> WHERE ok
|> JOIN (
  FROM spark_catalog.shop.orders
  |> SELECT person, n
  |> WHERE n > 1
) AS orders_filtered
  ON id = person
|> SELECT name, n

-- case: join_left
FROM spark_catalog.shop.people
|> SELECT id, name, ok
|> WHERE ok
|> LEFT JOIN (
  FROM spark_catalog.shop.orders
  |> SELECT person, n
  |> WHERE n > 1
) AS orders_filtered
  ON id = person
|> SELECT name, n

-- case: join_right
FROM spark_catalog.shop.people
|> SELECT id, name, ok
|> WHERE ok
|> RIGHT JOIN (
  FROM spark_catalog.shop.orders
  |> SELECT person, n
  |> WHERE n > 1
) AS orders_filtered
  ON id = person
|> SELECT name, n

-- case: join_full
FROM spark_catalog.shop.people
|> SELECT id, name, ok
|> WHERE ok
|> FULL JOIN (
  FROM spark_catalog.shop.orders
  |> SELECT person, n
  |> WHERE n > 1
) AS orders_filtered
  ON id = person
|> SELECT name, n

-- case: join_semi
FROM spark_catalog.shop.people
|> SELECT id, name, ok
|> WHERE ok
|> LEFT SEMI JOIN (
  FROM spark_catalog.shop.orders
  |> SELECT person, n
  |> WHERE n > 1
) AS orders_filtered
  ON id = person
|> SELECT name

-- case: join_anti
FROM spark_catalog.shop.people
|> SELECT id, name, ok
|> WHERE ok
|> LEFT ANTI JOIN (
  FROM spark_catalog.shop.orders
  |> SELECT person, n
  |> WHERE n > 1
) AS orders_filtered
  ON id = person
|> SELECT name

-- case: join_cross
FROM spark_catalog.shop.people
|> SELECT id
|> CROSS JOIN (
  FROM spark_catalog.shop.orders
  |> SELECT n
  |> WHERE n > 1
) AS orders_filtered

-- case: join_filter_above_stays_in_where
FROM spark_catalog.shop.people
|> SELECT id, name
|> LEFT JOIN (
  FROM spark_catalog.shop.orders
  |> SELECT person, n
) AS orders_rows
  ON id = person
|> WHERE n IS NULL

-- case: join_on_or
FROM spark_catalog.shop.people
|> JOIN spark_catalog.shop.orders ON (people.id = person OR people.id = n) AND n > 0
|> SELECT name, n

-- case: join_using
FROM spark_catalog.shop.people
|> SELECT id, name
|> AS people_rows
|> JOIN (
  FROM spark_catalog.shop.orders
  |> SELECT id, n
) AS orders_rows USING (id)

-- case: join_using_right
FROM spark_catalog.shop.people
|> SELECT id, name
|> AS people_rows
|> RIGHT JOIN (
  FROM spark_catalog.shop.orders
  |> SELECT id, n
) AS orders_rows USING (id)

-- case: join_using_full
FROM spark_catalog.shop.people
|> SELECT id, name
|> AS people_rows
|> FULL JOIN (
  FROM spark_catalog.shop.orders
  |> SELECT id, n
) AS orders_rows USING (id)

-- case: self_join_by_alias
FROM spark_catalog.shop.orders AS a
|> JOIN spark_catalog.shop.orders AS b ON a.person = b.person AND a.id < b.id
|> SELECT a.id, b.id AS later

-- case: three_tables
FROM spark_catalog.shop.people
|> JOIN spark_catalog.shop.orders ON people.id = person
|> JOIN spark_catalog.shop.odd ON odd.id = n
|> SELECT name, state, `a b`

-- case: join_of_an_aggregate
FROM spark_catalog.shop.people
|> JOIN (
  FROM spark_catalog.shop.orders
  |> AGGREGATE sum(n) AS spent GROUP BY person
) AS orders_grouped
  ON id = person
|> SELECT name, spent

-- case: shared_step_is_a_cte
FROM spark_catalog.shop.orders
|> AGGREGATE sum(n) AS spent GROUP BY person
|> UNION ALL (
  FROM spark_catalog.shop.orders
  |> AGGREGATE sum(n) AS spent GROUP BY person
  |> WHERE spent > 2
)

-- case: named_step_is_a_cte
FROM spark_catalog.shop.people
|> JOIN (
  FROM spark_catalog.shop.orders
  |> AGGREGATE sum(n) AS spent GROUP BY person
) AS per_person
  ON person = id
|> SELECT name, spent

-- case: named_step_twice
FROM spark_catalog.shop.orders
|> WHERE n > 1
|> SELECT id, person
|> AS big
|> JOIN (
  FROM spark_catalog.shop.orders
  |> WHERE n > 1
  |> SELECT id, person
  |> AS big
  |> SELECT id AS other
) AS again
  ON TRUE
|> SELECT id, other

-- case: aggregate_of_aggregate
FROM spark_catalog.shop.orders
|> AGGREGATE sum(n) AS spent GROUP BY person
|> AGGREGATE count(*) AS people GROUP BY spent

-- case: quoted_where_needed
FROM spark_catalog.shop.odd
|> SELECT `select`, `a b`, `x.y`, `c``d`, id
|> WHERE `a b` > 0 AND `select` > 0

-- case: output_names_to_quote
FROM spark_catalog.shop.orders
|> SELECT
  id + 0 AS `order`,
  id + 1 AS `two words`,
  id + 2 AS `dot.ted`,
  id + 3 AS `it's`,
  id + 4 AS `1a`,
  id + 5 AS `Größe`,
  id + 6 AS `-- x`,
  id + 7 AS plain_1

-- case: shadowed_name_in_where
FROM spark_catalog.shop.people
|> SELECT -id AS id, name
|> WHERE id < -1
|> ORDER BY id

-- case: shadowed_names_in_having
FROM spark_catalog.shop.orders
|> AGGREGATE max(id) AS n GROUP BY n + 1 AS id
|> WHERE n > 1
|> ORDER BY n, id

-- case: swapped_names
FROM spark_catalog.shop.orders
|> SELECT id AS n, n AS id
|> WHERE id > 1
|> ORDER BY n DESC

-- case: minimal_parentheses
FROM spark_catalog.shop.people
|> SELECT
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

-- case: case_on_one_line
FROM spark_catalog.shop.people
|> SELECT CASE WHEN id = 1 THEN 'one' ELSE 'many' END AS how_many

-- case: case_over_several_lines
FROM spark_catalog.shop.people
|> SELECT
  CASE
    WHEN id = 1 THEN 'just the one, and nobody else'
    WHEN id = 2 AND ok THEN 'two of them, or so they say'
    ELSE NULL
  END AS how_many

-- case: long_calls_break_at_88
FROM spark_catalog.shop.people
|> SELECT
  concat_ws(
    '; ',
    concat(name, ' and some text 0'),
    concat(name, ' and some text 1'),
    concat(name, ' and some text 2')
  ) AS short,
  upper(name) AS up

-- case: literals_of_many_types
FROM spark_catalog.shop.orders
|> SELECT
  NULL AS a,
  TRUE AS b,
  1 AS c,
  1099511627776L AS d,
  1.5D AS e,
  1.50 AS f,
  'it\'s' AS g,
  X'00FF' AS h,
  DATE '2020-01-02' AS i
|> LIMIT 1

-- case: dates_and_intervals
FROM spark_catalog.shop.people
|> SELECT born + INTERVAL '90' DAY AS a
|> WHERE a >= DATE '1980-01-01'

-- case: expression_used_twice
FROM spark_catalog.shop.people
|> SELECT id + 1 AS x
|> SELECT x * x AS y

-- case: large_expression_used_twice
FROM spark_catalog.shop.people
|> SELECT id + 1 + id * 2 - id * 3 + 7 + id * 11 + id * 13 AS x
|> SELECT x * x AS y

-- case: random_value_used_twice
FROM spark_catalog.shop.people
|> SELECT id, rand(1) AS x
|> WHERE x > 0.5D
|> SELECT x - x AS zero

-- case: structs_and_lambdas
FROM spark_catalog.shop.people
|> SELECT
  struct(id, name AS label) AS pair,
  transform(tags, tag -> concat(tag, '!')) AS loud,
  filter(tags, name -> name <> 'x') AS kept

-- case: exists_correlated
FROM spark_catalog.shop.people
|> WHERE EXISTS (
  FROM spark_catalog.shop.orders
  |> WHERE person = people.id
)
|> SELECT name

-- case: not_exists_correlated
FROM spark_catalog.shop.people
|> WHERE NOT EXISTS (
    FROM spark_catalog.shop.orders
    |> WHERE person = people.id
  )
  AND id > 0
|> SELECT name

-- case: correlated_with_the_same_table
FROM spark_catalog.shop.people
|> WHERE EXISTS (
  FROM spark_catalog.shop.people AS people_2
  |> WHERE born < people.born
)
|> SELECT name

-- case: scalar_correlated
FROM spark_catalog.shop.people
|> SELECT
  name,
  (
    FROM spark_catalog.shop.orders
    |> WHERE person = people.id
    |> AGGREGATE max(n) AS m
  ) AS most

-- case: in_query
FROM spark_catalog.shop.people
|> WHERE id IN (
  FROM spark_catalog.shop.orders
  |> SELECT person
)
|> SELECT name

-- case: not_in_query
FROM spark_catalog.shop.people
|> WHERE id NOT IN (
  FROM spark_catalog.shop.orders
  |> WHERE person IS NOT NULL
  |> SELECT person
)
|> SELECT name

-- case: lateral_join_of_the_first
FROM spark_catalog.shop.people
|> SELECT id, name
|> AS people_rows
|> JOIN LATERAL (
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
    WHERE person = people_rows.id
    ORDER BY id DESC
    LIMIT 1
  ) AS orders_limited
) AS orders_limited

-- case: lateral_left_join
FROM spark_catalog.shop.people
|> SELECT id, name
|> AS people_rows
|> LEFT JOIN LATERAL (
  FROM spark_catalog.shop.orders
  |> WHERE person = people_rows.id
  |> SELECT n
) AS orders_filtered

-- case: lateral_view
FROM spark_catalog.shop.people
|> JOIN LATERAL explode(tags) AS tag(tag)
|> SELECT id, tag

-- case: lateral_view_outer
FROM spark_catalog.shop.people
|> JOIN LATERAL explode_outer(tags) AS tag(tag)
|> SELECT id, tag
|> WHERE tag IS NULL OR tag <> 'x'

-- case: lateral_view_of_two_columns
FROM spark_catalog.shop.people
|> JOIN LATERAL posexplode(tags) AS posexplode(i, tag)
|> SELECT id, i, tag

-- case: filter_below_lateral_view
FROM spark_catalog.shop.people
|> WHERE id < 3
|> JOIN LATERAL explode(tags) AS tag(tag)
|> SELECT id, tag

-- case: pivoted
FROM spark_catalog.shop.orders
|> SELECT person, state, n
|> PIVOT (
  sum(n) AS `sum(n)`
  FOR state IN ('new' AS new, 'it\'s' AS `it's`)
)

-- case: pivoted_twice_over
FROM spark_catalog.shop.orders
|> SELECT person, state, n
|> PIVOT (
  sum(n) AS s,
  count(*) AS k
  FOR state IN ('new' AS new, 'x' AS x)
)

-- case: unpivoted
FROM spark_catalog.shop.orders
|> SELECT id, n, person
|> UNPIVOT INCLUDE NULLS (
  value FOR what IN (n, person)
)

-- case: unpivoted_without_nulls
FROM spark_catalog.shop.orders
|> SELECT id, n, person
|> UNPIVOT (
  value FOR name IN (n, person)
)

-- case: hint_broadcast
FROM spark_catalog.shop.orders
|> JOIN (
  FROM spark_catalog.shop.people
  |> SELECT /*+ BROADCAST */ id, name, born, ok, tags, home
) AS people_rows
  ON person = people_rows.id
|> SELECT name, n

-- case: hint_repartition
FROM spark_catalog.shop.people
|> SELECT id
|> SELECT /*+ REPARTITION(3, id) */ id

-- case: sample
FROM spark_catalog.shop.people
|> TABLESAMPLE (10 PERCENT) REPEATABLE (42)
|> SELECT id

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
FROM spark_catalog.shop.orders
|> WHERE id > 100
|> AGGREGATE count(*) AS rows, max(n) AS n

-- case: aggregate_clauses
FROM spark_catalog.shop.orders
|> AGGREGATE
  count(DISTINCT person) AS people,
  sum(n) FILTER (WHERE id > 1) AS later,
  sum(n) / count(*) AS mean

-- case: window_with_frames
FROM spark_catalog.shop.orders
|> SELECT
  id,
  sum(n) OVER (
    PARTITION BY person, state
    ORDER BY id DESC
    ROWS BETWEEN 2 PRECEDING AND CURRENT ROW
  ) AS last_three,
  max(n) OVER (ORDER BY id RANGE BETWEEN UNBOUNDED PRECEDING AND 5 FOLLOWING) AS near,
  count(*) OVER (PARTITION BY person) AS orders

-- case: window_over_aggregate
FROM spark_catalog.shop.orders
|> AGGREGATE sum(n) AS spent GROUP BY person
|> EXTEND rank() OVER (ORDER BY spent DESC) AS place

-- case: windows_over_sums_of_groups
FROM spark_catalog.shop.orders
|> AGGREGATE sum(n) AS `sum(n)`, max(n) AS `max(n)` GROUP BY person
|> SELECT
  person,
  sum(`sum(n)`) OVER (ORDER BY person) AS so_far,
  lag(`max(n)`) OVER (ORDER BY person) AS before,
  `sum(n)` / sum(`sum(n)`) OVER () AS share

-- case: tumble
FROM spark_catalog.shop.orders
|> EXTEND window(at, '10 minutes') AS window
|> AGGREGATE count(*) AS rows GROUP BY window

-- case: hop
FROM spark_catalog.shop.orders
|> EXTEND window(at, '10 minutes', '5 minutes') AS w
|> AGGREGATE count(*) AS rows GROUP BY w, state
|> SELECT w.start AS start, state, rows

-- case: session
FROM spark_catalog.shop.orders
|> AGGREGATE count(*) AS rows GROUP BY session_window(at, '5 minutes') AS session_window

-- case: values
FROM VALUES
  (1, 'a'),
  (2, CAST(NULL AS STRING)) AS v(id, word)
|> WHERE id > 1

-- case: set_operations
FROM spark_catalog.shop.orders
|> SELECT n
|> UNION (
  FROM spark_catalog.shop.orders
  |> SELECT person
)
|> INTERSECT (
  FROM spark_catalog.shop.people
  |> SELECT id
)
|> EXCEPT ALL (
  FROM spark_catalog.shop.orders
  |> WHERE id = 3
  |> SELECT id
)
|> ORDER BY n
|> LIMIT 3

-- case: set_operation_on_the_right
FROM spark_catalog.shop.orders
|> SELECT n
|> EXCEPT (
  FROM spark_catalog.shop.orders
  |> SELECT person
  |> UNION ALL (
    FROM spark_catalog.shop.people
    |> SELECT id
  )
)

-- case: union_with_a_limited_part_of_other_names
FROM spark_catalog.shop.orders
|> SELECT id, n
|> UNION ALL (
  FROM spark_catalog.shop.orders
  |> SELECT id, n
  |> ORDER BY id
  |> LIMIT 1
  |> SELECT n AS id, id AS n
)

-- case: union_of_a_limited_part_of_new_names
FROM spark_catalog.shop.orders
|> SELECT id, n
|> EXCEPT (
  FROM spark_catalog.shop.orders
  |> SELECT id, n
  |> ORDER BY id DESC
  |> LIMIT 1
  |> SELECT id AS m, n AS k
)

-- case: in_a_limited_part_of_other_names
FROM spark_catalog.shop.orders
|> WHERE id IN (
  FROM spark_catalog.shop.orders
  |> SELECT id, n
  |> ORDER BY id
  |> LIMIT 1
  |> SELECT n AS id, id AS n
  |> SELECT n
)

-- case: union_of_three
FROM spark_catalog.shop.people
|> SELECT id
|> UNION ALL (
  FROM spark_catalog.shop.orders
  |> SELECT n
)
|> UNION ALL (
  FROM spark_catalog.shop.odd
  |> SELECT `select`
)

-- case: filter_above_union
FROM spark_catalog.shop.people
|> SELECT id
|> UNION ALL (
  FROM spark_catalog.shop.orders
  |> SELECT n
)
|> WHERE id > 2

-- case: sql_text
FROM (
  select id, name from spark_catalog.shop.people where id > 1
) AS query
|> WHERE id < 5

-- case: without_rows
FROM (SELECT CAST(NULL AS INT) AS id, CAST(NULL AS STRING) AS word WHERE FALSE) AS v
|> WHERE id > 1

-- case: sorted_within_partitions
FROM spark_catalog.shop.people
|> SELECT id, name
|> SORT BY name

-- case: drawn_after_the_rows_are_sorted
FROM spark_catalog.shop.people
|> SELECT id
|> ORDER BY id
|> SELECT id, rand(3) AS drawn
|> WHERE rand(4) < 0.5D

-- case: numbered_after_the_rows_are_sorted
FROM spark_catalog.shop.people
|> SELECT id, name
|> ORDER BY name
|> EXTEND monotonically_increasing_id() AS n

-- case: hint_below_what_sees_partitions
FROM spark_catalog.shop.people
|> SELECT id
|> SELECT /*+ COALESCE(1) */ id
|> SELECT id, spark_partition_id() AS `spark_partition_id()`
|> AS numbered
|> WHERE id > 1

-- case: hint_by_a_computed_column
FROM spark_catalog.shop.people
|> SELECT id, id % 2 AS half
|> SELECT /*+ REPARTITION(3, half) */ id, half

-- case: aggregate_of_a_random_value
FROM spark_catalog.shop.orders
|> SELECT person, rand(3) * 0 AS nothing
|> AGGREGATE max(nothing) AS most GROUP BY person

-- case: sample_of_a_third
FROM spark_catalog.shop.people
|> SELECT id
|> TABLESAMPLE (7.000000000000001 PERCENT) REPEATABLE (1)

-- case: generator_over_the_row_around
FROM spark_catalog.shop.people
|> JOIN LATERAL (
  SELECT
    tag
  FROM explode(people.tags) AS explode(tag)
) AS rows_rows
|> SELECT id, tag
