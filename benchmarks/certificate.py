"""Whether what a certificate states holds, and how many pages it takes.

    python benchmarks/certificate.py [bounds|weights|shares|thresholds|all] [--seeds 5] [--resamplings 1000]

Corpora are given by what a reader of each page would mark: direct identifiers that were missed. ``tab`` and
``panorama`` are labelled; of ``notes`` the names are, of ``pages`` the strings that must go (``everyday.py``). Each
stands as it is and as 12,000 pages drawn from it. Synthetic ones have 12,000 pages, with a miss on none, .2 %, 1 % and
5 %. A resampling draws a new order of all pages. "Holds" is the share of resamplings in which a bound of 95 % held
after *every* page read, of 1,500 at most.

- ``bounds``: uniform draws. Pages until it is certified that at most 1 % of the pages hold a miss: median, 90 %, and
  the share of resamplings in which 650 did.
- ``weights``: draws with half of the weight by the detector's uncertainty (guesses, and spans of a score below .6; in
  synthetic corpora misses lie on a tenth of the pages, which has ten times the weight), beside uniform ones. Pages
  until 1.5 times the true share, or 1 % if that is more, is certified.
- ``shares``: missed and wrong spans in a thousand, by 300 pages read, or half.
- ``thresholds``: one for spans and guesses, by 200 pages read, or half. The mean of the other pages with a miss, a
  refusal counting as none (of all seeds the worst), and where a threshold was chosen; the share of refusals; characters
  masked, over those at the best threshold for the whole corpus, and over those that the policy masks.

Needs public data (--data FOLDER) for tab, panorama and notes. No text is printed.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np
from everyday import FOLDER, NAMES, TEXT, TITLES, covered, labelled_notes, read_pages, whole

from textveil.certificate.bounds import Bets, conformal_threshold, log_wealth_needed, missed_share, wrong_share
from textveil.certificate.sampling import Sample, draw_order
from textveil.errors import ParameterError
from textveil.sanitize.policy.choice import policy
from textveil.sanitize.policy.finding import GUESS
from textveil.sanitize.policy.making import parts_of
from textveil.types import Reals

LEVEL: Final = 0.95
PAGES: Final = 12_000  # of an enlarged or synthetic corpus
READ: Final = 1_500
SOON: Final = 650
TARGET: Final = 0.01
STEPS: Final = (0.0, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0)
MOST: Final = 3  # missed spans of a page that are counted


class Corpus(NamedTuple):
    """What a reader would mark on each page; rows are pages."""

    name: str
    missed: Reals  # direct identifiers that were missed
    wrong: Reals  # found spans that touch no label
    found: Reals  # found spans
    weight: Reals  # of the detector's uncertainty
    losses: Reals  # 1 where a direct identifier is missed, by threshold
    masked: Reals  # characters masked, by threshold
    own: Reals  # characters masked by the policy

    def of(self, name: str, rows: Any) -> Corpus:
        """Return the corpus of some pages."""
        return Corpus(name, *(column[rows] for column in self[1:]))

    @property
    def marks(self) -> Reals:
        """1 for each page with a miss."""
        return (self.missed > 0).astype(np.float64)


class Labelled(NamedTuple):
    """A text with what must go, and what may; and the kinds that its labels are of, None for all."""

    text: str
    direct: list[tuple[int, int]]
    labels: list[tuple[int, int]]
    policy: str
    kinds: frozenset[str] | None = None


def entities(folder: str) -> Iterator[Labelled]:
    """Texts of the Text Anonymization Benchmark's form."""
    with (TEXT / folder / "dev.jsonl").open(encoding="utf-8") as stream:
        for record in map(json.loads, stream):
            spans = [(one["start_offset"], one["end_offset"]) for one in record["entities"]]
            direct = []
            for (start, end), entity in zip(spans, record["entities"], strict=True):
                if entity["identifier_type"] == "DIRECT":
                    title = TITLES.match(record["text"][start:end])
                    direct.append((start + (title.end() if title else 0), end))
            yield Labelled(record["text"], direct, spans, "identifiers")


