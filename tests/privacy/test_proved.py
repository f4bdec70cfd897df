"""Nothing is proved but registered code, and the register is of the code as it stands."""

import ast
import json
import re
import sys
import textwrap
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import textveil
import textveil as tv
from textveil.aggregates.budget import GaussianBudget
from textveil.catalog import MECHANISMS, guarantee_of
from textveil.privacy import proved
from textveil.privacy.guarantees import Status
from textveil.privacy.proved import digest_of, found, stale, status_of, status_under
from textveil.privacy.units import ONE_PERSON_MORE
from textveil.surrogates import making
from textveil.testing import makers

PACKAGE = Path(textveil.__file__).parent
PROOF = "privacy/proofs/randomized_response.md"
MODULE = "textveil.mechanisms.randomized_response"


def test_no_code_changed_since_its_proof_was_read() -> None:
    lines = stale("textveil", makers("textveil"))
    assert not lines, "read these proofs again, then: python -m textveil.privacy.proved textveil --write"


def test_a_changed_body_is_stale_and_other_words_about_it_are_not() -> None:
    source = (PACKAGE / "mechanisms/randomized_response.py").read_text(encoding="utf-8")
    digest = digest_of(source)
    assert proved.registered(PACKAGE / "privacy/proofs")["randomized_response.md"][MODULE] == digest
    assert digest_of("# A comment.\n" + source.replace('"""', '"""Other words. ', 1)) == digest
    changed = source.replace("weights.stated(epsilon)", "weights.stated(epsilon) / 2")
    assert changed != source and digest_of(changed) != digest
    assert digest_of('x = "a"') != digest_of('x = "b"')


def test_whatever_draws_is_code_of_some_proof() -> None:
    """A helper that surrogates drew strings with was once no code of the proofs that rest on it."""
    rows = [row for modules in proved.registered(PACKAGE / "privacy/proofs").values() for row in modules]
    read = {row.removeprefix("+") for row in rows}
    drawing = {
        ".".join(("textveil", *path.relative_to(PACKAGE).with_suffix("").parts))
        for folder in ("aggregates", "mechanisms", "numerics", "surrogates")
        for path in (PACKAGE / folder).rglob("*.py")
        if re.search(r"rng\.(integers|bytes|random|permut|choice|normal)|secure_generator\(", path.read_text("utf-8"))
    }
    assert len(drawing) > 15 and not drawing - read


@pytest.mark.parametrize(
    ("proof", "modules"),
    [
        ("neighborhood", "mechanisms.raised_rows mechanisms.weight_shares numerics.integer_weights randomness"),
        ("corpus_counts", "aggregates.person_words numerics.discrete_noise randomness"),
        ("ledger", "budget.account budget.book budget.chain budget.database"),
        ("surrogates", "surrogates.surrogate surrogates.calendars randomness"),
        ("policy", "sanitize.policy.making sanitize.policy.finding sanitize.ways"),
    ],
)
def test_what_the_code_of_a_proof_imports_is_code_of_it(proof: str, modules: str) -> None:
    """A change of the law's table, or of what bounds a person's words, once left the mark as it was."""
    read = proved.registered(PACKAGE / "privacy/proofs")[f"{proof}.md"]
    assert not {f"textveil.{module}" for module in modules.split()} - {row.removeprefix("+") for row in read}


def test_a_digest_tells_a_body_of_a_function_from_another() -> None:
    assert digest_of("def f():\n    'about'\n    return 1") == digest_of("def f():\n    return 1  # one")
    assert digest_of("def f():\n    return 1") != digest_of("def f():\n    return 2")


def test_only_a_registered_module_is_proved_under_a_proof() -> None:
    assert status_of(MODULE, PROOF) is status_under(PROOF) is Status.PROVED
    for module, proof in (
        (MODULE, "privacy/proofs/gaussian.md"),
        (MODULE, "privacy/proofs/none.md"),
        ("textveil.mechanisms.new", PROOF),
        ("textveil", PROOF),
        (__name__, PROOF),
        ("no_such_package.module", PROOF),
    ):
        assert status_of(module, proof) is Status.CLAIMED
    assert status_under("privacy/proofs/none.md") is status_under("no_such_package/x.md") is Status.CLAIMED


def test_a_new_aggregate_is_claimed_and_those_of_textveil_are_proved() -> None:
    budget = GaussianBudget(1.0, 1e-6, Fraction(1, 4))
    assert budget.guarantee(ONE_PERSON_MORE).status is Status.CLAIMED
    releases = {"counts": "corpus_counts", "topics": "corpus_synthesize", "learning": "corpus_learn"}
    for module, page in releases.items():
        proof, names = f"proofs/{page}.md", vars(import_module(f"textveil.aggregates.{module}"))
        asked = "budget.guarantee(adjacency, proof).status"
        given = {"budget": budget, "adjacency": ONE_PERSON_MORE, "proof": proof}
        assert status_of(names["__name__"], proof) is Status.PROVED
        assert budget.guarantee(ONE_PERSON_MORE, proof).status is Status.CLAIMED
        # A stranger's code that says it is of textveil's module, or runs among its names.
        assert eval(asked, {"__name__": names["__name__"], **given}) is Status.CLAIMED
        assert eval(asked, names, given) is Status.CLAIMED


