"""Whose word counts: only what a registered function made, with a proof that is a file, is released as proved."""

import copy
import dataclasses
import functools
import gc
import importlib.metadata
import json
import pickle
import runpy
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.helpers.catalog import as_listed, drawing_text

import textveil as tv
from textveil.catalog import MECHANISMS, entries, entry, guarantee_of
from textveil.mechanisms.declaration import CatalogEntry, declared
from textveil.privacy import proved
from textveil.privacy.guarantees import PureDP, Status
from textveil.privacy.units import ONE_DOCUMENT, ONE_VALUE
from textveil.registry import table
from textveil.sanitize.explanation import explain
from textveil.sanitize.policy.policy import Action, Policy, Rule
from textveil.sanitize.sanitizer import Sanitizer
from textveil.surrogates import making
from textveil.surrogates.drawn import Drawn

CATALOG = entries()


TRUST_ME = PureDP(epsilon=0.0, status=Status.PROVED, source="trust me")


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Identity:
    """Keeps every word; no weak references, as of classes that know nothing of them."""

    vocabulary: Any
    guarantee: Any = TRUST_ME
    name: str = "identity"
    parameters: dict[str, Any] = dataclasses.field(default_factory=dict)

    def privatize(self, ids, rng=None):
        return np.asarray(ids)


class Texts:
    name, parameters = "texts", {}
    guarantee = PureDP(epsilon=0.0, status=Status.CERTIFIED, source="trust me", adjacency=ONE_DOCUMENT)

    def privatize_texts(self, texts, rng=None):
        return list(texts)


