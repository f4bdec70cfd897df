"""Record batches: what is released, what is done again, and what two batches may not share."""

import dataclasses
import operator
import os
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from scipy import stats

from textveil.catalog import mechanism
from textveil.errors import InputError, MissingExtra, ParameterError
from textveil.integrations.arrow_batches import BatchSanitizer, sanitize_batches
from textveil.mechanisms.kinds import Channel
from textveil.randomness import new_secret, seeded_generator
from textveil.sanitize.sanitizer import Sanitizer
from textveil.vocabulary.vocabulary import Vocabulary

pa = pytest.importorskip("pyarrow", reason="record batches need the extra `arrow`")

WORDS = ["apple", "bread", "cloud", "dance", "eagle", "flame", "grass", "honey"]
ALPHA = 1e-6
SECRET = new_secret()


@pytest.fixture(scope="module")
def words() -> Channel:
    vectors = np.random.default_rng(3).normal(size=(len(WORDS), 4)).astype(np.float32)
    found = mechanism("neighborhood", Vocabulary(WORDS, vectors, "eight"), epsilon=2.0)
    assert isinstance(found, Channel)
    return found


def batch(rows: int = 50, **columns: Any) -> Any:
    texts = [f"{WORDS[row % 8]} {WORDS[row * 3 % 8]}, 17 {WORDS[row * 5 % 8]}!" for row in range(rows)]
    return pa.record_batch({"text": texts, "id": list(range(rows)), **columns})


def test_texts_are_released_kept_columns_kept_and_the_others_dropped(words: Channel) -> None:
    job = sanitize_batches(words, keep=["id"], counts=True)
    made = job(batch(dropped=["x"] * 50))
    assert made.schema.names == ["text", "id", "protected_words", "protected_numbers"]
    assert made.schema == job.schema(batch(dropped=["x"] * 50).schema)
    assert made["id"].to_pylist() == list(range(50))
    assert made["protected_words"].to_pylist() == [3] * 50
    assert made["protected_numbers"].to_pylist() == [1] * 50
    assert all(text[-1] == "!" and text.split()[0].lower() in WORDS for text in made["text"].to_pylist())
    assert made["text"].to_pylist() != batch()["text"].to_pylist()
    assert job.setting.document(3, 1) == Sanitizer(words)("apple bread cloud 17").guarantee


def test_nulls_stay_and_the_shape_of_the_input_is_the_shape_of_the_output(words: Channel) -> None:
    columns = {
        "a": pa.array(["apple", None, "bread"]),
        "b": pa.array([None, None, "cloud"], pa.large_string()),
        "c": pa.array(["dance", "eagle", None]).dictionary_encode(),
    }
    job = sanitize_batches(words, ["a", "b", "c"])
    made = job(pa.record_batch(columns))
    assert [made.column(position).is_null().to_pylist() for position in range(3)] == [
        [False, True, False],
        [True, True, False],
        [False, False, True],
    ]
    assert made.schema.types == [pa.string(), pa.large_string(), pa.string()]
    table = pa.table(columns)
    assert job(table).schema == made.schema
    assert job(table.slice(0, 0)).num_rows == 0
    assert job(table.slice(0, 0)).schema == made.schema


def test_a_row_with_a_key_is_released_the_same_in_every_batch_and_process(words: Channel) -> None:
    job = sanitize_batches(words, keep=["id"], key="id", secret=SECRET)
    whole = job(batch()).to_pydict()["text"]
    assert job(batch()).to_pydict()["text"] == whole
    halves = [text for start in (0, 13, 26, 39) for text in job(batch().slice(start, 13)).to_pydict()["text"]]
    assert halves == whole
    backwards = batch().take(list(range(50))[::-1])
    assert job(backwards).to_pydict()["text"] == whole[::-1]
    assert job(pa.Table.from_batches([batch().slice(0, 9), batch().slice(9)])).to_pydict()["text"] == whole
    assert pickle.loads(pickle.dumps(job))(batch()).to_pydict()["text"] == whole
    again = sanitize_batches(words, keep=["id"], key="id", secret=SECRET)
    assert again(batch()).to_pydict()["text"] == whole


