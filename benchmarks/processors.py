"""The ratios of ``run.py`` as other processors compute: one table, a row a measurement, a column a processor.

    python benchmarks/processors.py [NAME ...] [--data FOLDER] [--json FILE]

Libraries are capped by the variables that they read: AVX2 without VNNI (Haswell), SSE4 (Nehalem, 2008), no torch at
all; each with one thread and with two. A cap above what this machine has changes nothing. NAME is a part of ``run.py``
[default: nearest-word new-rows, a few minutes].
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import measure  # noqa: F401  (takes --data, for the processes that are started here)
from numpy._core import _multiarray_umath as loops  # type: ignore[attr-defined]

_TORCH_AVX2: Final = {"ONEDNN_MAX_CPU_ISA": "AVX2", "ATEN_CPU_CAPABILITY": "avx2"}
_TORCH_OLD: Final = {"ONEDNN_MAX_CPU_ISA": "SSE41", "ATEN_CPU_CAPABILITY": "default"}


def numpy_without(*features: str) -> dict[str, str]:
    """NumPy without the loops for features of these beginnings, of those that it would use here."""
    used = (name for name in loops.__cpu_dispatch__ if name.startswith(features) and loops.__cpu_features__[name])
    return {"NPY_DISABLE_CPU_FEATURES": " ".join(used)}


CAPS: Final[Mapping[str, Mapping[str, str]]] = {
    "this machine": {},
    "torch AVX2": _TORCH_AVX2,
    "torch old": _TORCH_OLD,
    "OpenBLAS Haswell": {"OPENBLAS_CORETYPE": "Haswell"},
    "all AVX2": {**_TORCH_AVX2, "OPENBLAS_CORETYPE": "Haswell", **numpy_without("AVX512", "X86_V4")},
    "all SSE": {**_TORCH_OLD, "OPENBLAS_CORETYPE": "Nehalem", **numpy_without("")},
    "no torch": {},
}

_THREADS: Final = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")

_SHARED_CORES: Final = {"OMP_WAIT_POLICY": "passive", "OPENBLAS_THREAD_TIMEOUT": "4"}
"""A thread that waits gives its core away: else other work on the machine decides the ratios of two threads."""

_WITHOUT_TORCH: Final = 'raise ImportError("torch is left out here", name="torch")\n'


def ratios(parts: list[str], cap: str, threads: int) -> dict[str, float]:
    """The ratio of every measurement of these parts, by what is measured."""
    with tempfile.TemporaryDirectory() as folder:
        numbers = Path(folder) / "numbers.json"
        environment = {**os.environ, **_SHARED_CORES, **CAPS[cap], **dict.fromkeys(_THREADS, str(threads))}
        environment["TEXTVEIL_CACHE"] = folder  # a trial of kernels that was kept is of another processor
        if cap == "no torch":
            (Path(folder) / "torch.py").write_text(_WITHOUT_TORCH)
            environment["PYTHONPATH"] = os.pathsep.join([folder, environment.get("PYTHONPATH", "")])
        command = [sys.executable, str(Path(__file__).with_name("run.py")), *parts, "--json", str(numbers)]
        subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
        rows = json.loads(numbers.read_text(encoding="utf-8"))["rows"]
    return {row["what"]: row["speedup"] for row in rows if "speedup" in row}


def table(columns: Mapping[str, Mapping[str, float]]) -> str:
    """Markdown: what was measured, and how many times as fast as the other it is, by column."""
    whats = list(dict.fromkeys(what for found in columns.values() for what in found))
    lines = ["| measured | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]
    for what in whats:
        cells = [f"{found[what]:.2f}" if what in found else "" for found in columns.values()]
        lines.append(f"| {what} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    """Run the parts under every cap; print the table as columns come, and the whole at the end."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", default=["nearest-word", "new-rows"])
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--caps", nargs="+", choices=list(CAPS), default=list(CAPS))
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    columns: dict[str, Mapping[str, float]] = {}
    for cap in options.caps:
        for threads in options.threads:
            name = f"{cap}, {threads}"
            columns[name] = ratios(options.names, cap, threads)
            print(name, *(f"{value:.2f}" for value in columns[name].values()), file=sys.stderr, flush=True)
    print(table(columns))
    if options.json:
        options.json.write_text(json.dumps(columns, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
