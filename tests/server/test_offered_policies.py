"""The policies that a server offers: those of the package, and those of a folder."""

from pathlib import Path

import pytest

from textveil.errors import ParameterError, UnknownNameError
from textveil.sanitize.policy.policy import Policy
from textveil.server.page import recovery
from textveil.server.policies import EPSILONS, OfferedPolicies

STRICT = """
name = "strict"

[[rule]]
kind = "word"
mechanism = "neighborhood"
epsilon = 4.5

[[rule]]
kind = "number"
surrogate = "digits"
epsilon = 1
"""

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
    assert offered.name(None) == "mine" and [one["name"] for one in offered.to_data()][:2] == ["mine", "all-words"]
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


def test_words_are_drawn_at_the_epsilons_at_which_recovery_was_measured_up_to_the_policys_own(tmp_path: Path) -> None:
    (tmp_path / "strict.toml").write_text(STRICT)
    offered = OfferedPolicies("identifiers", tmp_path)
    assert [row["epsilon"] for row in recovery()["rows"]] == list(EPSILONS)
    assert offered.epsilons("strict") == (2, 3, 4, 4.5) and offered.epsilons("identifiers") == ()
    assert {one["name"]: len(one["epsilons"]) for one in offered.to_data()} == {
        "identifiers": 0, "all-words": 7, "content-words": 7, "common-words": 0,
        "clinical": 0, "prompts": 0, "strict": 4
    }  # fmt: skip
    assert offered.at("strict", 4) == offered.name("strict@4") == "strict@4"
    assert offered.at("strict", 4.5) == offered.at("strict", None) == "strict"
    assert [(rule.kind, rule.epsilon) for rule in offered.policy("strict@4").rules] == [("word", 4), ("number", 1)]
    assert offered.policy("strict@4").digest != offered.policy("strict").digest == offered.policy("strict").digest


def test_one_sanitizer_is_made_for_each_epsilon_and_no_more(tmp_path: Path) -> None:
    made: list[Policy] = []
    offered = OfferedPolicies("all-words", make=lambda one: made.append(one) or one)  # type: ignore[arg-type,func-returns-value,return-value]
    for _ in range(3):
        for epsilon in offered.epsilons("all-words"):
            offered.sanitizer(offered.at("all-words", epsilon))
    assert [one.rules[0].epsilon for one in made] == [2, 3, 4, 5, 6, 7, 8]


@pytest.mark.parametrize("epsilon", [0, 1, 2.5, 9, 12, -4, float("nan"), float("inf")])
def test_no_request_has_less_protection_than_the_policy_or_an_epsilon_of_its_own(epsilon: float) -> None:
    offered = OfferedPolicies("all-words")
    with pytest.raises(
        ParameterError, match="epsilon must be one of 2, 3, 4, 5, 6, 7, 8 under this policy; got another"
    ):
        offered.at("all-words", epsilon)
    with pytest.raises(ParameterError, match="epsilon must be left out under this policy"):
        offered.at("identifiers", epsilon)


@pytest.mark.parametrize(
    "name", ["all-words@9", "all-words@8", "all-words@4.0", "all-words@", "@4", "identifiers@4", "a@b@4"]
)
def test_no_other_name_is_one_of_an_epsilon(name: str) -> None:
    with pytest.raises(UnknownNameError, match="policy must be one of"):
        OfferedPolicies("all-words").name(name)


def test_a_file_is_not_named_as_an_epsilon_of_another(tmp_path: Path) -> None:
    (tmp_path / "all-words@4.toml").write_text(STRICT)
    with pytest.raises(ParameterError, match=r"all-words@4\.toml"):
        OfferedPolicies("identifiers", tmp_path)


def test_a_name_with_an_epsilon_may_be_asked_for_less_and_never_for_more() -> None:
    offered = OfferedPolicies("all-words")
    assert offered.at("all-words@4", 2.0) == "all-words@2" and offered.at("all-words@4", 4.0) == "all-words@4"
    for epsilon in (5.0, 8.0, 2.5):
        with pytest.raises(ParameterError, match=r"epsilon must be one of 2, 3, 4 under this policy"):
            offered.at("all-words@4", epsilon)
    for name in ("all-words@4@2", "all-words@8", "all-words@04", "all-words@4.0", "all-words@", "@4", "prompts@4"):
        with pytest.raises(UnknownNameError):
            offered.name(name)


def test_what_was_kept_under_a_policy_is_told_from_what_it_is_now(tmp_path: Path) -> None:
    (tmp_path / "pool.txt").write_text("Ann\nBob\nCid\n")
    listed = '[[list]]\nkind = "person"\nwords = ["Maria"]\n'
    pool = (
        WARD.format(scope="document").replace('surrogate = "person"', 'surrogate = "pool"\nfile = "pool.txt"') + listed
    )
    (tmp_path / "mine.toml").write_text(pool)
    offered = OfferedPolicies("mine", tmp_path)
    first = offered.kept("mine")
    assert first is not None and first is offered.kept("mine")
    assert first == OfferedPolicies("mine", tmp_path).kept("mine")
    (tmp_path / "mine.toml").write_text(pool.replace("Maria", "Mario"))
    other = OfferedPolicies("mine", tmp_path).kept("mine")
    assert other is not None and other.setting == first.setting and other.digest != first.digest
    assert offered.kept("all-words@4") != offered.kept("all-words") and offered.kept("theirs") is None
    (tmp_path / "pool.txt").unlink()
    assert OfferedPolicies("mine", tmp_path).kept("mine") is None, "it cannot be made"
