"""How long work tells what is done."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

Progress: TypeAlias = Callable[[int, int | None], None]
"""Called with what is done and the whole, None where that is unknown.

Both count bytes of the file where one is read, and blocks or rows where something is computed.
"""
