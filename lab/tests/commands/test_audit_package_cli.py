"""``textveil audit-package``: a package in another process, adapters of third parties, refusals."""

import json
import sys
from importlib.metadata import EntryPoint, entry_points, version
from pathlib import Path

import pytest

from textveil_lab.audit.field import claims

ROW = """[[claim]]
id = "numpy-sum"
work = "NumPy"
part = "a sum"
year = 2026
version = "{version}"
place = "a test"
seen = "package"
unit = "number"
claim = "1"
verdict = "holds"
found = "1 of 1"
why = "One is one."
script = "one"
requires = ["numpy=={version}"]
"""
SCRIPT = """import json
import sys
import numpy
assert not [name for name in sys.modules if name.startswith("textveil")]
print(json.dumps({"claimed": 1.0, "found": float(numpy.ones(1).sum())}))
"""


@pytest.fixture
def adapter(tmp_path: Path, monkeypatch) -> Path:
    """A third party's claims about a package that is installed, by an entry point."""
    (tmp_path / "witnesses").mkdir()
    (tmp_path / "witnesses/one.py").write_text(SCRIPT, encoding="utf-8")
    (tmp_path / "claims.toml").write_text(ROW.format(version=version("numpy")), encoding="utf-8")
    (tmp_path / "third_party.py").write_text(f"def folder():\n    return {str(tmp_path)!r}\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "third_party", raising=False)
    point = EntryPoint("third", "third_party:folder", claims.GROUP)
    monkeypatch.setattr(claims, "entry_points", lambda group: [point])
    return tmp_path


@pytest.fixture
def package(command, monkeypatch):
    """The command, whether or not the installed lab was built before it had it."""
    point = EntryPoint("audit-package", "textveil_lab.commands.audit_package:app", "textveil.commands")
    others = [one for one in entry_points(group="textveil.commands") if one.name != point.name]
    monkeypatch.setattr("textveil.cli.main.entry_points", lambda group: [*others, point])
    return lambda *arguments: command("audit-package", *arguments)


def test_without_a_name_every_package_is_listed_with_its_claims(package, adapter: Path) -> None:
    code, out, _ = package("--json")
    listed = json.loads(out)
    assert code == 0
    assert listed["numpy"] == ["numpy-sum"]
    assert {"openmed", "diffprivlib", "invink", "dp-fusion-lib", "dp-diffractor"} <= listed.keys()


def test_a_third_partys_claim_is_replayed_in_another_process(package, adapter: Path) -> None:
    code, out, _ = package("numpy", "--python", sys.executable)
    assert code == 0
    assert out.decode().startswith(f"numpy-sum (numpy {version('numpy')}): holds\n  claim: 1\n")
    assert str(adapter / "witnesses/one.py") in out.decode()


def test_a_verdict_that_is_no_longer_what_it_was_is_exit_code_4(package, adapter: Path) -> None:
    (adapter / "witnesses/one.py").write_text('print(\'{"claimed": 1.0, "found": 2.0}\')', encoding="utf-8")
    code, out, err = package("numpy", "--python", sys.executable)
    assert code == 4
    assert "refuted" in out.decode() and "must be mended" in err


def test_a_row_about_another_version_says_so_and_is_no_failure(package, adapter: Path) -> None:
    (adapter / "claims.toml").write_text(ROW.format(version="0.0.1"), encoding="utf-8")
    code, out, _ = package("numpy", "--python", sys.executable)
    assert code == 0
    assert "not refuted; the row is about 0.0.1" in out.decode()


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("numpi",), 2, "NAME must be one of"),
        (("numpy", "no-such"), 2, "CLAIM must be among numpy-sum"),
        (("numpy", "--python", "/no/such/python"), 1, "--python must be an interpreter"),
        (("openmed", "--python", sys.executable), 1, "--python must have openmed"),
    ],
)
def test_what_cannot_be_tested_is_refused_in_a_line(
    package, adapter: Path, arguments: tuple[str, ...], status: int, message: str
) -> None:
    code, out, err = package(*arguments)
    assert (code, out) == (status, b"")
    assert message in err and "Traceback" not in err


def test_a_witness_that_fails_is_an_error_not_a_verdict(package, adapter: Path) -> None:
    (adapter / "witnesses/one.py").write_text("raise SystemExit('no')", encoding="utf-8")
    code, out, err = package("numpy", "--python", sys.executable)
    assert (code, out) == (1, b"")
    assert "Run it alone" in err