def test_a_batch_with_a_place_is_released_the_same_again(words: Channel) -> None:
    job = sanitize_batches(words, secret=SECRET)
    made = [one.to_pydict() for one in job.each([batch(), batch(), batch(20)], partition=7)]
    assert made == [one.to_pydict() for one in pickle.loads(pickle.dumps(job)).each([batch(), batch(), batch(20)], 7)]
    assert job(batch(), (7, 1)).to_pydict() == made[1]
    pieces = pa.Table.from_batches([batch().slice(0, 9), batch().slice(9)])
    assert job(pieces, 7).equals(job(pa.Table.from_batches([batch()]), 7))
    # However the columns lie in memory.
    texts = batch()["text"]
    for same in (texts.dictionary_encode(), texts.cast(pa.large_string()), pa.concat_arrays([texts, texts]).slice(50)):
        assert job(pa.record_batch({"text": same}), (7, 1))["text"].to_pylist() == made[1]["text"]


def several(words: Channel) -> list[list[str]]:
    """Releases of one and the same batch that must not share draws."""
    job = sanitize_batches(words, secret=SECRET)
    other = sanitize_batches(mechanism("neighborhood", words.vocabulary, epsilon=2.5), secret=SECRET)
    keyed = sanitize_batches(words, secret=SECRET, key="id")
    shifted = batch(id=list(range(50, 100)))
    releases = [
        job(batch(), 1),
        job(batch(), 2),
        job(batch(), (1, 0)),
        job(batch(), (10,)),
        *job.each([batch(), batch()], 0),
        job(batch()),
        job(batch()),
        other(batch(), 1),
        sanitize_batches(words)(batch(), 1),
        sanitize_batches(words)(batch(), 1),
        keyed(batch()),
        keyed(shifted),
        keyed(batch(id=[str(row) for row in range(50)])),
    ]
    return [one["text"].to_pylist() for one in releases]


def test_equal_batches_at_two_places_share_no_draws(words: Channel) -> None:
    """Equal outputs would tell that texts are equal, which nothing allows. 150 words of 8: by chance, never."""
    made = several(words)
    for position, one in enumerate(made):
        assert one not in made[:position]
    # More than that: of 150 words two independent releases share about those that both keep or both move alike.
    distribution = np.array([words.probabilities(word) for word in range(len(WORDS))])
    alike = (distribution**2).sum(axis=1)
    counts = np.bincount(
        [WORDS.index(word) for row in range(50) for word in (WORDS[row % 8], WORDS[row * 3 % 8], WORDS[row * 5 % 8])],
        minlength=8,
    )
    mean, deviation = counts @ alike, np.sqrt(counts @ (alike * (1 - alike)))
    pairs = [(one, two) for position, one in enumerate(made) for two in made[:position]]
    for one, two in pairs:
        same = sum(
            left.strip(",!").lower() == right.strip(",!").lower()
            for a, b in zip(one, two, strict=True)
            for left, right in zip(a.split(), b.split(), strict=True)
            if left[0].isalpha()
        )
        assert abs(same - mean) < stats.norm.isf(ALPHA / len(pairs)) * deviation + 1


