"""The long runs of docs/reliability.md: a little of each, and that each sees what it looks for."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from textveil.sanitize.sanitizer import Sanitizer

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs fork and SIGKILL")
pytest.importorskip("pyarrow")


def part(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, BENCHMARKS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "count", "told"),
    [
        ("strings", 5000, "no private one in a release"),
        ("pages", 60, "none stopped a sanitizer"),
        ("kills", 6, "no committed byte changed"),
        ("draws", 1, "no two of them equal"),
    ],
)
def test_a_little_of_each_holds(name: str, count: int, told: str) -> None:
    arguments = [sys.executable, str(BENCHMARKS / "soak.py"), name, "--count", str(count)]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=900)
    assert (done.returncode, done.stderr) == (0, "")
    assert told in done.stdout


def test_a_text_that_stops_a_sanitizer_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    pages = part("soak_pages")
    sanitized = Sanitizer.__call__

    def stopping(self: Sanitizer, text: str) -> object:
        return sanitized(self, text) if " \n" not in text else text[len(text)]

    monkeypatch.setattr(Sanitizer, "__call__", stopping)
    with pytest.raises(AssertionError, match="of seed 1 stopped the sanitizer: IndexError"):
        pages.shuffled_pages(40, 1)


def test_a_letter_that_passes_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    strings = part("soak_strings")
    batch = Sanitizer.batch

    def leaking(self: Sanitizer, texts: list[str], **options: object) -> list[object]:
        texts = ["ı" if number == 77 else text for number, text in enumerate(texts)]
        releases = batch(self, texts, **options)  # type: ignore[arg-type]
        object.__setattr__(releases[77], "text", releases[77].text + "ı")
        return releases

    monkeypatch.setattr(Sanitizer, "batch", leaking)
    with pytest.raises(AssertionError, match="string 77 of seed 1"):
        strings.hostile_strings(200, 1)


def test_strings_go_through_every_code_point_in_every_context() -> None:
    strings = part("soak_strings")
    step = strings.CODE_POINTS
    assert {(number * strings.STRIDE + 1) % step for number in range(step)} == set(range(step))
    assert step * len(strings.CONTEXTS) <= strings.SWEPT * 10_000_000 // 10
    first, again = (strings.strings_of(range(40, 80), 1, strings._categories()) for _ in range(2))
    assert first == again
    assert len(set(first)) > 35


def test_a_document_that_is_lost_is_seen() -> None:
    kills = part("soak_kills")
    kind = kills.file_formats()[0]
    forgetful = kills.FileFormat(
        kind.name, kind.corpus_format, kind.write, lambda data: kind.read(data)[:-1], kind.committed
    )
    kills.file_formats = lambda: [forgetful]
    with pytest.raises(AssertionError, match=r"out\.txt: (other documents|the output is another)"):
        kills.killed_jobs(1, 1)


def test_a_draw_that_repeats_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))  # spawned processes import from there too
    draws = part("soak_draws")
    monkeypatch.setattr(draws, "drawn", lambda sanitizer, held: bytes(range(64)))
    with pytest.raises(AssertionError, match="were drawn twice"):
        draws.repeated_draws(1, 1)