def declare(status: Status = Status.PROVED, proof: str = "package/proof.md", name: str = "identity"):
    facts = {"family": "channel", "notion": "pure DP", "source": "x", "summary": "It keeps all."}
    return declared(status=status, proof=proof, name=name, **facts)


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A module ``package`` in a folder of its own, and a way to register functions of it."""
    module = types.ModuleType("package")
    module.__file__ = str(tmp_path / "__init__.py")
    monkeypatch.setitem(sys.modules, "package", module)
    points: list[importlib.metadata.EntryPoint] = []
    asked = lambda *, group: [one for one in points if one.group == group]  # noqa: E731
    monkeypatch.setattr("textveil.registry.table.entry_points", asked)

    def register(make, group: str = "textveil.mechanisms", name: str = "identity", *, listed: bool = True):
        vars(module).update(Identity=Identity, Drawn=Drawn)
        code = make.__code__.replace(co_filename=module.__file__)  # as if it stood there
        make = types.FunctionType(code, vars(module), make.__name__, None, make.__closure__)
        make.__module__, make.__qualname__ = "package", "make"
        made = declare()(make) if group.endswith("mechanisms") else make
        module.make = made
        if listed:
            points.append(importlib.metadata.EntryPoint(name, "package:make", group))
        return made

    def prove(page: str) -> None:
        """Write a proof, and register the code of the package under it."""
        (tmp_path / page).write_text("# Proof\n")
        code = tmp_path / proved.REGISTER
        known = json.loads(code.read_text()) if code.exists() else {}
        code.write_text(json.dumps({**known, page: {"package": proved.digest_of("")}}))
        forget()

    def forget() -> None:
        proved.registered.cache_clear()
        proved._is_registered.cache_clear()

    (tmp_path / "__init__.py").write_text("")
    register.folder, register.prove = tmp_path, prove
    forget()
    yield register
    forget()


def test_a_declaration_of_ones_own_is_claimed_wherever_it_is_told(embedded) -> None:
    for made, options in ((Identity(embedded), {"number_epsilon": 1.0}), (Texts(), {})):
        assert guarantee_of(made) == dataclasses.replace(made.guarantee, status=Status.CLAIMED)
        release = Sanitizer(made, **options)("Maria went home.")
        report = release.report()
        assert not report.to_data()["for_release"]
        summary = report.summary()
        assert "NOT FOR RELEASE: the guarantee is claimed by its maker, neither proved nor certified." in summary
        assert "NEARLY THE TEXT ITSELF" in summary
        assert "-DP [claimed by its maker]" in summary
        assert release.guarantee.status is Status.CLAIMED
    told = explain(Identity(embedded), samples=200, rng=np.random.default_rng(1)).summary()
    assert "0-DP [claimed by its maker]" in told and "[proved]" not in told
    audit = tv.audit(Identity(embedded), attacks=False, samples=100, seed=1)
    assert "[claimed by its maker]" in audit.summary() and audit.to_data()["claim_status"] == "claimed"


@pytest.mark.slow
def test_what_the_catalog_makes_keeps_its_status_copied_and_pickled(tiny) -> None:
    for name in drawing_text([name for name in CATALOG if CATALOG[name].status is Status.PROVED]):
        made = tv.mechanism(name, tiny, **as_listed(name))
        for same in (made, copy.copy(made), pickle.loads(pickle.dumps(made))):
            assert guarantee_of(same).status is Status.PROVED, name
        direct = entry(name).constructor()(tiny, **as_listed(name))
        assert guarantee_of(direct).status is Status.PROVED, name
        if dataclasses.is_dataclass(made) and any(one.name == "guarantee" for one in dataclasses.fields(made)):
            assert guarantee_of(dataclasses.replace(made)).status is Status.CLAIMED, name
    sanitizer = pickle.loads(pickle.dumps(Sanitizer(tv.mechanism("neighborhood", tiny))))
    assert sanitizer.setting.for_release


def test_another_objects_name_guarantee_or_class_does_not_help(tiny) -> None:
    genuine = tv.mechanism("randomized-response", tiny, epsilon=2.0)
    zero = dataclasses.replace(genuine.guarantee, epsilon=0.0)
    borrowed = Identity(tiny, genuine.guarantee, "randomized-response", dict(genuine.parameters))
    for made in (borrowed, dataclasses.replace(genuine, guarantee=zero), type(genuine)(tiny, genuine.weights, zero)):
        assert guarantee_of(made).status is Status.CLAIMED
        assert not Sanitizer(made, number_epsilon=1.0).setting.for_release
    assert Sanitizer(genuine).setting.for_release


def test_an_object_that_was_changed_is_claimed_also_copied_and_pickled(tiny) -> None:
    zero = lambda made: dataclasses.replace(made.guarantee, epsilon=0.0)  # noqa: E731
    ways = (
        lambda made: object.__setattr__(made, "guarantee", zero(made)),
        lambda made: object.__setattr__(made.guarantee, "epsilon", 0.0),
        lambda made: object.__setattr__(
            made, "weights", tv.mechanism("randomized-response", tiny, epsilon=9.0).weights
        ),
    )
    for change in ways:
        made = tv.mechanism("randomized-response", tiny, epsilon=2.0)
        assert guarantee_of(made).status is Status.PROVED
        change(made)
        for same in (made, copy.copy(made), copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
            assert guarantee_of(same).status is Status.CLAIMED
            assert not Sanitizer(same, number_epsilon=1.0).setting.for_release
    drawn = making.make_surrogate("age", 2.0)
    object.__setattr__(drawn, "guarantee", zero(drawn))
    assert making.guarantee_of(drawn).status is Status.CLAIMED


def test_what_a_mechanism_draws_by_cannot_be_written(tiny) -> None:
    made: Any = tv.mechanism("neighborhood", tiny)
    for array in (made.weights.gains, made.weights.counts):
        with pytest.raises(ValueError, match="read-only"):
            array[:] = 0
    made.weights.gains.flags.writeable = True
    assert guarantee_of(made).status is Status.PROVED
    made.weights.gains.flags.writeable = True
    made.weights.gains[0] += 1
    for same in (made, copy.copy(made), pickle.loads(pickle.dumps(made))):
        assert guarantee_of(same).status is Status.CLAIMED
        assert not Sanitizer(same, number_epsilon=1.0).setting.for_release


def test_a_mechanism_whose_part_was_changed_in_place_is_claimed(tiny) -> None:
    ways = (
        lambda made: object.__setattr__(made.weights, "unit", made.weights.unit * 2),
        lambda made: object.__setattr__(made.weights, "gains", made.weights.gains * 2),
        lambda made: made.parameters.update(epsilon=0.0),
    )
    for change in ways:
        made: Any = tv.mechanism("neighborhood", tiny)
        change(made)
        for same in (made, copy.copy(made), copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
            assert guarantee_of(same).status is Status.CLAIMED


def _keep(value: str, *_: Any) -> str:
    return value


def test_a_surrogate_whose_part_was_changed_in_place_is_claimed() -> None:
    def change(made: Any) -> None:
        object.__setattr__(made._drawn, "surrogate_of", None)  # what was there is gone, and its number is free
        object.__setattr__(made._drawn, "surrogate_of", lambda value, *_: value)

    def close_over(made: Any) -> None:
        made._drawn.surrogate_of.__closure__[0].cell_contents = None

    for way in (change, close_over):
        for _ in range(20):
            made = making.make_surrogate("measurement", 1.0)
            assert making.guarantee_of(made).status is Status.PROVED
            way(made)
            for same in (made, copy.copy(made)):
                assert making.guarantee_of(same).status is Status.CLAIMED


def test_an_object_that_got_a_method_or_a_class_of_its_own_is_claimed(tiny) -> None:
    def shadow(made: Any) -> None:
        made.draw = lambda mentions, *_: [mention.value for mention in mentions]

    def reclass(made: Any) -> None:
        made.__class__ = type("Leaky", (), {"draw": made.draw})

    for way in (shadow, reclass):
        made = making.make_surrogate("measurement", 1.0)
        way(made)
        assert making.guarantee_of(made).status is Status.CLAIMED
    mechanism: Any = tv.mechanism("neighborhood", tiny)
    mechanism.rows.drawn = lambda words, _: words
    assert guarantee_of(mechanism).status is Status.CLAIMED


def test_a_surrogate_with_other_code_is_claimed() -> None:
    drawn: Any = making.make_surrogate("emoji")
    assert making.guarantee_of(drawn).status is Status.PROVED
    before = drawn.surrogate_of.__code__
    drawn.surrogate_of.__code__ = before.replace(co_consts=(*before.co_consts, "more"))
    assert making.guarantee_of(drawn).status is Status.CLAIMED


def test_the_number_of_a_dead_object_says_nothing_of_its_successor(tiny) -> None:
    for _ in range(50):
        made = tv.mechanism("randomized-response", tiny, epsilon=2.0)
        for _ in range(3):
            made = dataclasses.replace(made)
            assert guarantee_of(made).status is Status.CLAIMED
    del made
    gc.collect()
    assert all(made.get() is not None for made in table._MADE.values())


def test_a_registered_function_with_its_proof_counts(package, tiny) -> None:
    package.prove("proof.md")
    stated = dataclasses.replace(TRUST_ME, source="package/proof.md")
    make = package(lambda vocabulary: Identity(vocabulary, stated))
    assert guarantee_of(make(tiny)).status is Status.PROVED
    assert guarantee_of(tv.mechanism("identity", tiny)).status is Status.PROVED
    assert entry("identity").status is Status.PROVED
    # Nobody is kept from lying: but whoever installs the package sees what it draws.
    assert any("NEARLY THE TEXT" in one for one in Sanitizer(make(tiny), number_epsilon=1.0).setting.warnings())
    (package.folder / "__init__.py").write_text("changed = True\n")
    proved._is_registered.cache_clear()
    proved.digest_of_module.cache_clear()
    assert guarantee_of(make(tiny)).status is Status.CLAIMED  # other code than was proved
    (package.folder / "__init__.py").write_text("")
    proved._is_registered.cache_clear()
    proved.digest_of_module.cache_clear()
    other = dataclasses.replace(TRUST_ME, source="package/other.md")
    package.prove("other.md")
    monkey = Identity(tiny, other)
    table.note_maker(monkey, make)
    assert guarantee_of(monkey).status is Status.CLAIMED  # a proof that the declaration does not name


def test_without_the_proof_file_a_registered_function_claims(package, tiny) -> None:
    stated = dataclasses.replace(TRUST_ME, source="package/proof.md")
    make = package(lambda vocabulary: Identity(vocabulary, stated))
    assert guarantee_of(make(tiny)).status is Status.CLAIMED
    assert entry("identity").status is Status.CLAIMED


@pytest.mark.parametrize("name", ["identity", "neighborhood"])
def test_a_declared_function_that_is_not_registered_claims(package, tiny, name: str) -> None:
    (package.folder / "proof.md").write_text("# Proof\n")
    source = MECHANISMS[name].proof if name in MECHANISMS else "package/proof.md"
    make = declare(proof=source, name=name)(lambda vocabulary: Identity(vocabulary, TRUST_ME, name))
    assert guarantee_of(make(tiny)).status is Status.CLAIMED


@pytest.mark.parametrize("path", ["../outside.md", "/etc/hostname", "", "missing.md"])
def test_proofs_are_files_of_their_package(package, path: str) -> None:
    package(lambda vocabulary: None, listed=False)
    (package.folder.parent / "outside.md").write_text("# Proof\n")
    assert table.file_of("package.module", path) is None


@pytest.mark.parametrize("proof", [True, False])
def test_surrogates_count_by_the_same_rule(package, monkeypatch, proof: bool) -> None:
    promise = dataclasses.replace(TRUST_ME, source="package/proof.md", adjacency=ONE_VALUE)

    def make() -> Drawn:
        return Drawn(name="kept", parameters={}, guarantee=promise, public=(), surrogate_of=lambda value, *_: value)

    make = package(make, "textveil.surrogates", "kept")
    making.declared(summary="Kept.", kinds=("person",), proof="package/proof.md", name="kept")(make)
    if proof:
        package.prove("proof.md")
    kept = making.make_surrogate("kept")
    assert making.guarantee_of(kept).status is (Status.PROVED if proof else Status.CLAIMED)
    assert making.guarantee_of(make()).status is Status.CLAIMED
    assert making.guarantee_of(making.make_surrogate("person")).status is Status.PROVED
    rules = (
        Rule(kind="word", action=Action.KEEP),
        Rule(kind="person", action=Action.SURROGATE, name="kept"),
    )
    sanitizer = Sanitizer(Policy(name="own", rules=rules, detectors=("embedded",)))
    assert sanitizer.setting.for_release == proof
    assert sanitizer.setting.unchanged_kinds == ("person",)


def _leaking(promise: Any, name: str) -> Drawn:
    return Drawn(name=name, parameters={}, guarantee=promise, public=(), surrogate_of=lambda value, *_: value)


def _point(monkeypatch: pytest.MonkeyPatch, group: str, name: str, make: Any) -> None:
    """An entry point of a stranger's, whose object is this one."""
    points = [types.SimpleNamespace(name=name, group=group, load=lambda: make)]
    monkeypatch.setattr(
        "textveil.registry.table.entry_points", lambda *, group: [one for one in points if one.group == group]
    )


