"""``textveil clean``: secrets and persons out of transcripts, histories and notebooks, in place."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias

import typer

from textveil.cli import options as opt
from textveil.cli.mechanism_options import UNDO
from textveil.environment import cores
from textveil.errors import InputError, OutputError, ParameterError, need
from textveil.json_text import json_file, json_text
from textveil.pages.messages import counted, row, said
from textveil.whole_files import atomic_writers, check_folder, need_new, write_whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from textveil.corpora.cleaning import Cleaner, SearchApart
    from textveil.surrogates.map_file import PrivateMap

_SHOWN: Final = 20  # files that are named on standard error because nobody could read them

_Paths: TypeAlias = Annotated[
    list[Path] | None,
    typer.Argument(metavar="[PATH]...", help="Files, and folders with .jsonl, .ipynb, .md, histories and others."),
]


@dataclass(frozen=True, slots=True)
class _Read:
    """A file as it was read, so that a later change to it is seen."""

    path: Path
    data: bytes
    stat: os.stat_result

    @classmethod
    def of(cls, path: Path) -> _Read:
        """Read a regular file. Raises InputError: it is a link, a pipe or another thing."""
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        if not stat.S_ISREG(path.lstat().st_mode):
            raise InputError("the file must be a regular one; it is a link or another thing. Name the file itself.")
        with os.fdopen(os.open(path, flags), "rb") as stream:
            return cls(path, stream.read(), os.fstat(stream.fileno()))

    def replace(self, data: bytes) -> None:
        """Put other bytes in its place, at once; its mode and its times stay.

        Raises OutputError: something else wrote to it meanwhile.
        """
        with atomic_writers([self.path]) as (stream,):
            stream.write(data)
            if hasattr(os, "fchown"):
                with contextlib.suppress(PermissionError):
                    os.fchown(stream.fileno(), self.stat.st_uid, self.stat.st_gid)
            now, then = self.path.lstat(), self.stat
            if (now.st_size, now.st_mtime_ns, now.st_ino) != (then.st_size, then.st_mtime_ns, then.st_ino):
                raise OutputError("the file must not change meanwhile; it did. Close what writes to it.")
        with contextlib.suppress(OSError):  # programs list their transcripts by time
            os.utime(self.path, ns=(self.stat.st_atime_ns, self.stat.st_mtime_ns))


@opt.grouped
def clean_command(
    *,
    paths: _Paths = None,
    check: bool = opt.switch("Change nothing: print file, line and kind of what is found, and exit with 1."),
    policy: str | None = opt.value(
        "NAME|FILE", "A policy that keeps words, of which all is replaced.  [default: secrets and persons of prompts]"
    ),
    secrets_only: bool = opt.switch("Look for secrets alone, as a hook for commits does."),
    pictures: str = opt.value("DO", "Pictures, which nobody reads: keep them, or remove them.", default="keep"),
    whole: bool = opt.switch("Read files whole, also what an earlier run cleaned."),
    workers: int | None = opt.value("N", "Processes that search.  [default: one for each core]"),
    private_map: Path | None = opt.value("FILE", "Keep the originals in it, encrypted, for --undo.", UNDO),
    map_key: Path | None = opt.value(
        "FILE", "The file of the map's key; made, for you alone, where there is none.", UNDO
    ),
    undo: bool = opt.switch("Put the originals of --map back.", UNDO),
    quiet: opt.Quiet = False,
    language: opt.Language = None,
) -> int:
    """Take secrets and persons out of transcripts, histories and notebooks, in place.

    JSON stays JSON: keys, types, times and ids by which messages name each other stay. A file is replaced at once or
    not at all; one that cannot be read is named, stays as it is, and the exit code is 1.
    """
    need((private_map is None) == (map_key is None), "private_map", "one", "given with `map_key`")
    if undo:
        if private_map is None or map_key is None or paths:
            raise ParameterError("--undo takes --map and --map-key, and no PATH: the map knows its files.")
        return _undone(private_map, map_key, quiet=quiet)
    need(bool(paths), "PATH", "none", "a file or a folder")
    need(pictures in ("keep", "remove"), "pictures", pictures, "keep or remove")
    need(not (check and private_map), "private_map", "one", "left out with `check`")
    cleaned = CleanedFiles(*_sorts(policy, secrets_only, pictures), whole=whole)
    cleaner, search = _cleaner(policy, workers, secrets_only=secrets_only)
    try:
        run = _Run(cleaner, cleaned, blank=pictures == "remove")
        files, left = _files(paths or [])
        if check:
            run.check(files)
        else:
            run.clean(files, private_map, map_key)
    finally:
        search.close()
        cleaned.save()
    run.tell(left, check=check, quiet=quiet)
    return 1 if run.unread or (check and run.found) else 0


def _sorts(policy: str | None, secrets_only: bool, pictures: str) -> list[str]:
    """Return what is looked for, and what covers that."""
    kinds = ["secrets", "persons"] if secrets_only else ["persons"]
    if policy:
        from textveil.sanitize.policy.choice import policy as policy_named

        said = json.dumps(policy_named(policy).to_data(), sort_keys=True, default=str)
        kinds = [hashlib.sha256(said.encode()).hexdigest()]
    both = ["", " and pictures"] if pictures == "keep" else [" and pictures"]
    return [f"{kind}{more}" for kind in kinds for more in both]


def _cleaner(policy: str | None, workers: int | None, *, secrets_only: bool) -> tuple[Cleaner, SearchApart]:
    from textveil.corpora.cleaning import PERSONS, SECRETS, Cleaner, SearchApart, checked_policy
    from textveil.sanitize.policy.choice import policy as policy_named

    need(workers is None or workers > 0, "workers", workers, "at least 1")
    need(policy is None or not secrets_only, "policy", "one", "left out with `secrets_only`")
    chosen = checked_policy(policy_named(policy or "prompts"))
    kinds = None if policy else SECRETS if secrets_only else (*SECRETS, *PERSONS)
    search = SearchApart(chosen, workers or cores())
    return Cleaner(chosen, kinds, search), search


_HIDDEN: Final = frozenset((".aider", ".claude", ".codex", ".continue", ".cursor", ".gemini", ".ipynb_checkpoints"))
"""Hidden folders that are read: others hold programs, and what they make."""


def _files(paths: Sequence[Path]) -> tuple[list[Path], Counter[str]]:
    """Return the files, and how many files and folders within folders are not read."""
    from textveil.corpora.transcripts import is_read

    files: dict[Path, None] = {}
    left: Counter[str] = Counter()
    for path in paths:
        if not path.is_dir():
            files[path] = None
            continue
        for folder, folders, names in os.walk(path, onerror=lambda _: left.update(["folder"])):
            here = [each for name in sorted(names) if (each := Path(folder, name)).name != LIST]
            links = [each for each in (*here, *(Path(folder, name) for name in folders)) if each.is_symlink()]
            hidden = [name for name in folders if name.startswith(".") and name not in _HIDDEN]
            folders[:] = sorted(set(folders) - set(hidden))
            regular = [each for each in here if not each.is_symlink()]
            taken = [each for each in regular if is_read(each) and each.is_file()]
            others = len(regular) - len(taken)
            left.update({"hidden folder": len(hidden), "file": others, "link": len(links)})
            files |= dict.fromkeys(taken)
    return list(files), left


def _shown(path: object) -> str:
    """Return a path for a terminal: what moves its cursor is escaped."""
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in str(path))


class _Run:
    def __init__(self, cleaner: Cleaner, cleaned: CleanedFiles, *, blank: bool) -> None:
        self._cleaner, self._cleaned, self._blank = cleaner, cleaned, blank
        self.found: Counter[str] = Counter()
        self.files = self.changed = self.pictures = self.linked = 0
        self.unread: list[tuple[Path, str]] = []

    def check(self, files: Iterable[Path]) -> None:
        for path in files:
            for line, kind in self._of(path, draws=False)[1]:
                sys.stdout.write(f"{_shown(path)}:{line}: {kind}\n")

    def clean(self, files: Iterable[Path], private_map: Path | None, map_key: Path | None) -> None:
        if private_map is None or map_key is None:
            for path in files:
                read, _, data = self._of(path)
                self._replace(read, data)
            return
        need_new(private_map, "private_map")
        check_folder(private_map)
        read_files = [(read, data) for path in files for read, _, data in [self._of(path)]]
        changes = [(read, data) for read, data in read_files if read is not None and data not in (None, read.data)]
        _keep(private_map, map_key, [(read.path, read.data, data) for read, data in changes if data is not None])
        for read, data in read_files:
            self._replace(read, data)

    def _of(self, path: Path, *, draws: bool = True) -> tuple[_Read | None, list[tuple[int, str]], bytes | None]:
        from textveil.corpora.cleaning import Memory, findings
        from textveil.corpora.transcripts import transcript_of

        try:
            read = _Read.of(path)
            start = self._cleaned.start(path, read.data)
            line = 1 + read.data.count(b"\n", 0, start)
            transcript = transcript_of(path.name, read.data[start:], blank=self._blank, line=line)
            memory = Memory()
            found = self._cleaner.found(transcript, memory)
            data = None
            if draws:
                data = read.data[:start] + transcript.joined(self._cleaner.released(transcript, found, memory))
        except InputError as error:
            self.unread.append((path, str(error)))
            return None, [], None
        except OSError as error:
            self.unread.append((path, f"the file must be readable: {error.strerror or type(error).__name__}."))
            return None, [], None
        self.files += 1
        self.pictures += len(transcript.pictures)
        told = [(line, kind) for line, kind in findings(transcript, found)]
        self.found.update(span.kind for spans in found.values() for span in spans)
        return read, told, data

    def _replace(self, read: _Read | None, data: bytes | None) -> None:
        if read is None or data is None:
            return
        try:
            if data != read.data:
                read.replace(data)
                self.changed += 1
                self.linked += read.stat.st_nlink > 1
            self._cleaned.note(read.path, data)
        except OSError as error:
            self.unread.append((read.path, str(error)))

    def tell(self, left: Counter[str], *, check: bool, quiet: bool) -> None:
        lines = []
        if not quiet:
            kinds = ", ".join(counted(count, kind) for kind, count in self.found.most_common()) or "nothing found"
            if check:
                lines += row("checked", f"{counted(self.files, 'file')}, {kinds}")
            else:
                lines += row("cleaned", f"{counted(self.files, 'file')}, {self.changed:,} changed, {kinds}")
        if self.pictures and not (self._blank and not check):
            lines += row("", f"{counted(self.pictures, 'picture')} not read: --pictures remove")
        if left["file"]:
            lines += row("", f"{counted(left['file'], 'file')} of other forms not read")
        for what in ("folder", "hidden folder", "link"):
            if left[what]:
                lines += row("", f"{counted(left[what], what)} not read")
        if self.linked and not check:
            lines += row("", f"{counted(self.linked, 'file')} had other names, which keep the original (hard links)")
        for path, why in self.unread[:_SHOWN]:
            lines.append(f"textveil: {_shown(path)}: {said(why)}")
        if len(self.unread) > _SHOWN:
            lines += row("", f"{counted(len(self.unread) - _SHOWN, 'more file')} not read")
        sys.stderr.writelines(line + "\n" for line in lines)


_ABOUT: Final = "clean"


def _keep(path: Path, key: Path, files: Sequence[tuple[Path, bytes, bytes]]) -> None:
    """Keep the originals of files, encrypted."""
    from textveil.surrogates.map_file import MapCipher, PrivateMap, Replaced, begun, block, ended, read_or_made_key

    cipher = MapCipher.new(read_or_made_key(key))
    with atomic_writers([path], private=[path]) as (stream,):
        stream.write(begun(cipher, {_ABOUT: [str(each.resolve()) for each, _, _ in files]}))
        for number, (_, data, cleaned) in enumerate(files):
            original, released = (part.decode("utf-8", "surrogateescape") for part in (data, cleaned))
            whole = PrivateMap(released=released, replaced=(Replaced(0, len(released), original, ""),))
            stream.write(block(cipher, number, [(whole,)]))
        stream.write(ended(cipher, len(files), len(files)))


def _undone(path: Path, key: Path, *, quiet: bool) -> int:
    from textveil.surrogates.map_file import MapFile, read_key

    maps = MapFile(path, read_key(key))
    if _ABOUT not in maps.about:
        raise InputError("the private map must be one of textveil clean; it is of a release. Use textveil restore.")
    back, faults, cleaned = 0, [], CleanedFiles()
    for name, (whole,) in zip(maps.about[_ABOUT], maps.documents(), strict=True):
        try:
            read = _Read.of(Path(name))
            read.replace(_original(read.data, whole))
            cleaned.forget(read.path)
            back += 1
        except (InputError, OSError) as error:
            reason = str(error) if isinstance(error, InputError | OutputError) else error.strerror
            faults.append(f"textveil: {_shown(name)}: {said(str(reason))}\n")
    cleaned.save()
    if not quiet:
        sys.stderr.writelines(line + "\n" for line in row("restored", f"{counted(back, 'file')}"))
    sys.stderr.writelines(faults)
    return 1 if faults else 0


def _original(data: bytes, whole: PrivateMap) -> bytes:
    """Return the original of a file, with what was written behind it since."""
    released, original = (text.encode("utf-8", "surrogateescape") for text in (whole.released, whole.original()))
    if not data.startswith(released):
        raise InputError("the file must be as it was cleaned, or longer; it was changed. Nothing was put back.")
    return original + data[len(released) :]


LIST: Final = ".textveil-cleaned.json"
"""The name of the list."""

_GROWS_NOT: Final = (".json", ".ipynb")


class CleanedFiles:
    """The lists of folders, so that surrogates are not taken for values again.

    A list says of each file how many bytes it had when it was cleaned, with their SHA-256. Both are as public as the
    file. It is no signature: whoever can write it can have a file passed over.

    ``sorts``: what was looked for, then what covers that: a file that was cleaned of one of them is clean; ``whole``:
    whether files are read whole, whatever the lists say.
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
        self._set(path, None)

    def save(self) -> None:
        """Write the lists that changed. Raises OutputError: a folder cannot be written."""
        for folder in sorted(self._changed):
            write_whole(folder / LIST, json_text(self._lists[folder], sort_keys=True).encode())
        self._changed.clear()

    def _of(self, path: Path) -> dict[str, Any]:
        if (folder := path.parent) not in self._lists:
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
