"""What this processor can do, for tests that force a numerical library's kernels."""

from pathlib import Path

import pytest

_NEEDS = {"Haswell": "avx2", "SkylakeX": "avx512f"}
"""OpenBLAS's kernels, and the instructions without which they die of SIGILL, as Linux names them."""


def needs_kernel(kernel: str) -> None:
    """Skip the test where this processor does not list the instructions of OpenBLAS's ``kernel``."""
    flag = _NEEDS.get(kernel)
    described = Path("/proc/cpuinfo")
    if flag is not None and not (described.exists() and flag in described.read_text().split()):
        pytest.skip(f"OpenBLAS's {kernel} kernels need {flag}, which this processor does not list")
