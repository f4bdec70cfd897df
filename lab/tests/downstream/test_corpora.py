"""The corpora of the studies are read as they are laid out, and others are refused."""

from pathlib import Path

import pytest

from textveil.errors import InputError, ParameterError
from textveil_lab.downstream.corpora import read_corpus
from textveil_lab.frontiers.downstream.tasks import Labelled


def _files(folder: Path, **files: str) -> Path:
    folder.mkdir()
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text, encoding="utf-8")
    return folder.parent


def test_both_corpora_are_read_as_they_are_laid_out(tmp_path: Path) -> None:
    _files(tmp_path / "sst2", train_tsv='sentence\tlabel\na "quoted one \t1\n', dev_tsv="sentence\tlabel\nbad\t0\n")
    _files(
        tmp_path / "agnews", train_tsv="label\tsource\ttext\n4\tx\tA chip\n", test_csv='"1","War, again","In ""A"""\n'
    )
    sst2, agnews = read_corpus("sst2", tmp_path), read_corpus("agnews", tmp_path)
    assert (sst2.train, sst2.test) == (Labelled(('a "quoted one ',), (1,)), Labelled(("bad",), (0,)))
    assert (agnews.train, agnews.test) == (Labelled(("A chip",), (3,)), Labelled(('War, again In "A"',), (0,)))
    assert len(agnews.class_names) == 4


def test_what_is_no_such_corpus_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="corpus must be one of agnews, sst2"):
        read_corpus("imdb", tmp_path)
    with pytest.raises(ParameterError, match="corpus sst2 must have a folder sst2"):
        read_corpus("sst2", tmp_path)
    _files(tmp_path / "sst2", train_tsv="sentence\tlabel\nfine\t7\n", dev_tsv="sentence\tlabel\nbad\t0\n")
    with pytest.raises(InputError, match="the classes of SST-2 must be among 0, 1"):
        read_corpus("sst2", tmp_path)
    _files(tmp_path / "agnews", train_tsv="label\tsource\ttext\n")
    with pytest.raises(InputError, match=r"train\.tsv must have rows of 3 columns; got none"):
        read_corpus("agnews", tmp_path)
