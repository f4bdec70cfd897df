"""``textveil verify``: whether a receipt belongs to a file and holds; and the options by which releases get one."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from textveil.cli import options as opt
from textveil.errors import InputError, need
from textveil.json_text import json_data
from textveil.pages.messages import plain_row, row
from textveil.whole_files import check_folder, read_or_made_key, write_whole

if TYPE_CHECKING:
    from textveil.receipts import Receipt, Signer
    from textveil.sanitize.release import Report

_RECEIPT = "Receipt"


@dataclass(frozen=True, kw_only=True)
class ReceiptOptions:
    """A signed receipt beside a release."""

    receipt: Path | None = opt.value(
        "R.json",
        "Write a signed receipt of OUT: the guarantee and the digest of what left, for textveil verify.",
        _RECEIPT,
    )
    receipt_key: Path | None = opt.value(
        "FILE", "The file of the receipt's secret key; made, for you alone, where there is none.", _RECEIPT
    )

    def signer(self, output: Path | None, others: Sequence[str | Path | None]) -> Signer | None:
        """Return what signs, before anything is read; None if no receipt is wanted.

        ``others``: what is read and written besides, each of which must be another file.
        """
        together = (self.receipt is None) == (self.receipt_key is None)
        need(together, "receipt", "one without the other", "given together with `receipt_key`")
        if self.receipt is None or self.receipt_key is None:
            return None
        from textveil.receipts import Signer

        there = output is not None and (not output.exists() or output.is_file() or output.is_dir())
        need(there, "receipt", "one", "left out where `output` is no file", "Name a file: a receipt has its digest.")
        paths = [path.resolve() for path in (self.receipt, self.receipt_key)]
        taken = {Path(other).resolve() for other in (*others, output) if other is not None and str(other) != "-"}
        need(len({*paths} - taken) == 2, "receipt", "a file that is named twice", "a file of its own, like its key")
        check_folder(self.receipt)
        return Signer(read_or_made_key(self.receipt_key, "receipt_key"))

    def write(self, signer: Signer | None, report: Report, output: Path | None, *, quiet: bool) -> None:
        """Write the receipt of a release that is complete."""
        from textveil.corpora.inputs import whole_of
        from textveil.receipts import Left

        if signer is None or self.receipt is None or output is None:
            return
        if (whole := whole_of(output)) is None:
            raise InputError("`output` must be readable for its receipt; it is not.")
        left = Left("folder" if output.is_dir() else "file", whole.sha256, whole.bytes)
        write_whole(self.receipt, signer.receipt(report.to_data(), left))
        if not quiet:
            lines = plain_row("receipt", f"{self.receipt}; --key {signer.public}")
            sys.stderr.writelines(line + "\n" for line in lines)


def verify_command(
    receipt: Annotated[Path, typer.Argument(metavar="RECEIPT", help="Signed receipt of a release or a request.")],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What left: the released file or folder.")],
    key: str | None = opt.value(
        "KEY", "Public key that you have from whoever signs: 64 digits. Without it anybody may have signed."
    ),
    as_json: opt.AsJson = False,
    language: opt.Language = None,
) -> None:
    """Check that a receipt is unchanged and belongs to a file, without the private map.

    Exit codes: 0 it holds (without --key only its integrity is shown, and the output says so); 1 the receipt or the
    file was changed, or another key signed it; 2 the key is no public key.
    """
    from textveil.receipts import RECEIPT_BYTES

    try:
        with receipt.open("rb") as stream:
            data = stream.read(RECEIPT_BYTES + 1)
    except OSError as error:
        raise InputError(f"RECEIPT must be a readable file; got {error.strerror or type(error).__name__}.") from None
    told, lines = _CHECKS[_declared(data)](data, file, key)
    opt.show(told, lines, as_json=as_json)


def _declared(data: bytes) -> str:
    try:
        facts = json_data(data)
    except ValueError:
        facts = None
    kind = facts.get("type") if isinstance(facts, dict) else None
    if not isinstance(kind, str) or kind not in _CHECKS:
        known = ", ".join(_CHECKS)
        raise InputError(f"RECEIPT must be JSON whose `type` is one of {known}; it was changed, or is something else.")
    return kind


def _receipt(data: bytes, file: Path, key: str | None) -> tuple[Mapping[str, Any], list[str]]:
    from textveil.corpora.inputs import whole_of
    from textveil.receipts import read_receipt

    receipt, whole = read_receipt(data, key), whole_of(file)
    if whole is None:
        raise InputError("FILE must be a readable file or folder; it is not.")
    if whole != (receipt.left.length, receipt.left.sha256):
        raise InputError("FILE must be what the receipt names, byte for byte; it is another, or was changed since.")
    facts = receipt.facts
    told = {"verified": "integrity and origin" if receipt.trusted else "integrity only", "receipt": facts}
    return told, _lines(receipt)


def _lines(receipt: Receipt) -> list[str]:
    facts = receipt.facts
    policy = "no policy" if facts["policy"] is None else facts["policy"]["name"]
    lines = row("verified", "receipt and file are unchanged")
    if receipt.trusted:
        lines += row("origin", "signed by the key that you gave")
    else:
        lines += row("CHECK", "integrity only, not origin: anybody may have signed it. Give the signer's --key.")
    lines += plain_row("key", facts["key"])
    lines += plain_row("made", _shown(f"{facts['issued_at']}, textveil {facts['textveil']}, {policy}"))
    if not facts["for_release"]:
        lines += row("CHECK", "not for release: its draws came from a seed, or nothing is proved of them")
    return [*lines, *(line for said in facts["statement"] for line in row("states", _shown(said)))]


def _shown(text: str) -> str:
    """Return a text of a receipt for a terminal: whoever signed it may have written what steers one."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)


_CHECKS: Final[Mapping[str, Callable[[bytes, Path, str | None], tuple[Mapping[str, Any], list[str]]]]] = {
    "textveil-receipt-1": _receipt
}
"""Checks of a file, by the ``type`` that the file declares: each returns JSON data, and lines."""
