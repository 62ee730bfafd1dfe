-- The text of each pipeline of pipe_layouts.py in the style `pipe`.

-- case: conditions_that_fit
FROM spark_catalog.shop.orders
|> WHERE n > 1 AND id < 9 AND state IS NOT NULL

-- case: a_condition_a_line
FROM spark_catalog.shop.orders
|> WHERE n * 2 > 1
  AND state IS NOT NULL
  AND id < 1000
  AND (person = 1 OR price > 2)
  AND n IS NOT NULL

-- case: alternatives_of_several_conditions
FROM spark_catalog.shop.orders
|> WHERE state = 'new' AND n > 0 AND id < 1000
  OR state = 'a state with a long name'
    AND n > 10
    AND id < 2000
    AND person IS NOT NULL

-- case: a_query_among_conditions
FROM spark_catalog.shop.people
|> WHERE id > 0
  AND EXISTS (
    FROM spark_catalog.shop.orders
    |> WHERE person = people.id
  )
  AND name <> 'x'

-- case: a_query_or_a_condition
FROM spark_catalog.shop.people
|> WHERE id IN (
    FROM spark_catalog.shop.orders
    |> SELECT person
  )
  OR name = 'Bob'

-- case: a_long_list
FROM spark_catalog.shop.orders
|> WHERE id IN (
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23,
    24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44,
    45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59
  )

-- case: items_a_line_each
FROM spark_catalog.shop.orders
|> EXTEND
  n + 0 AS number_0_more,
  n + 1 AS number_1_more,
  n + 2 AS number_2_more,
  n + 3 AS number_3_more,
  n + 4 AS number_4_more
|> SELECT id, number_0_more, number_1_more, number_2_more, number_3_more, number_4_more

-- case: an_item_broken_before_its_name
FROM spark_catalog.shop.orders
|> SELECT
  id,
  CASE
    WHEN state = 'new' THEN 'an order that is new'
    ELSE 'an order of another kind'
  END AS kind_of_order

-- case: sort_keys_a_line_each
FROM spark_catalog.shop.orders
|> ORDER BY
  n * 1 + id DESC,
  n * 2 + id DESC,
  n * 3 + id DESC,
  n * 4 + id DESC,
  n * 5 + id DESC
|> SELECT id

-- case: groups_on_their_own_line
FROM spark_catalog.shop.orders
|> AGGREGATE sum(n * 1) AS spent_by_orders_of_the_kind_1
  GROUP BY person, state, price, id

-- case: aggregates_deeper_than_groups
FROM spark_catalog.shop.orders
|> AGGREGATE
    sum(n * 1) AS spent_by_orders_of_the_kind_1,
    sum(n * 2) AS spent_by_orders_of_the_kind_2,
    sum(n * 3) AS spent_by_orders_of_the_kind_3
  GROUP BY person

-- case: many_groups
FROM spark_catalog.shop.orders
|> AGGREGATE
    sum(n * 1) AS spent_by_orders_of_the_kind_1,
    sum(n * 2) AS spent_by_orders_of_the_kind_2
  GROUP BY
    n + 1 AS key_number_1,
    n + 2 AS key_number_2,
    n + 3 AS key_number_3,
    n + 4 AS key_number_4,
    n + 5 AS key_number_5

-- case: groups_without_aggregates
FROM spark_catalog.shop.orders
|> AGGREGATE GROUP BY person

-- case: computed_from_aggregates
FROM spark_catalog.shop.orders
|> AGGREGATE sum(n) / count(*) AS mean, max(n) + 1 AS more GROUP BY person

-- case: computed_from_aggregates_with_other_keys
FROM spark_catalog.shop.orders
|> AGGREGATE sum(n) AS spent GROUP BY person
|> SELECT person AS who, spent * -(spent + 0) AS x

-- case: renamed_keys
FROM spark_catalog.shop.orders
|> AGGREGATE -(max(id) - min(id)) AS person GROUP BY person AS id, n

-- case: reordered_aggregates
FROM spark_catalog.shop.orders
|> AGGREGATE sum(n) AS spent GROUP BY person
|> SELECT spent, person

-- case: aggregate_in_a_query
FROM spark_catalog.shop.people
|> WHERE id < (
  FROM spark_catalog.shop.orders
  |> WHERE person = people.id
  |> AGGREGATE max(n) + 1
)

-- case: rollup_above_steps
SELECT
  person,
  state,
  sum(n) AS spent
FROM (
  FROM spark_catalog.shop.orders
  |> WHERE n > 0
) AS orders_filtered
GROUP BY ROLLUP (person, state)
|> WHERE spent > 1

-- case: rollup_of_an_expression
SELECT
  odd,
  sum(n) AS spent
FROM (
  FROM spark_catalog.shop.orders
  |> EXTEND n % 2 AS odd
) AS orders_computed
GROUP BY ROLLUP (odd)

-- case: rollup_of_a_cube
SELECT
  state,
  count(*) AS rows
FROM (
  SELECT
    state,
    n,
    max(`first
  second`) AS `most
  of all`
  FROM (
    FROM spark_catalog.shop.orders
    |> SELECT id, state, n, n AS `first
  second`
  ) AS orders_rows
  GROUP BY CUBE (state, n)
  |> WHERE n > 0
) AS orders_grouped
GROUP BY ROLLUP (state)

