"""Whose word counts: only what a registered function made, with a proof that is a file, is released as proved."""

from __future__ import annotations

import copy
import dataclasses
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
from textveil.catalog import MECHANISMS, entry, guarantee_of
from textveil.mechanisms.declaration import declared
from textveil.privacy import proved
from textveil.privacy.guarantees import PureDP, Status
from textveil.privacy.units import ONE_DOCUMENT, ONE_VALUE
from textveil.registry import table
from textveil.sanitize.explanation import explain
from textveil.sanitize.policy.policy import Action, Policy, Rule
from textveil.sanitize.sanitizer import Sanitizer
from textveil.surrogates import declaration as surrogate_declaration
from textveil.surrogates import making
from textveil.surrogates.drawn import Drawn

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
    for name in drawing_text([name for name in MECHANISMS if MECHANISMS[name].status is Status.PROVED]):
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
    assert guarantee_of(make(tiny)).status is Status.CLAIMED  # other code than was proved
    (package.folder / "__init__.py").write_text("")
    proved._is_registered.cache_clear()
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

    package(make, "textveil.surrogates", "kept")
    surrogate_declaration.declared(summary="Kept.", kinds=("person",), proof="package/proof.md", name="kept")(make)
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


def test_statuses_are_shown_with_who_says_so() -> None:
    assert {one: one.shown for one in Status}[Status.CLAIMED] == "claimed by its maker"
    assert all(one.shown == one.value for one in Status if one is not Status.CLAIMED)


def test_no_way_to_declare_a_guarantee_is_for_release(tiny) -> None:
    script = runpy.run_path(str(Path(__file__).resolve().parents[1] / "benchmarks" / "attacks" / "statuses.py"))
    tried, released, untold = script["attempts"](tiny)
    assert (released, untold) == (0, 0) and tried > 50
