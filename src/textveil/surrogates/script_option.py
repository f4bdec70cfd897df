"""The option ``script`` of places and organizations: values in other scripts are drawn in theirs (``scripts``)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from textveil.registry.options import Option, named
from textveil.surrogates.drawn import Draw, Drawn
from textveil.surrogates.scopes import Scope
from textveil.surrogates.surrogate import Mention
from textveil.surrogates.writing import OTHER_SCRIPT, SCRIPT_FACTS

SCRIPT: Final = Option(
    domain=named("drawn", "kept"),
    help="kept: a value in Cyrillic, Arabic, Chinese, Japanese or Korean letters gets one in the same; which "
    "they are, is public then.",
    metavar="NAME",
)


def with_script(drawn: Drawn, script: str) -> Drawn:
    """Return a surrogate of places or organizations with this option; its rules load where such letters stand."""
    other = drawn.of_mentions
    parameters = {**drawn.parameters, "script": script}
    if script != "kept" or other is None:
        return replace(drawn, parameters=parameters)

    def of_mentions(mentions: Sequence[Mention], ages: Sequence[str]) -> Draw:
        elsewhere = other(mentions, ages)
        turkish = drawn.name == "place" and bool(mentions) and mentions[0].page.language == "tr"
        if not turkish and not any(OTHER_SCRIPT.search(mention.value) for mention in mentions):
            return elsewhere
        from textveil.surrogates import scripts

        japanese = scripts.is_japanese(mentions)
        own = scripts.place if drawn.name == "place" else scripts.organization

        def surrogate_of(value: str, scope: Scope, rng: np.random.Generator) -> str | None:
            language = scripts.script_of(value, japanese=japanese)
            language = language or ("tr" if turkish and scripts.TURKISH_STREET.search(value) else "")
            return own(value, language, scope, rng) if language else elsewhere(value, scope, rng)

        return surrogate_of

    public = (*drawn.public, SCRIPT_FACTS)
    return replace(drawn, parameters=parameters, of_mentions=of_mentions, public=public, entries=None)
