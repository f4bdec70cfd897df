"""Regular expressions that are compiled when they are first used: to compile all of them takes half a second."""

from __future__ import annotations

import re
from typing import Any, Final, cast, final

_KEPT: Final = ("finditer", "search", "match", "fullmatch", "findall", "sub", "subn", "split", "groupindex", "flags")


@final
class LazyRegex:
    """Stands for a compiled pattern; has its methods as attributes of its own from their first use on."""

    def __init__(self, pattern: str, flags: re.RegexFlag) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        """Compile the pattern."""
        if name not in _KEPT:
            raise AttributeError(name)
        compiled = re.compile(self.pattern, self._flags)
        self.__dict__.update({kept: getattr(compiled, kept) for kept in _KEPT})
        return self.__dict__[name]


def lazy_regex(pattern: str, flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
    """``re.compile(pattern, flags)``, at the first use of what it returns."""
    return cast("re.Pattern[str]", LazyRegex(pattern, flags))
