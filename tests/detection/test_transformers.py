"""Token classifiers on disk: a small one that knows its few words, and one with random weights."""

import json
import pickle
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from tests.helpers.hostile import cut_off, texts
from tests.helpers.tiny_models import LABELS, byte_tokenizer, needed, piece_tokenizer, token_classifier

from textveil.detection.detectors import encodable
from textveil.detection.spans import checked_spans
from textveil.detection.transformers import transformers_detector
from textveil.errors import MissingExtra, ModelError, ParameterError
from textveil.models import foreign_files


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    needed("torch", "transformers", extra="transformers")
    return token_classifier(tmp_path_factory.mktemp("made") / "known")


@pytest.fixture(scope="module")
def random_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    needed("torch", "transformers", extra="transformers")
    return token_classifier(tmp_path_factory.mktemp("made") / "random", learned=False)


def found(detector: Any, text: str) -> list[tuple[str, str]]:
    (spans,) = checked_spans(detector, [text])
    return [(text[one.start : one.end], one.kind) for one in spans]


def test_spans_of_a_text(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cut_off(monkeypatch)
    detector = transformers_detector(folder)
    assert detector.kinds == ("place", "person")
    assert detector.name.startswith("transformers:known@")
    assert found(detector, "Maria Gonzalez lives in Berlin, Maria in Rome.") == [
        ("Maria Gonzalez", "person"),
        ("Berlin", "place"),
        ("Maria", "person"),
        ("Rome", "place"),
    ]
    (spans,) = checked_spans(detector, ["a Maria"])
    assert 0.9 < spans[0].score <= 1


def test_what_begins_another_entity_begins_another_span(folder: Path) -> None:
    assert found(transformers_detector(folder), "Maria Maria Gonzalez") == [
        ("Maria", "person"),
        ("Maria Gonzalez", "person"),
    ]


def test_spans_hold_whole_words(folder: Path) -> None:
    """Tokens inside of words are found: "ber" in "berd", after letters with two marks, before digits."""
    detector = transformers_detector(folder)
    assert found(detector, "in Berd.") == [("Berd", "place")]
    assert found(detector, "\U0001f600 Mari\u0301a Rome\ud800") == [("Mari\u0301a", "person"), ("Rome", "place")]


def test_what_a_text_calls_a_special_token_is_text(folder: Path) -> None:
    """So a text cannot tell the model where it ends, or that there is nothing."""
    detector = transformers_detector(folder)
    text = "Maria [SEP] Rome [PAD] Maria [CLS]"
    assert found(detector, text) == [("Maria", "person"), ("Rome", "place"), ("Maria", "person")]
    (window,) = detector._windows([text])
    special = detector._model.tokenizer.all_special_ids
    unknown = detector._model.tokenizer.unk_token_id
    assert not set(window.ids[1:-1]) & (set(special) - {unknown})


@pytest.mark.parametrize("overlap", [0, 5, 20])
def test_long_texts_are_read_in_windows(folder: Path, overlap: int) -> None:
    text = "Maria Gonzalez lives in Berlin with a . " * 60
    detector = transformers_detector(folder, overlap=overlap, batch=3)
    assert found(detector, text) == [("Maria Gonzalez", "person"), ("Berlin", "place")] * 60
    both = checked_spans(detector, ["Rome", text, ""])
    assert [len(one) for one in both] == [1, 120, 0]


def test_the_reading_with_more_context_counts(random_folder: Path) -> None:
    """Every token is read as in the window where it stands farthest from the ends, each window by itself."""
    text = "maria lives in rome with gonzalez , a b c berlin . " * 8
    detector = transformers_detector(random_folder, overlap=16)
    windows = list(detector._windows([text]))
    assert len(windows) > 3
    read: dict[int, list[tuple[int, int, float]]] = {}
    for window in windows:
        (rows,) = detector._probabilities([window.ids])
        for place in range(len(window.bounds)):
            row = rows[place + window.lead]
            context = min(place, len(window.bounds) - 1 - place)
            read.setdefault(window.first + place, []).append((context, -len(read), int(row.argmax())))
    expected = [max(some, key=lambda one: one[0])[2] for _, some in sorted(read.items())]
    assert max(len(some) for some in read.values()) == 2
    seen: list[int] = []

    def listed(text: str, tokens: Any) -> list[Any]:
        seen.extend(token.label for token in tokens)
        return []

    detector._spans = listed
    detector.detect([text])
    assert seen == expected


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(given=texts)
def test_any_text_is_read(random_folder: Path, given: list[str]) -> None:
    detector = _kept(random_folder)
    assert [len(one) for one in checked_spans(detector, given)] == [
        len(checked_spans(detector, [text])[0]) for text in given
    ]


_made: dict[Path, Any] = {}


def _kept(folder: Path) -> Any:
    if folder not in _made:
        _made[folder] = transformers_detector(folder, overlap=8)
    return _made[folder]


@pytest.fixture(scope="module", params=[byte_tokenizer, piece_tokenizer])
def other_folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    needed("torch", "transformers", extra="transformers")
    return token_classifier(tmp_path_factory.mktemp("made") / "other", learned=False, make_tokenizer=request.param)


@pytest.mark.slow
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(given=texts)
def test_tokens_of_other_making_stand_where_they_are(other_folder: Path, given: list[str]) -> None:
    """Bytes of one character have one place; a space before a word is no part of a span; every letter is in a token."""
    detector = _kept(other_folder)
    for text, spans in zip(given, checked_spans(detector, given), strict=True):
        for one in spans:
            assert text[one.start : one.end] == text[one.start : one.end].strip()
    for text in map(encodable, given):
        held = {
            place for window in detector._windows([text]) for start, end in window.bounds for place in range(start, end)
        }
        assert {place for place, character in enumerate(text) if character.isalnum()} <= held


def test_a_copy_in_another_process_is_the_same(folder: Path) -> None:
    detector = transformers_detector(folder, labels={"LOC": None})
    copy = pickle.loads(pickle.dumps(detector))
    assert (copy.name, copy.kinds) == (detector.name, ("person",))
    assert found(copy, "Maria in Rome") == [("Maria", "person")]


def test_entities_have_kinds(tmp_path: Path, folder: Path) -> None:
    strange = token_classifier(tmp_path / "strange", labels=("O", "S-DRUG", "DRUG", "I_PER", "E-PER"))
    with pytest.raises(ParameterError, match="got none for DRUG"):
        transformers_detector(strange)
    assert transformers_detector(strange, labels={"drug": "drug"}).kinds == ("drug", "person")
    with pytest.raises(ParameterError, match="must name what the model known@"):
        transformers_detector(folder, labels={"DRUG": "drug"})
    with pytest.raises(ParameterError, match="that finds what has a kind"):
        transformers_detector(folder, labels={"PER": None, "LOC": None})


@pytest.mark.parametrize(
    ("option", "says"),
    [({"batch": 0}, "batch must be >= 1"), ({"overlap": 34}, "from 0 to 33"), ({"overlap": -1}, "from 0 to 33")],
)
def test_numbers_outside_are_refused(folder: Path, option: dict[str, int], says: str) -> None:
    with pytest.raises(ParameterError, match=says):
        transformers_detector(folder, **option)


def test_what_is_no_token_classifier_is_refused(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cut_off(monkeypatch)
    with pytest.raises(ModelError, match="must be a folder on this machine; got none named bert-base-NER"):
        transformers_detector("dslim/bert-base-NER")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ModelError, match=r"a token classifier with its tokenizer.*got no config\.json"):
        transformers_detector(tmp_path / "empty")
    import transformers

    headless = tmp_path / "headless"
    transformers.BertForMaskedLM(transformers.BertConfig.from_pretrained(folder)).save_pretrained(headless)
    transformers.AutoTokenizer.from_pretrained(folder).save_pretrained(headless)
    with pytest.raises(ModelError, match="without weights that tell classes apart"):
        transformers_detector(headless)


def test_a_slow_tokenizer_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = foreign_files.read_model

    def slow(*given: Any) -> Any:
        made = read(*given)
        return made._replace(tokenizer=object())

    monkeypatch.setattr("textveil.detection.transformers.read_model", slow)
    with pytest.raises(ModelError, match="got a slow one"):
        transformers_detector(folder)


def test_without_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    foreign_files.load_libraries.cache_clear()
    with monkeypatch.context() as patch, pytest.raises(MissingExtra, match=r"textveil\[transformers\]"):
        patch.setitem(sys.modules, "torch", None)
        transformers_detector(tmp_path)
    foreign_files.load_libraries.cache_clear()


def test_labels_are_read_from_the_configuration(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    assert list(config["id2label"].values()) == list(LABELS)
