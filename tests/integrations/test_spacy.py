"""textveil in spaCy's pipelines, on the real package."""

import json
import pickle
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("spacy", reason="needs the extra `spacy`", exc_type=ImportError)

import spacy
from spacy.tokens import Doc, DocBin

from textveil.errors import InputError, ParameterError
from textveil.integrations.spacy import FACTORY, ReleasedDocument
from textveil.sanitize.policy.policy import Policy
from textveil.surrogates.restoring import restore

ROOT = Path(__file__).resolve().parents[2]
TEXT = "Maria Gonzalez has 20481 cats; a@b.org."

OWN = """
name = "own"
detectors = []
[[rule]]
kind = "word"
keep = true
[[rule]]
kind = "person"
surrogate = "person"
[[rule]]
kind = "code"
placeholder = true
[[pattern]]
kind = "code"
regex = "X-[0-9]+"
[[list]]
kind = "person"
file = "names.txt"
"""


@pytest.fixture
def own(tmp_path: Path) -> Path:
    (tmp_path / "names.txt").write_text("Zerubbabel\n", encoding="utf-8")
    path = tmp_path / "own.toml"
    path.write_text(OWN, encoding="utf-8")
    return path


def pipeline(config: dict[str, Any] | None = None) -> Any:
    nlp = spacy.blank("en")
    nlp.add_pipe(FACTORY, config=config or {})
    return nlp


def test_the_release_stands_on_the_document() -> None:
    doc = pipeline()(TEXT)
    released = doc._.textveil
    assert isinstance(released, ReleasedDocument)
    assert doc.text == TEXT
    assert "20481" not in released.text and released.text.endswith(".")
    assert {kind for *_, kind in released.drawn_spans} >= {"quantity"}
    assert released.report["policy"]["name"] == "identifiers"
    assert restore(released.text, released.private_map) == TEXT
    assert "cats" in repr(released) and "Maria" not in repr(released)
    assert spacy.blank("en")("Untouched")._.textveil is None


def test_reports_are_of_their_document() -> None:
    """Those of equal counts are made once."""
    texts = ["1 and 2", "3 and 4", "5", "none"]
    released = [doc._.textveil for doc in pipeline().pipe(texts)]
    counts = [one.report["tokens"].get("number", 0) for one in released]
    assert counts == [2, 2, 1, 0]
    assert released[0].report == released[1].report


def test_a_mechanism_draws_all_words() -> None:
    doc = pipeline({"policy": None, "mechanism": "neighborhood", "epsilon": 3.0, "options": {"alpha": 1.5}})("two cats")
    released = doc._.textveil
    assert len(released.text.split()) == 2
    assert released.report["mechanism"]["name"] == "neighborhood"
    assert released.report["mechanism"]["parameters"]["alpha"] == 1.5
    assert released.private_map is not None or released.drawn_spans == ()


def test_documents_of_a_pipe_draw_alone() -> None:
    texts = ["Maria has 1234567890123 cats."] * 300
    released = [doc._.textveil.text for doc in pipeline().pipe(texts, batch_size=64)]
    assert len(released) == 300
    assert len(set(released)) == 300


def test_processes_draw_apart() -> None:
    """Each of two processes has randomness of its own: equal texts come out different in all of them."""
    nlp = pipeline()
    docs = list(nlp.pipe(["Maria has 1234567890123 cats."] * 8, n_process=2, batch_size=2))
    released = [doc._.textveil for doc in docs]
    assert len({one.text for one in released}) == 8
    assert all(restore(one.text, one.private_map) == doc.text for one, doc in zip(released, docs, strict=True))


def test_a_component_goes_into_another_process(own: Path) -> None:
    """Where processes are not forked, spaCy pickles it."""
    component = pipeline({"policy": str(own)}).get_pipe(FACTORY)
    copy = pickle.loads(pickle.dumps(component))
    assert copy._policy == component._policy
    doc = copy(spacy.blank("en")("Zerubbabel"))
    assert [kind for *_, kind in doc._.textveil.drawn_spans] == ["person"]


def test_entities_of_the_pipeline_are_spans_too(own: Path) -> None:
    nlp = spacy.blank("en")
    ruler = nlp.add_pipe("entity_ruler")
    ruler.add_patterns(
        [{"label": label, "pattern": text} for label, text in (("PERSON", "Xyla Quorn"), ("SHIP", "Quornmoor"))]
    )
    nlp.add_pipe(FACTORY, config={"policy": str(own), "entities": True, "labels": {"SHIP": "code"}})
    texts = ["Xyla Quorn met Zerubbabel, X-12, Quornmoor", "nobody", ""]
    docs = list(nlp.pipe(texts))
    kinds = [[kind for *_, kind in doc._.textveil.drawn_spans] for doc in docs]
    assert kinds == [["person", "person", "code", "code"], [], []]
    assert "Xyla" not in docs[0]._.textveil.text and "Quorn" not in docs[0]._.textveil.text
    nlp.remove_pipe(FACTORY)
    nlp.add_pipe(FACTORY, config={"policy": str(own), "entities": True})
    with pytest.raises(ParameterError, match="got none for SHIP"):
        nlp("Quornmoor")


