"""Sequences and whole texts through a sanitizer, a stream, a job, the command line and the report."""

import io
import json
import pickle
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.helpers.runs import run_of
from tests.helpers.shared import needs_lab

from textveil.catalog import mechanism
from textveil.cli import main as cli
from textveil.corpora.formats.json_records import JsonLines
from textveil.corpora.formats.records import FieldChoice
from textveil.corpora.processes import Processes
from textveil.errors import InputError, ParameterError, UnsupportedGuarantee
from textveil.mechanisms.kinds import Described, words_alone
from textveil.privacy.guarantees import Guarantee, PureDP, Status
from textveil.privacy.units import ANY_DOCUMENT, ONE_DOCUMENT, ONE_TOKEN
from textveil.randomness import seeded_generator
from textveil.sanitize.explanation import explain
from textveil.sanitize.sanitizer import Sanitizer
from textveil.types import Ids, Integers
from textveil.vocabulary.vocabulary import Vocabulary

TEXTS = ["Maria saw Maria and 2 cats.", "", "... 17", "One word", "Maria and Maria and Maria and 55 dogs, two cats."]
TOKEN = PureDP(epsilon=1.0, status=Status.PROVED)
DOCUMENT = PureDP(epsilon=1.0, status=Status.PROVED, adjacency=ANY_DOCUMENT)


@dataclass
class Spy:
    """Releases its input, and keeps what it was asked."""

    vocabulary: Vocabulary
    asked: list[tuple[list[int], list[int]]]
    guarantee: Guarantee = TOKEN
    name: str = "spy"

    @property
    def parameters(self) -> Mapping[str, Any]:
        return {}

    def privatize_documents(self, ids: Ids, bounds: Integers, rng: np.random.Generator | None = None) -> Ids:
        self.asked.append((ids.tolist(), bounds.tolist()))
        return ids


@dataclass
class Echo:
    """Releases texts as they are, or whatever it is told to."""

    guarantee: Guarantee = DOCUMENT
    answer: Any = None
    name: str = "echo"

    @property
    def parameters(self) -> Mapping[str, Any]:
        return {}

    def privatize_texts(self, texts: Sequence[str], rng: np.random.Generator | None = None) -> list[str]:
        return list(texts) if self.answer is None else self.answer


def test_a_sequence_mechanism_is_asked_document_by_document(embedded: Vocabulary) -> None:
    spy = Spy(embedded, [])
    sanitizer = Sanitizer(spy)  # asks for some public words
    spy.asked.clear()
    releases = sanitizer.batch(TEXTS)
    assert [one.text for one in releases[1:2]] == [""]
    ((ids, bounds),) = spy.asked
    words = [[embedded.words[one] for one in ids[start:stop]] for start, stop in pairwise(bounds)]
    assert words == [
        ["maria", "saw", "maria", "and", "cats"],
        [],
        [],
        ["one", "word"],
        ["maria", "and", "maria", "and", "maria", "and", "dogs", "two", "cats"],
    ]


def test_documents_of_a_sequence_mechanism_cost_what_their_tokens_cost(embedded: Vocabulary) -> None:
    sanitizer = Sanitizer(mechanism("consistent-neighborhood", embedded, epsilon=2.0))
    release = sanitizer(TEXTS[0])
    assert release.guarantee_per_token == PureDP(
        epsilon=2.0, status=Status.PROVED, source="privacy/proofs/sequence.md", adjacency=ONE_TOKEN
    )
    assert (release.guarantee.approximate().epsilon, release.guarantee.adjacency) == (12.0, ONE_DOCUMENT)
    assert release.kinds["word"] == 5 and release.kinds["number"] == 1
    assert len(release.spans) == sum(release.kinds.values())


def test_a_whole_text_costs_one_draw_and_tells_nothing_of_its_tokens(embedded: Vocabulary) -> None:
    sanitizer = Sanitizer(mechanism("keywords", embedded, epsilon=6.0, keywords=2))
    releases = list(sanitizer.stream(TEXTS))
    assert len(releases) == len(TEXTS)
    for release in releases:
        assert (dict(release.kinds), release.spans, release.mapped) == ({"text": 1}, (), 0)
        assert len(release.text.split()) == 2
        assert (release.guarantee.approximate().epsilon, release.guarantee.adjacency) == (6.0, ANY_DOCUMENT)
        assert release.guarantee_per_token.approximate().epsilon == 6.0
    report = releases[0].report().to_data()
    assert report["tokens"] == {"text": 1} and report["guarantee"]["by_kind"][0]["unit"] == "document"
    assert not any("token" in line for line in report["public"])
    assert "tokens" not in releases[0].report().summary().replace("per token", "")
    copy = pickle.loads(pickle.dumps(sanitizer))
    assert copy.setting == sanitizer.setting


