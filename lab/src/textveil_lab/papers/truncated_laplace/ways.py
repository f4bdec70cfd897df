"""The ways in which the study runs the paper's experiments."""

from enum import Enum
from typing import Final

VALID_DELTA: Final = 1e-5  # Of the valid forms of what the paper compares, where they need one


class ExperimentWay(Enum):
    """The three ways in which the paper's experiments are run."""

    TEXT = "as the text says"
    CODE = "as the public code does"
    VALID = "as it would have to be"

    @property
    def short(self) -> str:
        """In names of cells and files."""
        return self.name.lower()
