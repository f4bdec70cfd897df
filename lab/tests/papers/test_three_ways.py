"""The truncated-Laplace study's cells on made-up corpora: what they are, what they guarantee, and the items."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from tests.helpers.shared import shared_path

from textveil.errors import ModelError, ParameterError
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.evaluation.unchanged import letter_bleu
from textveil_lab.frontiers.cells import cell_seed
from textveil_lab.frontiers.comparison import first_words
from textveil_lab.models.autoencoder.network import AutoencoderSettings
from textveil_lab.papers.report import paper
from textveil_lab.papers.reproduction import reproduce
from textveil_lab.papers.setting import Reproduced, StudySetting
from textveil_lab.papers.truncated_laplace import public_code as mechanisms
from textveil_lab.papers.truncated_laplace import results, tables
from textveil_lab.papers.truncated_laplace.facts import BLOCKS, EPSILONS, LOG_DELTA, TableBlock
from textveil_lab.papers.truncated_laplace.measuring import Measurement
from textveil_lab.papers.truncated_laplace.noise_size import lengths_of
from textveil_lab.papers.truncated_laplace.public_code import clip_of, injection_of, mechanism_of
from textveil_lab.papers.truncated_laplace.results import Scores
from textveil_lab.papers.truncated_laplace.rows import OURS, ScoreRow, true_delta
from textveil_lab.papers.truncated_laplace.sentences import (
    RESTAURANT,
    WARNING,
    RewritingCell,
    RewritingSize,
    cells_of,
    clean_cell,
    material_of,
    size_of,
)
from textveil_lab.papers.truncated_laplace.tables import judgment_of
from textveil_lab.papers.truncated_laplace.variance import gaussian_variance
from textveil_lab.papers.truncated_laplace.verdicts import ExperimentWay
from textveil_lab.rewriting.injection import Feeding

pytest.importorskip("torch")
pytest.importorskip("matplotlib")
pytest.importorskip("sacrebleu")
pytest.importorskip("rouge_score")

WORDS = tuple(dict.fromkeys(f"{RESTAURANT} {WARNING} good bad tea soup cold warm great slow".split()))
NETWORK = AutoencoderSettings(hidden=6, code=4, batch=16, epochs=2, length=10, learning_rate=0.01)
TINY = RewritingSize(sentences=34, tested=8, words=30, network=NETWORK, further=1, epsilons=(0.1, 20.0))
YELP = TableBlock("yelp", "GloVe")
ITEMS = ("figure-1", "figure-2", "figure-3", "figure-5", "figure-6", "table-1", "table-2", "table-3", "table-5")


@pytest.fixture
def setting(tmp_path, monkeypatch) -> StudySetting:
    """Two corpora of drawn words and two tables of drawn vectors, eight-dimensional."""
    rng = np.random.default_rng(5)
    texts = {}
    for corpus in ("yelp", "yahoo"):
        texts[corpus] = tmp_path / corpus
        texts[corpus].mkdir()
        for part in ("train", "test"):
            lines = [" ".join(rng.choice(WORDS, size=rng.integers(5, 12))) + " unheard ." for _ in range(60)]
            (texts[corpus] / f"{part}.txt").write_text("\n".join(lines))
    tables = tuple(Vocabulary(WORDS, rng.normal(size=(len(WORDS), 8)) + 0.1, name) for name in ("glove", "fasttext"))
    monkeypatch.setattr(results, "size_of", lambda setting: TINY)
    return StudySetting(vocabularies=tables, origin="made", texts=texts, cells=tmp_path / "cells", seed=3)


def test_the_cells_are_those_of_the_papers_tables() -> None:
    whole = StudySetting(vocabularies=(Vocabulary(["a", "b"], np.eye(2)),), origin="made")
    size = size_of(whole)
    assert size.epsilons == EPSILONS
    assert size.blocks == BLOCKS
    cells = [cell for block in BLOCKS for way in ExperimentWay for cell in cells_of(size, way, block)]
    cells += [clean_cell(block) for block in BLOCKS]
    assert len(cells) == 3 * (24 + 24 + 4 * 8 + 4 + 1)
    assert len({cell.name for cell in cells}) == len({cell_seed(cell, 1) for cell in cells}) == len(cells)
    assert not set(cells[0].name) & set("/ :")
    assert cell_seed(cells[0], 1) != cell_seed(cells[0], 2)


def test_on_a_gpu_every_network_is_trained_as_in_the_paper() -> None:
    setting = StudySetting(vocabularies=(Vocabulary(["a", "b"], np.eye(2)),), origin="made", device="cuda")
    size = size_of(setting)
    assert (size.network, size.further, size.words) == (AutoencoderSettings(), None, 10_000)


def test_sentences_keep_words_with_a_vector_and_end_in_our_own(setting) -> None:
    material = material_of(setting, TINY, YELP)
    assert [material.text(one) for one in material.examples] == [
        " ".join(s.split()[:10]) for s in (RESTAURANT, WARNING)
    ]
    assert len(material.trained) == 34
    assert max(map(len, material.trained + material.held_out)) <= 10
    assert len(material.vocabulary) <= 30
    assert 0.5 < material.coverage <= 1
    again = material_of(setting, TINY, YELP)
    assert all(np.array_equal(one, other) for one, other in zip(material.trained, again.trained, strict=True))
    with pytest.raises(ParameterError, match="corpus yelp must be of 999 sentences or more"):
        material_of(setting, RewritingSize(sentences=1001, tested=8, words=30, network=NETWORK), YELP)
    with pytest.raises(ParameterError, match="embeddings word2vec must be a vocabulary of that name"):
        material_of(setting, TINY, TableBlock("yelp", "word2vec"))


def test_the_first_way_has_the_papers_scales(setting) -> None:
    vocabulary = material_of(setting, TINY, YELP).vocabulary
    clip = clip_of(vocabulary)
    assert clip == pytest.approx(np.linalg.norm(vocabulary.vectors, axis=1).min(), rel=1e-6)
    laplace = mechanism_of(RewritingCell(YELP, ExperimentWay.TEXT, "laplace", 0.1), vocabulary)
    assert laplace.distribution.scale == pytest.approx(2 * math.sqrt(8) * clip / 0.1)
    gaussian = mechanism_of(RewritingCell(YELP, ExperimentWay.TEXT, "gaussian", 0.5), vocabulary)
    assert gaussian.distribution.sigma**2 == pytest.approx(8 * clip**2 * math.log(1.25 * 4.0**300) / 0.25)
    assert gaussian.distribution.sigma**2 == pytest.approx(clip**2 * gaussian_variance(0.5, LOG_DELTA))
    padded = mechanism_of(RewritingCell(YELP, ExperimentWay.TEXT, "truncated-laplace", 20.0), vocabulary)
    assert padded.parameters["noise_dim"] == 1700


@pytest.mark.parametrize("name", ["laplace", "gaussian", "truncated-laplace"])
def test_a_smaller_clipping_norm_gives_the_same_words(setting, monkeypatch, name: str) -> None:
    vocabulary = material_of(setting, TINY, YELP).vocabulary
    cell, ids = RewritingCell(YELP, ExperimentWay.TEXT, name, 20.0), np.arange(len(vocabulary)).repeat(20)
    before = mechanism_of(cell, vocabulary).privatize(ids, np.random.default_rng(1))
    shortest = clip_of(vocabulary)
    monkeypatch.setattr(mechanisms, "clip_of", lambda vocabulary: shortest / 2)
    after = mechanism_of(cell, vocabulary).privatize(ids, np.random.default_rng(1))
    assert (before == after).mean() > 0.999  # rounding may tip a tie
    monkeypatch.setattr(mechanisms, "clip_of", lambda vocabulary: 3 * shortest)
    assert (mechanism_of(cell, vocabulary).privatize(ids, np.random.default_rng(1)) == before).mean() < 0.999


def test_true_deltas(setting) -> None:
    vocabulary = material_of(setting, TINY, YELP).vocabulary
    for name in ("laplace", "gaussian", "truncated-laplace"):
        assert true_delta(RewritingCell(YELP, ExperimentWay.CODE, name, 0.1), vocabulary).true == 1
    truncated = true_delta(RewritingCell(YELP, ExperimentWay.TEXT, "truncated-laplace", 0.1), vocabulary)
    assert truncated.claimed < 1e-180
    assert truncated.true > 0.2
    assert true_delta(RewritingCell(YELP, ExperimentWay.TEXT, "laplace", 0.1), vocabulary).true == 0
    gaussian = true_delta(RewritingCell(YELP, ExperimentWay.TEXT, "gaussian", 0.1), vocabulary)
    assert gaussian.true == gaussian.claimed
    assert true_delta(RewritingCell(YELP, ExperimentWay.VALID, "truncated-laplace", 0.1), vocabulary).true == 1e-5
    assert true_delta(RewritingCell(YELP, ExperimentWay.VALID, "optimal", 1.0), vocabulary).true == 0


def test_a_claim_holds_where_it_holds_for_the_two_farthest_words() -> None:
    vectors = np.random.default_rng(3).normal(size=(1000, 300)).astype(np.float32)
    vectors[:, 0] += 40  # all in one cone, but for the last, which is opposite to the first
    vectors[-1] = -vectors[0]
    words = Vocabulary([f"word{place}" for place in range(1000)], vectors, "a cone and its opposite")
    found = true_delta(RewritingCell(YELP, ExperimentWay.TEXT, "gaussian", 20.0), words)
    assert 3 < found.true / found.claimed < 6  # 5.5 for vectors at the ends of the clipping ball
    cone = true_delta(RewritingCell(YELP, ExperimentWay.TEXT, "gaussian", 20.0), first_words(words, 999))
    assert cone.true == cone.claimed


def test_noise_is_as_long_as_it_is_said_to_be(setting) -> None:
    vocabulary = material_of(setting, TINY, YELP).vocabulary
    rng = np.random.default_rng(2)
    for name in ("laplace", "gaussian", "truncated-laplace"):
        for way in (ExperimentWay.TEXT, ExperimentWay.CODE):
            cell = RewritingCell(YELP, way, name, 0.1)
            injection = injection_of(cell, vocabulary)
            noise = injection.noise if injection.mechanism is None else injection.mechanism.distribution
            drawn = noise.sample(20_000, rng).astype(np.float64)
            found = lengths_of(cell, vocabulary)
            assert found.noise == pytest.approx(math.sqrt((drawn**2).sum(axis=1).mean()), rel=0.05)
            assert found.ratio == found.noise / found.vector
    assert lengths_of(RewritingCell(YELP, ExperimentWay.VALID, "neighborhood", 0.1), vocabulary) is None


def test_the_second_way_feeds_clean_words_and_the_others_released_ones(setting, tmp_path, monkeypatch) -> None:
    fed: list[Feeding] = []
    from textveil_lab.rewriting.rewriter import Rewriter

    whole = Rewriter.loss

    def watched(self, sentences, *, seed, feeding):
        fed.append(feeding)
        return whole(self, sentences, seed=seed, feeding=feeding)

    monkeypatch.setattr(Rewriter, "loss", watched)
    material = material_of(setting, TINY, YELP)
    measure = Measurement(materials={YELP: material}, size=TINY, seed=3, device="cpu", folder=tmp_path)
    clean = measure(clean_cell(YELP))
    coded = measure(RewritingCell(YELP, ExperimentWay.CODE, "laplace", 0.1))
    assert set(fed) == {Feeding.CLEAN}
    assert len(coded["epoch_losses"]) == len(clean["epoch_losses"]) == 1
    fed.clear()
    printed = measure(RewritingCell(YELP, ExperimentWay.TEXT, "laplace", 0.1))
    assert set(fed) == {Feeding.RELEASED}
    assert [len(one) for one in printed["outputs"]["held_out"]] == [len(one) for one in material.held_out]
    assert measure(RewritingCell(YELP, ExperimentWay.TEXT, "laplace", 0.1)) == printed


def test_a_damaged_shared_network_says_what_to_remove(setting, tmp_path) -> None:
    measure = Measurement(
        materials={YELP: material_of(setting, TINY, YELP)}, size=TINY, seed=3, device="cpu", folder=tmp_path / "cells"
    )
    measure.folder.mkdir()
    measure(clean_cell(YELP))
    for path in measure.shared(YELP).glob("*.safetensors"):
        path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(ModelError, match=r"got one that is damaged or missing .*\. Remove the folder cells"):
        measure(RewritingCell(YELP, ExperimentWay.TEXT, "laplace", 0.1))


def test_a_device_that_is_absent_is_refused_before_a_folder_is_made(setting, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("torch.zeros", lambda *size, device: (_ for _ in ()).throw(AssertionError(device)))
    known = paper("truncated-laplace")
    absent = replace(setting, device="cuda", cells=tmp_path / "cells")
    with pytest.raises(ParameterError, match="device must be one that torch finds on this machine; got cuda"):
        reproduce(known, known.chosen(["table-1"]), tmp_path / "out", absent)
    assert not (tmp_path / "out").exists()
    assert not list(tmp_path.glob("cells*"))


def test_every_item_and_a_second_run_measures_nothing(setting, tmp_path, monkeypatch) -> None:
    known = paper("truncated-laplace")
    items = known.chosen([*ITEMS, "noise-size"])
    run = reproduce(known, items, tmp_path / "one", setting)
    judged = {item.name: outcome.judgment for item, outcome in run.results}
    assert all((judged[name] is not None) == (name != "noise-size") for name in judged)
    rows = json.loads((tmp_path / "one/table-2.json").read_text())
    deltas = [row[rows["columns"].index("true delta")] for row in rows["rows"]]
    assert sum(one is None for one in deltas) == 2  # without privacy, of two corpora
    assert "seven" in (tmp_path / "one/figure-1.csv").read_text()

    def nothing(self, cell):
        raise AssertionError("measured again")

    monkeypatch.setattr(Measurement, "__call__", nothing)
    few = known.chosen(["table-1", "table-5"])
    reproduce(known, few, tmp_path / "two", setting)
    for path in (tmp_path / "two").glob("*.csv"):
        assert path.read_bytes() == (tmp_path / "one" / path.name).read_bytes()
    other = StudySetting(vocabularies=setting.vocabularies, origin="made", texts=setting.texts, cells=setting.cells)
    with pytest.raises(ParameterError, match=r"seed 3 there, \d+ now"):
        reproduce(known, few, tmp_path / "three", other)
    assert not (tmp_path / "three").exists()


def _row(
    mechanism: str | None,
    epsilon: float | None,
    loss: float,
    way: ExperimentWay = ExperimentWay.CODE,
    rouge: float | None = None,
) -> ScoreRow:
    rouge = 100 - loss if rouge is None else rouge
    scores = Scores(
        loss=loss, nats_a_token=1, rouge1=rouge, bleu=1, bleu_signature="", paper_bleu=1, n_w=0.1, cosine=1, bertscore=1
    )
    cell = RewritingCell(YELP, way, mechanism, epsilon)
    return ScoreRow(cell=cell, seen=scores, held_out=scores, delta=None, paper={"loss": 3.0, "rouge1": 90.0})


@pytest.mark.parametrize(("low", "truncated", "laplace", "held"), [
    (0.05, 10.2, 40, Reproduced.PARTLY), (0.05, 39, 40, Reproduced.NO),
    (1.0, 10.2, 12, Reproduced.PARTLY), (1.0, 10.2, 20, Reproduced.NO),
])  # fmt: skip
def test_a_table_is_judged_by_what_was_measured(low: float, truncated: float, laplace: float, held: Reproduced) -> None:
    rows = [_row(None, None, 10), _row("laplace", low, 0.1, ExperimentWay.TEXT)]
    for epsilon in (low, 20.0):
        losses = {"gaussian": laplace, "laplace": laplace, "truncated-laplace": truncated}
        rows += [_row(name, epsilon, loss) for name, loss in losses.items()]
    found = judgment_of(rows)
    assert found.reproduced is held
    assert f"within {laplace - 10:.0f} points of that without noise at epsilon {low:g}" in found.why


def test_nothing_is_judged_of_a_network_that_has_not_learned() -> None:
    rows = [_row(None, None, 10, rouge=49), _row("laplace", 0.05, 0.1, ExperimentWay.TEXT)]
    for epsilon in (0.05, 20.0):
        losses = {"gaussian": 40.0, "laplace": 40.0, "truncated-laplace": 10.2}
        rows += [_row(name, epsilon, loss) for name, loss in losses.items()]
    found = judgment_of(rows)
    assert found.reproduced is Reproduced.NO
    assert "ROUGE-1 49 of what it was trained on" in found.why


def test_a_sentence_that_is_not_shown_is_scored_by_what_it_says(setting, tmp_path, monkeypatch) -> None:
    study = paper("truncated-laplace")
    before = reproduce(study, study.chosen(["figure-1"]), tmp_path / "one", setting).results[0][1].judgment
    monkeypatch.setattr(tables, "shown", lambda material, sentence: tables.WITHHELD)
    after = reproduce(study, study.chosen(["figure-1"]), tmp_path / "two", setting).results[0][1]
    assert after.judgment == before
    assert tables.WITHHELD in after.tables[""].rows[-1]


def test_tables_have_the_papers_bleu_beside_bleu(setting) -> None:
    material, cell = material_of(setting, TINY, YELP), clean_cell(YELP)
    kept = {"outputs": {"held_out": [one.tolist() for one in material.held_out]}, "nats_a_token": {"held_out": 1.0}}
    found = results.Results(size=TINY, materials={YELP: material}, values={cell: kept}).scores(cell)
    texts = [material.text(one) for one in material.held_out]
    assert (found.bleu, found.paper_bleu) == (pytest.approx(100), letter_bleu(texts, texts))
    assert OURS["paper_bleu"] == "BLEU on the paper's scale"


def test_our_sentences_stand_in_the_vocabularies_at_hand() -> None:
    words = shared_path("data/vectors/glove-840b-300d-33860/words.txt")
    known = set(words.read_text(encoding="utf-8").split())
    assert set(f"{RESTAURANT} {WARNING}".split()) <= known


@pytest.mark.parametrize(
    ("clean", "laplace", "truncated", "shown"),
    [
        (8.1, 35.4, 8.4, True),  # the others ruin the text, truncated noise does not
        (38.2, 38.5, 38.1, False),  # nothing was learned, so nothing is ruined
        (8.1, 8.2, 8.1, False),  # all three are near
        (8.1, 35.4, 30.0, False),  # all three ruin it
    ],
)
def test_the_pattern_is_claimed_only_where_noise_ruins_what_was_learned(clean, laplace, truncated, shown) -> None:
    losses = {"truncated-laplace": truncated, "laplace": laplace, "gaussian": laplace + 0.1}
    assert tables.shows_pattern(clean, losses) is shown
