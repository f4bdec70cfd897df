"""The blocks of docs/integrations.md and docs/foreign-detectors.md run where what they need is installed."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = "".join((DOCS / f"{name}.md").read_text(encoding="utf-8") for name in ("integrations", "foreign-detectors"))
BLOCKS = re.findall(r"^```py\n# needs: ([a-z_, ]+)\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)


def blocks(package: str) -> list[str]:
    """The blocks that need a package most of all."""
    return [text for needs, text in BLOCKS if needs.split(", ")[0] == package]


def test_every_block_says_what_it_needs() -> None:
    assert len(BLOCKS) == len(re.findall(r"^```py\n", PAGE, flags=re.MULTILINE))
    assert {needs.split(", ")[0] for needs, _ in BLOCKS} == {
        *{"pandas", "polars", "datasets", "sklearn"},
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