@pytest.mark.slow
@pytest.mark.parametrize("name", ["consistent-neighborhood", "keywords"])
@pytest.mark.parametrize("workers", [1, 2])
def test_jobs_release_both_kinds_and_add_up_the_fields_of_a_record(
    tmp_path: Path, embedded: Vocabulary, name: str, workers: int
) -> None:
    source, output = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    rows = [{"a": "Maria saw Maria", "b": "two 12 cats"}, {"a": "one", "b": ""}] * 20
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    run = run_of(
        mechanism=mechanism(name, embedded, epsilon=3.0),
        corpus_format=JsonLines(choice=FieldChoice(("a", "b"), ())),
        inputs=(str(source),),
        engine=Processes(workers),
        block_bytes=200,
        seed=4,
    )
    finished = run.to_file(output)
    released = [json.loads(line) for line in output.read_text().splitlines()]
    assert len(released) == 40 and set(released[0]) == {"a", "b"}
    data = finished.report.to_data()
    most, unit = (6, "token") if name == "consistent-neighborhood" else (2, "document")
    assert data["guarantee"]["per_document"]["protected_tokens"] == most
    assert data["guarantee"]["per_document"]["epsilon"] == pytest.approx(3.0 * most)
    assert data["guarantee"]["by_kind"][0]["unit"] == unit
    assert data["guarantee"]["whole_input"]["unit"] == "person"
    again = tmp_path / "again.jsonl"
    run_of(**{**vars_of(run), "engine": Processes(3 - workers)}).to_file(again)
    assert again.read_bytes() == output.read_bytes()


def vars_of(run: Any) -> dict[str, Any]:
    return {
        "mechanism": run.options.mechanism,
        "seed": run.options.seed,
        "corpus_format": run.corpus_format,
        "inputs": run.inputs,
        "block_bytes": run.block_bytes,
    }


@pytest.mark.parametrize(
    ("name", "kind"), [("consistent-neighborhood", "word"), pytest.param("keywords", "text", marks=needs_lab)]
)
def test_the_command_line_takes_both_kinds(
    monkeypatch: pytest.MonkeyPatch, capsysbinary: Any, tmp_path: Path, name: str, kind: str
) -> None:
    report = tmp_path / "report.json"
    arguments = ["sanitize", "--mechanism", name, "--epsilon", "4", "--report", str(report)]
    monkeypatch.setattr(sys, "argv", ["textveil", *arguments])
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"Maria saw Maria\nand left\n")))
    assert cli._exit_code() == 0
    out = capsysbinary.readouterr().out.decode()
    assert out.count("\n") == 2 and out.endswith("\n") and "Maria saw Maria" not in out
    data = json.loads(report.read_text())
    assert (data["mechanism"]["name"], data["guarantee"]["by_kind"][0]["kind"]) == (name, kind)
    assert data["documents"] == 2


def test_what_is_no_mechanism_of_words_is_told_so(embedded: Vocabulary) -> None:
    for name in ("consistent-neighborhood", "keywords"):
        made: Any = mechanism(name, embedded)
        with pytest.raises(UnsupportedGuarantee, match=name):
            explain(made, "time")
        with pytest.raises(UnsupportedGuarantee, match="this use needs"):
            words_alone(made, "this use")


def test_guarantees_of_the_wrong_unit_are_refused(embedded: Vocabulary) -> None:
    token, document = PureDP(epsilon=1.0), PureDP(epsilon=1.0, adjacency=ANY_DOCUMENT)
    with pytest.raises(UnsupportedGuarantee, match="of one token; got a promise of one document"):
        Sanitizer(Spy(embedded, [], document))
    with pytest.raises(UnsupportedGuarantee, match="of a document, or of all its spans; got a promise of one token"):
        Sanitizer(Echo(token))


def test_numbers_have_no_budget_of_their_own_in_whole_texts(embedded: Vocabulary) -> None:
    with pytest.raises(ParameterError, match="number_epsilon must be left out"):
        Sanitizer(mechanism("keywords", embedded), number_epsilon=1.0)
    setting = Sanitizer(mechanism("keywords", embedded)).setting
    assert (setting.number_epsilon, setting.digit_keep_limit, setting.marks) == (None, None, None)
    with pytest.raises(ParameterError, match="marks must be left out"):
        Sanitizer(mechanism("keywords", embedded), marks="keep")
    with pytest.raises(ParameterError, match="digit_keep_limit must be left out"):
        Sanitizer(mechanism("keywords", embedded), digit_keep_limit=0.3)


@pytest.mark.parametrize("answer", [[], ["a", "b"], [3]])
def test_a_mechanism_of_texts_must_answer_with_one_text_each(answer: list[Any]) -> None:
    with pytest.raises(UnsupportedGuarantee, match="must return 1 strings"):
        Sanitizer(Echo(answer=answer))("private")


def test_a_mechanism_without_words_has_reports_too() -> None:
    release = Sanitizer(Echo(), rng=seeded_generator(1))("public")
    assert release.report().to_data()["vocabulary"] == {}
    assert "vocabulary" not in release.report().summary()
    with pytest.raises(InputError, match="document 2 must be a str"):
        Sanitizer(Echo()).batch(["a", 3])  # type: ignore[list-item]


def test_every_kind_describes_itself(embedded: Vocabulary) -> None:
    made: list[Described] = [
        mechanism(name, embedded) for name in ("neighborhood", "consistent-neighborhood", "keywords")
    ]
    assert [one.name for one in made] == ["neighborhood", "consistent-neighborhood", "keywords"]
