"""GLiNER models on disk: a small one with random weights, saved and loaded by the package."""

import json
import pickle
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from tests.helpers.hostile import cut_off, texts
from tests.helpers.tiny_models import gliner, needed

from textveil.detection.gliner import GlinerDetector, gliner_detector, load_gliner
from textveil.detection.spans import checked_spans
from textveil.errors import MissingExtra, ModelError, ParameterError


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    needed("gliner", extra="gliner")
    load_gliner()
    return gliner(tmp_path_factory.mktemp("made"))


@pytest.fixture(scope="module")
def detector(folder: Path) -> GlinerDetector:
    return gliner_detector(folder, ["person", "place"], threshold=0.3, overlap=5)


def test_spans_of_a_text(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Which ones is a matter of the random weights; that they are the package's own is not."""
    cut_off(monkeypatch)
    detector = gliner_detector(folder, {"person": "person", "location": "place"}, threshold=0.01)
    assert detector.name.startswith("gliner:model@")
    assert detector.kinds == ("person", "place")
    text = "\U0001f600 Maria Gonzalez lives in Berlin."
    (spans,) = checked_spans(detector, [text])
    (own,) = detector._model.inference([text], ["person", "location"], threshold=0.01)
    assert own
    assert [(one.start, one.end, one.score) for one in spans] == [
        (one["start"], one["end"], pytest.approx(one["score"])) for one in own
    ]


def test_words_beyond_the_models_reach_are_read(detector: GlinerDetector) -> None:
    """The package leaves out what is beyond ``max_len`` words, with a warning."""
    text = "Maria Gonzalez lives in Berlin with a b c . " * 40
    with pytest.warns(UserWarning, match="truncated"):
        (own,) = detector._model.inference([text], ["person", "location"], threshold=0.3)
    assert max(one["end"] for one in own) < 120
    (spans,) = checked_spans(detector, [text])
    assert max(one.end for one in spans) > len(text) - 20
    parts = list(detector._windows(text))
    assert all(text[start : start + len(part)] == part and len(part.split()) <= 20 for start, part in parts)
    words = [start for _, start, _ in detector._model.data_processor.words_splitter(text)]
    assert all(any(start <= word < start + len(part) for start, part in parts) for word in words)


@settings(max_examples=30)
@given(given=texts)
def test_any_text_is_read(detector: GlinerDetector, given: list[str]) -> None:
    assert len(checked_spans(detector, given)) == len(given)


def test_a_copy_in_another_process_is_the_same(detector: GlinerDetector) -> None:
    copy = pickle.loads(pickle.dumps(detector))
    assert (copy.name, copy.kinds) == (detector.name, detector.kinds)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"kinds": []}, "kinds must be one at least"),
        ({"kinds": ["A B"]}, "kind must be lowercase letters"),
        ({"threshold": 2}, "threshold must be from 0 to 1"),
        ({"batch": 0}, "batch must be >= 1"),
        ({"overlap": 20}, "overlap must be from 0 to 19"),
    ],
)
def test_options_outside_are_refused(folder: Path, options: dict[str, Any], says: str) -> None:
    with pytest.raises(ParameterError, match=says):
        gliner_detector(folder, **{"overlap": 5, **options})


def test_a_short_model_has_a_shorter_overlap(folder: Path) -> None:
    assert gliner_detector(folder).kinds[0] == "person"


def test_nothing_is_fetched(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cut_off(monkeypatch)
    with pytest.raises(ModelError, match="must be a folder on this machine; got none named gliner_small"):
        gliner_detector("urchade/gliner_small")
    without = shutil.copytree(folder, tmp_path / "without")
    (without / "tokenizer_config.json").unlink()
    with pytest.raises(ModelError, match="got no tokenizer_config"):
        gliner_detector(without)
    shutil.copy(folder / "tokenizer_config.json", without)
    config = json.loads((without / "gliner_config.json").read_text(encoding="utf-8"))
    for name, changed in (
        ("encoder_config", {**config, "encoder_config": None}),
        ("labels_encoder_config", {**config, "labels_encoder": "some/encoder"}),
    ):
        (without / "gliner_config.json").write_text(json.dumps(changed), encoding="utf-8")
        with pytest.raises(ModelError, match=f"got no {name} in gliner_config"):
            gliner_detector(without)
    (without / "gliner_config.json").write_text("{", encoding="utf-8")
    with pytest.raises(ModelError, match="got JSONDecodeError from gliner"):
        gliner_detector(without)


def test_a_tokenizer_of_another_model_is_refused(folder: Path, tmp_path: Path) -> None:
    """The package reads such a model, which then finds nothing in any text."""
    other = shutil.copytree(folder, tmp_path / "other")
    config = json.loads((other / "gliner_config.json").read_text(encoding="utf-8"))
    config["class_token_index"] -= 1
    (other / "gliner_config.json").write_text(json.dumps(config), encoding="utf-8")
    with pytest.raises(ModelError, match="got a tokenizer of another model"):
        gliner_detector(other)


def test_without_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load_gliner.cache_clear()
    with monkeypatch.context() as patch, pytest.raises(MissingExtra, match=r"textveil\[gliner\]"):
        patch.setitem(sys.modules, "gliner", None)
        gliner_detector(tmp_path)
    load_gliner.cache_clear()