def _made_textveils(make: Any, how: str, genuine: Any) -> Any:
    """A function that says it is of textveil's module."""
    if how == "wraps":
        return functools.wraps(genuine)(make)
    make.__module__, make.__qualname__ = genuine.__module__, genuine.__qualname__
    if how == "globals":
        names = vars(sys.modules[genuine.__module__])
        return types.FunctionType(make.__code__, names, make.__name__, None, make.__closure__)
    return make


@pytest.mark.parametrize("how", ["wraps", "names", "globals"])
@pytest.mark.parametrize("name", ["person", "my-person"])
def test_a_surrogate_that_takes_the_module_of_textveils_own_is_claimed(monkeypatch, how: str, name: str) -> None:
    genuine = making.SURROGATE_ENTRIES["person"].make
    promise = making.make_surrogate("person").guarantee
    leaking = _leaking

    def mine() -> Drawn:
        return leaking(promise, name)

    mine = _made_textveils(mine, how, genuine)
    making.declared(summary="Kept.", kinds=("person",), proof=promise.source, name=name)(mine)
    _point(monkeypatch, "textveil.surrogates", name, mine)
    if name == "person":
        made = mine()
        table.note_maker(made, mine)
    else:
        made = making.make_surrogate(name)
    for same in (made, copy.copy(made)):
        assert making.guarantee_of(same).status is Status.CLAIMED
    assert making.guarantee_of(making.make_surrogate("person")).status is Status.PROVED


