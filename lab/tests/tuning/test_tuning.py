"""What policies keep and hide on a sample: shares, intervals and files, on small made corpora."""

from __future__ import annotations

import json
import stat
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from textveil.detection.spans import DetectedSpan
from textveil.errors import InputError, ParameterError, UnknownNameError
from textveil.models.ngram import embedded_language_model
from textveil.randomness import seeded_generator
from textveil.sanitize.policy.policy import Action, Policy, Rule
from textveil.sanitize.sanitizer import Sanitizer
from textveil.vocabulary.embedded import load_vocabulary
from textveil_lab.tuning.accuracy import accuracy, task_of
from textveil_lab.tuning.lines import about_entities, main_table
from textveil_lab.tuning.page import checked_folder, to_html, write_results
from textveil_lab.tuning.tuning import Candidate, Tuning, candidates, tune
from textveil_lab.tuning.verbatim import ALL, Entity, TuningSample, verbatim

SECRET = "Xylophonia"
NAMES = ("Maria Gonzalez", SECRET, "O'Brien", "Jean-Luc")
TEXTS = tuple(
    f"{NAMES[n % 4]} is {20 + n} and {'likes the good soup here' if n % 2 else 'fears the cold storm outside'}, today."
    for n in range(24)
)
LABELS = tuple("food" if n % 2 else "weather" for n in range(24))
ENTITIES = tuple((Entity("person", NAMES[n % 4]), Entity("age", str(20 + n))) for n in range(24))
SAMPLE = TuningSample(TEXTS, LABELS, ENTITIES, "labels")


class Counting:
    """Learns which class a word is commonest in; nothing else."""

    def fit(self, texts: Sequence[str], labels: Sequence[str]) -> Counting:
        self.words: dict[str, Counter[str]] = {}
        self.commonest = Counter(labels).most_common(1)[0][0]
        for text, label in zip(texts, labels, strict=True):
            for word in text.lower().split():
                self.words.setdefault(word, Counter())[label] += 1
        return self

    def predict(self, texts: Sequence[str]) -> list[str]:
        votes = [sum((self.words.get(word, Counter()) for word in text.lower().split()), Counter()) for text in texts]
        return [vote.most_common(1)[0][0] if vote else self.commonest for vote in votes]


class Finds:
    """Finds the name that each text of this sample begins with."""

    name, kinds = "finds", ("person",)

    def detect(self, texts: Sequence[str]) -> list[list[DetectedSpan]]:
        names = [next(name for name in NAMES if text.startswith(name)) for text in texts]
        return [[DetectedSpan(0, len(name), "person", 1.0, "finds")] for name in names]


def masked() -> Candidate:
    """A policy that keeps words and replaces the names of this sample."""
    rules = (Rule(kind="word", action=Action.KEEP), Rule(kind="person", action=Action.PLACEHOLDER))
    made = Policy(name="masked", rules=rules, detectors=(Finds(),))
    return Candidate("masked", None, Sanitizer(made, rng=seeded_generator(3)))


@pytest.fixture(scope="module")
def run() -> Tuning:
    words = candidates(["randomized-response"], [0.5, 40.0], load_vocabulary(), seeded_generator(1))
    rng = np.random.default_rng(2)
    return tune(SAMPLE, [*words, masked()], rng=rng, learner=Counting(), repeats=3, seed=2)


def test_a_task_is_learned_from_what_is_left(run: Tuning) -> None:
    weak, strong, kept = (one.accuracy for one in run.outcomes)
    assert run.raw is not None and weak is not None and strong is not None and kept is not None
    assert run.raw.on_texts.estimate == kept.on_releases.estimate == strong.on_texts.estimate == 1.0
    assert weak.on_texts.estimate < 1.0
    assert run.raw.on_releases == run.raw.on_texts


def test_entities_that_are_left_are_counted(run: Tuning) -> None:
    shares = [{one.kind: one.share.estimate for one in outcome.verbatim} for outcome in run.outcomes]
    assert list(shares[0]) == [ALL, "age", "person"]
    assert shares[0]["person"] == 0.0
    assert shares[1]["person"] == 0.5  # Maria Gonzalez and Jean-Luc: their words are in the vocabulary
    assert shares[2]["person"] == 0.0
    assert shares[2]["age"] == 1.0
    assert shares[2][ALL] == 0.5


def test_nothing_left_has_an_interval_of_some_width(run: Tuning) -> None:
    (person,) = [one for one in run.outcomes[2].verbatim if one.kind == "person"]
    assert person.count == 24
    assert 0.05 < person.share.upper < 0.2


def test_an_entity_is_verbatim_in_any_case_and_with_any_marks_but_not_within_a_word() -> None:
    entities = [(Entity("person", "Ann Lee-Park"),), (Entity("person", "Ann"),), (Entity("age", "5"),)]
    shown = ["so ANN  LEE - PARK came", "Annual meeting", "at 15 or 5.2"]
    (everything, *_) = verbatim(entities, shown, 0.95)
    assert everything.count == 3
    assert everything.share.estimate == everything.in_part.estimate == pytest.approx(1 / 3)


def test_a_part_of_an_entity_is_a_number_or_a_word_that_tells_something() -> None:
    values = ("Maria Gonzalez", "Bank of Norway", "12 May 1950", "Li Xu")
    shown = ["Ms. GONZALEZ came", "one of them", "1950 was cold, may it end", "li or xu"]
    found = verbatim([(Entity("any", value),) for value in values], shown, 0.95)[0]
    assert (found.share.estimate, found.in_part.estimate) == (0.0, 0.5)


