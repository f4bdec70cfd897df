"""Corpora that a study finds: folders below data/text of $TEXTVEIL_SHARED."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from textveil.environment import SHARED


def found_texts(folders: Sequence[str]) -> Mapping[str, Path]:
    """Return the existing folders of these names; none if $TEXTVEIL_SHARED is unset or empty.

    An item refuses at its start if it needs a missing one; others of the same paper need none.
    """
    root = os.environ.get(SHARED)
    if not root:
        return {}
    text = Path(root) / "data" / "text"
    return {name: text / name for name in folders if (text / name).is_dir()}
