"""The bottom line of a release is true of its policy: what is hidden, what stays, and what holds of the whole."""

import pytest

import textveil as tv
from textveil.sanitize.chosen import SanitizerOptions
from textveil.sanitize.policy.policy import Policy
from textveil.sanitize.release import Report
from textveil.sanitize.sanitizer import Sanitizer

TEXT = "Mrs. Gonzalez, MRN 4471298: admitted 27/02/2015, aged 44, BP 101/77; seen 04/03/2015 at 10:30."
NO_GUARANTEE = "The text as a whole: no guarantee; see `textveil risk`."
FOUND = "Values that were found: hidden (0-DP, proved)."


def report_of(mechanism: object, text: str = TEXT, seed: int | None = None) -> Report:
    return Sanitizer.of(SanitizerOptions(mechanism=mechanism, seed=seed))(text).report()  # type: ignore[arg-type]


def own_policy(word: str, *kinds: str) -> Policy:
    """A policy that does this with words and draws spans of these kinds; ``!kind`` keeps a kind."""
    rules = [f'[[rule]]\nkind = "word"\n{word}\n[[rule]]\nkind = "number"\nsurrogate = "digits"\nepsilon = 0']
    for kind in kinds:
        done = "keep = true" if kind.startswith("!") else f'surrogate = "{kind}"'
        rules.append(f'[[rule]]\nkind = "{kind.lstrip("!")}"\n{done}')
    from textveil.sanitize.policy.choice import policy_of

    return policy_of(("name = 'own'\ndetectors = ['embedded']\n" + "\n".join(rules)).encode(), "own")


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        (
            "identifiers",
            (FOUND, "What was not found, and what the policy keeps (numbering): in the text as it was.", NO_GUARANTEE),
        ),
        (
            "clinical",
            (
                "Values that were found: hidden (0-DP, proved), but age, date and time only in part "
                "(at most 2-DP each, proved).",
                "What was not found, and what the policy keeps (code-number, duration, measurement, number, "
                "numbering, quantity): in the text as it was.",
                NO_GUARANTEE,
            ),
        ),
        (
            "prompts",
            (
                "Values that were found: hidden (0-DP, proved), but age, date and time only in part "
                "(at most 2-DP each, proved).",
                "What was not found, and what the policy keeps (code-number, demographic, duration, measurement, "
                "number, numbering, quantity): in the text as it was.",
                NO_GUARANTEE,
            ),
        ),
        (
            "content-words",
            (
                "Every word and number but function words of the public list: hidden in part (8-DP each, proved).",
                "What stays: function words of the public list, marks and the number, order and kinds of tokens.",
                "The text as a whole: what stays has no guarantee; see `textveil risk`.",
            ),
        ),
        (
            "all-words",
            (
                "Every word and number: hidden in part (8-DP each, proved).",
                "What stays: marks and the number, order and kinds of tokens.",
                "The text as a whole: costs add up over its words and numbers; see `textveil risk`.",
            ),
        ),
    ],
)
def test_the_summary_of_a_preset_ends_with_its_statement(policy: str, expected: tuple[str, ...]) -> None:
    report = report_of(tv.policy(policy))
    assert report.statement == expected
    assert report.summary().splitlines()[-len(expected) :] == list(expected)
    assert report.to_data()["statement"] == list(expected)


def test_a_text_in_which_nothing_is_found_says_so_first() -> None:
    report = report_of(tv.policy("identifiers"), "the mayor laughed")
    assert report.statement[0] == "Nothing was found that the policy draws."
    assert report.statement[1] == FOUND


@pytest.mark.parametrize("policy", ["identifiers", "content-words", "all-words"])
def test_seeded_draws_hide_nothing(policy: str) -> None:
    statement = " ".join(report_of(tv.policy(policy), seed=3).statement)
    assert ": not hidden from whoever knows the seed." in statement
    assert "proved" not in statement and "in part" not in statement and "add up" not in statement


def test_words_that_are_drawn_beside_spans_are_not_said_to_stay() -> None:
    report = report_of(own_policy('mechanism = "neighborhood"\nepsilon = 4', "person", "!date"))
    assert report.statement == (
        FOUND,
        "What was not found, and what the policy keeps (date): "
        "drawn word by word like all other text, hidden in part (4-DP each, proved).",
        NO_GUARANTEE,
    )


def test_a_policy_that_draws_no_span_promises_nothing_of_spans() -> None:
    policy = own_policy("keep = true", "!person")
    assert report_of(policy).statement[0] == FOUND  # numbers are drawn
    assert "person" in report_of(policy).statement[1]


def test_whole_texts_are_hidden_as_wholes() -> None:
    statement = report_of(tv.mechanism("keywords", epsilon=10.0)).statement
    assert statement[0] == "Each text as a whole: hidden in part (10-DP each, proved)."


def test_a_large_epsilon_is_said_to_hide_hardly_anything() -> None:
    statement = report_of(tv.mechanism("neighborhood", epsilon=60.0)).statement
    assert statement[0].startswith("Every word and number: hardly hidden (")


def test_reprs_say_what_a_cost_is_of() -> None:
    assert repr(tv.Sanitizer("identifiers")("the mayor laughed")).endswith(
        "0 spans, 0-DP [proved] for the values found)"
    )
    assert repr(tv.Sanitizer("all-words")("the mayor")).endswith("2 draws, 16-DP [proved])")
