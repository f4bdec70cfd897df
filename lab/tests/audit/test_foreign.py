"""Foreign callables: loading, watching, and every way in which they misbehave, without their words in the errors."""

import importlib
import importlib.util
import subprocess
import sys
import time
from pathlib import Path

import pytest

from textveil.errors import InputError, ParameterError, TextveilError
from textveil_lab.audit.foreign.callables import in_child, in_process, load_callable
from textveil_lab.audit.report.report import Claim
from textveil_lab.audit.sampled.bounds import Interrupted, audit_sampled
from textveil_lab.audit.sampled.draws import callable_draw

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "audits"

ADAPTERS = {
    "mldp_multivariate": "not refuted",
    "mldp_vickrey": "refuted",
    "mldp_tem": "refuted",
    "mldp_truncated_gumbel": "refuted",
}
"""The verdicts that were found at 99.9 %, each far from its border at the draws that the adapter asks for."""

MODULE = """
import os, random, time

def good(words):
    return [random.choice(["red", "blue"]) for _ in words]

def upper(words):
    return tuple(word.upper() for word in words)

def hangs(words):
    if "hang" in words:
        time.sleep(60)
    return list(words)

def dies(words):
    os._exit(3)

def leaves(words):
    raise SystemExit("secretword")

class Holder:
    @staticmethod
    def method(words):
        return ["x"] * len(words)

NUMBER = 7
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a module of foreign functions and two that cannot be imported."""
    (tmp_path / "foreign_words.py").write_text(MODULE, encoding="utf-8")
    (tmp_path / "foreign_broken.py").write_text("raise RuntimeError('secretword')", encoding="utf-8")
    (tmp_path / "foreign_lacking.py").write_text("import not_a_module_at_all", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    for name in ("foreign_words", "foreign_broken", "foreign_lacking"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return tmp_path


def message(caught: pytest.ExceptionInfo[TextveilError]) -> str:
    text = str(caught.value)
    assert "\n" not in text
    assert "secretword" not in text
    return text


def test_a_callable_is_loaded_from_the_current_folder(folder) -> None:
    assert load_callable("foreign_words:upper")(["a"]) == ("A",)
    assert load_callable("foreign_words:Holder.method")(["a", "b"]) == ["x", "x"]
    assert load_callable("os.path:basename")("a/b") == "b"


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("foreign_words", "MODULE:CALLABLE"),
        ("foreign_words:", "MODULE:CALLABLE"),
        ("foreign words:good", "MODULE:CALLABLE"),
        ("./foreign_words.py:good", "MODULE:CALLABLE"),
        ("no_such_module_here:good", "no module no_such_module_here"),
        ("foreign_words.inner:good", "no module foreign_words.inner"),
        ("foreign_words:missing", "must be a function"),
        ("foreign_words:NUMBER", "must be a function"),
    ],
)
def test_a_wrong_name_is_a_parameter_error(folder, target, said) -> None:
    with pytest.raises(ParameterError, match=said) as caught:
        load_callable(target)
    message(caught)


@pytest.mark.parametrize(
    ("target", "said"), [("foreign_broken:f", "raised RuntimeError"), ("foreign_lacking:f", "not_a_module_at_all")]
)
def test_a_module_that_cannot_be_imported_is_an_input_error(folder, target, said) -> None:
    with pytest.raises(InputError, match=said) as caught:
        load_callable(target)
    message(caught)


def raising(words):
    raise ValueError("secretword")


MISBEHAVIOR = {
    "raised ValueError": raising,
    "raised SystemExit": lambda words: (_ for _ in ()).throw(SystemExit("secretword")),
    "returned 3 words for 2": lambda words: ["secretword"] * 3,
    "returned str, not a list": lambda words: "secretword",
    "returned NoneType, not a list": lambda words: None,
    "returned a word that is not a str": lambda words: ["secretword", b"secretword"],
    "returned a word outside its stated range": lambda words: ["a", "secretword"],
}