def test_equal_rows_with_two_keys_are_independent_draws_of_the_distribution(words: Channel) -> None:
    """Chi-square and exact binomial tests at 1e-6: outputs of one word, and how often two keys agree.

    The mutant whose streams do not hold the key has one output for all rows, and dies.
    """
    rows = 3000
    job = sanitize_batches(words, key="id", secret=new_secret())
    made = job(pa.record_batch({"text": ["cloud"] * rows, "id": list(range(rows))}))
    drawn = np.array([WORDS.index(text.lower()) for text in made["text"].to_pylist()])
    distribution = np.asarray(words.probabilities(2))
    assert stats.chisquare(np.bincount(drawn, minlength=8), rows * distribution).pvalue > ALPHA
    equal = int((drawn[:-1:2] == drawn[1::2]).sum())
    assert stats.binomtest(equal, rows // 2, float(distribution @ distribution)).pvalue > ALPHA


@pytest.mark.parametrize("keyed", [True, False])
def test_another_text_at_the_same_place_shares_no_draws(words: Channel, keyed: bool) -> None:
    """Exact binomial test at 1e-6: how often the first word, the same in both, comes out the same.

    The mutant whose streams do not hold the text gives the same first word always: the difference of two outputs would
    tell where two texts differ.
    """
    rows = 600
    job = sanitize_batches(words, key="id" if keyed else None, secret=new_secret())
    first = []
    for second in ("dance", "honey"):
        texts = [f"cloud {second}"] * rows
        made = job(pa.record_batch({"text": texts, "id": list(range(rows))}), None if keyed else 1)
        first.append([text.split()[0].lower() for text in made["text"].to_pylist()])
    same = sum(one == two for one, two in zip(*first, strict=True))
    distribution = np.asarray(words.probabilities(2))
    assert stats.binomtest(same, rows, float(distribution @ distribution)).pvalue > ALPHA


@pytest.mark.parametrize("ids", [[1, 1], [1, None], [1.5, 2.5]])
def test_keys_that_do_not_tell_rows_apart_are_refused(words: Channel, ids: list) -> None:
    job = sanitize_batches(words, key="id")
    with pytest.raises(InputError, match="must be a number or a string and differ from row to row") as caught:
        job(pa.record_batch({"text": ["apple"] * 2, "id": ids}))
    assert "apple" not in str(caught.value)


def test_wrong_calls_are_refused(words: Channel) -> None:
    with pytest.raises(ParameterError, match="position must be None where rows have a key"):
        sanitize_batches(words, key="id")(batch(), 3)
    with pytest.raises(InputError, match="must have the key 'number' once"):
        sanitize_batches(words, key="number")(batch())
    with pytest.raises(InputError, match="must have the field 'body' once"):
        sanitize_batches(words, ["body"])(batch())
    with pytest.raises(ParameterError, match="secret must be 32 bytes; got 5 bytes"):
        sanitize_batches(words, secret=b"short")
    with pytest.raises(ParameterError, match="sanitizer must be made without a generator"):
        sanitize_batches(Sanitizer(words, rng=seeded_generator(1)))
    with pytest.raises(ParameterError, match="fields must be other names"):
        sanitize_batches(words, keep=["protected_words"], counts=True)


def test_a_text_that_cannot_be_read_is_named_by_its_row(words: Channel) -> None:
    texts = ["apple", "SECRET\0"]
    with pytest.raises(InputError, match="row 2 of a batch must be text; got a NUL") as caught:
        sanitize_batches(words)(pa.record_batch({"text": texts}))
    assert "SECRET" not in str(caught.value)


def test_nothing_of_the_secret_or_of_a_generator_is_shown_or_carried(words: Channel) -> None:
    job = sanitize_batches(words, secret=SECRET)
    assert repr(SECRET) not in repr(job)
    assert SECRET.hex() not in repr(job)
    job(batch(), 1)
    carried = pickle.dumps(job)
    assert b"Generator" not in carried
    assert b"ChaCha" not in carried


def test_a_process_keeps_one_sanitizer_for_a_job(words: Channel) -> None:
    """Copies that arrive with each task start cold; the first one stays."""
    from textveil.integrations import arrow_batches

    job = sanitize_batches(words, secret=SECRET)
    copies = [pickle.loads(pickle.dumps(job)) for _ in range(3)]
    for copy in copies:
        copy(batch(), 1)
    assert arrow_batches._HELD[job.job] is copies[0].sanitizer
    for _ in range(20):
        sanitize_batches(words)(batch(2))
    assert len(arrow_batches._HELD) <= 4


@pytest.mark.slow
def test_a_replaced_sanitizer_draws_by_its_own_distribution(words: Channel) -> None:
    """Chi-square test at 1e-6 of one word's outputs.

    The mutant whose processes know both objects by one name states the new epsilon and draws with the old.
    """
    rows = pa.record_batch({"text": ["cloud"] * 3000, "id": list(range(3000))})
    job = sanitize_batches(mechanism("neighborhood", words.vocabulary, epsilon=40.0), key="id")
    job(rows)
    private = mechanism("neighborhood", words.vocabulary, epsilon=0.1)
    assert isinstance(private, Channel)
    less = dataclasses.replace(job, sanitizer=Sanitizer(private))
    assert less.setting.guarantee_of("word") == private.guarantee
    drawn = np.bincount([WORDS.index(text.lower()) for text in less(rows)["text"].to_pylist()], minlength=8)
    assert stats.chisquare(drawn, 3000 * np.asarray(private.probabilities(2))).pvalue > ALPHA


def test_streams_are_apart_where_numbers_are_drawn_with_another_epsilon(tiny: Vocabulary) -> None:
    """A refuted mechanism promises nothing for words and numbers: what numbers cost must be told all the same."""
    refuted = mechanism("truncated-laplace-published", tiny, epsilon=2.0)
    jobs = [
        sanitize_batches(Sanitizer(refuted, number_epsilon=number, allow_refuted=True), secret=SECRET, key="id")
        for number in (1.0, 1.0 + 1e-9)
    ]
    assert jobs[0].setting.token == jobs[1].setting.token
    texts = pa.record_batch({"text": ["17 " * 200], "id": [1]})
    one, two = (job(texts)["text"].to_pylist() for job in jobs)
    assert one != two
    assert jobs[0](texts)["text"].to_pylist() == one


@pytest.mark.parametrize("key", ["text", "b"])
def test_a_key_that_is_sanitized_is_refused(words: Channel, key: str) -> None:
    """Equal texts would have equal keys and come out equal."""
    with pytest.raises(ParameterError, match="key must be a column beside them; got a sanitized field"):
        sanitize_batches(words, ["text", "b"], key=key)


HIDDEN = b"a hidden row"


@pytest.mark.parametrize(
    "column",
    [
        pa.array(["kept", HIDDEN.decode()] * 2),
        pa.array([b"kept", HIDDEN] * 2, pa.large_binary()),
        pa.array([b"k" * 12, HIDDEN] * 2, pa.binary(12)),
        pa.array([["kept"], [HIDDEN.decode()]] * 2),
        pa.array([{"a": "kept"}, {"a": HIDDEN.decode()}] * 2),
        pa.array([[("k", "kept")], [("k", HIDDEN.decode())]] * 2, pa.map_(pa.string(), pa.string())),
    ],
    ids=lambda column: str(column.type),
)
@pytest.mark.parametrize("start", [0, 2])
def test_a_slice_brings_nothing_of_the_rows_beside_it(words: Channel, column: Any, start: int) -> None:
    job = sanitize_batches(words, keep=["note"])
    made = job(pa.record_batch({"text": ["apple"] * 4, "note": column}).slice(start, 1))
    assert made["note"].to_pylist() == column.slice(start, 1).to_pylist()
    assert not any(HIDDEN in buffer.to_pybytes() for buffer in made["note"].buffers() if buffer is not None)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, made.schema) as writer:
        writer.write_batch(made)
    assert HIDDEN not in sink.getvalue().to_pybytes()


