"""Policies from TOML, and what is wrong with others: one line that names the file and the rule."""

import json
import pickle
from dataclasses import replace
from pathlib import Path

import pytest
from tests.helpers.policies import Finds

from textveil.errors import InputError, ParameterError, UnknownNameError
from textveil.sanitize.policy.choice import PRESETS, policy, policy_of, policy_of_data, preset_text, read_policy
from textveil.sanitize.policy.policy import Action, Policy, Rule
from textveil.sanitize.sanitizer import Sanitizer
from textveil.vocabulary.embedded import load_vocabulary

WORD = '[[rule]]\nkind = "word"\nkeep = true\n'
HEAD = f'name = "p"\n{WORD}'
DIGITS = '[[rule]]\nkind = "number"\nsurrogate = "digits"\n'

FAULTS = {
    "not toml": ("name = ", "it must be TOML; it is not: "),
    "no name": (WORD, "name must be given; got none"),
    "unknown key": (f'colour = "red"\n{HEAD}', "key 'colour' must be one of name, describes"),
    "marks": (f'marks = "odd"\n{HEAD}{DIGITS}', "marks must be normalize or keep; got odd"),
    "scope": (f'scope = "person"\n{HEAD}{DIGITS}', "scope must be one of mention, document, conversation, corpus"),
    "detectors": (f"detectors = 3\n{HEAD}", "detectors must be a list of names"),
    "no rule for word": (f'name = "p"\n{DIGITS}', "rules must be with one for word"),
    "nothing drawn": (HEAD, "rules must be such that something is replaced; got none that draws"),
    "rule without kind": (f"{HEAD}[[rule]]\nkeep = true\n", ", rule 2: kind must be given"),
    "no action": (
        f'{HEAD}[[rule]]\nkind = "date"\n',
        ", rule 2: a rule must have one of keep, placeholder, surrogate, mecha",
    ),
    "two actions": (
        f'{HEAD}[[rule]]\nkind = "date"\nkeep = true\nsurrogate = "digits"\n',
        ", rule 2: a rule must have one of keep, placeholder, surrogate, mechanism; got keep and surrogate",
    ),
    "two rules": (f"{HEAD}{DIGITS}{DIGITS}", ", rule 3 must be the only one for number; rule 2 is for it too"),
    "keep is no flag": (f'{HEAD}[[rule]]\nkind = "date"\nkeep = false\n', ", rule 2: keep must be true"),
    "name is no name": (
        f'{HEAD}[[rule]]\nkind = "date"\nsurrogate = 3\n',
        ", rule 2: surrogate must be a name; got int",
    ),
    "negative epsilon": (f"{HEAD}{DIGITS}epsilon = -1\n", ", rule 2: epsilon must be finite and >= 0; got -1"),
    "infinite epsilon": (f"{HEAD}{DIGITS}epsilon = inf\n", ", rule 2: epsilon must be finite and >= 0; got inf"),
    "epsilon that is none": (f'{HEAD}{DIGITS}epsilon = "big"\n', ", rule 2: epsilon must be a number; got str"),
    "epsilon of what is kept": (
        f'{HEAD}[[rule]]\nkind = "date"\nkeep = true\nepsilon = 1\n',
        ", rule 2: epsilon must be left",
    ),
    "a word by a surrogate": (
        'name = "p"\n[[rule]]\nkind = "word"\nsurrogate = "person"\n',
        ", rule 1: word must be kept or",
    ),
    "a span by a mechanism": (
        f'{HEAD}[[rule]]\nkind = "date"\nmechanism = "optimal"\n',
        ", rule 2: mechanism must be for",
    ),
    "a kind that cannot be": (f'{HEAD}[[rule]]\nkind = "My Kind"\nkeep = true\n', ", rule 2: kind must be lowercase"),
    "regex": (f'{HEAD}{DIGITS}[[pattern]]\nkind = "case"\nregex = "(a"\n', ", pattern 1: regex must compile"),
    "regex of nothing": (
        f'{HEAD}{DIGITS}[[pattern]]\nkind = "case"\nregex = "a*"\n',
        ", pattern 1: regex must be one that",
    ),
    "pattern of a token": (
        f'{HEAD}{DIGITS}[[pattern]]\nkind = "word"\nregex = "a"\n',
        ", pattern 1: kind must be a kind of",
    ),
    "pattern key": (f'{HEAD}{DIGITS}[[pattern]]\nkind = "case"\nexp = "a"\n', ", pattern 1: key 'exp' must be one of"),
    "list of nothing": (
        f'{HEAD}{DIGITS}[[list]]\nkind = "staff"\nwords = []\n',
        ", list 1: words must be one string or",
    ),
    "list without words": (f'{HEAD}{DIGITS}[[list]]\nkind = "staff"\n', ", list 1: a list must have words or a file"),
    "list without file": (
        f'{HEAD}{DIGITS}[[list]]\nkind = "staff"\nfile = "no.txt"\n',
        ", list 1: file no.txt must be a",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_one_line_that_says_where(name: str, tmp_path: Path) -> None:
    text, wanted = FAULTS[name]
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ParameterError) as caught:
        policy(path)
    told = str(caught.value)
    assert told.startswith(f"policy {path}") and wanted in told and "\n" not in told


MADE = {
    "kind": (
        '[[rule]]\nkind = "colour"\nsurrogate = "digits"\n',
        "policy p, rule 2: kind must be one that something finds ",
    ),
    "surrogate": ('[[rule]]\nkind = "date"\nsurrogate = "digts"\n', "policy p, rule 2: surrogate must be one of "),
    "option": (
        '[[rule]]\nkind = "id"\nsurrogate = "digits"\nlimit = 1\n',
        "policy p, rule 2: digits takes the options",
    ),
}


@pytest.mark.parametrize("name", MADE)
def test_what_a_rule_names_is_made_before_any_text_is_read(name: str) -> None:
    text, wanted = MADE[name]
    with pytest.raises(ParameterError) as caught:
        Sanitizer(policy_of(f'detectors = ["embedded"]\n{HEAD}{text}'.encode(), "here"))
    assert str(caught.value).startswith(wanted) and "\n" not in str(caught.value)


def test_an_unknown_mechanism_is_named_with_its_rule() -> None:
    text = 'name = "p"\n[[rule]]\nkind = "word"\nmechanism = "neighbourhood"\n'
    with pytest.raises(UnknownNameError, match="policy p, rule 1: mechanism must be one of the catalog"):
        Sanitizer(policy_of(text.encode(), "here"))


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_says_what_it_is(name: str) -> None:
    made = policy(name)
    assert made.name == name and made.describes.endswith(".") and name in preset_text(name)
    assert pickle.loads(pickle.dumps(made)) == made
    assert policy(name).digest == made.digest


def test_unknown_names_are_refused_with_what_there_is() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'identifiers'"):
        policy("identifier")
    with pytest.raises(ParameterError, match=r"policy no/such\.toml must be a file that can be read"):
        policy("no/such.toml")


def test_changes_by_keyword() -> None:
    made = policy("identifiers", scope="mention", marks="normalize", detectors=[])
    assert (made.scope, made.marks, made.detectors) == ("mention", "normalize", ())
    assert policy("all-words", epsilon=3.0).rule("word").epsilon == 3.0
    with pytest.raises(ParameterError, match="epsilon must be left out: the policy identifiers keeps words"):
        policy("identifiers", epsilon=3.0)
    with pytest.raises(ParameterError, match="changes must be among"):
        policy("identifiers", colour="red")


def test_words_of_lists_stand_nowhere_but_in_the_policy() -> None:
    text = f'{HEAD}{DIGITS}[[list]]\nkind = "staff"\nwords = ["Zebediah Quux"]\n'
    made = policy_of(text.encode(), "here")
    assert made.lists[0].words == ("Zebediah Quux",)
    for told in (repr(made), str(made.to_data())):
        assert "Quux" not in told


def test_a_policy_of_python_is_checked_as_one_of_a_file() -> None:
    with pytest.raises(ParameterError, match="rules must be with one for word"):
        Policy(name="p", rules=(Rule(kind="date", action=Action.PLACEHOLDER),))


def test_a_preset_by_its_name_or_a_path_makes_a_sanitizer(tmp_path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(preset_text("prompts"), encoding="utf-8")
    for named in ("prompts", str(path), path):
        assert Sanitizer(named).setting == Sanitizer(policy("prompts")).setting
    with pytest.raises(UnknownNameError, match=r"^policy must be one of .*; got 'clinica'. Did you mean 'clinical'"):
        Sanitizer("clinica")
    with pytest.raises(UnknownNameError, match=r"pass tv.mechanism\('neighborhood', ...\)\.$"):
        Sanitizer("neighborhood")
    with pytest.raises(ParameterError, match="mechanism must be a mechanism or a policy; got int"):
        Sanitizer(5)


RICH = f"""
name = "rich"
describes = "Ägyptisch"
marks = "keep"
scope = "conversation"
detectors = ["embedded", "numbers"]
{WORD}
[[rule]]
kind = "script"
placeholder = true
[[rule]]
kind = "emoji"
keep = true
[[rule]]
kind = "money"
surrogate = "amount"
epsilon = 2
high = 10000
[[rule]]
kind = "number"
surrogate = "digits"
epsilon = 0
scope = "mention"
[[pattern]]
kind = "case"
regex = "X-[0-9]+"
[[list]]
kind = "person"
words = ["Zerubbabel", "Ann Lee"]
"""


@pytest.mark.parametrize("name", [*PRESETS, "rich"])
def test_a_whole_policy_comes_back_from_its_data(name: str) -> None:
    before = policy_of(RICH.encode(), name) if name == "rich" else policy(name)
    after = policy_of_data(json.loads(json.dumps(before.whole_data())))
    assert after == before
    assert (after.digest, after.private_digest) == (before.digest, before.private_digest)


def test_what_is_no_data_of_a_policy_is_refused() -> None:
    found = policy("identifiers")
    with pytest.raises(InputError, match="must name its detectors; got an object"):
        replace(found, detectors=(Finds(),)).whole_data()
    with pytest.raises(InputError, match="must have no vocabulary of its own; got one"):
        policy("all-words", load_vocabulary()).whole_data()
    data = found.whole_data()
    with pytest.raises(ParameterError, match="saved policy, rule 2: a rule must have one of"):
        policy_of_data({**data, "rules": [data["rules"][0], {"kind": "person"}]})
    with pytest.raises(ParameterError, match="saved policy: key 'colour' must be one of"):
        policy_of_data({**data, "colour": "red"})


POOL = (
    f'{HEAD}[[rule]]\nkind = "team"\nsurrogate = "pool"\nfile = "pools/teams.txt"\n'
    '[[list]]\nkind = "team"\nwords = ["Reds"]\n'
)


def test_the_file_of_a_pool_is_looked_for_beside_the_policy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, there, elsewhere = tmp_path / "mine.toml", tmp_path / "pools/teams.txt", tmp_path / "elsewhere"
    for folder in (there.parent, elsewhere):
        folder.mkdir()
    there.write_text("Blues\nGreens\n", encoding="utf-8")
    path.write_text(POOL, encoding="utf-8")
    monkeypatch.chdir(elsewhere)
    made = policy(path)
    assert Sanitizer(made)("The Reds won.").text in ("The Blues won.", "The Greens won.")
    assert Sanitizer(pickle.loads(pickle.dumps(made)))("The Reds won.").text != "The Reds won."
    assert str(tmp_path) not in repr(made) + str(made.to_data())
    path.write_text(POOL.replace("pools/teams.txt", there.as_posix()), encoding="utf-8")
    assert Sanitizer(policy(path))("The Reds won.").text != "The Reds won."


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        (None, "file of a pool must be a readable UTF-8 text; got FileNotFoundError"),
        (b"\xff\n", "file of a pool must be a readable UTF-8 text; got UnicodeDecodeError"),
        (b"Blues\n", "file must be at least 2 different entries; got 1 of them"),
    ],
)
def test_a_fault_of_a_pool_names_policy_and_rule(entries: bytes | None, said: str, tmp_path: Path) -> None:
    (tmp_path / "pools").mkdir()
    (tmp_path / "mine.toml").write_text(POOL, encoding="utf-8")
    if entries is not None:
        (tmp_path / "pools/teams.txt").write_bytes(entries)
    with pytest.raises((InputError, ParameterError)) as caught:
        Sanitizer(policy(tmp_path / "mine.toml"))
    assert str(caught.value).startswith(f"policy p, rule 2: {said}") and "\n" not in str(caught.value)


