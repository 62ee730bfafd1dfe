# Every target makes what it needs: Python 3.11+, Java 17+ and make are all a machine must have.

VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
CORPORA := tests/oracle tests/truth/test_truth.py tests/spark/capture tests/spark/test_hive_functions.py \
	tests/expressions/functions/test_running_spark.py \
	tests/spark/proof/test_soundness.py tests/spark/proof/test_all_mutants.py \
	tests/spark/proof/test_documented_mutants.py tests/spark/parser/test_settings.py \
	tests/spark/test_types_under_settings.py \
	tests/catalog_store/lineage/test_properties.py \
	tests/spark/session_catalog tests/benchmarks/test_harness.py \
	tests/properties/test_databases.py tests/serializer/dialects/test_duckdb_pipelines.py \
	$(addprefix tests/spark/,test_async.py test_async_tables.py test_catalog_aggregates.py \
	test_dataframes_over_connect.py test_foreign_views.py test_python_functions.py \
	test_repeated_grouping_sets.py test_stand_ins.py test_time_windows.py) \
	$(addprefix tests/spark/parser/,test_names_of_items.py test_names_of_pivots.py \
	test_names_of_columns.py test_nearest.py test_same_as_spark.py test_stacked_values.py \
	test_refused_over_groups.py test_types_inside.py \
	test_many_tokens.py) \
	$(addprefix tests/spark/process/,test_by_clock.py test_over_connect.py test_streaming.py \
	test_without_tables.py) \
	tests/snapshots/test_dataframes.py tests/examples/test_tpch_pipelines.py tests/wheel \
	$(addprefix tests/catalog_store/stores/hive/,test_spark.py test_fairness.py test_faults.py \
	test_python_functions.py test_hive_views.py)
WITH_TOOLS := tests/export/test_checkers.py tests/action/test_pre_commit.py tests/docs/test_pictures.py
SWEEPS := tests/types/test_keywords.py
OF_PROGRAMS := tests/action
ON_POSTGRESQL := tests/catalog_store/stores/hive/test_postgres.py
ON_SERVERS := tests/lakehouse tests/distributed
# Older Spark: one environment for each line of versions.txt, which replaces the newest of constraints.txt.
OLDER := $(shell sed -n 's/^pyspark==\([0-9]*\.[0-9]*\)\..*/\1/p' versions.txt)
READ_BY_OLDER := tests/spark/capture tests/spark/test_attached_functions.py \
	tests/table_api/test_saving.py tests/truth/test_truth.py \
	$(addprefix tests/serializer/,test_target.py test_availability.py test_same_rows.py test_windows.py)
SOURCES := src tests examples tools $(wildcard benchmarks)

# Spark runs the java of JAVA_HOME when that is set, else the one on PATH: so do the checks.
JAVA_MAJOR = $(shell "$${JAVA_HOME:+$$JAVA_HOME/bin/}java" -version 2>&1 \
	| sed -n 's/.*version "\(1\.\)\{0,1\}\([0-9][0-9]*\).*/\2/p' | head -n 1)
JAVA_OK = $(shell test "0$(JAVA_MAJOR)" -ge 17 && echo yes)
JAVA_MISSING = viewscribe needs Java 17 or newer, found $(or $(JAVA_MAJOR),none): install it \
	(apt-get install openjdk-17-jre-headless, dnf install java-17-openjdk-headless or \
	brew install openjdk@17) and put it on PATH or in JAVA_HOME

PYTHON ?= $(shell for python in python3.11 python3.12 python3.13 python3; do \
	$$python -c 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))' \
	2>/dev/null && echo $$python && break; done)
PYTHON_MISSING = viewscribe needs Python 3.11 or newer with venv: install it \
	(apt-get install python3.11 python3.11-venv, dnf install python3.11 or \
	brew install python@3.11) or name it with make PYTHON=/path/to/python3.11

