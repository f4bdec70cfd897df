import hashlib
import importlib.util
import json
import math
import pickle
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from tests.helpers.shared import needs_lab, shared_path

from textveil.errors import ParameterError, VocabularyError
from textveil.mechanisms.contextual_neighborhood import CONTEXT_CHOICES
from textveil.mechanisms.weight_shares import CHOICES
from textveil.vocabulary import embedded as builtin
from textveil.vocabulary import facts
from textveil.vocabulary.embedded import DATA, load_vocabulary, provenance
from textveil.vocabulary.vocabulary import Vocabulary

ROOT = Path(__file__).resolve().parents[2]
METRICS = {1: "cityblock", 2: "euclidean", math.inf: "chebyshev"}


def test_the_embedded_vocabulary_holds_english_words():
    vocabulary = load_vocabulary()
    assert len(vocabulary) == 32698
    assert vocabulary.dim == 300
    assert vocabulary.words[:5] == ("the", "and", "to", "of", "a")
    assert all(word.isascii() and word.isalpha() and word.islower() for word in vocabulary.words)
    assert vocabulary.name == provenance()["name"] == "glove-840b-300d-32698"
    assert load_vocabulary() is load_vocabulary("embedded") is vocabulary


def test_it_is_mapped_and_no_vector_is_made_before_it_is_asked_for():
    fresh = builtin._embedded.__wrapped__()
    assert isinstance(fresh.grid.values, np.memmap)
    assert "vectors" not in vars(fresh)


def test_its_files_fit_in_16_megabytes_and_are_those_of_the_records():
    files = {path.name: path for path in DATA.iterdir()}
    assert sum(path.stat().st_size for path in files.values()) <= 16_000_000
    record = provenance()
    others = {
        *facts.FREQUENCIES_FILES,
        facts.FREQUENCIES_RECORD,
        CHOICES,
        CONTEXT_CHOICES,
        facts.MILDER_FILE,
        facts.CLASSES_FILE,
        facts.CLASSES_RECORD,
    }
    of_lab = ROOT / "lab/src/textveil_lab/vocabulary/data"  # tables that mechanisms of the lab read
    assert files.keys() == {*record["files"], "neighbors.table", "provenance.json", *others}
    for name, digest in {**record["files"], **record["tables"]}.items():
        assert hashlib.sha256(files.get(name, of_lab / name).read_bytes()).hexdigest() == digest
    assert record["license"].startswith("PDDL-1.0")


def test_its_recorded_digest_is_that_of_its_words_and_vectors():
    vocabulary = load_vocabulary()
    assert Vocabulary(vocabulary.words, vocabulary.vectors).digest == vocabulary.digest == provenance()["digest"]