RELEASED = {
    "nothing finds persons": '[[rule]]\nkind = "person"\nsurrogate = "person"\n',
    "another detector": 'detectors = ["numbers"]\n[[rule]]\nkind = "person"\nsurrogate = "person"\n',
    "a pattern without a rule": f'{DIGITS}[[pattern]]\nkind = "case"\nregex = "C-[0-9]+"\n',
    "a list without a rule": f'{DIGITS}[[list]]\nkind = "case"\nwords = ["Leeds"]\n',
}


@pytest.mark.parametrize("name", RELEASED)
def test_a_slip_that_would_release_what_a_rule_is_for_is_refused(name: str) -> None:
    detectors, _, rest = RELEASED[name].rpartition("]\n[[rule]]") if name == "another detector" else ("", "", "")
    text = f"{detectors}]\n{HEAD}[[rule]]{rest}" if detectors else f"{HEAD}{RELEASED[name]}"
    with pytest.raises(ParameterError, match="kind must be one that") as caught:
        Sanitizer(policy_of(text.encode(), "here"))
    assert "\n" not in str(caught.value)


STAFF = '[[rule]]\nkind = "staff"\nplaceholder = true\n[[list]]\nkind = "staff"\nwords = ["Ann  LEE", "Roe", "Poe"]\n'
KEPT = '[[rule]]\nkind = "ward"\nkeep = true\n'
NEVER = {
    "phrases of another kind": (
        '[[rule]]\nkind = "ward"\nplaceholder = true\n[[list]]\nkind = "ward"\nwords = ["ann lee", "Roe"]\n',
        "list 2: it must have a phrase that is its kind's alone; each is in a list of staff too",
    ),
}