@pytest.mark.parametrize("how", ["wraps", "names", "globals"])
def test_a_mechanism_that_takes_the_module_of_textveils_own_is_claimed(monkeypatch, tiny, how: str) -> None:
    genuine = MECHANISMS["neighborhood"]
    leaking, promise = Identity, dataclasses.replace(TRUST_ME, source=genuine.proof)
    mine = _made_textveils(lambda vocabulary, **_: leaking(vocabulary, promise), how, genuine.constructor())
    mine.__qualname__ = "mine"
    made = declare(proof=genuine.proof, name="mine")(mine)
    monkeypatch.setattr(sys.modules[genuine.module], "mine", made, raising=False)  # so that its name is found there
    _point(monkeypatch, "textveil.mechanisms", "mine", made)
    assert entry("mine").status is Status.CLAIMED
    for drawn in (made(tiny), tv.mechanism("mine", tiny), copy.copy(made(tiny))):
        assert guarantee_of(drawn).status is Status.CLAIMED


def test_a_part_of_textveil_that_no_table_names_is_of_no_proof(monkeypatch, tiny) -> None:
    facts = {"family": "channel", "notion": "pure DP", "source": "x", "summary": "It keeps all."}
    genuine = MECHANISMS["neighborhood"]
    part = CatalogEntry(
        name="part",
        target=f"{genuine.module}:weighted_neighborhood",
        status=Status.PROVED,
        proof="privacy/proofs/weighted_neighborhood.md",
        **facts,
    )
    _point(monkeypatch, "textveil.mechanisms", "part", part)
    assert entry("part").status is Status.CLAIMED


