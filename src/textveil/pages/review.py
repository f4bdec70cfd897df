"""A page on which a person reads originals beside their releases, and corrects what was found: private, like both."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from markupsafe import Markup

from textveil.pages.rendering import STYLE, rendered


def review_page(documents: Sequence[tuple[str, str]], policy: Mapping[str, Any]) -> str:
    """Return the page, which asks nothing of a network.

    Args:
        documents: each original with its release.
        policy: which the marks extend (``sanitize.policy.corrections``).
    """
    folder = files("textveil.pages")
    script = "".join(folder.joinpath(name).read_text(encoding="utf-8") for name in ("corrections.js", "review.js"))
    return rendered(
        "review.html",
        title="Review of a release",
        documents=len(documents),
        data={"documents": documents, "policy": policy},
        script=Markup(script),
        digests={"style": _digest(STYLE), "script": _digest(script)},
    )


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}"
