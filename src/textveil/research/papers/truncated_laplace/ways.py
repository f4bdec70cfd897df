"""The ways in which the study runs the paper's experiments."""

from __future__ import annotations

from enum import Enum


class ExperimentWay(Enum):
    """The three ways in which the paper's experiments are run."""

    TEXT = "as the text says"
    CODE = "as the public code does"
    VALID = "as it would have to be"

    @property
    def short(self) -> str:
        """In names of cells and files."""
        return self.name.lower()
