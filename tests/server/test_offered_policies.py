"""The policies that a server offers: those of the package, and those of a folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from textveil.errors import ParameterError, UnknownNameError
from textveil.server.policies import OfferedPolicies

WARD = """
name = "ward"
marks = "keep"
scope = "{scope}"
detectors = ["embedded"]

[[rule]]
kind = "word"
keep = true

[[rule]]
kind = "person"
surrogate = "person"
"""


def test_a_folder_adds_policies_by_the_names_of_its_files(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(WARD.format(scope="document"))
    (tmp_path / "note.txt").write_text("no policy")
    offered = OfferedPolicies("mine", tmp_path)
    assert offered.name(None) == "mine" and [one["name"] for one in offered.as_data()][:2] == ["mine", "all-words"]
    assert offered.sanitizer("mine") is offered.sanitizer("mine")
    assert [span.kind for span in offered.found("mine", "Maria Gonzalez, 44.")] == ["person"]


@pytest.mark.parametrize("name", ["CANARY", "", "mine.toml", "../mine", "/etc/passwd"])
def test_an_unknown_name_is_refused_and_not_repeated(name: str, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(WARD.format(scope="document"))
    offered = OfferedPolicies("mine", tmp_path)
    with pytest.raises(UnknownNameError) as refused:
        offered.name(name)
    assert str(refused.value) == f"policy must be one of {', '.join(offered.all)}; got another."


def test_surrogates_of_all_tenants_are_not_offered(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(WARD.format(scope="corpus"))
    with pytest.raises(ParameterError, match=r"policies must be of no scope larger than a conversation; got mine.toml"):
        OfferedPolicies("identifiers", tmp_path)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("identifiers.toml", WARD.format(scope="document"), "of other names than those of the package"),
        ("mine.toml", "rules = 3", "mine.toml"),
    ],
)
def test_a_folder_that_cannot_be_used_is_refused(tmp_path: Path, name: str, text: str, said: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(ParameterError, match=said):
        OfferedPolicies("identifiers", tmp_path)


def test_a_missing_folder_and_a_missing_default_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="policies must be a folder"):
        OfferedPolicies("identifiers", tmp_path / "none")
    with pytest.raises(ParameterError, match="policy must be one of"):
        OfferedPolicies("mine", tmp_path)
