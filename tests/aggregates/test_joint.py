"""Budgets of releases about a corpus: shares, what releases cost together, and reports of what was paid alone."""

import dataclasses
import json
import math
import re
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm
from tests.helpers.shared import needs_lab

import textveil
from textveil.aggregates import count_run
from textveil.aggregates import report as joint
from textveil.aggregates.budget import GRID, GaussianBudget
from textveil.aggregates.counts import PROOF as COUNTED
from textveil.aggregates.payment import paid
from textveil.aggregates.report import AggregateReport, joint_epsilon, joint_guarantee, stated_guarantee
from textveil.aggregates.request import CorpusRequest
from textveil.aggregates.topics import PROOF as TOPICS
from textveil.errors import InputError, ParameterError
from textveil.privacy.composition import gaussian_delta
from textveil.privacy.guarantees import PureDP, Status
from textveil.privacy.units import ONE_PERSON_MORE, ONE_RECORD_MORE, Adjacency

NOTHING: dict[str, Any] = {"public": {}, "bounded": {}, "noise": {}, "facts": {}}


def _request(epsilon: float = 1.0, *, secure: bool = True) -> CorpusRequest:
    rng = None if secure else np.random.default_rng()
    return CorpusRequest(SimpleNamespace(labelled=False), epsilon=epsilon, delta=1e-6, rng=rng)  # type: ignore[arg-type]


def _written(
    path: Path, epsilon: float, selections: Fraction, adjacency: Adjacency = ONE_PERSON_MORE, *, secure: bool = True
) -> Path:
    guarantee = GaussianBudget(epsilon, 1e-6, selections).guarantee(adjacency, COUNTED)
    with paid(_request(epsilon, secure=secure), guarantee, []) as drawing:
        assert drawing.rng
    stated = dataclasses.replace(guarantee, status=Status.PROVED)  # as `count` states it
    report = AggregateReport(release="counts", paid=drawing, guarantee=stated, selections=selections, **NOTHING)
    path.write_text(report.to_json(), encoding="ascii")
    return path


@needs_lab
@pytest.mark.parametrize("epsilons", [(1.0,), (1.0, 1.0), (0.25, 4.0, 1.0), (0.5,) * 10])
@pytest.mark.parametrize("selections", [Fraction(0), Fraction(1, 5)])
def test_noises_add_up_as_their_loss_distributions_do(epsilons: tuple[float, ...], selections: Fraction) -> None:
    from textveil_lab.noise.token_losses import gaussian_loss

    budgets = [GaussianBudget(epsilon, 1e-6, selections) for epsilon in epsilons]
    delta = 1e-6 * len(epsilons)
    epsilon = joint_epsilon(budgets, delta)
    rest = delta - float(selections) * delta
    step = 2e-4
    law = None
    for budget in budgets:
        loss = gaussian_loss(math.sqrt(budget.squared_mu), 1.0, step=step)
        law = loss if law is None else law.compose(loss)
    assert law is not None
    assert law.delta(epsilon + len(epsilons) * step) <= rest * 1.001  # the grid rounds each loss up
    assert law.delta(epsilon * 0.999 - len(epsilons) * step) > rest
    assert epsilon <= sum(epsilons) * (1 + 1e-6)
    if len(epsilons) > 1:
        assert epsilon < 0.9 * sum(epsilons)


def test_pure_releases_add_their_epsilon_and_no_delta(tmp_path: Path) -> None:
    paths = []
    for place, epsilon in enumerate((0.5, 0.25)):
        guarantee = PureDP(epsilon=epsilon, source=TOPICS, adjacency=ONE_PERSON_MORE)
        with paid(_request(epsilon), guarantee, []) as drawing:
            assert drawing.rng
        stated = dataclasses.replace(guarantee, status=Status.PROVED)  # as `topics` states it
        report = AggregateReport(release="topics", paid=drawing, guarantee=stated, **NOTHING)
        paths.append(tmp_path / f"{place}.json")
        paths[-1].write_text(report.to_json(), encoding="ascii")
    alone = joint_guarantee(paths)
    assert 0.75 <= alone.epsilon < 0.75 + 1e-9 and alone.delta == 0 and alone.status is Status.PROVED
    noisy = _written(tmp_path / "r.json", 1.0, Fraction(1, 4))
    both, one = joint_guarantee([*paths, noisy], 1e-5), joint_guarantee([noisy], 1e-5)
    assert one.epsilon + 0.75 <= both.epsilon < one.epsilon + 0.75 + 1e-9 and both.delta == one.delta


