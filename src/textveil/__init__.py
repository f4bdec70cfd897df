"""textveil: text sanitized with word-level differential privacy whose guarantee can be checked.

    import textveil as tv

    vocabulary = tv.load_vocabulary()
    mechanism = tv.mechanism("neighborhood", vocabulary, epsilon=8.0)
    release = tv.Sanitizer(mechanism)("Maria has 2 cats.")
    print(release.text, release.guarantee, release.report().summary())

Names are imported when first used, so that ``import textveil`` stays light.
"""

import re
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

# Before Python 3.11.5 a possessive quantifier matches what it must not (gh-106052): values would be found in part.
if re.match("(?:ab?c)?+", "a").end():  # type: ignore[union-attr]
    raise ImportError(
        f"textveil needs Python 3.11.5 or newer; the regular expressions of {sys.version.split()[0]} fail."
    )

from textveil.version import VERSION as __version__  # noqa: N811

if TYPE_CHECKING:
    from textveil.aggregates.classifier import load_model as load_model
    from textveil.catalog import mechanism as mechanism
    from textveil.detection.detectors import detect as detect
    from textveil.errors import TextveilError as TextveilError
    from textveil.privacy.guarantees import ApproximateDP as ApproximateDP
    from textveil.privacy.guarantees import MetricDP as MetricDP
    from textveil.privacy.guarantees import PureDP as PureDP
    from textveil.privacy.guarantees import Status as Status
    from textveil.randomness import secure_generator as secure_generator
    from textveil.randomness import seeded_generator as seeded_generator
    from textveil.sanitize.explanation import explain as explain
    from textveil.sanitize.policy.choice import policy as policy
    from textveil.sanitize.release import Release as Release
    from textveil.sanitize.sanitizer import Sanitizer as Sanitizer
    from textveil.surrogates.restoring import restore as restore
    from textveil.vocabulary.embedded import load_vocabulary as load_vocabulary
    from textveil.vocabulary.vocabulary import Vocabulary as Vocabulary

_HOMES = {
    "ApproximateDP": "textveil.privacy.guarantees",
    "MetricDP": "textveil.privacy.guarantees",
    "PureDP": "textveil.privacy.guarantees",
    "Release": "textveil.sanitize.release",
    "Sanitizer": "textveil.sanitize.sanitizer",
    "Status": "textveil.privacy.guarantees",
    "TextveilError": "textveil.errors",
    "Vocabulary": "textveil.vocabulary.vocabulary",
    "detect": "textveil.detection.detectors",
    "explain": "textveil.sanitize.explanation",
    "load_model": "textveil.aggregates.classifier",
    "load_vocabulary": "textveil.vocabulary.embedded",
    "mechanism": "textveil.catalog",
    "policy": "textveil.sanitize.policy.choice",
    "restore": "textveil.surrogates.restoring",
    "secure_generator": "textveil.randomness",
    "seeded_generator": "textveil.randomness",
}

_FACE_OF_LAB = ("audit", "decode", "frontier")  # functions of the package textveil-lab
__all__ = ["__version__", *sorted([*_HOMES, *_FACE_OF_LAB])]


def __getattr__(name: str) -> Any:
    """Import a public name from its home on first use."""
    if name in _FACE_OF_LAB:
        value = import_module("textveil.registry.table").lab_function(name)
    elif name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
    else:
        raise AttributeError(f"module 'textveil' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names."""
    return sorted(__all__)
