"""The public face, what importing costs, the proofs, the catalog."""

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.helpers.catalog import as_listed

import textveil
from textveil.catalog import MECHANISMS, CatalogEntry, entries, entry, mechanism
from textveil.errors import ParameterError, UnknownNameError
from textveil.mechanisms.declaration import declared, entry_of
from textveil.mechanisms.kinds import Epsilon
from textveil.mechanisms.randomized_response import randomized_response
from textveil.privacy.guarantees import Status
from textveil.registry.table import Table
from textveil.version import VERSION

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = Path(textveil.__file__).parent

FACE = [
    "ApproximateDP",
    "MetricDP",
    "PureDP",
    "Release",
    "Sanitizer",
    "Status",
    "TextveilError",
    "Vocabulary",
    "__version__",
    "audit",
    "decode",
    "detect",
    "explain",
    "frontier",
    "load_model",
    "load_vocabulary",
    "mechanism",
    "policy",
    "restore",
    "secure_generator",
    "seeded_generator",
]


def test_the_face_is_pinned() -> None:
    assert sorted(textveil.__all__) == FACE
    for name in set(FACE) - ({"audit", "decode", "frontier"} if find_spec("textveil_lab") is None else set()):
        assert getattr(textveil, name) is not None
    assert dir(textveil) == FACE


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'sanitise'"):
        textveil.sanitise  # noqa: B018


def _modules_after(statement: str) -> set[str]:
    code = f"{statement}\nimport sys, json; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


HEAVY = {
    "scipy.stats",
    "pandas",
    "torch",
    "matplotlib",
    "faiss",
    "safetensors",
    "sklearn",
    "pyarrow",
    "ray",
    "polars",
    "datasets",
    "fastapi",
    "pydantic",
    "sqlalchemy",
    "uvicorn",
    "httpx",
    "cryptography",
}


def test_importing_pulls_in_nothing_heavy() -> None:
    assert not _modules_after("import textveil") & (HEAVY | {"scipy", "rich", "typer"})
    everything = "import textveil\nfor n in textveil._HOMES: getattr(textveil, n)"
    assert not _modules_after(everything) & HEAVY


def test_a_whole_run_pulls_in_nothing_heavy() -> None:
    run = (
        "import textveil as tv\n"
        "tv.Sanitizer(tv.mechanism('neighborhood', tv.load_vocabulary(), epsilon=8.0))('Maria has 2 cats.')"
    )
    assert not _modules_after(run) & HEAVY


def test_help_needs_no_numpy() -> None:
    assert "numpy" not in _modules_after("import textveil.cli.main")


def test_the_catalog_is_pinned() -> None:
    golden = json.loads((Path(__file__).parent / "catalog.json").read_text(encoding="utf-8"))
    found = {
        name: {
            "notion": one.notion,
            "status": one.status.value,
            "options": {key: [option.kind.__name__, option.default] for key, option in one.options().items()},
        }
        for name, one in MECHANISMS.items()
    }
    assert found == golden


def test_the_catalog_imports_no_mechanism_before_it_is_asked_for() -> None:
    loaded = _modules_after("import textveil.catalog as c; assert len(c.MECHANISMS) == len(list(c.MECHANISMS))")
    assert "numpy" not in loaded
    one = _modules_after("import textveil.catalog as c; c.entry('neighborhood').options()")
    assert "textveil.mechanisms.neighborhood" in one
    assert not any(name.startswith("textveil_lab") for name in loaded | one)


def test_a_catalog_line_must_lead_to_the_declaration_of_its_name() -> None:
    def table(name: str, target: str) -> Table:
        return Table("mechanism", "group", {name: target}, lambda name, made: entry_of(made), "a function")

    target = "textveil.mechanisms.neighborhood:neighborhood"
    assert table("neighborhood", target)["neighborhood"].target == target
    for name, wrong in (("other", target), ("neighborhood", "textveil.mechanisms.neighborhood:Neighborhood")):
        with pytest.raises(LookupError, match=f"does not declare the mechanism {name}"):
            table(name, wrong)[name]


@pytest.mark.parametrize("name", entries())
def test_every_entry_has_its_proof_or_refutation(name: str) -> None:
    one = entry(name)
    text = one.proof_file().read_text(encoding="utf-8")
    assert len(text.split()) > 100
    assert one.status in (Status.PROVED, Status.REFUTED)
    if one.status is Status.REFUTED:
        assert entry(one.instead).status is Status.PROVED
    else:
        assert "**Statement" in text or "## Statement" in text
        assert "Proof" in text


@pytest.mark.parametrize("name", entries())
def test_a_made_mechanism_states_what_the_catalog_states(name: str, tiny) -> None:
    one = entry(name)
    made = mechanism(name, tiny, **as_listed(name))
    assert made.name == name
    assert made.guarantee.status is one.status
    assert made.guarantee.source == one.proof
    assert json.dumps(dict(made.parameters))


def test_every_proof_is_used() -> None:
    named = {path for source in PACKAGE.rglob("*.py") for path in _proofs_named(source)}
    there = {f"privacy/proofs/{path.name}" for path in (PACKAGE / "privacy/proofs").glob("*.md")}
    assert there == named