@pytest.mark.parametrize("name", ["words.txt", "vectors.npy", "scales.npy", "facts.json"])
def test_a_damaged_installation_is_noticed(tmp_path, monkeypatch, name):
    folder = tmp_path / "data"
    shutil.copytree(DATA, folder)
    monkeypatch.setattr(builtin, "DATA", folder)
    data = bytearray((folder / name).read_bytes())
    data[len(data) // 2] ^= 1
    (folder / name).write_bytes(data)
    with pytest.raises(VocabularyError, match=f"{name} intact; got another. Install textveil again"):
        builtin._embedded.__wrapped__()
    (folder / name).unlink()
    with pytest.raises(VocabularyError, match=name):
        builtin._embedded.__wrapped__()


def test_a_part_of_it_has_no_facts():
    whole, part = load_vocabulary(), load_vocabulary(limit=50)
    assert part.words == whole.words[:50]
    np.testing.assert_array_equal(part.vectors, whole.vectors[:50])
    assert dict(part.facts) == {}
    assert part.digest != whole.digest
    assert load_vocabulary(limit=10**6) is whole


def test_options_that_do_not_fit_are_refused():
    with pytest.raises(ParameterError, match="limit"):
        load_vocabulary(limit=1)
    with pytest.raises(ParameterError, match="format"):
        load_vocabulary(format="glove")


@needs_lab
def test_it_can_be_sent_to_another_process():
    from textveil_lab.vocabulary.geometry import clipped_diameter

    after = pickle.loads(pickle.dumps(load_vocabulary()))
    assert after.digest == load_vocabulary().digest
    assert clipped_diameter(after, 1.0, 2) == clipped_diameter(load_vocabulary(), 1.0, 2)


@needs_lab
def test_its_norms_are_those_stated():
    from textveil_lab.vocabulary.geometry import norm_range

    vocabulary = load_vocabulary()
    lengths = np.linalg.norm(vocabulary.vectors.astype(np.float64), axis=1)
    least, greatest = norm_range(vocabulary)
    assert least <= lengths.min() <= least * (1 + 1e-12)
    assert greatest >= lengths.max() >= greatest * (1 - 1e-12)
    assert vocabulary.facts["norms"]["mean"] == pytest.approx(lengths.mean(), rel=1e-12)
    assert least > 3.87


@needs_lab
@pytest.mark.parametrize("order", METRICS)
@pytest.mark.parametrize("bound", [None, 1.0])
def test_stated_diameters_are_attained_and_not_exceeded(order, bound):
    """Attained by the stated pair; not exceeded by the pairs of some rows with all rows.

    That no pair at all exceeds them is what tools/build_vocabulary.py --check computes.
    """
    from textveil_lab.vocabulary.geometry import clip, clipped_diameter

    vocabulary = load_vocabulary()
    stated = vocabulary.facts["raw" if bound is None else "unit"]["diameter"][
        "inf" if order == math.inf else str(order)
    ]
    points = vocabulary.vectors if bound is None else clip(vocabulary.vectors, bound)
    value = clipped_diameter(vocabulary, bound, order)
    pair = points[[stated["first"], stated["second"]]].astype(float)
    attained = cdist(pair[:1], pair[1:], METRICS[order])[0, 0]
    assert attained <= value <= attained * (1 + 2**-20)
    rows = np.unique([stated["first"], stated["second"], *range(0, len(points), 3000)])
    assert cdist(points[rows].astype(float), points.astype(float), METRICS[order]).max() <= value


@needs_lab
def test_the_stated_least_distance_is_not_undercut():
    from textveil_lab.vocabulary.geometry import clip, minimum_distance

    vocabulary = load_vocabulary()
    points = clip(vocabulary.vectors, 1.0).astype(float)
    rows = np.arange(0, len(points), 1500)
    table = cdist(points[rows], points)
    table[np.arange(len(rows)), rows] = math.inf
    assert 0 < minimum_distance(vocabulary, 1.0) < table.min()


@needs_lab
def test_the_stated_curve_is_that_of_the_vectors():
    """Ends known in closed form: T(1) = 1 and T(n) = ||sum of unit vectors||^2 / n; between, a sample agrees."""
    from textveil_lab.vocabulary.geometry import mean_neighbor_similarity

    vocabulary = load_vocabulary()
    sizes, sums = mean_neighbor_similarity(vocabulary)
    n = len(vocabulary)
    units = vocabulary.vectors / np.linalg.norm(vocabulary.vectors.astype(np.float64), axis=1)[:, None]
    assert (sizes[0], sizes[-1]) == (1, n)
    assert sums[0] == 1
    total = units.sum(axis=0)
    assert sums[-1] == pytest.approx(total @ total / n, rel=1e-6)
    rows = np.arange(7, n, 97)
    cosines = np.sort(units[rows] @ units.T, axis=1)[:, ::-1]
    curves = np.cumsum(cosines, axis=1)[:, sizes - 1]
    spread = curves.std(axis=0) / math.sqrt(len(rows))
    assert (np.abs(curves.mean(axis=0) - sums) <= 6 * spread + 1e-6 * sums).all()


TOOL = Path(__file__).resolve().parents[2] / "tools" / "build_vocabulary.py"


@pytest.fixture
def tool():
    pytest.importorskip("textveil_lab")
    spec = importlib.util.spec_from_file_location("build_vocabulary", TOOL)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@needs_lab
@pytest.mark.slow
def test_the_committed_files_are_what_the_tool_builds(tool, tmp_path):
    from textveil_lab.vocabulary import word_lists

    source = shared_path("data/vectors/glove-840b-300d-33860")
    assert list(tool.differences(source, DATA, facts=False)) == []
    folder = tmp_path / "data"
    shutil.copytree(DATA, folder)
    shutil.copytree(word_lists.DATA, folder, dirs_exist_ok=True)
    values = np.load(folder / "vectors.npy")
    values[5, 5] += 1
    np.save(folder / "vectors.npy", values)
    assert "vectors.npy differs" in list(tool.differences(source, folder, facts=False))


def test_the_tool_builds_a_small_vocabulary_from_beginning_to_end(tool, tmp_path, monkeypatch, capsys):
    source, output = tmp_path / "source", tmp_path / "data"
    source.mkdir()
    words = ["the", "2012", "cat", "Dog", "naïve", "dog", "a"]
    vectors = np.random.default_rng(0).normal(size=(7, 6)).astype(np.float16)
    np.save(source / "vectors.npy", vectors)
    (source / "words.txt").write_text("\n".join(words) + "\n", encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["tool", "--source", str(source), "--output", str(output)])
    assert tool.main() == 0
    made = load_vocabulary(output)
    assert made.words == ("the", "cat", "dog", "a")
    wanted = vectors[[0, 2, 5, 6]].astype(float)
    assert np.abs(made.vectors - wanted).max() <= np.abs(wanted).max() / 254 * 1.0001
    monkeypatch.setattr(sys, "argv", [*sys.argv, "--check"])
    assert tool.main() == 0
    facts = json.loads((output / "facts.json").read_text())
    facts["unit"]["diameter"]["2"]["value"] *= 0.999
    (output / "facts.json").write_text(json.dumps(facts))
    assert tool.main() == 1
    assert "facts.unit.diameter.2.value" in capsys.readouterr().out


@needs_lab
@pytest.mark.parametrize(
    ("name", "n", "dim", "mapped"),
    [
        ("glove-840b-300d-33860", 33860, 300, False),
        ("glove-6b-50d-10000/glove-6b-50d-10000.txt", 10000, 50, False),
        ("glove-6b-300d-pool-4612", 4612, 300, False),
        ("glove-twitter-25d-11925/glove-twitter-25d-11925.txt", 11925, 25, False),
        ("word2vec-googlenews-300d-13598", 13598, 300, False),
        ("fasttext-cc-300d-2000", 2000, 300, False),
    ],
)
def test_real_tables_load(name, n, dim, mapped):
    from textveil_lab.vocabulary.geometry import norm_range

    path = shared_path(f"data/vectors/{name}")
    vocabulary = load_vocabulary(path)
    assert (len(vocabulary), vocabulary.dim, vocabulary.name) == (n, dim, path.name)
    assert isinstance(vocabulary.vectors, np.memmap) == mapped
    assert norm_range(vocabulary)[0] > 0.2


def test_it_pickles_as_its_digest_and_is_opened_again_elsewhere():
    vocabulary = load_vocabulary()
    packed = pickle.dumps(vocabulary)
    assert len(packed) < 300
    assert pickle.loads(packed) is vocabulary
    with pytest.raises(VocabularyError, match="Install one version everywhere"):
        pickle.loads(packed.replace(vocabulary.digest[:8].encode(), b"00000000"))
    part = load_vocabulary(limit=100)
    assert pickle.loads(pickle.dumps(part)).words == part.words
