"""The four lemmas in Coq: whole, and refused where a statement is too strong. Without coqc only their text is read."""

import shutil
import subprocess
from pathlib import Path

import pytest

import textveil_lab

LEMMAS = Path(textveil_lab.__file__).parent / "proofs/lemmas.v"
THEOREMS = ("equal_totals", "raised_total", "raised_within", "range", "adaptive_product", "uniform_injection")


def _closed(text: str, folder: Path) -> int:
    (folder / "lemmas.v").write_text(text, encoding="utf-8")
    done = subprocess.run(["coqc", "lemmas.v"], cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    return done.stdout.count("Closed under the global context") if done.returncode == 0 else -1


def test_nothing_is_assumed_or_left_open() -> None:
    text = LEMMAS.read_text(encoding="utf-8")
    assert not [word for word in ("Admitted", "admit.", "Axiom", "Parameter", "Conjecture") if word in text]
    assert all(f"Theorem {name} " in text and f"Print Assumptions {name}." in text for name in THEOREMS)


@pytest.mark.skipif(shutil.which("coqc") is None, reason="coqc is not installed")
def test_the_kernel_checks_every_theorem(tmp_path: Path) -> None:
    assert _closed(LEMMAS.read_text(encoding="utf-8"), tmp_path) == len(THEOREMS)


@pytest.mark.skipif(shutil.which("coqc") is None, reason="coqc is not installed")
@pytest.mark.parametrize(
    ("what", "changed"),
    [
        ("<= (w x' y * sum (w x) Y) * (vR * vR).", "<= (w x' y * sum (w x) Y) * (vR * v0)."),
        ("<= p ^ length outputs * joint w' past outputs.", "<= p * joint w' past outputs."),
        ("Hypothesis one_to_one : forall u v, rename u = rename v -> u = v.", "Hypothesis one_to_one : True."),
        ("E <= total caps -> total (raised caps E) = E.", "total (raised caps E) = E."),
    ],
)
def test_a_statement_that_is_too_strong_has_no_proof(tmp_path: Path, what: str, changed: str) -> None:
    text = LEMMAS.read_text(encoding="utf-8")
    assert what in text
    assert _closed(text.replace(what, changed), tmp_path) == -1