# What Databricks Connect 19 needs; without it, the tests beside that are skipped.
PYTHON_12 := $(shell for python in python3.12 $(wildcard $(HOME)/.pyenv/versions/3.12*/bin/python); do \
	$$python -c 'import ensurepip, venv' 2>/dev/null && echo $$python && break; done)
CLIENTS := .venv-pyspark-client/.installed $(if $(PYTHON_12),.venv-databricks-connect/.installed)

# A Spark of the machine must not replace the one that is tested here, and what is compiled is kept.
unexport SPARK_HOME SPARK_CONF_DIR PYTHONPATH PYTHONDONTWRITEBYTECODE
export PYSPARK_PYTHON := $(CURDIR)/$(BIN)/python
export SPARK_LOCAL_IP := 127.0.0.1

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo quick test defaults check fuzz corpora corpus generated queries versions metastore metastores lakehouse connect \
	checkers cluster bench browser engines postgresql snapshots truth types classes docs pictures clean java python

help: ## Show these targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/\1|\2/p' Makefile | awk -F'|' '{printf "  make %-10s %s\n", $$1, $$2}'

demo: java $(INSTALLED) ## Store TPC-H pipelines as views and prove them equal
	@$(BIN)/python -m examples.tpch.demo

# Of the tests of `make test` those that answer at once; what is asked for by name runs whatever it takes.
quick: $(INSTALLED) ## Run what needs neither Java nor a server; ROOM=serializer, or paths: part of it
	@tests=$$($(BIN)/python -m tests.rooms $(ROOM)) && \
		$(BIN)/python -m pytest --numprocesses auto --dist worksteal \
		-m "not spark and not server$(if $(ROOM),, and not slow)" \
		$(addprefix --ignore=,$(ON_SERVERS) $(if $(ROOM),,$(CORPORA) $(SWEEPS) $(WITH_TOOLS) $(OF_PROGRAMS))) $$tests

# As many processes as the tests of Spark have cores here, each with a session of its own.
test: java $(INSTALLED) ## Run the tests, all but the corpora
	@$(BIN)/python -m pytest --numprocesses 2 --dist worksteal \
		$(addprefix --ignore=,$(CORPORA) $(SWEEPS) $(WITH_TOOLS) $(ON_POSTGRESQL) $(ON_SERVERS))

defaults: java $(INSTALLED) ## Run the same tests with Spark's own defaults: generated code, more cores
	@VIEWSCRIBE_TEST_SPARK=defaults $(BIN)/python -m pytest --numprocesses 2 --dist worksteal \
		$(addprefix --ignore=,$(CORPORA) $(SWEEPS) $(WITH_TOOLS) $(ON_POSTGRESQL) $(ON_SERVERS))

check: $(INSTALLED) ## Lint, formatting, types, layers
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/mypy $(SOURCES)
	$(BIN)/lint-imports

fuzz: java $(INSTALLED) ## Look for new examples where the properties do not hold; MINUTES=5: that long
	@$(BIN)/python -m tests.fuzzing $(MINUTES)

# Two processes, each with a Spark session of its own: a file is all in one of them.
corpora: java $(INSTALLED) ## Run TPC-H, Spark's documented examples, captured DataFrames, streams, calls, Hive, sessions, the wheel
	@$(BIN)/python -m pytest --numprocesses 2 --dist loadfile $(CORPORA)

metastore: java $(INSTALLED) ## Test a Hive Metastore beside Spark, and one on PostgreSQL
	@test -e /usr/share/java/postgresql.jar \
		|| { apt-get update && apt-get install -y postgresql libpostgresql-jdbc-java; }
	@$(BIN)/python -m pytest tests/catalog_store/stores/hive

metastores: java $(INSTALLED) ## Test Hive Metastore 3.1.3 and 4.0.1, from Maven, on Derby and PostgreSQL
	@command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 \
		|| apt-get install --yes postgresql
	@$(BIN)/python -m tests.metastores

