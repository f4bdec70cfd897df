"""What an earlier run cleaned: a list in each folder, so that surrogates are not taken for values again.

The list says of each file how many bytes it had when it was cleaned, with their SHA-256. Both are as public as the
file. It is no signature: whoever can write it can have a file passed over.
"""

import hashlib
from pathlib import Path
from typing import Any, Final

from textveil.json_text import json_file, json_text
from textveil.whole_files import write_whole

LIST: Final = ".textveil-cleaned.json"
"""The name of the list."""

_GROWS_NOT: Final = (".json", ".ipynb")


class CleanedFiles:
    """The lists of folders.

    Args:
        sorts: what was looked for, then what covers that: a file that was cleaned of one of them is clean.
        whole: whether files are read whole, whatever the lists say.
    """

    def __init__(self, *sorts: str, whole: bool = False) -> None:
        self._sort, self._covering, self._whole = "".join(sorts[:1]), sorts, whole
        self._lists: dict[Path, dict[str, Any]] = {}
        self._changed: set[Path] = set()

    def start(self, path: Path, data: bytes) -> int:
        """Return how many first bytes of a file are as they were cleaned, up to the end of a line; else 0."""
        entry = self._of(path).get(path.name)
        if self._whole or not isinstance(entry, dict) or entry.get("sort") not in self._covering:
            return 0
        size = entry.get("bytes")
        if not isinstance(size, int) or not 0 < size <= len(data) or _digest(data[:size]) != entry.get("sha256"):
            return 0
        if size == len(data):
            return size
        return 0 if path.suffix.lower() in _GROWS_NOT else data.rfind(b"\n", 0, size) + 1

    def note(self, path: Path, data: bytes) -> None:
        """Note a file as it is now clean."""
        if self.start(path, data) < len(data) or not data:
            self._set(path, {"bytes": len(data), "sha256": _digest(data), "sort": self._sort})

    def forget(self, path: Path) -> None:
        """Forget a file."""
        self._set(path, None)

    def save(self) -> None:
        """Write the lists that changed. Raises OutputError: a folder cannot be written."""
        for folder in sorted(self._changed):
            write_whole(folder / LIST, json_text(self._lists[folder], sort_keys=True).encode())
        self._changed.clear()

    def _of(self, path: Path) -> dict[str, Any]:
        folder = path.parent
        if folder not in self._lists:
            try:
                data = json_file(folder / LIST)
            except (OSError, ValueError):
                data = {}
            self._lists[folder] = data if isinstance(data, dict) else {}
        return self._lists[folder]

    def _set(self, path: Path, entry: dict[str, Any] | None) -> None:
        entries = self._of(path)
        if entries.get(path.name) != entry:
            self._changed.add(path.parent)
            entries.pop(path.name, None)
            if entry is not None:
                entries[path.name] = entry


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