def texts() -> Iterator[tuple[str, list[Labelled]]]:
    """The corpora that are there, by name."""
    for folder in ("tab", "panorama", "clinical"):
        if not (TEXT / folder).exists():
            print(f"left out: {folder}, which is not in {TEXT}", file=sys.stderr)
    for folder in ("tab", "panorama"):
        if (TEXT / folder).exists():
            yield folder, list(entities(folder))
    if (TEXT / "clinical").exists():
        notes = [
            Labelled(
                text, [one[:2] for one in labels if one[3]], [one[:2] for one in labels], "clinical", frozenset(NAMES)
            )
            for _, text, labels in labelled_notes()
        ]
        yield "notes", notes
    files = [path for folder in ("pages", "fresh", "held") for path in sorted((FOLDER / folder).glob("*.txt"))]
    own = []
    for page in (page for path in files for page in read_pages(path)):
        go, may = ([(mark.start, mark.end) for mark in page.marks if mark.sign in signs] for signs in ("-", "-?"))
        own.append(Labelled(page.text, go, may, page.policy))
    yield "pages", own


@cache
def finder_of(name: str) -> Any:
    """The finder of a policy, and the kinds that it draws."""
    parts = parts_of(policy(name))
    return parts.finder, frozenset(parts.surrogates)


def facts(name: str, pages: Sequence[Labelled]) -> Corpus:
    """What a reader would mark on labelled pages."""
    rows: list[list[Any]] = []
    for page in pages:
        finder, drawn = finder_of(page.policy)
        found = [span for span in finder.found_or_guessed(finder.readings([page.text]))[0] if span.kind in drawn]
        found = [span for span in found if page.kinds is None or span.kind in page.kinds]
        sure = [span for span in found if span.detector != GUESS]
        held = covered(len(page.text), [(span.start, span.end) for span in sure])
        missed = sum(not whole(page.text, held, *place) for place in page.direct)
        wrong = sum(not any(a < span.end and span.start < b for a, b in page.labels) for span in sure)
        unsure = len(found) - len(sure) + sum(span.score < 0.6 for span in sure)
        losses, masked = [], []
        for step in STEPS:
            kept = covered(len(page.text), [(span.start, span.end) for span in found if span.score >= step])
            losses.append(any(not whole(page.text, kept, *place) for place in page.direct))
            masked.append(sum(kept))
        rows.append([missed, wrong, len(sure), unsure, losses, masked, sum(held)])
    columns = [np.array(column, dtype=np.float64) for column in zip(*rows, strict=True)]
    columns[3] = 1 + columns[3] / max(columns[3].mean(), 1e-9)
    return Corpus(name, *columns)


def synthetic(rate: float, rng: np.random.Generator) -> Corpus:
    """Pages of which a share has a miss, all on the tenth about which the detector is unsure."""
    unsure = np.arange(PAGES) < PAGES // 10
    missed = np.zeros(PAGES)
    missed[: round(rate * PAGES)] = rng.integers(1, 4, round(rate * PAGES))
    found = rng.poisson(4, PAGES).astype(np.float64)
    wrong = rng.binomial(found.astype(np.int64), 0.1).astype(np.float64)
    # Two identifiers and three other candidates a page, whose scores overlap: better detectors differ by their rate.
    sharp = 1 + 2 / max(rate, 0.001) ** 0.3
    right, other = rng.beta(sharp, 1, (PAGES, 2)), rng.beta(1.5, 4, (PAGES, 3))
    steps = np.array(STEPS)
    losses = np.asarray((right[:, :, None] < steps).any(axis=1), dtype=np.float64)
    masked = np.asarray(8.0 * ((right[:, :, None] >= steps).sum(axis=1) + (other[:, :, None] >= steps).sum(axis=1)))
    weight = np.where(unsure, 10.0, 1.0)
    return Corpus(f"synthetic {rate:.1%}", missed, wrong, found, weight, losses, masked, masked[:, 4])