connect: java $(INSTALLED) $(CLIENTS) ## Test against real Spark Connect servers, which have no viewscribe, and with other clients
	@$(BIN)/python -m pytest tests/distributed/test_connect.py tests/distributed/test_clients.py

cluster: java $(INSTALLED) ## Test on a master with two workers, one of which is killed
	@$(BIN)/python -m pytest tests/distributed/test_local_cluster.py tests/distributed/test_cluster.py

checkers: java $(INSTALLED) ## Test exports and hooks with dbt, SQLMesh, DataHub and pre-commit, which this installs
	@$(BIN)/python -m pytest $(WITH_TOOLS)

corpus: java $(INSTALLED) ## Capture all DataFrames, functions and depths; fail and kill everywhere
	@VIEWSCRIBE_CORPUS=all $(BIN)/python -m pytest $(SWEEPS) tests/spark/capture tests/spark/parser \
		tests/parser/test_any_text.py tests/environments/migration/test_applying.py tests/catalog_store/test_crashes.py \
		tests/test_depth.py tests/serializer/test_depth.py tests/expressions/functions/test_running_spark.py

generated: java $(INSTALLED) ## Capture ten thousand random DataFrame pipelines in all three ways
	@$(BIN)/python -m tests.spark.capture.generated --examples 10000

queries: java $(INSTALLED) ## Read TPC-H, SSB, TPC-DS and the queries of Spark's own tests, which Maven gives
	@$(BIN)/python -m tests.queries

versions: java $(OLDER:%=.venv-%/.installed) ## Capture, print and read again with each older Spark
	@for version in $(OLDER); do \
		echo "Spark $$version" >&2; \
		PYSPARK_PYTHON=$(CURDIR)/.venv-$$version/bin/python \
			.venv-$$version/bin/python -m pytest $(READ_BY_OLDER) || exit 1; \
	done

lakehouse: java $(INSTALLED) .venv-4.1/.installed ## Test Iceberg catalogs and Delta: two real servers, Spark and Connect, from Maven
	@$(BIN)/python -m tests.lakehouse $(CURDIR)/.venv-4.1/bin/python

bench: java $(INSTALLED) ## Run the benchmarks
	@$(BIN)/python -m benchmarks
	@$(BIN)/python -m benchmarks.reading --tpc-ds
	@$(BIN)/python -m benchmarks.growth || true  # what is marked in it is no failure of the others
	@$(BIN)/python -m benchmarks.saving
	@$(BIN)/python -m benchmarks.verifying
	@$(BIN)/python -m benchmarks.metastore
	@$(BIN)/python -m benchmarks.process

postgresql: $(INSTALLED) ## Test catalogs in PostgreSQL, which this installs where it is missing
	@command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 \
		|| apt-get install --yes postgresql
	@$(BIN)/python -m pytest tests/catalog_store -k postgresql

browser: $(INSTALLED) ## Test the pages of sites in Chromium, which this installs where it is missing
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null \
		|| { apt-get update && apt-get install --yes chromium; }
	@PIP_CONSTRAINT=constraints.txt $(BIN)/python -m pip install --quiet \
		--disable-pip-version-check --editable '.[browser]'
	@$(BIN)/python -m pytest tests/site/test_browser.py

engines: java $(INSTALLED) ## Compare rows with DuckDB's, read metadata with pyiceberg
	@PIP_CONSTRAINT=constraints.txt $(BIN)/python -m pip install --quiet \
		--disable-pip-version-check --editable '.[engines]'
	@$(BIN)/python -m pytest tests/serializer/dialects tests/catalog_store/stores/iceberg

snapshots: java $(INSTALLED) ## Rewrite the approved SQL from what the tests produce now
	@$(BIN)/python -m pytest --snapshot-update

