"""Rebuilds a mechanism from the report of its releases and the public vocabulary.

Decoding and estimation need the channel of the releases. A report names the mechanism, its parameters, the vocabulary's
digest and the version of textveil; any difference is refused, since a slightly different channel gives wrong results
without an error.
"""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from textveil.catalog import entry, mechanism
from textveil.errors import InputError, ParameterError, UnknownNameError
from textveil.json_text import json_data, json_file
from textveil.mechanisms.kinds import Mechanism
from textveil.types import Progress
from textveil.version import VERSION
from textveil.vocabulary.vocabulary import Vocabulary

_HINT: Final = "Is it what `Release.report()` says?"
_ROUNDING: Final = 1e-5
_SHOWN: Final = 60  # characters of a report's values that a message shows


class ReleaseReport(NamedTuple):
    """Facts of a report on how its releases were drawn."""

    mechanism: str  # its name in the catalog
    parameters: Mapping[str, Any]  # its public parameters, JSON values
    vocabulary: str  # the digest of its words and vectors; empty for a mechanism without words
    fields: tuple[str, ...]  # record fields that were sanitized; none for plain text
    kept: tuple[str, ...]  # record fields that were copied
    release_sha256: str  # of the released file; empty if the release was no file


def read_report(path: Path) -> ReleaseReport:
    """Read the report in a file.

    Raises:
        InputError: it cannot be read, is no report, or is of another version of textveil.
    """
    try:
        data = json_file(path)
    except (OSError, ValueError) as error:
        kind = type(error).__name__
        raise InputError(f"the report must be a readable JSON file; got {kind}. Check its path.") from None
    return report_of(data)


def report_of(data: Any) -> ReleaseReport:
    """Read the report in JSON data: ``Release.report().to_data()``, or a file of it.

    Raises:
        InputError: it is no report, or of another version of textveil.
    """
    if isinstance(data, dict) and isinstance(data.get("policy"), dict):
        name = str(data["policy"].get("name"))[:_SHOWN]
        raise InputError(
            f"the report must be of a release whose words were all drawn; got one of the policy {name}. "
            "Release with a mechanism, or the policy all-words."
        )
    try:
        version, stated, fields = data["textveil"], data["mechanism"], data["fields"]
        digest = data["vocabulary"].get("digest", "")
        sanitized, kept = tuple(map(str, fields["sanitized"])), tuple(map(str, fields["kept"]))
        released = str(data.get("release_sha256", ""))
        report = ReleaseReport(str(stated["name"]), dict(stated["parameters"]), str(digest), sanitized, kept, released)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise InputError(f"the report must say mechanism, vocabulary and fields; this one does not. {_HINT}") from None
    if version != VERSION:
        got = str(version)[:_SHOWN]
        raise InputError(f"the report must be of textveil {VERSION}; got one of {got}. Use the version that released.")
    return report


def rebuilt(
    report: ReleaseReport, vocabulary: Vocabulary, *, prior: str | None = None, progress: Progress | None = None
) -> Mechanism:
    """Rebuild the mechanism of a report, over the vocabulary of its releases.

    Args:
        report: of the releases.
        vocabulary: must have the report's digest.
        prior: file of word counts, if the release used one: reports have only its name.
        progress: called while the mechanism is made.

    Raises:
        InputError: the vocabulary is another one, no installed mechanism has the name, or the mechanism made from the
            parameters reports others.
    """
    if report.vocabulary and report.vocabulary != vocabulary.digest:
        raise InputError(
            f"the report must be of the vocabulary {vocabulary.digest[:16]}; got {report.vocabulary[:16]}. "
            "Give `vocabulary` as it was released with."
        )
    try:
        known = entry(report.mechanism).options()
    except UnknownNameError:
        name = report.mechanism[:_SHOWN]
        raise InputError(
            f"the report must be of a mechanism of the catalog; got {name!r}. Install the package that adds it."
        ) from None
    options = {name: value for name, value in report.parameters.items() if name in known and name != "prior"}
    if prior is not None:
        options["prior"] = prior
    differing: list[str] = []
    for spare in _spare(options):
        try:
            asked = {name: value for name, value in options.items() if name != spare}
            candidate = mechanism(report.mechanism, vocabulary, progress=progress, **asked)
        except ParameterError as error:
            raise InputError(f"the report's parameters must make a mechanism; {error}") from None
        here = json_data(json.dumps(dict(candidate.parameters)))
        names = {*here, *report.parameters}
        mismatched = sorted(name for name in names if not _same(here.get(name), report.parameters.get(name)))
        if not mismatched:
            return candidate
        differing = differing or mismatched
    hint = "Give the file of word counts as `prior`." if "prior" in differing else "Use the data that released."
    raise InputError(
        f"the mechanism must come out as the report says; its {', '.join(differing)[:_SHOWN]} did not. {hint}"
    )


def _spare(options: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the options to leave out, in the order to try: a report may hold two options for the same amount."""
    both = options.get("epsilon") is not None and options.get("epsilon_per_distance") is not None
    return ("epsilon_per_distance", "epsilon") if both else ("",)


def _same(here: Any, there: Any) -> bool:
    if isinstance(here, float) and isinstance(there, float):
        return math.isclose(here, there, rel_tol=_ROUNDING)
    return type(here) is type(there) and here == there
