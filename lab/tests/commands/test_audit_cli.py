"""``textveil audit``: verdicts with their exit codes, machine output, pages, and one line for every bad input."""

import io
import json
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.helpers.language_models import BigramModel

from textveil.cli import main as cli

SECRET = "xylophonia"

MODULE = f"""
import random, time

def clean(words):
    return [random.choice(["red", "blue"]) for _ in words]

def identity(words):
    return list(words)

KNOWN = {{}}

def remembered(words):
    return [KNOWN.setdefault(word, str(random.random())) for word in words]

def raises(words):
    raise ValueError("{SECRET}")

def hangs(words):
    time.sleep(60)

def short(words):
    return []

def numbers(words):
    return [1 for _ in words]
"""


@pytest.fixture
def audit(capsysbinary, monkeypatch, tmp_path):
    """The command in this process, in a folder with a small vocabulary and foreign code."""
    rows = np.random.default_rng(7).normal(size=(20, 5))
    lines = (f"word{chr(97 + i)} " + " ".join(map(str, row)) + "\n" for i, row in enumerate(rows))
    (tmp_path / "own.txt").write_text("".join(lines))
    (tmp_path / "foreign_cli.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "foreign_cli", raising=False)

    def run(*arguments: object) -> tuple[int, bytes, str]:
        monkeypatch.setattr(sys, "argv", ["textveil", "audit", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
        code = cli._exit_code()
        captured = capsysbinary.readouterr()
        return code, captured.out, captured.err.decode()

    return run


OWN = ("--vocabulary", "own.txt")
FOREIGN = ("--no-hygiene", "--samples", "600", "--batch", "50", "--words", f"red,{SECRET}")


def parsed(out: bytes):
    return json.loads(out, parse_constant=pytest.fail)


def test_a_certified_mechanism(audit) -> None:
    code, out, err = audit("-m", "neighborhood", "--epsilon", "1", "--json", *OWN)
    data = parsed(out)
    assert (code, err) == (0, "")
    assert (data["verdict"], data["subject"]) == ("certified", "word channel")
    for name in ("epsilon", "delta"):
        assert list(data[name]) == ["lower", "estimate", "upper", "confidence"]
    assert {"claimed", "method", "witness", "samples", "seconds", "seed"} <= set(data)
    assert (data["method"], data["samples"], data["seed"]) == ("exact channel", 0, None)


def test_the_published_truncation_is_refuted_on_a_page_too(audit) -> None:
    code, out, err = audit("-m", "truncated-laplace-published", "--epsilon", "1", "--json", "--html", "r.html", *OWN)
    data = parsed(out)
    page = Path("r.html").read_text()
    assert (code, err) == (4, "")
    assert (data["verdict"], data["method"]) == ("refuted", "closed form")
    assert (data["subject"], data["name"]) == ("noisy vector", "truncated-laplace-published")
    assert data["delta"]["lower"] > data["claimed"]["delta"]
    assert data["epsilon"]["estimate"] is None  # infinite
    assert "refuted</span>" in page
    assert "is not (1, " in page
    assert "<svg" in page
    assert "http" not in page


def test_gaussian_noise_is_never_called_pure(audit) -> None:
    code, out, _ = audit("-m", "gaussian", "--epsilon", "1", "--claim-epsilon", "100", "--json", *OWN)
    data = parsed(out)
    assert (code, data["verdict"], data["subject"]) == (4, "refuted", "noisy vector")
    assert data["epsilon"]["lower"] is None  # infinite
    assert data["log_delta"]["lower"] < -10_000


def test_a_claim_below_the_truth_and_a_sampled_audit(audit) -> None:
    code, out, _ = audit(
        *("-m", "randomized-response", "--epsilon", "3", "--claim-epsilon", "1"),
        *("--samples", "4000", "--seed", "3", "--no-attacks", "--json", *OWN),
    )
    data = parsed(out)
    assert code == 4
    assert [one["method"] for one in data["findings"]] == ["exact channel", "sampled"]
    assert (data["seed"], data["attacks"]) == (3, [])
    code, out, _ = audit("-m", "randomized-response", "--epsilon", "3", "--claim-epsilon", "3.1", *OWN)
    assert code == 0
    assert out.startswith(b"verdict    certified\n")


@pytest.mark.parametrize(("name", "expected"), [("clean", 0), ("identity", 4)])
def test_foreign_code(audit, name: str, expected: int) -> None:
    code, out, err = audit("--python", f"foreign_cli:{name}", "--epsilon", "1", "--json", *FOREIGN)
    assert (code, err) == (expected, "")
    assert parsed(out)["verdict"] == ("refuted" if expected else "not refuted")


def test_code_that_remembers_its_draws_gets_no_verdict_and_exit_code_1(audit) -> None:
    code, out, err = audit("--python", "foreign_cli:remembered", "--epsilon", "1", "--json", *FOREIGN)
    assert (code, err) == (1, "")
    assert parsed(out)["verdict"] == "no verdict"
    assert "outputs of one process depend on each other" in parsed(out)["sentence"]


CLAIM = ("--epsilon", "1", *FOREIGN)
BAD = {
    "neither": ((), 2, "exactly one of --mechanism, --python and --aggregate"),
    "both": (("-m", "laplace", "--python", "a:b"), 2, "exactly one of --mechanism, --python and --aggregate"),
    "raises": (("--python", "foreign_cli:raises", *CLAIM), 1, "raised ValueError"),
    "hangs": (("--python", "foreign_cli:hangs", "--time-limit", "0.2", *CLAIM), 1, "no answer within 0.2 s"),
    "wrong number": (("--python", "foreign_cli:short", *CLAIM), 1, "returned 0 words for 50"),
    "not words": (("--python", "foreign_cli:numbers", *CLAIM), 1, "not a str"),
    "no module": (("--python", "foreign_absent:f", *CLAIM), 2, "no module foreign_absent"),
    "no attribute": (("--python", "foreign_cli:absent", *CLAIM), 2, "nothing callable"),
    "no colon": (("--python", "foreign_cli", *CLAIM), 2, "MODULE:CALLABLE"),
    "one word twice": (("--python", "foreign_cli:clean", *CLAIM[:-1], f"{SECRET},{SECRET}"), 2, "at least two"),
    "too few": (("--python", "foreign_cli:clean", *CLAIM[:4], "2", *CLAIM[5:]), 1, "too few to say anything"),
    "no claim": (("--python", "foreign_cli:clean", *FOREIGN), 2, "needs its claim"),
    "two claims": (("--python", "foreign_cli:clean", *CLAIM, "--claim-epsilon", "2"), 2, "one claim"),
    "seed": (("--python", "foreign_cli:clean", *CLAIM, "--seed", "1"), 2, "--python takes no seed"),
    "vocabulary": (("--python", "foreign_cli:clean", *CLAIM, *OWN), 2, "--python takes no seed"),
    "epsilon negative": (("--python", "a:b", "--epsilon", "-1"), 2, "epsilon must be finite and >= 0"),
    "claim negative": (("-m", "laplace", "--claim-epsilon", "-1", *OWN), 2, "--claim-epsilon must be finite and >= 0"),
    "claim NaN": (
        ("-m", "laplace", "--claim-epsilon", "nan", *OWN),
        2,
        "--claim-epsilon must be finite",
    ),
    "delta NaN": (("-m", "laplace", "--claim-epsilon", "1", "--claim-delta", "nan", *OWN), 2, "delta must be in"),
    "delta alone": (("-m", "laplace", "--claim-delta", "0.1", *OWN), 2, "needs --claim-epsilon"),
    "words": (("-m", "laplace", "--words", f"{SECRET},b", *OWN), 2, "--no-hygiene are for --python"),
    "samples negative": (("-m", "laplace", "--samples", "-1", *OWN), 2, "samples must be >= 0"),
    "no folder": (
        ("-m", "laplace", "--html", "no/r.html", "--no-attacks", *OWN),
        1,
        "folder of --html must exist",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_gets_one_line_and_a_code(audit, case: str) -> None:
    options, expected, message = BAD[case]
    code, out, err = audit(*options)
    assert (code, out) == (expected, b"")
    assert err.startswith("textveil: ")
    assert err.count("\n") == 1
    assert message in err
    assert "internal error" not in err
    assert SECRET not in err.lower()


def test_what_comes_back_of_a_public_text(audit, monkeypatch) -> None:
    words = [f"word{chr(97 + i)}" for i in range(20)]
    follows = np.full((20, 20), 1e-6)
    follows[np.arange(20), (np.arange(20) + 1) % 20] = 1
    model = BigramModel(follows, np.ones(20))
    monkeypatch.setattr("textveil_lab.audit.whole_audit.default_model", lambda vocabulary: model)
    Path("public.txt").write_text("\n".join(" ".join(words[i:] + words[:i]) for i in range(20)))
    arguments = ("-m", "randomized-response", "--epsilon", "3", "--reference", "public.txt", "--seed", "1", *OWN)
    code, out, err = audit(*arguments, "--json", "--html", "r.html")
    assert (code, err) == (0, "")
    recovery = parsed(out)["recovery"]
    (found,) = recovery["texts"].values()
    assert found["kinds"][0]["count"] == 400
    assert found["kinds"][0]["in_context"]["lower"] > found["kinds"][0]["alone"]["upper"]
    assert "Recovery by bigrams" in Path("r.html").read_text()
    assert "named by a decoder in context" in audit(*arguments)[1].decode()


@pytest.mark.parametrize(
    ("arguments", "exit_code", "message"),
    [
        (("--reference", "none.txt"), 1, "textveil: --reference must be a text file in UTF-8 that can be read"),
        (("--reference", "latin.txt"), 1, "textveil: --reference must be a text file in UTF-8 that can be read"),
        (("--reference", "short.txt"), 1, "textveil: the reference must have at least 10 documents"),
        (("--model", "none"), 2, "textveil: --model reads what --reference releases"),
    ],
)
def test_a_reference_that_is_none(audit, monkeypatch, arguments, exit_code, message) -> None:
    model = BigramModel(np.ones((20, 20)), np.ones(20))
    monkeypatch.setattr("textveil_lab.audit.whole_audit.default_model", lambda vocabulary: model)
    Path("latin.txt").write_bytes(b"caf\xe9\n")
    Path("short.txt").write_text(f"worda {SECRET}\n" * 9)
    code, out, err = audit("-m", "randomized-response", "--epsilon", "3", *arguments, *OWN)
    assert (code, out) == (exit_code, b"")
    assert err.startswith(message) and err.count("\n") == 1 and SECRET not in err


def test_an_option_of_mechanisms_that_the_command_has_too_goes_by_its_own_spelling(audit) -> None:
    code, out, err = audit("-m", "dp-prompt", "--epsilon", "3", *OWN)
    assert (code, out) == (2, b"")
    assert err == "textveil: --mechanism-model must be given for dp-prompt: the folder of a model; got none.\n"
