"""What releases about one corpus cost together, against composed loss distributions."""

import dataclasses
import json
import math
from fractions import Fraction
from pathlib import Path

import pytest

from textveil.aggregates import count_run
from textveil.aggregates import report as joint
from textveil.aggregates.budget import GaussianBudget
from textveil.aggregates.counts import PROOF as COUNTED
from textveil.aggregates.report import AggregateReport, joint_epsilon, joint_guarantee, stated_guarantee
from textveil.errors import InputError, ParameterError
from textveil.privacy.guarantees import Status
from textveil.privacy.loss_distribution import gaussian_loss
from textveil.privacy.units import ONE_PERSON_MORE, ONE_RECORD_MORE, Adjacency


def _written(
    path: Path, epsilon: float, selections: Fraction, adjacency: Adjacency = ONE_PERSON_MORE, *, secure: bool = True
) -> Path:
    guarantee = GaussianBudget(epsilon, 1e-6, selections).guarantee(adjacency, COUNTED)
    report = AggregateReport(
        release="counts",
        guarantee=dataclasses.replace(guarantee, status=Status.PROVED),  # as `count` states it
        selections=selections,
        public={},
        bounded={},
        noise={},
        facts={},
        secure=secure,
    )
    path.write_text(report.to_json(), encoding="ascii")
    return path


@pytest.mark.parametrize("epsilons", [(1.0,), (1.0, 1.0), (0.25, 4.0, 1.0), (0.5,) * 10])
@pytest.mark.parametrize("selections", [Fraction(0), Fraction(1, 5)])
def test_noises_add_up_as_their_loss_distributions_do(epsilons: tuple[float, ...], selections: Fraction) -> None:
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
