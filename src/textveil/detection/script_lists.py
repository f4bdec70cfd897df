"""Public lists of names in other scripts: ``tools/build_script_lists.py`` makes one file for a language."""

from __future__ import annotations

import lzma
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final

FOLDER: Final = Path(__file__).parent / "data" / "scripts"


@cache
def sections(language: str) -> Mapping[str, frozenset[str]]:
    """Return the lists of a language by name: ``given``, ``family``, ``place``, ``ordinary``."""
    lists: dict[str, set[str]] = {}
    for line in lzma.decompress((FOLDER / f"{language}.txt.xz").read_bytes()).decode("utf-8").splitlines():
        if line.startswith("["):
            words = lists[line[1:-1]] = set()
        else:
            words.add(line)
    return MappingProxyType({name: frozenset(words) for name, words in lists.items()})


def listed(language: str, section: str) -> frozenset[str]:
    """Return one list of a language."""
    return sections(language)[section]
