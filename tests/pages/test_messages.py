"""Messages in other languages: one table, complete for the summary and the page to file."""

import json
import re
import sys
from importlib.resources import files
from pathlib import Path

import pytest
from tests.helpers.printed_texts import part_names, printed

from textveil.cli import main as cli
from textveil.detection.kinds import KINDS
from textveil.errors import InternalError
from textveil.pages import messages

ROWS = json.loads(files("textveil.pages").joinpath("messages.json").read_text(encoding="utf-8"))
NOTES = [
    "Mr Tom Baker of 12 Larch Walk, Leeds was seen on 12/03/2024 at 10:45. NHS 943 476 5919. Age 54. Nurse.",
    "Anna Schmidt, anna@schmidt.de, +44 113 496 0123, @annas, http://schmidt.de, 10.0.0.7, pays £300 to Acme Ltd.",
    "password: hunter2xQ9 and BP 120/80, for 3 days, 2 tablets, see 1.1 and E-4411.",
]
SAME = re.compile(r"[\W\d_]*|[-\d.,() ]+DP.*|(?:textveil|SHA-256|clinical|identifiers|common-words|all-words).*")
"""What is the same in every language: digits, guarantees, digests and names of policies."""


def run(*arguments: str) -> None:
    """Run the command."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["textveil", *arguments])
        assert cli._exit_code() == 0


@pytest.fixture(autouse=True)
def no_language(monkeypatch: pytest.MonkeyPatch) -> None:
    """English, unless a test asks for another; what an option sets is forgotten."""
    monkeypatch.setenv("TEXTVEIL_LANGUAGE", "en")


@pytest.mark.parametrize("row", [["ein"], ["ein", "un", ""], ["ein {}", "un {_}", "un {}"], ["ein", "un {}", "un {}"]])
def test_a_table_that_lacks_a_language_or_a_place_does_not_load(row: list[str]) -> None:
    messages.checked_rows(ROWS)
    with pytest.raises(InternalError, match=r"must have all languages: one \{\}"):
        messages.checked_rows({**ROWS, "one {}": row})


def english_of(text: str, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Return the parts of a text that have no translation."""
    english, own = set[str](), messages._translated

    def watched(text: str, language: str) -> str:
        told = own(text, language)
        if told == text and not SAME.fullmatch(text) and re.sub(r"^\d+ ", "", text) not in ROWS:
            english.add(text)
        return told

    with monkeypatch.context() as patch:
        patch.setattr(messages, "_translated", watched)
        messages.said(text)
    return english


def test_each_text_that_a_command_prints_has_all_languages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the source code says or prints in rows; the table has all three languages of a text, or none."""
    monkeypatch.setenv("TEXTVEIL_LANGUAGE", "de")
    texts = {text: place for place, text in printed()}
    assert len(texts) > 120
    lacking = {part: place for text, place in texts.items() for part in english_of(text, monkeypatch)}
    assert not lacking, lacking
    assert english_of("7 strangers listen", monkeypatch) == {"7 strangers listen"}


def test_each_part_of_a_document_has_all_languages() -> None:
    names = set(part_names()) - {""}
    assert len(names) > 80
    assert not {name for name in names if name not in ROWS and f"{name}{{_}}" not in ROWS}


@pytest.mark.parametrize("policy", ["clinical", "identifiers", "common-words"])
@pytest.mark.parametrize("language", ["de", "fr", "es"])
def test_nothing_of_the_summary_and_the_page_stays_english(
    policy: str, language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes, english, own = tmp_path / "notes.jsonl", set[str](), messages._translated

    def watched(text: str, language: str) -> str:
        told = own(text, language)
        if told == text and not SAME.fullmatch(text):
            english.add(text)
        return told

    notes.write_text("".join(json.dumps({"text": note, "who": "a"}) + "\n" for note in NOTES))
    monkeypatch.setattr(messages, "_translated", watched)
    out = [str(tmp_path / name) for name in ("out.jsonl", "r.html", "s.html")]
    run("sanitize", str(notes), "-o", out[0], "--policy", policy, "--report", out[1], "--sender-report", out[2],
        "--sample", "1", "--language", language, "--keep", "who")  # fmt: skip
    same = {text for text in english if re.sub(r"^\d+ ", "", text) not in ROWS}  # some words are the same in both
    assert not same, sorted(same)
    assert f"<html lang='{language}'>" in Path(out[1]).read_text(encoding="utf-8")


def test_what_the_table_lacks_stays_and_names_of_fields_are_no_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEXTVEIL_LANGUAGE", "de")
    assert messages.said("No table has this sentence.") == "No table has this sentence."
    fields = "3 texts -> out.jsonl   (text sanitized; copied: date, name; other fields dropped)"
    assert (
        messages.said(fields) == "3 Texte -> out.jsonl   (text bereinigt; kopiert: date, name; andere Felder entfernt)"
    )
    assert messages.said("12,345 names") == "12\N{NARROW NO-BREAK SPACE}345 Namen"


@pytest.mark.parametrize("language", ["de", "fr", "es"])
def test_kinds_agree_with_their_count_and_decimals_have_the_mark_of_the_language(
    language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each kind of the detector, alone and several; a version has no decimals."""
    monkeypatch.setenv("TEXTVEIL_LANGUAGE", language)
    for kind in (*KINDS, "document", "text", "likely name"):
        one, several = (messages.counted(count, kind) for count in (1, 2))
        told = messages.said(one), messages.said(several)
        assert one.partition(" ")[2] in ROWS and several.partition(" ")[2] in ROWS, (one, several)
        assert told[0].startswith("1 ") and told[1].startswith("2 ")
    assert messages.said("epsilon 0.5 (proved)").split()[1] == "0,5"
    assert messages.said("1,234.5 % of words").startswith("1\N{NARROW NO-BREAK SPACE}234,5 % ")
    opening = "2026-01-02 (UTC). 1 document, sanitized by textveil 0.1.0. This page holds no text of them."
    assert "textveil 0.1.0" in messages.said(opening) and opening != messages.said(opening)


def test_nouns_are_counted_in_english() -> None:
    counts = ["1 name", "2 names", "0 quantities", "1,200 IP addresses", "2 code numbers", "3 demographic facts"]
    kinds = ["person", "person", "quantity", "ip", "code-number", "demographic"]
    assert [messages.counted(count, kind) for count, kind in zip([1, 2, 0, 1200, 2, 3], kinds, strict=True)] == counts


def test_an_error_is_told_in_the_language_and_an_unknown_language_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TEXTVEIL_LANGUAGE", "fr")
    monkeypatch.setattr(sys, "argv", ["textveil", "sanitize", "missing.jsonl", "--policy", "clinical"])
    assert cli._exit_code() == 1
    assert "doit être un fichier lisible" in capsys.readouterr().err
    monkeypatch.setattr(sys, "argv", ["textveil", "sanitize", "missing.jsonl", "--language", "xx"])
    assert cli._exit_code() == 2
    assert capsys.readouterr().err == "textveil: --language must be one of en, de, fr, es; got xx.\n"