def test_a_report_alone_costs_what_it_states(tmp_path: Path) -> None:
    path = _written(tmp_path / "r.json", 1.0, Fraction(1, 4))
    guarantee = joint_guarantee([path])
    assert 0.9999 < guarantee.epsilon < 1.0001 and 1e-6 <= guarantee.delta < 1.0001e-6
    assert guarantee.adjacency is ONE_PERSON_MORE
    assert joint_guarantee([path], 1e-5).epsilon < 1.0 < joint_guarantee([path, path]).epsilon


def test_what_is_no_report_of_a_release_is_refused(tmp_path: Path) -> None:
    person = _written(tmp_path / "p.json", 1.0, Fraction(0))
    record = _written(tmp_path / "d.json", 1.0, Fraction(0), ONE_RECORD_MORE)
    seeded = _written(tmp_path / "s.json", 1.0, Fraction(0), secure=False)
    older = json.loads(person.read_text())
    del older["selections"]
    (tmp_path / "old.json").write_text(json.dumps(older))
    (tmp_path / "no.json").write_text("[1]")
    with pytest.raises(InputError, match="reports must be of one unit"):
        joint_guarantee([person, record])
    with pytest.raises(InputError, match="report 2 must be of a release with the operating system"):
        joint_guarantee([person, seeded])
    for name in ("old.json", "no.json", "absent.json"):
        with pytest.raises(InputError, match="report 1 must be a report of `textveil count`"):
            joint_guarantee([tmp_path / name, person])
    with pytest.raises(ParameterError, match="`delta` must be above what selections take"):
        joint_guarantee([_written(tmp_path / "c.json", 1.0, Fraction(1, 2))], 5e-7)
    with pytest.raises(ParameterError, match="delta must be in"):
        joint_guarantee([person], 1.0)


@pytest.mark.parametrize(
    ("release", "source"),
    [
        ("counts", "leakpkg/nothing.md"),
        ("counts", "proofs/corpus_learn.md"),
        ("counts", "privacy/proofs/person.md"),
        ("counts", "../proofs/corpus_counts.md"),
        ("secrets", COUNTED),
        (["counts"], COUNTED),
        (None, COUNTED),
    ],
)
@pytest.mark.parametrize("status", ["proved", "certified"])
def test_a_file_that_says_proved_is_claimed(tmp_path: Path, release: object, source: str, status: str) -> None:
    path = _written(tmp_path / "r.json", 1.0, Fraction(0))
    report = json.loads(path.read_text())
    assert stated_guarantee(report).status is Status.PROVED
    report["release"], report["guarantee"]["source"], report["guarantee"]["status"] = release, source, status
    path.write_text(json.dumps(report))
    assert stated_guarantee(report).status is Status.CLAIMED
    with pytest.raises(InputError, match="report 1 must be of a release that textveil proves; got one claimed by its"):
        joint_guarantee([path])