@pytest.mark.parametrize("said", MISBEHAVIOR)
def test_misbehavior_is_named_and_the_words_are_not(said) -> None:
    watched = in_process(MISBEHAVIOR[said], name="mine", outputs=["a", "b"])
    with pytest.raises(InputError, match=f"mine {said}") as caught:
        watched(["secretword", "secretword"])
    assert "call 1, 0 words answered before" in message(caught)
    assert (watched.calls, watched.words) == (1, 0)


def test_calls_and_words_are_counted_and_the_input_is_a_copy() -> None:
    def greedy(words):
        taken = list(words)
        words.clear()
        return taken

    watched = in_process(greedy)
    given = ["a", "b"]
    assert watched(given) == given == ["a", "b"]
    assert watched([]) == []
    assert (watched.calls, watched.words) == (2, 2)


def test_a_hang_ends_in_an_error_and_stays_closed() -> None:
    watched = in_process(lambda words: time.sleep(30) or words, time_limit=0.05)
    started = time.monotonic()
    with pytest.raises(InputError, match=r"gave no answer within 0.05 s \(call 1"):
        watched(["a"])
    with pytest.raises(InputError, match="was stopped after call 1"):
        watched(["a"])
    assert time.monotonic() - started < 25  # the call itself would sleep for 30


def test_a_hang_under_audit_keeps_the_evidence() -> None:
    def stuck(words):
        return words if words[0] != "c" else time.sleep(30)

    draw = callable_draw(in_process(stuck, time_limit=0.2), batch=100)
    with pytest.raises(Interrupted, match=r"0 of 1 pairs.*no answer within 0.2 s"):
        audit_sampled(draw, [("a", "c")], Claim(epsilon=1.0), samples=1000)
    draw = callable_draw(in_process(stuck, time_limit=5), batch=100)
    found = audit_sampled(draw, [("a", "b"), ("a", "c")], Claim(epsilon=1.0), samples=1000)
    assert found.verdict.value == "refuted"
    assert found.notes[0].startswith("Stopped early")


def test_a_child_answers_is_checked_hangs_and_is_killed(folder) -> None:
    watched = in_child("foreign_words:hangs", time_limit=5)
    assert watched(["a", "b"]) == ["a", "b"]
    with pytest.raises(InputError, match=r"no answer within 5 s"):
        watched(["hang"])
    with pytest.raises(InputError, match="was stopped"):
        watched(["a"])


def test_a_child_that_dies_or_leaves_is_named(folder) -> None:
    with pytest.raises(InputError, match="ended its process"):
        in_child("foreign_words:dies")(["a"])
    with pytest.raises(InputError, match="raised SystemExit") as caught:
        in_child("foreign_words:leaves")(["a"])
    message(caught)


def test_a_child_that_cannot_load_says_why(folder) -> None:
    with pytest.raises(ParameterError, match="no module no_such"):
        in_child("no_such_module_here:good")


@pytest.mark.parametrize("limit", [0.0, -1.0, float("nan"), float("inf")])
def test_a_limit_must_be_a_time(limit) -> None:
    with pytest.raises(ParameterError, match="time_limit"):
        in_process(raising, time_limit=limit)


@pytest.mark.parametrize("name", ADAPTERS)
def test_an_adapter_states_its_claim_without_its_package(name, monkeypatch) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    adapter = importlib.import_module(name)
    assert 0 < adapter.CLAIM.epsilon < 10
    assert set(adapter.PAIR) <= set(adapter.POINTS)
    assert callable(load_callable(f"{name}:sanitize"))


@pytest.mark.skipif(importlib.util.find_spec("mldp_text") is None, reason="mldp-text 0.1.2 is not installed")
def test_verdicts_on_adapters_are_found_again() -> None:
    names = [name for name in ADAPTERS if name != "mldp_tem"]  # its 160,000 draws are left to run_all.py
    code = (
        f"import importlib, run_all\nfor n in {names}: print(run_all.audit(importlib.import_module(n)).verdict.value)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=EXAMPLES, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-len(names) :] == [ADAPTERS[name] for name in names]