def corpora() -> list[Corpus]:
    """All corpora, each labelled one also with 12,000 pages drawn from it."""
    rng = np.random.default_rng(39)
    all_ = [synthetic(rate, rng) for rate in (0.0, 0.002, 0.01, 0.05)]
    for name, pages in texts():
        corpus = facts(name, pages)
        all_ += [corpus, corpus.of(f"{name} x {PAGES:,}", rng.integers(0, len(pages), PAGES))]
    return all_


class Run(NamedTuple):
    """One resampling of a corpus."""

    upper: bool  # whether the upper bound held after every page
    lower: bool
    pages: int | None  # until the target was certified


def run(marks: Reals, target: float, rng: np.random.Generator, weights: Reals | None = None) -> Run:
    """Read pages in a new order, and compare the bounds with the truth after every page."""
    size = len(marks)
    order = draw_order(size, rng, weights)[:READ]
    bets = Bets(marks[order], Sample.of(size, order, weights))
    needed = log_wealth_needed(LEVEL)
    truth = float(marks.sum()) / size
    ruled_out = (np.floor(target * size + 1e-9) + 1) / size
    certified = np.flatnonzero(bets.below(ruled_out) >= needed)
    pages = int(certified[0]) if len(certified) else size if bets.possible[1] < ruled_out - 1e-12 else None
    return Run(bool(bets.below(truth).max() < needed), bool(bets.above(truth).max() < needed), pages)


def runs_of(
    marks: Reals, target: float, seeds: int, times: int, weights: Reals | None = None
) -> tuple[list[Any], list[int | None]]:
    """Return how often each bound holds, and the pages that each resampling took."""
    runs = [run(marks, target, rng, weights) for rng in map(np.random.default_rng, range(seeds)) for _ in range(times)]
    return [np.mean([each[at] for each in runs]) for at in range(2)], [each.pages for each in runs]


def shown(pages: Sequence[int | None]) -> str:
    """Median and 90 % of the pages that it took, and the share of resamplings in which 650 did."""
    array = np.array([np.inf if took is None else took for took in pages])
    quantiles = np.quantile(array, (0.5, 0.9), method="inverted_cdf")
    cells = [f"{value:.0f}" if np.isfinite(value) else f"> {READ:,}" for value in quantiles]
    return f"{cells[0]} | {cells[1]} | {(array <= SOON).mean():.3f}"


def bounds(all_: Sequence[Corpus], seeds: int, times: int) -> None:
    """Bounds of uniform draws."""
    print(f"| corpus | pages | with a miss | upper holds | lower | pages to {TARGET:.0%} | 90 % | by {SOON} |")
    print("|---|---|---|---|---|---|---|---|")
    for corpus in all_:
        marks = corpus.marks
        holds, pages = runs_of(marks, TARGET, seeds, times)
        cells = " | ".join(f"{share:.3f}" for share in holds)
        print(f"| {corpus.name} | {len(marks):,} | {marks.mean():.2%} | {cells} | {shown(pages)} |", flush=True)


def weights(all_: Sequence[Corpus], seeds: int, times: int) -> None:
    """Bounds of weighted draws beside uniform ones."""
    print(f"| corpus | pages | target | draws | upper holds | pages to it | 90 % | by {SOON} |")
    print("|---|---|---|---|---|---|---|---|")
    for corpus in all_:
        marks = corpus.marks
        target = max(TARGET, 1.5 * float(marks.mean()))
        half = 0.5 + 0.5 * corpus.weight / corpus.weight.mean()
        for name, by in (("uniform", None), ("weighted", half)):
            holds, pages = runs_of(marks, target, seeds, times, by)
            row = f"| {corpus.name} | {len(marks):,} | {target:.2%} | {name} | {holds[0]:.3f} | {shown(pages)} |"
            print(row, flush=True)


