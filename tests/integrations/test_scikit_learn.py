"""scikit-learn's contract, and what knowing the channel is worth."""

import pickle
import sys

import numpy as np
import pytest
from tests.helpers.shared import needs_lab
from tests.helpers.vocabularies import lettered_vocabulary

from textveil.errors import InputError, MissingExtra, ParameterError
from textveil.mechanisms.neighborhood import neighborhood
from textveil.randomness import seeded_generator
from textveil.sanitize.sanitizer import Sanitizer

pytest.importorskip("sklearn", reason="needs the extra `learn`")

from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

from textveil.integrations.scikit_learn import TextSanitizer

SIZE = 60
MADE = neighborhood(lettered_vocabulary(SIZE, dim=5), epsilon=3.0)


def _documents(number: int, seed: int) -> tuple[list[str], list[str]]:
    """Texts of two classes: each favors the words near one of two others."""
    rng, words = np.random.default_rng(seed), MADE.vocabulary.words
    near = MADE.vocabulary.vectors @ MADE.vocabulary.vectors[[0, 1]].T
    chances = np.exp(near / 4).T
    labels = rng.integers(0, 2, number)
    chosen = [rng.choice(SIZE, size=12, p=chances[label] / chances[label].sum()) for label in labels]
    return [" ".join(words[one] for one in ids) for ids in chosen], ["ab"[label] for label in labels]


@pytest.fixture(scope="module")
def corpus():
    texts, labels = _documents(300, 1)
    released = [one.text for one in Sanitizer(MADE, rng=seeded_generator(3)).batch(texts)]
    return texts, released, labels


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")  # of checks that give it numbers
def test_scikit_learn_accepts_it() -> None:
    check_estimator(TextSanitizer(MADE), on_skip=None)


@needs_lab
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.parametrize("estimator", ["PosteriorVectors", "ChannelClassifier"])
def test_scikit_learn_accepts_the_labs_estimators(estimator: str) -> None:
    from textveil_lab.estimation import scikit_learn

    check_estimator(getattr(scikit_learn, estimator)(MADE), on_skip=None)


@needs_lab
def test_vectors_in_a_pipeline(corpus) -> None:
    from textveil_lab.estimation.scikit_learn import PosteriorVectors

    texts, released, labels = corpus
    transformer = PosteriorVectors(MADE)
    found = transformer.fit_transform(released)
    assert found.shape == (300, 5) and found.dtype == np.float32
    assert transformer.get_feature_names_out().tolist() == [f"posterior{index}" for index in range(5)]
    pipeline = make_pipeline(clone(transformer), LogisticRegression()).fit(released[:200], labels[:200])
    assert pipeline.score(released[200:], labels[200:]) > 0.6
    clean = pipeline.set_params(posteriorvectors__reads="text")
    assert clean.score(texts[200:], labels[200:]) > 0.8
    search = GridSearchCV(pipeline, {"posteriorvectors__prior": ["learned", "public"]}, cv=2)
    assert search.set_params(estimator__posteriorvectors__reads="releases").fit(released, labels).best_score_ > 0.6


@needs_lab
def test_a_clean_document_has_the_mean_of_its_releases(corpus) -> None:
    from textveil_lab.estimation.scikit_learn import PosteriorVectors

    texts, released, _ = corpus
    transformer = PosteriorVectors(MADE).fit(released)
    again = [one.text for one in Sanitizer(MADE, rng=seeded_generator(4)).batch([texts[0]] * 3000)]
    drawn = transformer.transform(again)
    error = drawn.mean(axis=0) - transformer.set_params(reads="text").transform(texts[:1])[0]
    assert np.abs(error / (drawn.std(axis=0) / np.sqrt(3000))).max() < 5.5  # 1e-6, over five coordinates


@needs_lab
def test_the_classifier_reads_releases_and_clean_text(corpus) -> None:
    from textveil_lab.estimation.scikit_learn import ChannelClassifier

    texts, released, labels = corpus
    model = ChannelClassifier(MADE).fit(released[:200], labels[:200])
    assert model.classes_.tolist() == ["a", "b"]
    assert model.score(released[200:], labels[200:]) > 0.6
    chances = model.predict_proba(released[200:])
    assert np.allclose(chances.sum(axis=1), 1) and chances.shape == (100, 2)
    assert (chances.argmax(axis=1) == (model.decision_function(released[200:]) > 0)).all()
    copy = pickle.loads(pickle.dumps(model))
    assert (copy.predict(released) == model.predict(released)).all()
    assert model.set_params(reads="text").score(texts[200:], labels[200:]) > 0.85
    ids = [[MADE.vocabulary.id_of(word) for word in text.split()] for text in texts[200:]]
    assert (model.predict(ids) == model.predict(texts[200:])).all()


