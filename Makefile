# `make demo` and `make test` install everything they need into .venv.
# Required on the machine: Python 3.11 or newer with venv, Java 17 or newer, make.

PYTHON ?= $(shell for name in python3.11 python3.12 python3.13 python3.14 python3; do \
    $$name -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$name && break; done)
BIN    := .venv/bin
READY  := .venv/.ready
export PYTHONDONTWRITEBYTECODE :=  # where it is set, each of the many processes of the tests compiles every module anew
SOAK   := GTOPSS_SOAK=1 $(BIN)/pytest -q --durations=10

.PHONY: demo test test-fast check bench docs release soak soak-attacks soak-differential soak-stateful soak-unit soak-checked jars \
	setup require clean

demo: setup            ## run the paper's example, filter real feeds and news into a page, then do the same on Spark
	@$(BIN)/gtopss demo
	@mkdir -p build
	@echo; echo "Filtering real feeds and news by the subscriptions in data/subscriptions (a few seconds):"
	@$(BIN)/gtopss filter data/feeds data/news/news.nq -s data/subscriptions \
	    -o data/ontologies/iptc-mediatopics-en-GB.ttl --output table --page build/matched.html
	@echo; echo "To see the matched items now, open file://$(CURDIR)/build/matched.html"
	@echo; echo "The same subscriptions on Spark, in two parts; Ctrl-C skips them."
	@echo; echo "1. With the engine in Spark's executors. Spark starts, reads the feeds and writes tables: about a minute, and"
	@echo "   on a new machine one or two minutes more, because the matching loops are compiled."
	@$(BIN)/gtopss pipeline data/feeds data/news/news.nq -s data/subscriptions \
	    -o data/ontologies/iptc-mediatopics-en-GB.ttl --out build/spark-engine
	@echo; echo "Looking for the jar of GraphFrames, which is downloaded once (at most four minutes)."
	@$(MAKE) --no-print-directory jars
	@echo; echo "2. With GraphFrames, which searches what part 1 has read for motifs: half a minute to a minute."
	@$(BIN)/gtopss pipeline build/spark-engine/publications -s data/subscriptions \
	    -o data/ontologies/iptc-mediatopics-en-GB.ttl --plan graphframes --out build/spark-graphframes \
	    || echo "GraphFrames is not available, so this part is left out."
	@echo; echo "The page with the matched items: file://$(CURDIR)/build/matched.html"
	@echo "To run the service: $(BIN)/gtopss serve, then open http://127.0.0.1:8080/"

test: jars             ## run all tests; the long ones as a seeded sample
	$(BIN)/pytest -q -n 2 --dist worksteal -m "not spark" --durations=25
	$(BIN)/pytest -q -n 2 --dist loadfile -m spark --durations=10

test-fast: setup       ## run all tests except Spark's and the slow ones: under three minutes
	$(BIN)/pytest -q -n 2 -m "not spark and not slow" --durations=10

check: setup           ## check style, types and import layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: setup           ## measure the engine beside its peers, up to an hour (`gtopss bench --quick`: two minutes)
	@mkdir -p build
	$(BIN)/gtopss bench --out build/bench.json --plots build/bench

docs: setup            ## build the documentation site into build/site; a broken link fails
	@mkdir -p build
	$(BIN)/python docs/build_site.py

release: setup         ## build the wheel and the source distribution into build/release, and check both; nothing is uploaded
	rm -rf build/release
	$(BIN)/python -m build --outdir build/release .
	$(BIN)/twine check --strict build/release/*
	@for each in CHANGELOG.md CITATION.cff; do tar -tzf build/release/*.tar.gz | grep "/$$each$$" > /dev/null \
	    || { echo "the source distribution lacks $$each: see MANIFEST.in" >&2; exit 1; }; done

soak: soak-attacks soak-differential soak-stateful soak-unit soak-checked  ## run the long checks in full, one part after the other

soak-attacks: setup    ## hostile cases, damaged snapshots, long life
	$(SOAK) tests/attacks

soak-differential: setup  ## compare generated cases with oracles
	$(SOAK) tests/differential

soak-stateful: setup   ## random sequences of changes and matches
	$(SOAK) tests/stateful

soak-unit: jars        ## unit tests, those with generated cases in full
	$(SOAK) tests/unit

soak-checked: setup    ## the kernels, compiled with bounds checks
	@mkdir -p build/checked
	GTOPSS_SOAK=1 NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=build/checked $(BIN)/pytest -q -k "random or mutated" \
	    tests/unit/gtopss/matching/index/kernels/test_ntriples.py
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=build/checked $(BIN)/pytest -q tests/unit/gtopss/matching/index \
	    tests/unit/gtopss/operators tests/stateful/test_index.py tests/differential/test_index_pairs.py \
	    tests/differential/test_text.py tests/differential/test_batches.py tests/unit/gtopss/engine/test_batch_inputs.py

jars: setup            # download the GraphFrames jar; where that fails, its tests are skipped with a reason
	@$(BIN)/gtopss spark fetch-jars --within 120 > /dev/null || true

setup: require $(READY)

$(READY): pyproject.toml
	@echo "installing into .venv (once; a minute or two)"
	@$(PYTHON) -m venv .venv
	@$(BIN)/pip install -q --disable-pip-version-check -e '.[dev]'
	@touch $(READY)

require:
	@$(or $(PYTHON),false) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { echo "Python 3.11 or newer is needed: install it (Debian: apt-get install python3.11 python3.11-venv), or name one: make PYTHON=/path/to/python" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "this Python lacks venv: install it (Debian: apt-get install python3-venv)" >&2; exit 1; }
	@major=$$(java -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p'); [ "$${major:-0}" -ge 17 ] || { echo "Java 17 or newer is needed for the OWL reasoners: install it (Debian: apt-get install openjdk-17-jre-headless)" >&2; exit 1; }

clean:
	rm -rf .venv build *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
