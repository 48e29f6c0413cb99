# Everything a fresh clone needs: `make demo`, `make test`. Nothing here needs root.

PYTHON  ?= python3
VENV    := .venv
BIN     := $(VENV)/bin
JOBS    ?= 2
SECONDS ?= 600
FUZZ     = $(BIN)/python -m tests.fuzz.run --seconds $(SECONDS) --jobs $(JOBS) $(if $(SEED),--seed $(SEED)) \
           $(if $(NUMBER),--number $(NUMBER))
GATES   := yosys opensta qflow-tech-osu018

# `make test` takes under 25 minutes of processor time, which it prints; what takes more is in `make soak`.

.PHONY: demo test soak lint fuzz synth clean tools gates

demo: $(VENV)/.demo
	$(BIN)/halidehw demo

test: $(VENV)/.test
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -q

soak: $(VENV)/.test
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -q -m soak
	$(BIN)/python -m tests.mutants.run
	$(BIN)/python -m tests.mutants.python
	$(FUZZ)
	$(FUZZ) --together
	$(FUZZ) --machines

lint: $(VENV)/.test
	$(BIN)/ruff check halidehw tests examples benchmarks
	$(BIN)/mypy

fuzz: $(VENV)/.test
	$(FUZZ)

synth: $(VENV)/.demo gates
	$(BIN)/python benchmarks/gate_level.py --jobs $(JOBS)

clean:
	rm -rf $(VENV) build *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(VENV)/.demo: EXTRAS := plot
$(VENV)/.test: EXTRAS := plot,test
$(VENV)/.demo $(VENV)/.test: $(VENV)/bin/python pyproject.toml constraints.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[$(EXTRAS)]'
	@touch $@

$(VENV)/bin/python: | tools
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "halidehw needs Python 3.11 or newer; name it with: make PYTHON=python3.11" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

tools:
	@for tool in g++ perl $(PYTHON); do \
	  command -v $$tool >/dev/null || missing="$$missing $$tool"; done; \
	  [ -z "$$missing" ] || { echo "missing:$$missing; install with: sudo apt-get install g++ make perl python3 python3-venv" >&2; exit 1; }

gates:
	@[ -n "$$(command -v yosys)" ] && [ -n "$$(command -v sta)" ] && [ -e /usr/share/qflow/tech/osu018 ] \
	  || { [ "$$(id -u)" = 0 ] && apt-get update -qq && apt-get install -y -qq $(GATES); } \
	  || { echo "gate level needs yosys, sta and osu018; install with: sudo apt-get install $(GATES)" >&2; exit 1; }
