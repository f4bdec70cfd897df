"""What the pages say runs: code blocks, commands, links, and the README's commands in CI."""

import ast
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import settings
from tests.helpers.commands import run
from tests.helpers.shared import needs_lab, skip_without_extra
from tools import doc_tables

from textveil.catalog import entries
from textveil.errors import MissingExtra

CATALOG = entries()


ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("src/textveil/privacy/proofs/*.md")])
TEST_COMMAND = 'python -m pip install --editable ".[test]" && python -m pytest -n auto --dist loadfile'


def _blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def _cases(language: str) -> list:
    found = [(page, index, text) for page in PAGES for index, text in enumerate(_blocks(page, language))]
    return [
        pytest.param(page, text, id=f"{page.name}-{index}", marks=() if page.name == "README.md" else pytest.mark.slow)
        for page, index, text in found
    ]


@pytest.mark.parametrize(("page", "code"), _cases("python"))
def test_python_blocks_run(page: Path, code: str, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(ROOT)
    try:
        exec(compile(code, str(page), "exec"), {"__name__": "__main__", "tmp_path": tmp_path})
    except MissingExtra as error:
        pytest.skip(str(error))


@pytest.mark.parametrize(("page", "text"), _cases("console"))
def test_console_blocks_run(page: Path, text: str, capsysbinary, monkeypatch, tmp_path) -> None:
    """Lines that start with `$ textveil` run without an error, beside the examples; alone in this process."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    for line in re.findall(r"^\$ (.*(?:\\\n.*)*)", text, flags=re.MULTILINE):
        command = line.replace("\\\n", " ")
        if "textveil" not in command or "pip install" in command:
            continue
        if command.startswith("textveil ") and not re.search(r"[|<>&;$*]", command):
            code, _, err = run(capsysbinary, monkeypatch, *shlex.split(command)[1:])
        else:
            command = command.replace("textveil ", f"{shlex.quote(sys.executable)} -m textveil ")
            done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=600)
            code, err = done.returncode, done.stderr
        skip_without_extra(err)
        assert code == 0, (command, err)


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert "://" in target or (page.parent / target).exists(), (page.name, target)


def test_headings_stand_between_empty_lines() -> None:
    """A heading right behind another line is what is left of two sections that were put together."""
    for page in PAGES:
        text = re.sub(r"^```.*?^```", "```", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        touching = re.findall(r"(?:[^\n]\n(#{1,4} .*)|^(#{1,4} .*)\n[^\n])", text, flags=re.MULTILINE)
        assert touching == [], page.name


def test_ci_runs_the_readme_test_command() -> None:
    assert TEST_COMMAND in (ROOT / "README.md").read_text(encoding="utf-8")
    assert TEST_COMMAND in (ROOT / ".ci/run").read_text(encoding="utf-8")


def test_ci_or_the_night_runs_the_scripts() -> None:
    runners = (".ci/run", "scripts/check", "scripts/nightly")
    text = "".join((ROOT / path).read_text(encoding="utf-8") for path in runners)
    for script in {path.name for path in ROOT.glob("scripts/*")} - {"nightly"}:
        assert re.search(rf"(^|command=\")scripts/{script}\b", text, re.MULTILINE), script


def test_the_suite_draws_the_same_cases_unless_told(request) -> None:
    profile = request.config.getoption("--hypothesis-profile")
    assert settings.default.derandomize == (profile != "new")
    assert settings.default.deadline is None and settings.default.print_blob


@needs_lab
def test_what_is_generated_is_what_is_declared() -> None:
    assert doc_tables.stale() == [], "run: scripts/docs --write"
    page = doc_tables.renewed("# Options\n\n<!-- generated: options -->\n| `--old` |\n<!-- end -->\nkept\n")
    assert page.startswith("# Options\n\n<!-- generated: options -->\n\n| option | values |")
    assert page.endswith(" |\n\n<!-- end -->\nkept\n") and "--old" not in page
    assert "| `--epsilon`" in doc_tables.with_site_tables("# Options\n\n<!-- site: options -->\nkept\n")
    rows = '{\n        # generated: mechanisms\n        "b": "old:b",\n        "gone": "m:gone",\n        # end\n}'
    lines = doc_tables.listed(rows, {"c": "m:c", "a": "m:a", "b": "m:b"}).splitlines()[2:5]
    assert lines == ['        "b": "m:b",', '        "a": "m:a",', '        "c": "m:c",']


NEW_MECHANISM = '''"""Randomized response at half of epsilon."""

from textveil.mechanisms.randomized_response import RandomizedResponse, randomized_response
from textveil.mechanisms.declaration import declared
from textveil.mechanisms.kinds import Epsilon
from textveil.privacy.guarantees import Status
from textveil.vocabulary.vocabulary import Vocabulary

PROOF = "privacy/proofs/half_response.md"


@declared(family="channel", notion="pure DP", status=Status.PROVED, proof=PROOF, source="none", summary="Half of it.")
def half_response(vocabulary: Vocabulary, *, epsilon: Epsilon) -> RandomizedResponse:
    """Randomized response at half of ``epsilon``."""
    return randomized_response(vocabulary, epsilon=epsilon / 2)
'''


@needs_lab
@pytest.mark.slow
def test_a_new_mechanism_is_three_files_by_hand(tmp_path) -> None:
    """The file, its proof and its test; the script writes all else, and no other file must know its name."""
    for folder in ("src", "docs", "tools", "tests/contracts", "lab/docs", "lab/tests"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    by_hand = {
        tmp_path / "src/textveil/mechanisms/half_response.py": NEW_MECHANISM,
        tmp_path / "src/textveil/privacy/proofs/half_response.md": "# Half response\n\n**Statement.** Pure DP.\n",
        tmp_path / "tests/mechanisms/test_half_response.py": "def test_half() -> None: ...\n",
    }
    count = {3: "three"}[len(by_hand)]
    assert f"A mechanism is {count} files" in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for path, text in by_hand.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "src"), "PYTHONDONTWRITEBYTECODE": "1"}

    def run(*command: str) -> subprocess.CompletedProcess[str]:
        words = [sys.executable, *command]
        return subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)

    assert run("tools/doc_tables.py", "--check").returncode == 1
    assert run("tools/doc_tables.py", "--write").returncode == 0
    assert run("tools/doc_tables.py", "--check").returncode == 0
    assert "half-response" in run("-m", "textveil", "mechanisms").stdout
    changed = {path for path in tmp_path.rglob("*") if path.is_file() and before.get(path) != path.read_bytes()}
    written = {"src/textveil/catalog.py", "docs/mechanisms.md", "tests/contracts/catalog.json"}
    written.add("src/textveil/cli/mechanism_options.json")
    assert changed == {*by_hand, *(tmp_path / path for path in written)}


def test_tests_of_the_whole_catalog_read_declarations_and_name_no_mechanism() -> None:
    """Else a new one would need a line there."""
    source = ast.parse((ROOT / "tests/helpers/catalog.py").read_text(encoding="utf-8"))
    strings = {node.value for node in ast.walk(source) if isinstance(node, ast.Constant)}
    assert not strings & set(CATALOG)


def test_a_page_lists_every_mechanism_with_its_true_status() -> None:
    text = "".join(doc_tables.mechanisms(name) for name in doc_tables.TABLES if "mechanisms" in name)
    rows = re.findall(r"^\| `([a-z][a-z-]*)` \|[^|]*\| (proved|certified|claimed|refuted) \|", text, flags=re.MULTILINE)
    assert dict(rows) == {name: one.status.value for name, one in CATALOG.items()}


@pytest.mark.slow
@pytest.mark.parametrize("script", sorted(ROOT.glob("examples/*.py")), ids=lambda path: path.name)
def test_examples_run(script: Path) -> None:
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=600)
    skip_without_extra(done.stderr)
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_the_readme_is_short() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 120
    assert len(text.split()) <= 900


def test_the_index_lists_every_page() -> None:
    listed = set(re.findall(r"\]\(([a-z-]+\.md)\)", (ROOT / "docs/index.md").read_text(encoding="utf-8")))
    assert listed == {path.name for path in ROOT.glob("docs/*.md")} - {"index.md"}


DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = "".join((DOCS / f"{name}.md").read_text(encoding="utf-8") for name in ("integrations", "foreign-detectors"))
BLOCKS = re.findall(r"^```py\n# needs: ([a-z_, ]+)\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)


def blocks(package: str) -> list[str]:
    """The blocks that need a package most of all."""
    return [text for needs, text in BLOCKS if needs.split(", ")[0] == package]


def test_every_block_says_what_it_needs() -> None:
    assert len(BLOCKS) == len(re.findall(r"^```py\n", PAGE, flags=re.MULTILINE))
    assert {needs.split(", ")[0] for needs, _ in BLOCKS} == {
        *{"duckdb", "pandas", "polars", "datasets", "sklearn"},
        *{"pyarrow", "pyspark", "daft", "ray", "spacy", "presidio_analyzer", "presidio_anonymizer"},
    }


@pytest.mark.parametrize("package", sorted({needs.split(", ")[0] for needs, _ in BLOCKS} - {"pyspark", "ray"}))
def test_blocks_run(package: str, tmp_path, monkeypatch) -> None:
    """Ray's block runs in test_ray.py, beside the one Ray of the suite."""
    for needed in {one for needs, _ in BLOCKS if needs.split(", ")[0] == package for one in needs.split(", ")}:
        pytest.importorskip(needed, reason=f"the block needs {needed}")
    monkeypatch.chdir(tmp_path)
    for text in blocks(package):
        exec(compile(text, package, "exec"), {"__name__": "__main__"})
