"""Runs and workers from one flat list of changes, as tests give them."""

from typing import Any

from textveil.corpora.block_worker import BlockWorker
from textveil.corpora.corpus_run import Run
from textveil.sanitize.chosen import SanitizerOptions


def _split(facts: dict[str, Any]) -> dict[str, Any]:
    """The same facts, those of the sanitizer as one."""
    names = set(SanitizerOptions.__dataclass_fields__)
    options = SanitizerOptions(**{name: value for name, value in facts.items() if name in names})
    return {"options": options, **{name: value for name, value in facts.items() if name not in names}}


def run_of(**facts: Any) -> Run:
    """A run."""
    return Run(**_split(facts))


def worker_of(**facts: Any) -> BlockWorker:
    """A worker."""
    return BlockWorker(**_split(facts))
