"""The recipes of docs/recipes.md: packages of Python and shapes of requests go through the gateway."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.helpers.stub_gateway import StubGateway

from textveil_lab.audit.gateway.wire import Upstream

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "examples/recipes/clients.py"


@pytest.fixture
def recipes(monkeypatch):
    spec = importlib.util.spec_from_file_location("recipes_run", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "recipes_run", module)
    spec.loader.exec_module(module)
    return module


def test_clients_that_are_here_pass(recipes):
    """Those of other ecosystems are tried by hand; docs/recipes.md says in which versions."""
    names = [name for name, recipe in recipes.RECIPES.items() if not recipe.command]
    done = subprocess.run([sys.executable, str(SCRIPT), *names], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert [line.partition(":")[0] for line in lines] == names
    assert sum(": ok (request shape)" in line for line in lines) == 4
    here = [name for name in names if (package := recipes.RECIPES[name].package) and importlib.util.find_spec(package)]
    assert [line.partition(":")[0] for line in lines if ": ok (client)" in line] == here


def test_values_that_go_on_or_do_not_come_back_are_seen(recipes):
    with Upstream(0) as upstream:
        with StubGateway(upstream.port, "clear") as leaky:
            verdict = recipes.tried("librechat", leaky.url.removesuffix("/v1"), upstream)
        assert verdict == "FAILED (request shape): 3 of 3 values reached the provider, 0 are not shown"
        with StubGateway(upstream.port, "chunks") as lossy:
            verdict = recipes.tried("librechat", lossy.url.removesuffix("/v1"), upstream)
        assert verdict.startswith("FAILED (request shape): 0 of 3 values reached the provider, ")
        assert recipes.tried("n8n", "http://127.0.0.1:9", upstream).startswith("FAILED: no request came")


def test_a_client_that_is_not_installed_is_told(recipes, monkeypatch):
    monkeypatch.setenv("PATH", os.devnull)
    with Upstream(0) as upstream:
        assert recipes.tried("claude", "http://127.0.0.1:9", upstream) == "not installed"


def test_the_page_has_a_row_for_each(recipes):
    page = (ROOT / "docs/recipes.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| ")][1:]
    assert len(rows) == len(recipes.RECIPES)
    assert sum("the shape of its request" in row for row in rows) == sum(
        bool(one.path) for one in recipes.RECIPES.values()
    )