def test_a_saved_pipeline_holds_its_policy(own: Path, tmp_path: Path) -> None:
    nlp = pipeline({"policy": str(own)})
    nlp.to_disk(tmp_path / "saved")
    packed = nlp.to_bytes()
    before: Policy = nlp.get_pipe(FACTORY)._policy
    own.unlink()
    loaded = spacy.load(tmp_path / "saved")
    assert loaded.get_pipe(FACTORY)._policy == before
    other = pipeline()
    other.from_bytes(packed)
    assert other.get_pipe(FACTORY)._policy == before
    for one in (loaded, other):
        released = one("Zerubbabel X-12")._.textveil
        assert [kind for *_, kind in released.drawn_spans] == ["person", "code"]
        assert one("Zerubbabel").text == "Zerubbabel"
    unsaved = pipeline({"policy": str(own)})
    with pytest.raises(ParameterError, match=r"policy must be a preset or a file that is there; got own[.]toml"):
        unsaved("Zerubbabel")


def test_a_saved_preset_keeps_its_digest() -> None:
    """Among its rules is one with a scope of its own."""
    component = pipeline({"policy": "identifiers"}).get_pipe(FACTORY)
    copy = pipeline({"policy": "prompts"}).get_pipe(FACTORY).from_bytes(component.to_bytes())
    assert copy._policy == component._policy
    assert copy._policy.digest == component._policy.digest


def test_a_saved_mechanism_comes_back(tmp_path: Path) -> None:
    pipeline({"policy": None, "mechanism": "neighborhood", "epsilon": 3.0}).to_disk(tmp_path / "saved")
    released = spacy.load(tmp_path / "saved")("two cats")._.textveil
    assert released.report["mechanism"]["parameters"]["epsilon"] == 3.0


def test_an_object_cannot_be_saved() -> None:
    nlp = pipeline({"entities": True})
    component = nlp.get_pipe(FACTORY)
    assert json.loads(component.to_bytes())["detectors"] == ["embedded"]
    component._take(Policy(**{**_fields(component._policy), "detectors": (component._entities,)}))
    with pytest.raises(InputError, match="must name its detectors; got an object"):
        nlp.to_bytes()


def _fields(policy: Policy) -> dict[str, Any]:
    return {name: getattr(policy, name) for name in Policy.__dataclass_fields__}


def test_documents_keep_their_release_as_bytes() -> None:
    nlp = pipeline()
    doc = nlp(TEXT)
    again = Doc(nlp.vocab).from_bytes(doc.to_bytes())
    assert again._.textveil == doc._.textveil
    (kept,) = DocBin(docs=[doc], store_user_data=True).get_docs(nlp.vocab)
    assert kept._.textveil == doc._.textveil


def test_a_fault_goes_to_spacys_handler() -> None:
    """A document whose release fails has none, and the pipeline's handler is told, as spaCy has it."""
    nlp = pipeline()
    component = nlp.get_pipe(FACTORY)

    class Fails:
        def batch(self, texts: list[str], spans: bool) -> list[Any]:
            raise InputError("document 1 must be another")

    component._sanitizer = Fails()
    with pytest.raises(InputError, match="document 1 must be another"):
        nlp("Maria")
    told: list[tuple[str, int]] = []
    component.set_error_handler(lambda name, _, docs, error: told.append((name, len(docs))))
    (doc,) = nlp.pipe(["Maria"])
    assert doc._.textveil is None
    assert told == [(FACTORY, 1)]


@pytest.mark.parametrize(
    ("config", "says"),
    [
        ({"policy": None}, "policy must be given, or `mechanism` in its place; got both, or neither"),
        ({"mechanism": "neighborhood"}, "policy must be given, or `mechanism` in its place; got both, or neither"),
        (
            {"policy": None, "mechanism": "neighborhood", "entities": True},
            "entities must be left out beside a mechanism",
        ),
        ({"policy": "identifier"}, "Did you mean 'identifiers'"),
        ({"policy": None, "mechanism": "neighborhood", "options": {"sise": 5}}, "sise"),
    ],
)
def test_a_configuration_that_cannot_be_is_refused(config: dict[str, Any], says: str) -> None:
    with pytest.raises(ParameterError, match=says):
        pipeline(config)


@pytest.mark.slow
def test_spacy_knows_the_factory_by_the_entry_point(tmp_path: Path) -> None:
    """As an installed package has it, nothing of textveil imported by hand; and a plain pipeline stays light."""
    with (ROOT / "pyproject.toml").open("rb") as stream:
        (line,) = tomllib.load(stream)["project"]["entry-points"]["spacy_factories"].items()
    about = tmp_path / "textveil_test-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: textveil-test\nVersion: 1\n", encoding="utf-8")
    (about / "entry_points.txt").write_text(f"[spacy_factories]\n{line[0]} = {line[1]}\n", encoding="utf-8")
    code = (
        "import sys, spacy; nlp = spacy.blank('en'); assert 'textveil.sanitize.sanitizer' not in sys.modules; "
        "nlp.add_pipe('textveil'); print(nlp('has 20481 cats')._.textveil.text)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": f"{tmp_path}:{ROOT / 'src'}", "PATH": ""},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("has ") and "20481" not in done.stdout


def test_without_the_extra() -> None:
    code = "import sys; sys.modules['spacy'] = None; import textveil.integrations.spacy"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600)
    assert done.returncode == 1
    assert "`spacy` is not installed. Run: pip install 'textveil[spacy]'" in done.stderr