@needs_lab
def test_marks_are_seen_where_they_are_asked_for(corpus) -> None:
    from textveil_lab.estimation.scikit_learn import ChannelClassifier

    _, released, _ = corpus
    labels = np.arange(300) % 2
    marked = [text + ("!?" if label else " (1)") for text, label in zip(released, labels, strict=True)]
    assert ChannelClassifier(MADE, marks=True).fit(marked[:200], labels[:200]).score(marked[200:], labels[200:]) > 0.95
    assert ChannelClassifier(MADE).fit(marked[:200], labels[:200]).score(marked[200:], labels[200:]) < 0.75


@needs_lab
def test_bad_arguments(corpus) -> None:
    from textveil_lab.estimation.scikit_learn import ChannelClassifier, PosteriorVectors

    _, released, labels = corpus
    for options in ({"reads": "all"}, {"prior": "mine"}, {"strength": 0.0}):
        with pytest.raises(ParameterError, match=f"{next(iter(options))} must be"):
            ChannelClassifier(MADE, **options).fit(released, labels)
    with pytest.raises(ParameterError, match="y must be of two classes"):
        ChannelClassifier(MADE).fit(released, ["a"] * 300)
    with pytest.raises(ParameterError, match="y must be one for each"):
        ChannelClassifier(MADE).fit(released, labels[:5])
    with pytest.raises(InputError, match="document 1 must be a release"):
        PosteriorVectors(MADE).fit(["never seen"])
    with pytest.raises(NotFittedError):
        PosteriorVectors(MADE).transform(released)


@needs_lab
def test_texts_are_released_in_a_pipeline(corpus) -> None:
    from textveil_lab.estimation.scikit_learn import PosteriorVectors

    texts, _, labels = corpus
    sanitizer = Sanitizer(MADE, rng=seeded_generator(3))
    pipeline = make_pipeline(TextSanitizer(sanitizer), PosteriorVectors(MADE), LogisticRegression()).fit(texts, labels)
    step = pipeline.named_steps["textsanitizer"]
    assert step.columns_.report().tally.documents == 300
    assert pipeline.score(texts, labels) > 0.6
    assert step.columns_.report().tally.documents == 600, "what is released again counts again"


def test_a_clone_has_the_same_sanitizer_and_has_seen_nothing() -> None:
    made = TextSanitizer(Sanitizer(MADE, marks="keep")).fit([])
    made.transform(["waa"])
    copy = clone(made)
    assert copy.sanitizer.setting == made.sanitizer.setting and not hasattr(copy, "columns_")
    assert made.set_params(sanitizer=MADE).get_params() == {"sanitizer": MADE}


def test_gaps_and_tables_keep_their_shape() -> None:
    made = TextSanitizer(MADE)
    found = made.fit_transform(["waa wab", None, float("nan"), "wac"])
    assert [text and len(text.split()) for text in found] == [2, None, None, 1]
    table = made.fit_transform(np.array([["waa", "12"], [None, "waa wab"]], dtype=object))
    assert (
        table.shape == (2, 2)
        and table[1, 0] is None
        and sorted(made.columns_.report().tally.largest) == [(1, 1), (2, 0)]
    )
    assert made.transform([]).shape == (0,)
    with pytest.raises(InputError, match=r"^row 2 must hold texts or gaps; got int"):
        made.transform(["waa", 5])
    with pytest.raises(ParameterError, match="X must be texts, or a table of columns of texts; got 3 dimensions"):
        made.transform(np.full((1, 1, 1), "waa", dtype=object))
    with pytest.raises(ParameterError, match="sanitizer must be a mechanism, a policy or a Sanitizer; got int"):
        TextSanitizer(5).fit([])
    with pytest.raises(NotFittedError):
        TextSanitizer(MADE).transform(["waa"])


def test_names_of_columns_are_those_of_the_frame() -> None:
    pd = pytest.importorskip("pandas", reason="needs the extra `pandas`")
    frame = pd.DataFrame({"note": ["waa", None], "plan": ["wab", pd.NA], "age": [1, 2]}, index=[7, 7])
    made = TextSanitizer(MADE).set_output(transform="pandas")
    assert made.fit_transform(pd.Series(["waa", pd.NA], dtype=object))["text"].isna().tolist() == [False, True]
    found = made.fit_transform(frame[["note", "plan"]])
    assert list(found.columns) == ["note", "plan"] and found.index.tolist() == [7, 7]
    assert found.isna().to_numpy().tolist() == [[False, False], [True, True]]
    assert list(made.fit_transform(frame["note"]).columns) == ["text"]
    by_column = ColumnTransformer([("texts", TextSanitizer(MADE), ["plan"]), ("rest", "passthrough", ["age"])])
    assert by_column.fit_transform(frame)[:, 1].tolist() == [1, 2]
    assert by_column.get_feature_names_out().tolist() == ["texts__plan", "rest__age"]


def test_without_scikit_learn_one_line_says_what_to_install(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.base", None)
    monkeypatch.delitem(sys.modules, "textveil.integrations.scikit_learn")
    with pytest.raises(MissingExtra, match=r"pip install 'textveil\[learn\]'"):
        __import__("textveil.integrations.scikit_learn")