def shares(all_: Sequence[Corpus], seeds: int, times: int) -> None:
    """Missed and wrong spans in a thousand."""
    print("| corpus | read | missed in 1,000 | bound, median | holds | wrong in 1,000 | bound, median | holds |")
    print("|---|---|---|---|---|---|---|---|")
    for corpus in all_:
        size = len(corpus.missed)
        read = min(300, size // 2)
        missed = np.minimum(corpus.missed, MOST)
        true = (
            missed.sum() / max(1.0, missed.sum() + corpus.found.sum() - corpus.wrong.sum()),
            corpus.wrong.sum() / max(1.0, corpus.found.sum()),
        )
        stated = np.zeros((seeds, times, 2))
        for seed in range(seeds):
            rng = np.random.default_rng(seed)
            for turn in range(times):
                order = draw_order(size, rng)[:read]
                sample, wrong = Sample.of(size, order), corpus.wrong[order]
                stated[seed, turn] = (
                    missed_share(corpus.missed[order], wrong, corpus.found, sample, most=MOST, level=LEVEL),
                    wrong_share(wrong, corpus.found, sample, level=LEVEL),
                )
        holds = (stated >= np.array(true) - 1e-12).mean(axis=(0, 1))
        cells = [f"{1000 * true[at]:.1f} | {1000 * np.median(stated[..., at]):.1f} | {holds[at]:.3f}" for at in (0, 1)]
        print(f"| {corpus.name} | {read} | {cells[0]} | {cells[1]} |", flush=True)


def thresholds(all_: Sequence[Corpus], seeds: int, times: int) -> None:
    """Thresholds that keep a mean."""
    print("| corpus | target | read | with a miss | where chosen | refused | masked, of the best | of the policy |")
    print("|---|---|---|---|---|---|---|---|")
    for corpus in all_:
        size = len(corpus.losses)
        read = min(200, size // 2)
        for target in (0.01, 0.05):
            lost, masked = np.full((seeds, times), np.nan), []
            fits = np.flatnonzero(corpus.losses.mean(axis=0) <= target)
            least = corpus.masked[:, fits[-1]].sum() if len(fits) else 0.0
            for seed in range(seeds):
                rng = np.random.default_rng(seed)
                for turn in range(times):
                    order = draw_order(size, rng)
                    try:
                        chosen = conformal_threshold(corpus.losses[order[:read]], STEPS, target).threshold
                    except ParameterError:
                        continue
                    column = STEPS.index(chosen)
                    lost[seed, turn] = corpus.losses[order[read:], column].mean()
                    masked.append(corpus.masked[:, column].sum())
            refused = np.isnan(lost).mean()
            means = [f"{np.nan_to_num(lost).mean(axis=1).max():.4f}", f"{np.nanmean(lost):.4f}" if masked else "-"]
            over = [f"{np.mean(masked) / most:.2f}" if masked and most else "-" for most in (least, corpus.own.sum())]
            row = [corpus.name, f"{target:.2f}", str(read), *means, f"{refused:.3f}", *over]
            print(f"| {' | '.join(row)} |", flush=True)


PARTS: Final = {"bounds": bounds, "weights": weights, "shares": shares, "thresholds": thresholds}


def main() -> None:
    """Print a table a part."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=[*PARTS, "all"], nargs="?", default="all")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--resamplings", type=int, default=1000)
    options = parser.parse_args()
    found = corpora()
    for part in PARTS if options.part == "all" else [options.part]:
        print(f"\n{part}: {options.seeds} seeds of {options.resamplings:,} resamplings, level {LEVEL:.0%}\n")
        PARTS[part](found, options.seeds, options.resamplings)


if __name__ == "__main__":
    main()
