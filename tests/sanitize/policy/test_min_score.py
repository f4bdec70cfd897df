"""The score that detectors' spans need: below it they count as not found, and a score that nothing has is refused."""

from collections.abc import Sequence
from typing import Any

import pytest

import textveil as tv
from textveil.detection.spans import DetectedSpan
from textveil.errors import ParameterError
from textveil.sanitize.policy.choice import policy_of, policy_of_data
from textveil.sanitize.policy.making import parts_of
from textveil.sanitize.policy.policy import Action, Policy, Rule, WordList
from textveil.sanitize.setting import GUESSED

TEXT = "Mara met Nils, age 42, in Ulm."
SCORES = {"Mara": ("person", 0.3), "Nils": ("person", 0.8), "42": ("number-like", 0.3), "Ulm": ("place", 0.5)}
MARA = WordList(kind="person", words=("Mara",))
KEEP_WORDS = Rule(kind="word", action=Action.KEEP)


class Scored:
    """Finds the words above, each with its kind and score."""

    name = "scored"
    kinds = ("person", "place", "number-like")

    def detect(self, texts: Sequence[str]) -> list[list[DetectedSpan]]:
        return [list(self._found(text)) for text in texts]

    def _found(self, text: str):
        for word, (kind, score) in SCORES.items():
            start = text.find(word)
            if start >= 0:
                yield DetectedSpan(start, start + len(word), kind, score, self.name)


def _policy(**changes: Any) -> Policy:
    kinds = ("person", "place", "number-like", "number")
    rules = tuple(
        Rule(kind=kind, action=Action.PLACEHOLDER, min_score=changes.pop(kind.replace("-", "_"), None))
        for kind in kinds
    )
    return Policy(name="p", rules=(KEEP_WORDS, *rules), detectors=(Scored(),), **changes)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({}, "[person] met [person], age [number-like], in [place]."),
        ({"min_score": 0.35}, "Mara met [person], age [number], in [place]."),
        ({"min_score": 0.6}, "Mara met [person], age [number], in Ulm."),
        ({"min_score": 0.6, "place": 0.0}, "Mara met [person], age [number], in [place]."),
        ({"person": 0.8}, "Mara met [person], age [number-like], in [place]."),
        ({"min_score": 0.35, "lists": (MARA,)}, "[person] met [person], age [number], in [place]."),
    ],
)  # fmt: skip
def test_what_scores_lower_counts_as_not_found_and_its_digits_are_numbers(changes: dict[str, Any], text: str) -> None:
    """A list needs no score; a rule's own score goes before the policy's."""
    assert tv.Sanitizer(_policy(**changes))(TEXT).text == text


def test_values_of_a_record_need_no_score() -> None:
    finder = parts_of(_policy(min_score=1.0), found_elsewhere=True).finder
    spans = finder.found_in(finder.readings([TEXT]), values=[[("Mara", "person")]])[0]
    assert [(TEXT[span.start : span.end], span.kind) for span in spans] == [("Mara", "person"), ("42", "number")]


HEAD = 'name = "p"\ndetectors = ["embedded"]\n{}[[rule]]\nkind = "word"\nkeep = true\n'
PERSON = '[[rule]]\nkind = "person"\nplaceholder = true\n'


@pytest.mark.parametrize(
    ("top", "rules", "said"),
    [
        ("min_score = 1.0\n", PERSON, "policy p, rule 2: min_score must be at most 0.8 for person; got 1"),
        ("", f"{PERSON}min_score = 0.9\n", "policy p, rule 2: min_score must be at most 0.8 for person; got 0.9"),
        ("min_score = 2\n", PERSON, "policy here: min_score must be from 0 to 1; got 2"),
        ("", f"{PERSON}min_score = -1\n", "policy here, rule 2: min_score must be from 0 to 1; got -1"),
        ('min_score = "much"\n', PERSON, "policy here: min_score must be a number; got str"),
        ("min_score = true\n", PERSON, "policy here: min_score must be a number; got bool"),
        (
            "",
            f'{PERSON}[[rule]]\nkind = "number"\nplaceholder = true\nmin_score = 0.5\n',
            "policy here, rule 3: min_score must be left out for number",
        ),
    ],
)
def test_a_score_that_is_none_or_that_nothing_has_is_one_line(top: str, rules: str, said: str) -> None:
    with pytest.raises(ParameterError) as caught:
        tv.Sanitizer(policy_of((HEAD.format(top) + rules).encode(), "here"))
    assert said in str(caught.value) and "\n" not in str(caught.value)


def test_a_file_data_and_digest_hold_the_scores() -> None:
    written = policy_of((HEAD.format("min_score = 0.4\n") + f"{PERSON}min_score = 0.7\n").encode(), "here")
    assert (written.min_score, written.rule("person").min_score) == (0.4, 0.7)
    again = policy_of_data(written.whole_data())
    assert again == written and again.digest == written.digest
    others = {policy_of((HEAD.format(top) + PERSON).encode(), "here").digest for top in ("", "min_score = 0.4\n")}
    assert len(others | {written.digest}) == 3
    assert "min_score" not in policy_of((HEAD.format("") + PERSON).encode(), "here").to_data()


def test_the_report_says_which_score_is_needed() -> None:
    facts = tv.Sanitizer(_policy(min_score=0.35, place=0.5))(TEXT).report().to_data()["not_covered"]
    assert "what no detector found with the score that is needed (0.35, place 0.5)" in facts[0]


@pytest.mark.parametrize("name", ["clinical", "prompts"])
def test_presets_of_notes_and_prompts_need_evidence_and_identifiers_does_not(name: str) -> None:
    assert tv.policy(name).min_score == 0.35 and tv.policy("identifiers").min_score == 0
    assert tv.policy(name, min_score=0.0).min_score == 0


def test_detect_leaves_out_what_scores_lower() -> None:
    spans = tv.detect(TEXT, Scored())
    assert [span.score for span in spans] == [0.3, 0.8, 0.3, 0.5]
    assert tv.detect(TEXT, Scored(), min_score=0.5) == [span for span in spans if span.score >= 0.5]
    with pytest.raises(ParameterError, match=r"at most 0\.95 for any kind; got 0\.99"):
        tv.detect(TEXT, "embedded", min_score=0.99)
    with pytest.raises(ParameterError, match="must be from 0 to 1"):
        tv.detect(TEXT, min_score=1.5)


def test_guesses_are_counted_for_the_sender_alone() -> None:
    """What scores too low is counted where it stays (numbers are drawn); no report that is passed on says so."""
    for changes, guesses in (({"min_score": 0.35}, 1), ({"min_score": 0.35, "lists": (MARA,)}, 0), ({}, 0)):
        release = tv.Sanitizer(_policy(**changes))(TEXT)
        assert release.kinds.get(GUESSED, 0) == guesses
        assert GUESSED not in release.report().to_json()
    keeps = WordList(words=("Mara",), keep=True)
    assert tv.Sanitizer(_policy(min_score=0.35, lists=(keeps,)))(TEXT).kinds.get(GUESSED, 0) == 0
