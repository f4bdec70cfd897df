"""Names of persons and of users by the field, flag or phrase that holds them: ``user=``, ``LastName = '...'``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from textveil.detection.found import Found, words_in
from textveil.detection.gates import either, holding, with_words
from textveil.detection.keeping import shipped_words
from textveil.detection.lists import Marks, lists
from textveil.text.patterns import lazy_regex, matches

_USER: Final = lazy_regex(
    r"(?<![A-Za-z<])(?:[a-z]{1,12}[_.-])?(?:(?:[Uu]ser(?:[_-]?(?:[Nn]ame|[Ii]d|login))?|[Ll]og[io]n|logname|uname|acct"
    r"|assignee|actor|principal|committer|[Oo]wner|[Aa]uthor|[Rr]eviewer|created_by|updated_by)"
    r"(?:[\"']?:[ \t]{0,3}[\"']?|=[\"']?)"
    r"|(?:invalid user|(?:for|of|by|as|from|unknown|illegal|disabled|locked|the) user|[Uu]sername(?: is)?"
    r"|[Ll]og(?:ged)? ?in as|logged in by|handle is)[ \t]{1,3}[\"'`]?"
    r"|(?<=\n)[ \t]{0,8}User[ \t]{1,3}|(?:TODO|FIXME|XXX|HACK|NOTE)\([ \t]?@?"
    r"|(?<= )(?:-u|-l|--user(?:name)?|--login|--owner)[ =])"
    r"(?P<name>[a-z][a-z0-9_.-]{2,30})(?![\w(\[{<@/:*%$\\-]|\.\w| ?=|'t\b)"
)
_NAMED: Final = lazy_regex(
    r"(?i:(?:first|last|full|given|family|middle|sur|maiden|patient|customer|contact|employee|client|holder)"
    r"[_ ]?name)[\"'`\])]{0,2}[ \t]{0,2}(?:=|:|==|=>|LIKE|like|ILIKE)[ \t]{0,3}[\"']"
    r"(?P<name>[A-Z][A-Za-z .'-]{1,40}?)%?[\"']"
)
_ROLES: Final = words_in(
    """user users usr uid username admin administrator root test tests tester svc service app api web www db bot ci
    name me myself you your my guest demo dev prod staging deploy deployer build builder runner nobody anonymous
    default system daemon node nginx apache postgres mysql redis oracle git ubuntu debian centos docker jenkins
    ec2 vagrant ansible hadoop spark superuser sysadmin sudo none null undefined true false int str string bool self
    this id email uuid varchar auth login oauth jwt ftp ssh smtp http https localhost pi backup monitor agent
    worker client server some someone infra devops sre qa ops secops platform backend frontend core team teams release
    renovate dependabot systemd
    foo bar baz alice bob"""
)
_PARTS: Final = lazy_regex("[a-z]+")
_ORDINARY: Final = int(Marks.COMMON | Marks.SMALL | Marks.OTHER)
_LISTED: Final = int(Marks.GIVEN | Marks.FAMILY)

USER_GATE: Final = with_words(
    """user username userid login logon logname uname acct assignee actor principal committer owner author reviewer
    created updated logged handle u l todo fixme xxx hack note"""
)
FIELD_GATE: Final = holding(
    "ame=", "ame =", "ame'", 'ame"', "ame:", "ame`", "ame]", "ame)", "ame LIKE", "ame like", "ame ILIKE", "NAME"
)


PEOPLE_GATE: Final = either(USER_GATE, FIELD_GATE)


def find_people_in_fields(text: str) -> Iterator[Found]:
    """Names of users and of persons, by start, none overlapping."""
    reached = 0
    for start, end, kind in sorted(_people(text)):
        if start >= reached:
            reached = end
            yield Found(start, end, kind, 0.7, "field")


def _people(text: str) -> Iterator[tuple[int, int, str]]:
    for match in matches(_USER, text):
        name = match["name"].rstrip("._-")
        if names_user(name):
            yield match.start("name"), match.start("name") + len(name), "handle"
    for match in matches(_NAMED, text):
        parts = re.findall("[a-z]+", match["name"].lower())
        if not all(part in _ROLES or part in _known() for part in parts):
            yield *match.span("name"), "person"


def is_plain_word(word: str) -> bool:
    """Whether a word in small letters is one of English, of programs, or of roles."""
    return bool(lists().words.get(word, 0) & _ORDINARY) or word in _known() or word in _ROLES


def is_plain_form(word: str) -> bool:
    """Whether a word in small letters is a plain one, or looks like its plural or its third person."""
    return is_plain_word(word) or is_plain_word(word.removesuffix("s"))


def names_user(name: str) -> bool:
    """Whether a login can be one person's: it is no role, and not made of words of English or of programs alone."""
    parts = _PARTS.findall(name)
    if not parts or any(part in _ROLES for part in parts):
        return False
    marks_of = lists().words.get
    marks = [marks_of(part, 0) for part in parts]
    plain = [
        bool(mark & _ORDINARY) or part in _known() or len(part) < 2 for part, mark in zip(parts, marks, strict=True)
    ]
    if not all(plain):
        return True
    return any(mark & _LISTED for mark in marks) and any(map(str.isdigit, name))


def names_login(name: str) -> bool:
    """Whether an item of a list of persons is a login: it can be one person's, and no part of it is a plain word."""
    return names_user(name) and not any(len(part) > 3 and is_plain_word(part) for part in _PARTS.findall(name))


@cache
def _known() -> frozenset[str]:
    return frozenset(word.lower() for name in ("programming", "products") for word in shipped_words(name))