def test_every_class_is_on_both_sides_of_every_split() -> None:
    labels = [*"aaaaaaaaaa", *"bbbb", "c"]
    task = task_of(labels, 4, np.random.default_rng(0))
    assert task.left_out == 1
    assert task.majority == pytest.approx(10 / 14)
    for train, test in task.splits:
        assert not set(train) & set(test)
        assert len(train) + len(test) == 14
        assert {labels[one] for one in train} == {labels[one] for one in test} == {"a", "b"}
    assert any(list(one.test) != list(other.test) for one, other in pairwise(task.splits))


def test_the_interval_over_splits_is_wider_than_that_of_independent_ones() -> None:
    labels = [*"ab" * 40]
    texts = [f"{label} {'x' if n % 7 else 'ba'[n % 2]}" for n, label in enumerate(labels)]
    rng = np.random.default_rng(0)
    texts = [text if rng.random() < 0.7 else "nothing" for text in texts]
    found = accuracy(task_of(labels, 8, rng), texts, texts, Counting(), 0.95).on_releases
    assert found.lower < found.estimate < found.upper
    assert found.upper - found.lower > 0.05


@pytest.mark.parametrize("labels", [["a"] * 24, ["a"] * 23 + ["b"]])
def test_a_task_needs_two_classes(labels: list[str]) -> None:
    with pytest.raises(InputError, match="two classes"):
        task_of(labels, 2, np.random.default_rng(0))


def test_a_sample_has_what_it_says() -> None:
    with pytest.raises(InputError, match="at least 10 documents; got 1"):
        TuningSample(("one",))
    with pytest.raises(InputError, match="one label for each of 24"):
        TuningSample(TEXTS, ("a",))
    part = SAMPLE.part(10, np.random.default_rng(0))
    assert len(part.texts) == len(part.labels or ()) == len(part.entities) == 10
    assert all(entity.value in text for text, here in zip(part.texts, part.entities, strict=True) for entity in here)


def test_entities_can_come_from_a_detector() -> None:
    found = TuningSample(TEXTS).with_detected(Finds())
    assert found.found_by == "finds"
    assert found.entities[1] == (Entity("person", SECRET),)


def test_the_sample_says_who_found_its_entities(run: Tuning) -> None:
    assert run.found_by == "labels"
    assert "that the sample's labels name" in about_entities(run)
    detected = replace(run, found_by="embedded")
    assert "say nothing of what it misses" in about_entities(detected)
    assert about_entities(replace(run, found_by="")) == "Entities were not looked for."


def test_candidates_are_named_and_refused() -> None:
    rng = seeded_generator(1)
    made = candidates(["all-words"], [5.0, 8.0], load_vocabulary(), rng)
    assert [(one.policy, one.epsilon) for one in made] == [("all-words", 5.0), ("all-words", 8.0)]
    with pytest.raises(UnknownNameError, match="policy"):
        candidates(["all-word"], [5.0], load_vocabulary(), rng)
    with pytest.raises(ParameterError, match="epsilons"):
        candidates(["all-words"], [5.0, 5.0], load_vocabulary(), rng)
    with pytest.raises(ParameterError, match="policies"):
        candidates([], [5.0], load_vocabulary(), rng)


def test_only_the_page_holds_text_and_only_its_owner_may_read_it(run: Tuning, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    folder = checked_folder(tmp_path / "out")
    files = {path.name: path for path in write_results(run, folder)}
    assert set(files) == {"index.html", "tuning.json", "tuning.png", "tuning.svg"}
    assert stat.S_IMODE(files["index.html"].stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    page = files["index.html"].read_text("utf-8")
    assert any(name.replace("'", "&#39;") in page for name in NAMES)
    assert "FOR THE SENDER ONLY" in page
    assert len(run.examples) == 3
    for name in ("tuning.json", "tuning.svg"):
        text = files[name].read_text("utf-8")
        assert not any(piece in text for name in NAMES for piece in name.split())
        assert not any(label in text for label in LABELS)
    assert json.loads(files["tuning.json"].read_text())["for_release"] is False


def test_a_page_that_others_could_read_is_closed_before_it_is_written(run: Tuning, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    write_results(run, tmp_path)
    (tmp_path / "index.html").chmod(0o644)
    write_results(run, checked_folder(tmp_path))
    assert stat.S_IMODE((tmp_path / "index.html").stat().st_mode) == 0o600


def test_a_folder_of_other_things_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("x")
    with pytest.raises(ParameterError, match="`output` must be a new folder"):
        checked_folder(tmp_path)
    with pytest.raises(ParameterError, match="`output` must be a folder"):
        checked_folder(tmp_path / "thesis.txt")
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_decoder_reads_what_draws_every_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("textveil_lab.tuning.tuning.DECODED", 12)
    words = candidates(["all-words"], [12.0], load_vocabulary(), seeded_generator(1))
    decoded = tune(
        TuningSample(TEXTS), [*words, masked()], rng=np.random.default_rng(2), model=embedded_language_model()
    )
    drawn, kept = (one.recovery for one in decoded.outcomes)
    assert drawn is not None and kept is None
    assert drawn.documents == 12
    assert drawn.kinds[0].in_context.estimate > 0.5
    assert "words decoded" in main_table(decoded)[0]


def test_of_a_public_sample_no_leak_is_warned_of(run: Tuning, tmp_path: Path) -> None:
    words = candidates(["randomized-response"], [5.0], load_vocabulary(), seeded_generator(1))
    public = tune(TuningSample(TEXTS), words, rng=np.random.default_rng(0), public=True)
    (tmp_path / "tuning.svg").write_text("<svg/>")
    (tmp_path / "tuning.json").write_text("{}")
    assert "Tuned on private text" in to_html(run, tmp_path)
    assert "Tuned on private text" not in to_html(public, tmp_path)
    assert public.task is None
    assert public.outcomes[0].verbatim == ()