truth: java $(INSTALLED) $(OLDER:%=.venv-%/.installed) ## Ask Spark anew for the table of truth, and older ones for what they answer otherwise
	@$(BIN)/python -m tests.truth.record
	@for version in $(OLDER); do \
		echo "Spark $$version" >&2; \
		PYSPARK_PYTHON=$(CURDIR)/.venv-$$version/bin/python \
			.venv-$$version/bin/python -m tests.truth.record || exit 1; \
	done

types: java $(INSTALLED) ## Ask Spark anew for the types that tests compare ours with
	@$(BIN)/python -m tests.expressions.functions.recorded

classes: java $(INSTALLED) ## Compile the Java sources anew, with the compiler of the newest Spark
	@$(BIN)/python -m tools.java_classes

# In an environment of its own, which needs neither viewscribe nor Spark.
docs: .venv-docs/.installed ## Build the documentation site into build/docs; warnings are errors
	@NO_MKDOCS_2_WARNING=1 .venv-docs/bin/python -m mkdocs --quiet build --strict
	@.venv-docs/bin/python -m tools.site_checks build/docs
	@echo "build/docs/index.html" >&2

pictures: java $(INSTALLED) ## Make the pictures of README.md and docs/ anew, from real runs of commands
	@$(BIN)/python -m tools.pictures

clean: ## Remove everything these targets made
	rm -rf $(VENV) .venv-* .data build dist spark-warehouse metastore_db derby.log
	rm -rf .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find $(SOURCES) -name __pycache__ -type d -prune -exec rm -rf {} +

java:
	@$(if $(JAVA_OK),:,$(error $(JAVA_MISSING)))

python:
	@$(if $(PYTHON),:,$(error $(PYTHON_MISSING)))

$(INSTALLED): pyproject.toml constraints.txt | python
	@echo "Installing into $(VENV) (once; a minute or two)" >&2
	@$(PYTHON) -m venv $(VENV)
	@PIP_CONSTRAINT=constraints.txt $(BIN)/python -m pip install --quiet \
		--disable-pip-version-check --editable '.[dev,check,bench,demo]'
	@touch $@

.venv-docs/.installed: pyproject.toml constraints.txt | python
	@echo "Installing mkdocs into .venv-docs (once; half a minute)" >&2
	@$(PYTHON) -m venv .venv-docs
	@$(PYTHON) -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["docs"], sep="\n")' \
		> .venv-docs/requirements.txt
	@PIP_CONSTRAINT=constraints.txt .venv-docs/bin/python -m pip install --quiet \
		--disable-pip-version-check --requirement .venv-docs/requirements.txt
	@touch $@

.venv-pyspark-client/.installed: CLIENT_PYTHON = $(PYTHON)
.venv-databricks-connect/.installed: CLIENT_PYTHON = $(PYTHON_12)
$(CLIENTS): .venv-%/.installed: pyproject.toml constraints.txt versions.txt | python
	@echo "Installing $* into .venv-$* (once; half a minute)" >&2
	@$(CLIENT_PYTHON) -m venv .venv-$*
	@{ grep -v '^pyarrow==' constraints.txt; grep '^$*==' versions.txt; } > .venv-$*/constraints.txt
	@PIP_CONSTRAINT=.venv-$*/constraints.txt .venv-$*/bin/python -m pip install --quiet \
		--disable-pip-version-check --editable . $*
	@touch $@

.venv-%/.installed: pyproject.toml constraints.txt versions.txt | python
	@echo "Installing Spark $* into .venv-$* (once; a minute or two)" >&2
	@$(PYTHON) -m venv .venv-$*
	@{ grep -v '^pyspark==' constraints.txt; grep '^pyspark==$*\.' versions.txt; } \
		> .venv-$*/constraints.txt
	@PIP_CONSTRAINT=.venv-$*/constraints.txt .venv-$*/bin/python -m pip install --quiet \
		--disable-pip-version-check --editable '.[dev]'
	@touch $@