def test_a_new_aggregate_is_claimed_until_its_module_names_its_release_and_is_registered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is proved by omission: not without a proof, a ``RELEASE``, or a line in the register of code."""
    report = json.loads(_written(tmp_path / "r.json", 1.0, Fraction(0)).read_text())
    assert stated_guarantee(report).status is Status.PROVED
    without = {
        **report,
        "guarantee": {**report["guarantee"], "source": GaussianBudget(1.0, 1e-6).guarantee(ONE_PERSON_MORE).source},
    }
    assert stated_guarantee(without).status is Status.CLAIMED
    monkeypatch.setattr(count_run, "RELEASE", "sums")
    assert stated_guarantee(report).status is Status.CLAIMED
    assert stated_guarantee({**report, "release": "sums"}).status is Status.PROVED
    monkeypatch.delattr(count_run, "RELEASE")
    assert stated_guarantee({**report, "release": None}).status is Status.CLAIMED
    monkeypatch.setattr(joint, "RELEASE", "shares", raising=False)  # not registered under this proof
    assert stated_guarantee({**report, "release": "shares"}).status is Status.CLAIMED


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 8.0])
@pytest.mark.parametrize("shares", [(Fraction(1),), (Fraction(1, 3), Fraction(2, 3)), (Fraction(1, 7),) * 7])
def test_all_shares_together_cost_what_is_stated(epsilon: float, shares: tuple[Fraction, ...]) -> None:
    budget = GaussianBudget(epsilon, 1e-6, Fraction(1, 4))
    squares = [(k + 1) * GRID**2 for k in range(len(shares))]
    noises = [budget.noise(square, share) for square, share in zip(squares, shares, strict=True)]
    spent = math.sqrt(sum(square / noise.continuous_sigma**2 for square, noise in zip(squares, noises, strict=True)))
    delta = gaussian_delta(epsilon, 1.0, spent)
    assert 0.97 * 0.75e-6 < delta <= 0.75e-6


def test_a_value_of_one_person_reaches_the_threshold_as_rarely_as_is_stated() -> None:
    budget = GaussianBudget(1.0, 1e-6, Fraction(1, 2))
    noise = budget.noise(20 * GRID**2)
    threshold = budget.threshold(noise, GRID, 20)
    # the exact tail of the discrete law, summed
    tail = np.arange(threshold - GRID, threshold - GRID + 12 * noise.sigma)
    whole = np.arange(-12 * noise.sigma, 12 * noise.sigma + 1)
    masses = [np.exp(-0.5 * (values / noise.sigma) ** 2).sum() for values in (tail, whole)]
    mass = masses[0] / masses[1]
    assert 0.9 * 0.5e-6 < 20 * mass <= 0.5e-6
    assert threshold - GRID == pytest.approx(noise.sigma * norm.isf(0.5e-6 / 20), abs=4)


def test_bad_budgets_are_refused() -> None:
    for epsilon, delta in ((0.0, 1e-6), (math.inf, 1e-6), (1.0, 0.0), (1.0, 1.0)):
        with pytest.raises(ParameterError, match="must be"):
            GaussianBudget(epsilon, delta)
    budget = GaussianBudget(1.0, 1e-6)
    with pytest.raises(ParameterError, match="selections must be > 0, where items are selected"):
        budget.threshold(budget.noise(GRID**2), GRID, 1)
    with pytest.raises(ParameterError, match="too small for noise"):
        budget.noise(2**60)


def test_the_guarantee_says_what_is_compared() -> None:
    guarantee = GaussianBudget(1.0, 1e-6).guarantee(ONE_PERSON_MORE)
    assert guarantee.to_data()["unit"] == "person" and guarantee.delta >= 1e-6
    assert "one more person" in guarantee.to_data()["adjacency"]


@pytest.mark.parametrize(
    ("paid_epsilon", "adjacency", "takes"),
    [(1.0, ONE_PERSON_MORE, False), (0.5, ONE_PERSON_MORE, True), (1.0, ONE_RECORD_MORE, True)],
)
def test_a_release_that_was_not_paid_for_and_then_drawn_has_no_report(
    paid_epsilon: float, adjacency: Adjacency, takes: bool
) -> None:
    """An aggregate that draws from a generator of its own, or states more than was paid, once was "proved" too."""
    stated = GaussianBudget(1.0, 1e-6).guarantee(ONE_PERSON_MORE, COUNTED)
    with paid(_request(), GaussianBudget(paid_epsilon, 1e-6).guarantee(adjacency), []) as drawing:
        assert not takes or drawing.rng
    with pytest.raises(RuntimeError, match="the release of mine must be paid for with its guarantee before"):
        AggregateReport(release="mine", paid=drawing, guarantee=stated, **NOTHING)


def test_only_a_payment_makes_what_a_report_needs() -> None:
    sources = {path: path.read_text(encoding="utf-8") for path in Path(textveil.__file__).parent.rglob("*.py")}
    assert [path.name for path, source in sources.items() if re.search(r"(?<!\w)Paid\(", source)] == ["payment.py"]
