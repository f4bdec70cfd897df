"""Without the package textveil-lab, what is in it says in one line how to install it."""

import sys

import pytest

import textveil as tv
from textveil.cli import main as cli
from textveil.errors import MissingLab
from textveil.registry import lab

INSTALL = "python -m pip install ./lab"


@pytest.fixture(autouse=True)
def no_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("table", "lab"):
        monkeypatch.setattr(f"textveil.registry.{module}.entry_points", lambda group: [])
    monkeypatch.setattr("textveil.cli.commands.entry_points", lambda group: [])


@pytest.mark.parametrize("name", ["audit", "decode", "frontier"])
def test_a_function_of_the_face(name: str) -> None:
    monkeyed = tv.__dict__.pop(name, None)
    with pytest.raises(MissingLab, match=INSTALL):
        getattr(tv, name)
    if monkeyed is not None:
        setattr(tv, name, monkeyed)


def test_a_mechanism(tiny) -> None:
    for name in lab.MECHANISMS.split():
        with pytest.raises(MissingLab, match=f"^the mechanism {name} needs .*{INSTALL}"):
            tv.mechanism(name, tiny)


def test_vectors_of_a_release(tiny) -> None:
    release = tv.Sanitizer(tv.mechanism("randomized-response", tiny))("w0 w1")
    with pytest.raises(MissingLab, match=INSTALL):
        release.vectors()


COMMANDS = [[name, "--help"] for name in lab.COMMANDS] + [["explain", "--mechanism", "gaussian", "--word", "cat"]]


@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda words: words[0])
def test_a_command(arguments: list[str], capsys, monkeypatch) -> None:
    monkeypatch.setattr(sys, "argv", ["textveil", *arguments])
    assert cli._exit_code() == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1 and INSTALL in told


def test_the_list_of_mechanisms_says_how_many_there_are_more(capsys, monkeypatch) -> None:
    monkeypatch.setattr(sys, "argv", ["textveil", "mechanisms"])
    assert cli._exit_code() == 0
    out, err = capsys.readouterr()
    assert "neighborhood" in out and err.count("\n") == 1 and INSTALL in err
