"""Documents in languages without rules: counted, refused or masked, as the policy says."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

import textveil as tv
from textveil.cli.main import app
from textveil.errors import InputError, ParameterError

RUSSIAN = "Спасибо за письмо, Мария Иванова приедет в пятницу."
ENGLISH = "The letter was short and came with the post."


def test_masked_document_leaves_no_character() -> None:
    sanitizer = tv.Sanitizer(tv.policy("identifiers", other_languages="mask"))
    assert sanitizer(RUSSIAN).text == "[text in another language]"
    assert sanitizer(ENGLISH).text == ENGLISH


def test_refused_document_is_named_by_number_without_its_text() -> None:
    sanitizer = tv.Sanitizer(tv.policy("identifiers", other_languages="refuse"))
    with pytest.raises(InputError, match=r"^document 2 must be in a language") as caught:
        sanitizer.batch([ENGLISH, RUSSIAN])
    assert "Мария" not in str(caught.value)


def test_summary_warns_first_of_documents_in_other_languages(tmp_path: Path) -> None:
    inputs, outputs = tmp_path / "in.txt", tmp_path / "out.txt"
    inputs.write_text(f"{ENGLISH}\n{RUSSIAN}\n", encoding="utf-8")
    command = ["sanitize", str(inputs), "--policy", "identifiers", "--output", str(outputs), "--seed", "1"]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    lines = [line for line in result.stderr.splitlines() if line]
    warning = next(place for place, line in enumerate(lines) if "OTHER LANGUAGES: 1 text " in line)
    assert warning < next(place for place, line in enumerate(lines) if line.lstrip().startswith("documents"))


def test_policy_keeps_its_choice_in_data_and_refuses_others() -> None:
    policy = tv.policy("identifiers", other_languages="mask")
    assert policy.to_data()["other_languages"] == "mask"
    assert "other_languages" not in tv.policy("identifiers").to_data()
    with pytest.raises(ParameterError, match=r"^other_languages must be one of warn, refuse, mask"):
        tv.policy("identifiers", other_languages="skip")