@pytest.mark.parametrize("name", NEVER)
def test_what_can_never_act_is_refused(name: str) -> None:
    wrong, said = NEVER[name]
    with pytest.raises(ParameterError) as caught:
        Sanitizer(policy_of(f"{HEAD}{STAFF}{wrong}".encode(), "here"))
    assert said in str(caught.value) and "\n" not in str(caught.value)
    assert not any(word in str(caught.value).casefold() for word in ("lee", "roe", "poe", "ward a"))


def test_what_can_act_beside_others_is_taken() -> None:
    """A kept list against a rule for numbers, or where words are drawn; a list with a phrase of its own."""
    room = f'{KEPT}[[list]]\nkind = "ward"\nwords = ["room 12"]\n'
    assert Sanitizer(policy_of(f"{HEAD}{DIGITS}{room}".encode(), "here"))("room 12").text == "room 12"
    assert Sanitizer(policy_of(f"{HEAD}{STAFF}{room}".encode(), "here"))("room 12, Roe").text == "room 12, [staff]"
    drawn = HEAD.replace("keep = true", 'mechanism = "neighborhood"')
    kept = f'{KEPT}[[list]]\nkind = "ward"\nwords = ["Quuxward"]\n'
    assert Sanitizer(policy_of(f"{drawn}{DIGITS}{kept}".encode(), "here"))("Quuxward").text == "Quuxward"
    both = '[[rule]]\nkind = "ward"\nplaceholder = true\n[[list]]\nkind = "ward"\nwords = ["Roe", "Oak"]\n'
    assert Sanitizer(policy_of(f"{HEAD}{STAFF}{both}".encode(), "here"))("Roe Oak").text == "[staff] [ward]"


def test_dates_that_are_moved_together_have_no_scope_of_one_mention() -> None:
    with pytest.raises(ParameterError, match="policy clinical, rule 5: scope must be a larger one for date-shift"):
        Sanitizer(policy("clinical", scope="mention"))


def test_a_policy_that_does_not_end_is_refused() -> None:
    with pytest.raises(ParameterError, match="must have at most 16 MB; got more"):
        read_policy(Path("/dev/zero"))
