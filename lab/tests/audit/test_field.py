"""The table of the field: its methods, its verdicts, and that it accuses nothing that is sound."""

import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from tests.helpers.catalog import CATALOG
from tests.helpers.tiny_models import needed

from textveil.catalog import word_mechanism
from textveil.errors import MissingExtra, ParameterError, UnknownNameError
from textveil.privacy.guarantees import Status
from textveil_lab.audit.field.claims import field_claims
from textveil_lab.audit.field.field_audit import (
    MADE_HERE,
    FieldTable,
    audit_field,
    names,
    opposite_words,
    published_forms,
)
from textveil_lab.audit.field.judging import judged
from textveil_lab.audit.field.report import in_short
from textveil_lab.audit.field.rows import witness_text
from textveil_lab.audit.report.report import Verdict
from textveil_lab.mechanisms.published.claims import (
    ClaimBasis,
    ComputedTable,
    DensityAtPoint,
    MovedNoise,
    TrialSetting,
    integral,
    laplace,
    line,
)
from textveil_lab.mechanisms.published.table import CLAIMS, TRIALS
from textveil_lab.mechanisms.published.words import exponential, nearest_word, one_stream
from textveil_lab.noise.coordinate_laplace import CoordinateLaplace
from textveil_lab.noise.gaussian import Gaussian

STANDING = {
    "mldp-multivariate",
    "custext-conservative",
    "santext",
    "diffractor-list",
    "dp-bart-analytic",
    "dp-rewrite",
    "llmdp-prompt",
}
"""Cases whose claim is right."""


@pytest.fixture(scope="module")
def computed() -> FieldTable:
    return audit_field([claim.name for claim in CLAIMS])


def _table(rows: list[list[float]], claims: float, **options: float) -> ComputedTable:
    made = np.array(rows)
    inputs, outputs = (tuple(f"{kind}{i}" for i in range(size)) for kind, size in zip("xy", made.shape, strict=True))
    return ComputedTable(rows=made, claims=claims, inputs=inputs, outputs=outputs, **options)


def test_more_claims_are_refuted_than_thirteen_of_twelve_libraries(computed: FieldTable) -> None:
    assert len(computed.violations) > 13
    assert len(computed.works) > 12


def test_verdicts_are_those_that_are_known(computed: FieldTable) -> None:
    assert {row.name for row in computed.rows if not row.refuted} == STANDING
    assert all(row.finding is not None for row in computed.rows)


def test_claims_that_need_a_contested_reading_are_counted_apart(computed: FieldTable) -> None:
    contested = {row.name for row in computed.contested}
    assert contested == {"clusant-standard", "cape-constant", "dp-prompt-unclipped"}
    assert not contested & {row.name for row in computed.violations}
    assert computed.to_data()["contested"] == 3
    assert f"{len(computed.violations)} claims" in in_short(computed)
    assert "3 more under a contested reading" in in_short(computed)


@pytest.mark.parametrize("name", [name for name, trial in TRIALS.items() if trial.reading])
def test_the_reading_of_a_published_form_quotes_the_claim_with_its_place(name: str) -> None:
    (row,) = audit_field([name]).rows
    assert row.refuted and row.contested
    assert re.search(r"(?:[Tt]heorem|[Ss]ection|table) \d", row.about.reading)
    assert not audit_field([name]).violations


def test_the_gaussian_witness_is_a_setting_that_the_paper_claims() -> None:
    (row,) = audit_field(["gaussian-classical-published"]).rows
    assert row.finding is not None
    assert row.finding.claim.epsilon == 20.0
    assert row.finding.claim.log_delta == pytest.approx(-300 * math.log(4))
    padded = word_mechanism("gaussian-classical-published", opposite_words(), epsilon=20.0, noise_dim=1700)
    assert padded.guarantee.status is Status.PROVED


def test_every_mended_form_stands_at_the_same_claim(computed: FieldTable) -> None:
    mended = [row for row in computed.rows if row.repaired is not None]
    assert len(mended) == len(CLAIMS) - len(STANDING)
    assert all(row.repaired is not Verdict.REFUTED for row in mended)
    assert all(row.refuted and row.about.repair for row in mended)


def test_witnesses_hold_what_a_reviewer_needs(computed: FieldTable) -> None:
    for row in computed.rows:
        assert row.finding is not None and row.finding.witness, row.name
        assert row.about.source and row.about.why and row.about.claim, row.name


def test_catalog_names_in_the_table_are_sound_where_they_exist() -> None:
    for claim in CLAIMS:
        if claim.instead in CATALOG:
            assert CATALOG[claim.instead].status is not Status.REFUTED, claim.name


def test_sound_forms_are_not_accused_at_settings_drawn_at_random(script) -> None:
    """Computed verdicts have no alpha: one accusation in 1,000 is one too many."""
    found = script("false_accusations").accuse_sound(1000, np.random.default_rng(20_261))
    assert sum(found.runs.values()) == 1000
    assert sum(found.accused.values()) == 0, found.accused


