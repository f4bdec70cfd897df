"""``textveil rewrite``: trains, rewrites, says what is promised, and refuses in one line."""

import io
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from textveil.cli import main as cli

pytest.importorskip("torch")
pytest.importorskip("safetensors")

Run = Callable[..., tuple[int, str, str]]

TRAINED = "the cat sat .\nthe dog sat here .\na cat and a dog\n" * 8
SECRET = "xylophonia"
OPTIONS = ("--epochs", 2, "--batch", 8, "--hidden", 6, "--tokenized", "--words", 20)
DRAWN = ("-m", "neighborhood", "--epsilon", 6)


@pytest.fixture
def rewrite(capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    (tmp_path / "public.txt").write_text(TRAINED)
    (tmp_path / "private.txt").write_text(f"the {SECRET} sat here\n\n12\na dog .\n")
    monkeypatch.chdir(tmp_path)

    def run(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["textveil", "rewrite", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
        code = cli._exit_code()
        captured = capsysbinary.readouterr()
        assert SECRET not in captured.err.decode()
        return code, captured.out.decode(), captured.err.decode()

    return run


def test_every_text_gets_a_line_and_the_guarantee_is_told(rewrite: Run) -> None:
    code, out, err = rewrite("private.txt", "--train", "public.txt", *OPTIONS, *DRAWN)
    assert code == 0
    lines = out.split("\n")
    assert len(lines) == 5 and lines[0] and lines[1] == lines[2] == lines[4] == ""
    assert set(out.split()) <= set(TRAINED.split())
    assert re.search(r"guarantee   of a token of the input: (5\.\d+|6)-DP; of the text of --train: none", err)
    assert "not for release" not in err


def test_without_a_mechanism_nothing_is_promised(rewrite: Run) -> None:
    _, _, err = rewrite("private.txt", "--train", "public.txt", *OPTIONS, "--seed", 1)
    assert "no guarantee (there is no noise)" in err
    assert "not for release: the draws come from a seed" in err


def test_what_was_trained_on_is_promised_nothing(rewrite: Run) -> None:
    _, _, err = rewrite("public.txt", "--train", "public.txt", *OPTIONS, *DRAWN)
    assert "no guarantee (the network was trained on this very text)" in err


def test_what_a_kept_network_was_trained_on_is_promised_nothing_by_any_name(rewrite: Run) -> None:
    rewrite("private.txt", "--train", "public.txt", "--network", "kept", *OPTIONS, *DRAWN)
    Path("copy.txt").write_text(TRAINED)
    for name in ("public.txt", "copy.txt"):
        code, _, err = rewrite(name, "--network", "kept", "--tokenized", *DRAWN)
        assert code == 0
        assert "no guarantee (the network was trained on this very text)" in err
    _, _, err = rewrite("public.txt", "--train", "p*.txt", *OPTIONS, *DRAWN)
    assert "no guarantee (the network was trained on this very text)" in err


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("absent.txt",), 1, "must be a readable file; got No such file"),
        (("private.txt", "-o", "absent/out.txt"), 1, "the folder of an output must exist and be writable; got none."),
        (("private.txt", "-o", "."), 1, "the output must be a file; got a folder."),
        (("private.txt", "-o", "private.txt"), 2, "the input, --train and --output must be different files"),
        (("private.txt", "-o", "public.txt"), 2, "the input, --train and --output must be different files"),
        (("private.txt", "--words", 1), 2, "--words must be >= 2; got 1."),
    ],
)
def test_bad_names_and_sizes_are_told_before_anything_is_trained(
    rewrite: Run, arguments: tuple[object, ...], code: int, message: str
) -> None:
    before = Path("private.txt").read_bytes()
    options = OPTIONS[: -2 if "--words" in arguments else None]
    got, out, err = rewrite("--train", "public.txt", "--network", "kept", *options, *arguments)
    assert (got, out, err.count("\n")) == (code, "", 1)
    assert message in err
    assert not Path("kept").exists()
    assert Path("private.txt").read_bytes() == before


def test_clean_words_told_to_the_decoder_are_promised_nothing(rewrite: Run) -> None:
    _, _, err = rewrite("private.txt", "--train", "public.txt", *OPTIONS, *DRAWN, "--feeding", "clean")
    assert "fed with the private words themselves" in err


def test_a_kept_network_rewrites_without_its_training_text(rewrite: Run) -> None:
    trained = rewrite("private.txt", "--train", "public.txt", "--network", "kept", *OPTIONS, *DRAWN, "--seed", 3)
    again = rewrite("private.txt", "--network", "kept", "--tokenized", *DRAWN, "--seed", 3)
    assert trained[0] == again[0] == 0
    assert trained[1] == again[1]
    code, _, err = rewrite("private.txt", "--network", "kept", "--tokenized")
    assert code == 1
    assert "with the noise that it was trained with, at place each-token; got other or none. Give --mechanism" in err


def test_json_says_what_was_done(rewrite: Run) -> None:
    code, out, _ = rewrite("private.txt", "--train", "public.txt", *OPTIONS, *DRAWN, "--json", "-o", "out.txt")
    said = json.loads(out)
    assert code == 0
    assert (said["sentences"], said["for_release"]) == (2, True)
    assert 5 < said["guarantee"]["epsilon"] <= 6
    assert len(said["losses"]) == len(said["seconds"]) == 2
    assert len(Path("out.txt").read_text().splitlines()) == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "--train or --network must be given; got neither"),
        (
            ("--train", "public.txt", "--epochs", 2),
            "at least one batch, 1024; got 24. Lower --batch.",
        ),
        (("--train", "public.txt", *OPTIONS, "--place", "nowhere"), "--place must be one of each-token, encoder-input"),
        (("--train", "public.txt", *OPTIONS, "--device", "mtia"), "got mtia"),
        (("--train", "public.txt", *OPTIONS, "--epsilon", 3), "--mechanism must be given"),
        (("--train", "public.txt", *OPTIONS, *DRAWN, "--place", "embedding-table"), "left out for a table"),
        (("--train", "public.txt", *OPTIONS, "-m", "truncated-laplace-published"), "--allow-refuted"),
        (("--train", "public.txt", *OPTIONS, "-m", "keywords"), "rewriting needs a mechanism of words"),
        (("--train", "public.txt", *OPTIONS, "--json"), "--output must be given with --json"),
    ],
)
def test_what_cannot_be_done_is_told_in_one_line(rewrite: Run, arguments: tuple[object, ...], message: str) -> None:
    code, out, err = rewrite("private.txt", *arguments)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert message in err


def test_a_resume_with_other_settings_is_refused_and_nothing_is_lost(rewrite: Run) -> None:
    rewrite("private.txt", "--train", "public.txt", "--network", "kept", *OPTIONS)
    before = Path("kept/network.json").read_text()
    code, _, err = rewrite("private.txt", "--train", "public.txt", "--network", "kept", *OPTIONS, "--dropout", 0.1)
    assert code == 2
    assert "--network must be of a run with the same settings; got one that differs in dropout (0.5 there, 0.1" in err
    assert Path("kept/network.json").read_text() == before
    assert rewrite("private.txt", "--train", "public.txt", "--network", "kept", *OPTIONS)[0] == 0