def test_another_object_under_the_name_of_textveils_own_is_claimed(monkeypatch) -> None:
    genuine = making.SURROGATE_ENTRIES["person"].make
    promise = making.make_surrogate("person").guarantee
    leaking = _leaking

    def mine() -> Drawn:
        return leaking(promise, "person")

    mine = functools.wraps(genuine)(mine)
    making.declared(summary="Kept.", kinds=("person",), proof=promise.source, name="person")(mine)
    monkeypatch.setattr(sys.modules[genuine.__module__], "person", mine)
    assert making.guarantee_of(making.make_surrogate("person")).status is Status.CLAIMED


def test_statuses_are_shown_with_who_says_so() -> None:
    assert {one: one.shown for one in Status}[Status.CLAIMED] == "claimed by its maker"
    assert all(one.shown == one.value for one in Status if one is not Status.CLAIMED)


def test_no_way_to_declare_a_guarantee_is_for_release(tiny) -> None:
    script = runpy.run_path(str(Path(__file__).resolve().parents[1] / "benchmarks" / "attacks" / "statuses.py"))
    tried, released, untold = script["attempts"](tiny)
    assert (released, untold) == (0, 0) and tried > 50


def test_a_document_with_a_value_of_which_it_is_only_claimed_that_it_costs_nothing_is_claimed(monkeypatch) -> None:
    monkeypatch.setattr("textveil.surrogates.making.status_of_maker", lambda *_, **__: Status.CLAIMED)
    guarantee = tv.Sanitizer("identifiers")("Ask Maria Gonzalez.").report().to_data()["guarantee"]
    assert guarantee["per_document"]["status"] == guarantee["whole_input"]["status"] == "claimed"