-- case: rollup_of_a_self_join
SELECT
  state,
  n_2 AS n,
  sum(id_2) AS total
FROM (
  FROM spark_catalog.shop.orders AS a
  |> JOIN spark_catalog.shop.orders AS b ON a.person = b.id
  |> SELECT
    a.id,
    a.person,
    a.price,
    a.state,
    a.at,
    a.n,
    b.id AS id_2,
    b.person AS person_2,
    b.price AS price_2,
    b.state AS state_2,
    b.at AS at_2,
    b.n AS n_2
) AS a_joined
GROUP BY ROLLUP (state, n_2)

-- case: rollup_on_the_right
FROM spark_catalog.shop.people
|> SELECT id
|> JOIN (
  SELECT
    person,
    sum(n) AS spent
  FROM (
    FROM spark_catalog.shop.orders
    |> WHERE n > 0
  ) AS orders_filtered
  GROUP BY ROLLUP (person)
) AS orders_grouped
  ON id = person

-- case: join_on_several_conditions
FROM spark_catalog.shop.people
|> JOIN spark_catalog.shop.orders
  ON people.id = person
  AND n > 0
  AND price > 0
  AND state IS NOT NULL
|> SELECT name, n

-- case: names_last_beyond_a_join
FROM spark_catalog.shop.orders AS a
|> JOIN (
  FROM spark_catalog.shop.orders
  |> SELECT id AS other, n AS m
) AS b
  ON n = m
|> WHERE id > 0
|> JOIN spark_catalog.shop.orders AS c ON a.id = c.person
|> ORDER BY a.id, c.id
|> LIMIT 5
|> SELECT a.id, c.id AS later, other

-- case: a_query_sees_a_joined_table
FROM spark_catalog.shop.people
|> JOIN (
  FROM spark_catalog.shop.odd
  |> WHERE `a b` > 0
  |> SELECT id AS odd_id, `select`
) AS odd_filtered
  ON id = odd_id
|> WHERE `select` > 0
|> WHERE EXISTS (
  FROM spark_catalog.shop.orders
  |> WHERE person = odd_filtered.odd_id AND n > 0
)

-- case: a_query_sees_an_aggregate
FROM spark_catalog.shop.orders
|> AGGREGATE sum(n) AS spent GROUP BY person
|> AS orders_grouped
|> WHERE EXISTS (
  FROM spark_catalog.shop.people
  |> WHERE id = orders_grouped.person
)

-- case: using_then_another_join
FROM spark_catalog.shop.people
|> SELECT id, name
|> AS people_rows
|> JOIN (
  FROM spark_catalog.shop.orders
  |> SELECT id, n
) AS orders_rows USING (id)
|> AS people_joined
|> JOIN (
  FROM spark_catalog.shop.odd
  |> SELECT id, `select`
) AS odd_rows
  ON n = `select`
|> SELECT name, n

-- case: bare_again_after_a_semi_join
FROM spark_catalog.shop.people
|> LEFT SEMI JOIN spark_catalog.shop.orders ON people.id = orders.id
|> WHERE id > 0
|> SELECT id

-- case: the_last_of_two_names
FROM spark_catalog.shop.orders
|> WHERE n > 0
|> AS second
|> JOIN spark_catalog.shop.people ON second.id = people.id
|> SELECT second.id, name

-- case: two_names_of_a_table
FROM spark_catalog.shop.people
|> JOIN spark_catalog.shop.orders AS second ON second.id = n
|> SELECT name, second.id
|> AS fourth
|> WHERE id > 0

-- case: joined_under_two_names
FROM spark_catalog.shop.orders AS second
|> JOIN (
  FROM spark_catalog.shop.people AS fourth
  |> SELECT id, name
) AS fourth_rows
  ON second.id = fourth_rows.id
|> SELECT second.id, name

-- case: values_of_a_name
FROM VALUES
  (1, 'a'),
  (2, CAST(NULL AS STRING)) AS w(id, word)
|> JOIN spark_catalog.shop.people ON w.id = people.id
|> SELECT w.id, name

-- case: a_lateral_query_of_a_name
FROM spark_catalog.shop.people
|> LEFT JOIN LATERAL (
  FROM spark_catalog.shop.orders
  |> WHERE person = people.id
  |> SELECT n
) AS numbers
|> SELECT name, n

-- case: a_generator_after_a_join
FROM spark_catalog.shop.people
|> JOIN spark_catalog.shop.orders ON people.id = person
|> JOIN LATERAL explode(tags) AS state(state)
|> SELECT
  people.id,
  name,
  born,
  ok,
  tags,
  home,
  orders.id,
  person,
  price,
  orders.state,
  n,
  state.state

-- case: many_pivoted_values
FROM spark_catalog.shop.orders
|> SELECT person, state, n
|> PIVOT (
  sum(n) AS `sum(n)`
  FOR state IN (
    'new' AS new, 'x' AS x, 'it\'s' AS `it's`, 'another state 0' AS `another state 0`,
    'another state 1' AS `another state 1`, 'another state 2' AS `another state 2`,
    'another state 3' AS `another state 3`, 'another state 4' AS `another state 4`
  )
)
