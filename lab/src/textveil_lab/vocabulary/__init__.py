"""Geometry, metrics and clusters of public vocabularies, and tables of the embedded one."""

from pathlib import Path
from typing import Final

DATA: Final = Path(__file__).parent / "data"