def test_a_mechanism_and_a_surrogate_whose_module_is_not_registered_are_claimed(tiny: Any, monkeypatch: Any) -> None:
    register = {
        page: {
            module: digest
            for module, digest in modules.items()
            if module not in (MODULE, "textveil.surrogates.quantities")
        }
        for page, modules in proved.registered(PACKAGE / "privacy/proofs").items()
    }
    made, drawn = tv.mechanism("randomized-response", tiny, epsilon=1.0), making.make_surrogate("age", 1.0)
    assert guarantee_of(made).status is making.guarantee_of(drawn).status is Status.PROVED
    monkeypatch.setattr(proved, "registered", lambda folder: register)
    proved._is_registered.cache_clear()
    try:
        assert guarantee_of(made).status is making.guarantee_of(drawn).status is Status.CLAIMED
        assert MECHANISMS["randomized-response"].status is Status.CLAIMED
        assert tv.mechanism("randomized-response", tiny, epsilon=1.0).guarantee.status is Status.CLAIMED
    finally:
        proved._is_registered.cache_clear()


def test_a_package_registers_its_own_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "own_package_of_a_test"
    (home / "proofs").mkdir(parents=True)
    page, code, proof = home / "proofs/own.md", home / "code.py", "own_package_of_a_test/proofs/own.md"
    page.write_text("# Proof\n")
    (home / "__init__.py").write_text("")
    code.write_text(
        textwrap.dedent('''
        """Proof: proofs/own.md."""
        epsilon = 1
    ''')
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    module = "own_package_of_a_test.code"

    def status() -> Status:
        proved._is_registered.cache_clear()
        proved.registered.cache_clear()
        proved.digest_of_module.cache_clear()
        return status_of(module, proof)

    assert status() is Status.CLAIMED
    ((folder, register),) = found("own_package_of_a_test").items()
    (folder / proved.REGISTER).write_text(json.dumps(register))
    assert list(register) == ["own.md"] and status() is Status.PROVED
    code.write_text('"""Other words: proofs/own.md."""\nepsilon = 1\n')
    assert status() is Status.PROVED and stale("own_package_of_a_test") == []
    code.write_text('"""proofs/own.md"""\nepsilon = 2\n')
    assert status() is Status.CLAIMED and stale("own_package_of_a_test") == [f"own.md: {module}"]
    code.write_text('"""proofs/own.md"""\nfrom .part import law\nepsilon = 1\n')
    part, helper = home / "part.py", home / "inner/helper.py"
    helper.parent.mkdir()
    part.write_text("def law():\n    from own_package_of_a_test.inner import helper\n")
    (helper.parent / "__init__.py").write_text("")
    helper.write_text("scale = 1\n")
    assert status() is Status.CLAIMED
    register = found("own_package_of_a_test")[folder]
    assert sorted(register["own.md"]) == [
        "+own_package_of_a_test.inner",
        "+own_package_of_a_test.inner.helper",
        "+own_package_of_a_test.part",
        module,
    ]
    (folder / proved.REGISTER).write_text(json.dumps(register))
    assert status() is Status.PROVED
    assert status_of("own_package_of_a_test.part", proof) is Status.CLAIMED  # what is imported makes nothing proved
    helper.write_text("scale = 2\n")
    assert status() is Status.CLAIMED
    assert stale("own_package_of_a_test") == ["own.md: +own_package_of_a_test.inner.helper"]
    (folder / proved.REGISTER).write_text("[]")
    assert status() is Status.CLAIMED
    for name in [name for name in sys.modules if name.startswith("own_package_of_a_test")]:
        monkeypatch.delitem(sys.modules, name)


ALLOWED = {
    "privacy/proved.py",
    "mechanisms/declaration.py",
    "budget/charge.py",
    "budget/standing.py",
    "server/budgets.py",
}
"""Who says it; a declaration, which ``catalog`` checks; and ledgers, where nothing was spent."""


def test_nothing_else_says_proved() -> None:
    """Comparisons and lists may name it; an argument, a default, a return value or a variable may not be it."""
    said = set()
    sources = {path: path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}
    for path, source in sources.items():
        for node in ast.walk(ast.parse(source if "PROVED" in source else "")):
            values: list[Any] = []
            if isinstance(node, ast.keyword | ast.Return | ast.Assign | ast.AnnAssign):
                values = [node.value]
            elif isinstance(node, ast.Call):
                values = list(node.args)
            elif isinstance(node, ast.arguments):
                values = [*node.defaults, *node.kw_defaults]
            values += [part for value in values if isinstance(value, ast.IfExp) for part in (value.body, value.orelse)]
            names = {ast.unparse(value) for value in values if value is not None}
            if names & {"Status.PROVED", "Status.PROVED.value"}:
                said.add(path.relative_to(PACKAGE).as_posix())
    assert said == ALLOWED
