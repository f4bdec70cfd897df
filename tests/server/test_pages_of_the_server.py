"""docs/server.md against the code: every key of the configuration, every route, every code of an error."""

import json
import re
from pathlib import Path

import pytest
from tests.helpers.servers import MemoryLedger

from textveil.server.app import make_app
from textveil.server.config import Config

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/server.md").read_text(encoding="utf-8")
SERVER = ROOT / "src/textveil/server"


def test_the_page_lists_every_key_of_the_configuration_with_its_default() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| (?:`(.*?)`)? *\|", PAGE, flags=re.MULTILINE))
    told = {
        name: "" if field.default is None else json.dumps(field.default) for name, field in Config.model_fields.items()
    }
    assert {name: rows.get(name) for name in told} == told


def test_the_page_lists_every_route() -> None:
    paths = make_app(Config(), ledger=MemoryLedger()).openapi()["paths"]
    own = [
        path.replace("{identity}", "ID").replace("{model}", "NAME")
        for path in paths
        if not path.startswith("/page") and path != "/"
    ]
    assert len(own) > 10 and [path for path in own if f"{path}`" not in PAGE] == []


@pytest.mark.parametrize("file", ["errors.py", "api.py", "keys.py", "guard.py"])
def test_the_page_lists_every_code(file: str) -> None:
    text = (SERVER / file).read_text(encoding="utf-8")
    codes = re.findall(r'ApiError\(\s*\d+,\s*"(\w+)"', text)
    assert codes and [code for code in codes if f"`{code}`" not in PAGE] == []
