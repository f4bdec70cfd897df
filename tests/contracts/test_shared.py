"""No test needs the folder of public data: it is skipped, and no module asks for the folder when it is imported."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.helpers.shared import shared_path

ROOT = Path(__file__).resolve().parents[2]

AT_IMPORT = """
from tests.helpers.shared import shared_path
DATA = shared_path("README.md")
def test_nothing(): pass
"""

INSIDE = """
import pytest
from tests.helpers.shared import shared_path
@pytest.fixture(scope="module")
def data(): return shared_path("README.md")
def test_by_a_fixture(data): pass
def test_by_itself(): shared_path("README.md")
"""


def run(folder: Path, text: str, shared: Path) -> subprocess.CompletedProcess[str]:
    """Run tests of a file of their own, with a folder of public data."""
    (folder / "test_data.py").write_text(text)
    plain = [
        "-p",
        "no:cacheprovider",
        "-p",
        "no:randomly",
        "-p",
        "no:xdist",
        "-c",
        os.devnull,
        "--rootdir",
        str(folder),
    ]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    environment |= {"TEXTVEIL_SHARED": str(shared), "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'src'}"}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-rs", *plain, str(folder)],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=600,
    )  # fmt: skip


@pytest.mark.parametrize("there", [True, False])
def test_a_module_that_asks_when_it_is_imported_fails_on_every_machine(tmp_path: Path, there: bool) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    if there:
        (shared / "README.md").touch()
    done = run(tmp_path, AT_IMPORT, shared)
    assert done.returncode == 2
    assert "shared_path('README.md') must be called inside a test or a fixture" in done.stdout


def test_tests_and_fixtures_are_skipped_with_a_reason(tmp_path: Path) -> None:
    done = run(tmp_path, INSIDE, tmp_path / "nonexistent")
    assert done.returncode == 0 and "2 skipped" in done.stdout
    assert "needs README.md in a folder named shared" in done.stdout


def test_the_folder_is_found_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "README.md").touch()
    monkeypatch.setattr("tests.helpers.shared._ROOT", tmp_path)
    assert shared_path("README.md") == tmp_path / "README.md"