def test_a_slice_brings_no_bits_of_the_rows_beside_it(words: Channel) -> None:
    column = pa.array([True, None, True, True, None])
    made = sanitize_batches(words, keep=["note"])(pa.record_batch({"text": ["apple"] * 5, "note": column}).slice(0, 2))
    valid, values = made["note"].buffers()
    assert (valid.to_pybytes()[0], values.to_pybytes()[0]) == (0b01, 0b01)


def test_a_place_is_made_of_integers_of_any_type(words: Channel) -> None:
    job = sanitize_batches(words, secret=SECRET)
    right = job(batch(), (3, 1))
    for position in ([np.int64(3), np.uint8(1)], (np.int32(3), 1)):
        assert job(batch(), position).equals(right)
    assert job(batch(), np.int64(3)).equals(job(batch(), 3))
    assert job(batch(), True).equals(job(batch(), 1))
    wrong: Any
    for wrong in ("12", b"12", 0.5, (1, "2"), {1, 2}, np.array([1.5])):
        with pytest.raises(ParameterError, match=f"position must be an integer or .*; got {type(wrong).__name__}"):
            job(batch(), wrong)
    with pytest.raises(ParameterError, match="got str"):
        list(job.each([batch()], "7"))  # type: ignore[arg-type]


def test_arguments_of_another_type_are_one_line(words: Channel) -> None:
    calls: list[tuple[Any, str]] = [
        (lambda: sanitize_batches(words, "text"), "fields must be a list of names; got str"),
        (lambda: sanitize_batches(words, [1]), "fields must be a list of names; got list"),
        (lambda: sanitize_batches(words, keep="id"), "keep must be a list of names; got str"),
        (
            lambda: sanitize_batches("neighborhood"),
            "policy must be one of .*; got 'neighborhood'. For the mechanism of",
        ),
        (lambda: sanitize_batches(words, secret="s" * 32), "secret must be 32 bytes; got str"),
        (
            lambda: sanitize_batches(words)({"text": ["apple"]}),
            "batch must be a pyarrow RecordBatch or Table; got dict",
        ),
        (lambda: BatchSanitizer(sanitizer=words, choice=None), "sanitizer must be a Sanitizer; got "),
    ]
    for call, message in calls:
        with pytest.raises(ParameterError, match=message):
            call()