def test_twenty_kinds_of_sound_channels_are_drawn_by_their_laws_and_not_accused(script) -> None:
    """Alpha is 1e-6 for all twenty laws together; an accusation has probability 0.001 a run at most."""
    false = script("false_accusations")
    rng = np.random.default_rng(8)
    assert len(set(false.KINDS)) == 20
    for form, sampler in false.KINDS:
        table = false._FORMS[form](false.setting_at_random(rng))
        assert np.allclose(table.sum(axis=1), 1)
        draw = false._SAMPLERS[sampler](table, rng)
        counts = sum(np.bincount(draw(1, 1000), minlength=len(table)) for _ in range(5))
        tails = [stats.binomtest(int(k), 5000, float(p)).pvalue for k, p in zip(counts, table[1], strict=True)]
        assert min(tails) > 1e-6 / 120, (form, sampler)
    assert false.drawn_accusations(60, rng) <= 3  # P(Binomial(60, 0.001) > 3) < 1e-6


def test_the_experiment_sees_an_unsound_form(script) -> None:
    """The mutant: the published forms in place of the sound ones are accused nearly always."""
    broken = [replace(claim, repaired=None) for claim in CLAIMS if claim.name in ("adept", "rantext", "dpnr-scalar")]
    found = script("false_accusations").accuse_sound(90, np.random.default_rng(3), broken)
    assert sum(found.accused.values()) > 70


@pytest.mark.parametrize("excess", [-1e-9, 0.0])
def test_a_table_within_its_claim_is_certified(excess: float) -> None:
    p = 1 / (1 + math.exp(-1.0 - excess))
    assert judged(_table([[p, 1 - p], [1 - p, p]], 1.0)).verdict is Verdict.CERTIFIED


def test_a_table_beyond_its_claim_is_refuted_with_pair_and_output() -> None:
    p = 1 / (1 + math.exp(-1.0 - 1e-9))
    found = judged(_table([[p, 1 - p], [1 - p, p]], 1.0))
    assert found.verdict is Verdict.REFUTED
    assert found.epsilon.lower > 1.0
    assert {found.witness["input"], found.witness["other_input"]} == {"x0", "x1"}


def test_a_stated_error_speaks_for_the_accused() -> None:
    p = 1 / (1 + math.exp(-1.0 - 1e-9))
    rows = [[p, 1 - p], [1 - p, p]]
    assert judged(_table(rows, 1.0, relative=1e-8)).verdict is Verdict.CERTIFIED
    assert judged(_table(rows, 1.0, absolute=1e-8)).verdict is Verdict.NOT_REFUTED
    tiny = [[1e-13, 1 - 1e-13], [0.0, 1.0]]  # what an integral leaves of nothing
    assert judged(_table(tiny, 1.0, absolute=1e-12)).verdict is Verdict.NOT_REFUTED
    assert judged(_table(tiny, 1.0)).verdict is Verdict.REFUTED


def test_pairs_that_no_claim_compares_are_passed_over() -> None:
    rows = np.array([[0.5, 0.5, 0.0], [0.5, 0.5, 0.0], [0.0, 0.0, 1.0]])
    claims = np.full((3, 3), math.inf)
    claims[0, 1] = claims[1, 0] = 0.0
    names_of = ("a", "b", "c")
    groups = ComputedTable(rows=rows, claims=claims, inputs=names_of, outputs=names_of)
    assert judged(groups).verdict is Verdict.CERTIFIED
    with pytest.raises(ParameterError, match="claims must be a number for one pair"):
        ComputedTable(rows=rows, claims=math.inf, inputs=names_of, outputs=names_of)


def test_an_approximate_claim_is_judged_by_delta() -> None:
    rows = [[0.5, 0.5, 0.0], [0.4, 0.5, 0.1]]
    assert judged(_table(rows, 1.0, log_delta=math.log(0.11))).verdict is Verdict.NOT_REFUTED
    found = judged(_table(rows, 1.0, log_delta=math.log(0.09)))
    assert found.verdict is Verdict.REFUTED
    assert found.delta.lower == pytest.approx(0.1, rel=1e-9)


@pytest.mark.parametrize("rows", [[[0.5, 0.6], [0.5, 0.5]], [[-0.1, 1.1], [0.5, 0.5]]])
def test_what_is_no_table_of_probabilities_is_refused(rows: list[list[float]]) -> None:
    with pytest.raises(ParameterError, match="rows must be probabilities that add to 1"):
        _table(rows, 1.0)


@pytest.mark.parametrize(("scale", "verdict"), [(1.0, Verdict.PROVED), (0.999, Verdict.REFUTED)])
def test_noise_is_judged_by_its_largest_loss(scale: float, verdict: Verdict) -> None:
    noise = CoordinateLaplace(dim=3, scale=scale)
    assert judged(MovedNoise(distribution=noise, shift=np.ones(3), epsilon=3.0)).verdict is verdict


def test_gaussian_noise_is_pure_at_no_epsilon() -> None:
    moved = MovedNoise(distribution=Gaussian(dim=2, sigma=5.0), shift=np.ones(2), epsilon=100.0)
    assert judged(moved).verdict is Verdict.REFUTED


