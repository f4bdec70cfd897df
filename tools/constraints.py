"""Renews .ci/constraints.txt: the versions of all packages that CI installs beside textveil.

    python tools/constraints.py

It makes a fresh environment with every extra, and writes down what pip chose.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / ".ci" / "constraints.txt"


def versions(environment: Path) -> list[str]:
    """``name==version`` of every package that the extras bring into a fresh environment."""
    python = environment / "bin" / "python"
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--upgrade", "pip"], check=True)
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--editable", f"{ROOT}[dev,docs,full]"], check=True)
    frozen = subprocess.run(
        [python, "-m", "pip", "list", "--format", "freeze", "--exclude-editable", "--exclude", "pip"],
        check=True,
        capture_output=True,
        text=True,
    )
    return [line.partition("+")[0] for line in frozen.stdout.splitlines()]  # a build's label is the machine's


def main() -> None:
    """Write the file."""
    with tempfile.TemporaryDirectory() as folder:
        lines = versions(Path(folder) / "environment")
    TARGET.write_text("# Made by tools/constraints.py\n" + "".join(f"{line}\n" for line in lines), encoding="utf-8")
    print(f"{len(lines)} versions in {TARGET.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