def test_without_arrow_the_extra_is_named(words: Channel, monkeypatch: pytest.MonkeyPatch) -> None:
    job = sanitize_batches(words)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match=r"`pyarrow` is not installed. Run: pip install 'textveil\[arrow\]'"):
        job(object())


def test_the_package_is_imported_without_what_it_integrates() -> None:
    code = (
        "import sys; import textveil.integrations.arrow_batches, textveil.integrations.ray;"
        "assert not {'pyarrow', 'ray'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env=dict(os.environ))


def test_it_is_a_plain_function_of_a_batch(words: Channel) -> None:
    """What engines that know nothing of places call: fresh draws every time."""
    job: BatchSanitizer = sanitize_batches(words)
    assert job(batch()).to_pydict() != job(batch()).to_pydict()


@pytest.mark.parametrize(
    ("name", "counts"),
    [("consistent-neighborhood", {"word": 3, "number": 0}), ("keywords", {"text": 1})],
)
def test_sequences_and_whole_texts_are_released_too(name: str, counts: dict[str, int]) -> None:
    job = sanitize_batches(mechanism(name, epsilon=3.0), ["text"], keep=["id"], key="id", counts=True)
    batch = pa.record_batch({"id": [1, 2], "text": ["Maria saw Maria.", None]})
    first, second = job(batch).to_pylist()
    assert first["text"] and first["text"] != "Maria saw Maria." and second["text"] is None
    named = {f"protected_{kind}s": count for kind, count in counts.items()}
    assert {name: first[name] for name in first if name not in ("id", "text")} == named
    assert job(batch).to_pylist() == [first, second]
    assert job.setting.accountant(counts).spent.approximate().epsilon == 3.0 * sum(counts.values())


def test_the_counts_of_whole_texts_add_up_to_their_cost() -> None:
    """Every text of a row is drawn for by itself, and none of them is a word or a number."""
    job = sanitize_batches(mechanism("keywords", epsilon=3.0), ["text", "title"], counts=True)
    made = job(pa.record_batch({"text": ["Maria saw", "17", None], "title": ["Maria", None, None]}))
    assert made.schema.names == ["text", "title", "protected_texts"] and made.schema == job.schema(made.schema)
    assert made["protected_texts"].to_pylist() == [2, 1, 0]
    assert job.setting.document(words=0, numbers=0, texts=3).approximate().epsilon == 9.0
    sanitize_batches(mechanism("keywords", epsilon=3.0), keep=["protected_words"], counts=True)
    with pytest.raises(ParameterError, match="fields must be other names"):
        sanitize_batches(mechanism("keywords", epsilon=3.0), keep=["protected_texts"], counts=True)


def test_values_of_other_columns_are_found_and_move_the_streams_of_draws() -> None:
    """Alike in every batch; another value beside the same text is another input, which shares no draws."""
    job = sanitize_batches("identifiers", key="id", secret=SECRET, known={"who": "person"})
    rows = 40
    columns = {"text": ["zorblatt met ann@example.com"] * rows, "id": list(range(rows))}
    batches = [pa.record_batch({**columns, "who": [who] * rows}) for who in ("Zorblatt", "Quexel", None)]
    made = [job(one)["text"].to_pylist() for one in batches]
    assert not any("zorblatt" in text for text in made[0]) and all(text.startswith("zorblatt ") for text in made[2])
    assert [text for at in (0, 20) for text in job(batches[0].slice(at, 20))["text"].to_pylist()] == made[0]
    mails = [[text.split()[-1] for text in texts] for texts in made]
    for one, two in ((0, 1), (1, 2), (0, 2)):
        assert sum(map(operator.eq, mails[one], mails[two])) < rows / 2, "by chance, never"