@pytest.mark.parametrize(("loss", "verdict"), [(1.0, Verdict.NOT_REFUTED), (1.01, Verdict.REFUTED)])
def test_a_density_at_a_point_refutes_and_never_proves(loss: float, verdict: Verdict) -> None:
    point = DensityAtPoint(log_density=loss - 3.0, other_log_density=-3.0, error=1e-6, claimed=1.0)
    assert judged(point).verdict is verdict


def test_integrals_on_the_line_are_exact() -> None:
    whole = integral(lambda at: laplace(at, 0.3, 0.7)[:, None], [-1.0, 0.3, 2.0], 0.7)
    assert whole[0] == pytest.approx(1.0, abs=1e-13)
    part = integral(lambda at: (laplace(at, 0.3, 0.7) * (at > 2.0))[:, None], [0.3, 2.0], 0.7)
    assert part[0] == pytest.approx(math.exp(-1.7 / 0.7) / 2, rel=1e-12)


def test_nearest_words_have_the_probabilities_of_their_cells() -> None:
    setting = line(1.3, 0.0, 0.5, 2.0)
    rng = np.random.default_rng(8)
    drawn = 0.5 + rng.laplace(0, 1 / 1.3, 200_000)
    counts = np.bincount(np.abs(drawn[:, None] - setting.points).argmin(axis=1), minlength=3)
    expected = nearest_word(setting).rows[1]
    statistic = float(((counts - 200_000 * expected) ** 2 / (200_000 * expected)).sum())
    assert statistic < 27.6  # chi-square with 2 degrees of freedom at alpha 1e-6
    wrong = nearest_word(line(1.25, 0.0, 0.5, 2.0)).rows[1]  # the mutant: another rate
    assert float(((counts - 200_000 * wrong) ** 2 / (200_000 * wrong)).sum()) > 27.6


def test_words_drawn_from_one_stream_are_equal_where_their_rows_are() -> None:
    first, second = np.array([0.2, 0.5, 0.3]), np.array([0.3, 0.3, 0.4])
    assert np.allclose(one_stream(first, first), np.diag(first))
    joint = one_stream(first, second)
    assert np.allclose(joint.sum(axis=1), first) and np.allclose(joint.sum(axis=0), second)


def test_settings_at_random_are_settings(script) -> None:
    rng = np.random.default_rng(1)
    for _ in range(50):
        made = script("false_accusations").setting_at_random(rng)
        assert len(made.words) == len(made.points) in (4, 6)
        assert judged(exponential(made)).verdict is Verdict.CERTIFIED
    with pytest.raises(ParameterError, match="increasing"):
        TrialSetting(points=np.array([1.0, 1.0]), epsilon=1.0)


def test_a_row_is_chosen_by_name_and_an_unknown_one_is_named() -> None:
    (row,) = audit_field(["rantext"]).rows
    assert (row.name, row.about.basis, row.repeat) == (
        "rantext",
        ClaimBasis.CODE,
        "textveil audit-field rantext",
    )
    with pytest.raises(UnknownNameError, match="Did you mean 'rantext'"):
        audit_field(["rantex"])
    assert len(set(names())) == len(names())


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, one in published_forms().items() if not one.needs])
def test_every_published_form_of_the_catalog_is_refuted_by_its_audit(name: str) -> None:
    (row,) = audit_field([name]).rows
    assert row.refuted, row.found
    assert (row.about.form, row.about.basis) == (name, ClaimBasis.CATALOG)


NEED_A_MODEL = [name for name, one in published_forms().items() if one.needs]


@pytest.mark.parametrize("name", NEED_A_MODEL)
def test_a_form_that_needs_a_model_is_refuted_of_one_that_is_made_here(name: str) -> None:
    needed("torch", "transformers", "safetensors", extra="transformers")
    (row,) = audit_field([name]).rows
    assert row.refuted and row.note == MADE_HERE and row.finding is not None
    first, second = row.finding.witness["pair"]
    assert first != second and first in witness_text(row.finding)
    assert any(claim.form == name for claim in CLAIMS), name


@pytest.mark.parametrize("name", NEED_A_MODEL)
def test_a_form_that_needs_a_model_says_so_where_none_can_be_made(name: str, monkeypatch) -> None:
    def missing() -> None:
        raise MissingExtra("torch", "torch")

    for one in ("load_libraries", "load_torch"):
        monkeypatch.setattr(f"textveil_lab.models.random_models.{one}", missing)
    (row,) = audit_field([name]).rows
    assert (row.verdict, row.finding) == ("not run", None) and "needs" in row.note and "pip install" in row.note


def test_every_computed_claim_is_a_row_of_the_data_and_every_package_is_on_the_page() -> None:
    assert {claim.name for claim in CLAIMS} <= {claim.audit for claim in field_claims()}
    page = (Path(__file__).resolve().parents[3] / "docs/field.md").read_text(encoding="utf-8")
    shown = re.findall(r"^\| `([a-z0-9-]+)` \|", page, flags=re.MULTILINE)
    assert sorted(shown) == sorted(name for name in names() if name.startswith("installed-"))