def _proofs_named(source: Path) -> set[str]:
    import re

    text = source.read_text(encoding="utf-8")
    return {f"privacy/proofs/{found}" for found in re.findall(r"proofs/([a-z_]+\.md)", text)}


def test_an_unknown_mechanism_gets_a_suggestion() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'neighborhood'"):
        entry("neighbourhood")


def test_an_unknown_option_is_refused_and_a_none_counts_as_not_given(tiny) -> None:
    with pytest.raises(ParameterError, match=r"takes the options .*; got `delta`"):
        mechanism("neighborhood", tiny, epsilon=1.0, delta=1e-5)
    with pytest.raises(ParameterError, match=r"Did you mean `epsilon`\?"):
        mechanism("neighborhood", tiny, epsilonn=1.0)
    assert mechanism("randomized-response", tiny, epsilon=1.0, delta=None).guarantee.epsilon == 1.0
    assert mechanism("randomized-response", tiny).guarantee.epsilon == 8.0
    with pytest.raises(ParameterError, match="vocabulary must be a Vocabulary; got str"):
        mechanism("neighborhood", "glove.txt")


class _Point:
    def __init__(self, name: str, value: object) -> None:
        self.name, self._value = name, value

    def load(self) -> object:
        if isinstance(self._value, Exception):
            raise self._value
        return self._value


def _plugin(name: str) -> CatalogEntry:
    return CatalogEntry(
        name=name,
        target="textveil.mechanisms.randomized_response:randomized_response",
        family="channel",
        notion="pure DP",
        status=Status.CLAIMED,
        proof="",
        source="a plug-in",
        summary="A plug-in.",
    )


def test_third_parties_join_by_entry_point(monkeypatch, tiny) -> None:
    monkeypatch.setattr("textveil.registry.table.entry_points", lambda group: [_Point("x", _plugin("their-own"))])
    assert "their-own" in entries()
    assert mechanism("their-own", tiny, epsilon=2.0).guarantee.epsilon == 2.0


def test_third_parties_declare_as_textveil_does(monkeypatch, tiny) -> None:
    facts = {"family": "channel", "notion": "pure DP", "status": Status.CLAIMED, "proof": "", "source": ""}

    @declared(**facts, summary="Theirs.")
    def their_own(vocabulary, *, epsilon: Epsilon, rounds: int = 3):
        return randomized_response(vocabulary, epsilon=epsilon / rounds)

    monkeypatch.setattr("textveil.registry.table.entry_points", lambda group: [_Point("x", their_own)])
    assert entry_of(their_own).name == "their-own"
    assert entries()["their-own"].summary == "Theirs."
    monkeypatch.setattr(CatalogEntry, "constructor", lambda self: their_own)  # which is no module's attribute
    assert mechanism("their-own", tiny, rounds=2).guarantee.epsilon == pytest.approx(4.0)
    with pytest.raises(ParameterError, match="rounds must be an integer; got float"):
        mechanism("their-own", tiny, rounds=2.5)


def test_a_mechanism_need_not_have_an_epsilon(monkeypatch, tiny) -> None:
    facts = {"family": "channel", "notion": "pure DP", "status": Status.CLAIMED, "proof": "", "source": ""}

    @declared(**facts, summary="Theirs.")
    def fixed(vocabulary):
        return randomized_response(vocabulary, epsilon=0.5)

    monkeypatch.setattr("textveil.registry.table.entry_points", lambda group: [_Point("x", fixed)])
    monkeypatch.setattr(CatalogEntry, "constructor", lambda self: fixed)
    assert mechanism("fixed", tiny).guarantee.epsilon == 0.5
    with pytest.raises(ParameterError, match="fixed takes no options; got `epsilon`"):
        mechanism("fixed", tiny, epsilon=1.0)


def test_an_option_without_a_default_must_be_given(monkeypatch, tiny) -> None:
    facts = {"family": "channel", "notion": "pure DP", "status": Status.CLAIMED, "proof": "", "source": ""}

    @declared(**facts, summary="Theirs.")
    def sized(vocabulary, *, epsilon: Epsilon, rounds: int):
        return randomized_response(vocabulary, epsilon=epsilon / rounds)

    monkeypatch.setattr("textveil.registry.table.entry_points", lambda group: [_Point("x", sized)])
    monkeypatch.setattr(CatalogEntry, "constructor", lambda self: sized)
    with pytest.raises(ParameterError, match="`rounds` must be given for sized: an integer; got none"):
        mechanism("sized", tiny)
    assert mechanism("sized", tiny, rounds=2).guarantee.epsilon == 4.0


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (_plugin("neighborhood"), "mechanism name must be new to the catalog; got neighborhood"),
        ("no entry", "entry point x must be a function that .* decorates, .*; got str"),
        (ImportError("gone"), "entry point x must load; got ImportError. Upgrade or remove its package."),
    ],
)
def test_a_collision_or_a_wrong_object_raises(monkeypatch, value, message) -> None:
    monkeypatch.setattr("textveil.registry.table.entry_points", lambda group: [_Point("x", value)])
    with pytest.raises(ParameterError, match=message):
        entries()


def test_one_version() -> None:
    from importlib.metadata import version

    assert textveil.__version__ == VERSION == version("textveil")
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"## {VERSION}" in changelog
    assert "### Privacy" in changelog
