"""Texts that packages trip over, and a machine without a network."""

import socket
from typing import Any, NoReturn

import pytest
from hypothesis import strategies as st

HOSTILE = (
    "",
    " ",
    "\n\n\n",
    "\x00",
    "\ud800",
    "Maria\udfff Gonzalez",
    "\U0001f600 Maria \U0001f468\u200d\U0001f469\u200d\U0001f467 Gonzalez",
    "e\u0301e\u0301 Mari\u0301a",
    "\u202eMaria Gonzalez\u202c",
    "\ufeffMaria",
    "Mari\u00ada Gonz\u200balez",
    "ﬁne \u212b İstanbul ẞ",
    "山田太郎は東京に住んでいます。",
    "สวัสดีมาเรีย",
    "\r\nMaria\r\n\tGonzalez\x0b\x0c\x85\u2028",
    "a" * 3000,
    "Maria Gonzalez " * 300,
    "+1 (212) 555-5555\u00a0x12 a@b.org",
)

texts = st.lists(st.one_of(st.text(max_size=40), st.sampled_from(HOSTILE)), max_size=3)
"""Lists of texts with halves of surrogate pairs among their characters."""


def _refused(*_: Any, **__: Any) -> NoReturn:
    raise AssertionError("a network was asked")


def cut_off(patch: pytest.MonkeyPatch) -> None:
    """Let every attempt to reach a network fail loudly."""
    for name in ("connect", "connect_ex", "sendto"):
        patch.setattr(socket.socket, name, _refused)
    patch.setattr(socket, "getaddrinfo", _refused)
    patch.setattr(socket, "create_connection", _refused)
