"""A run that is paid for from a ledger of budgets: everything is counted first, and taken before anything is drawn.

The inputs are read twice: once to count what each person's texts will cost, once to release them; what changed in
between is not released. All of it is taken in one transaction, or none. A job remembers what it has paid for, so one
that goes on pays again only if its input has changed; its draws are the same ones, which cost nothing more.
"""

import contextlib
import hashlib
import io
import json
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Final

from textveil.budget.account import Account
from textveil.budget.standing import Charged
from textveil.corpora.block_worker import BlockWorker, Engine
from textveil.corpora.blocks import Block
from textveil.corpora.inputs import Inputs
from textveil.corpora.job_ledger import JobFolder, JobReceipt
from textveil.errors import InputError, ParameterError
from textveil.privacy.accountant import Accountant
from textveil.sanitize.costs import Counts, added, trimmed
from textveil.sanitize.setting import Setting


@dataclass(frozen=True, slots=True)
class Payer:
    """The ledger and accounts that pay for a run."""

    ledger: str
    tenant: str = field(default="local", repr=False)
    # the person whose texts these are; None if a column of the records names persons, or nobody does
    unit: str | None = field(default=None, repr=False)
    # remembers a release of a corpus that is paid for until it is written; None remembers none. A job of ``sanitize``
    # has a folder of its own
    folder: JobFolder | None = field(default=None, repr=False)
    # where runs left those whom they were charged to: for the payer alone, the last one at the end
    charged: list[Charged] = field(default_factory=list, repr=False, compare=False)
    anew: bool = False  # whether a release of other records or settings that it remembers is forgotten, not kept

    def note(self, charged: Charged | None) -> None:
        """Note whom a run was charged to, if anybody."""
        self.charged.extend([] if charged is None else [charged])

    def account(self, name: bytes | None) -> Account:
        """The account of a person whom records name; None is the payer itself."""
        return Account(self.tenant, self.unit if name is None else name.decode("utf-8", "surrogatepass"))


@contextlib.contextmanager
def paid(
    payer: Payer | None,
    worker: BlockWorker,
    engine: Engine,
    inputs: Inputs,
    setting: Setting,
    folder: JobFolder | None = None,
) -> Iterator[Callable[[Iterator[Block]], Iterator[Block]]]:
    """Take what a run will cost; note at the end of the block that it was drawn.

    Gives what the block calls before it draws, with what it is about to draw: if it fails earlier, what it took now is
    taken back. It returns the same, and raises InputError at the first one that was not counted.

    Args:
        payer: None pays nothing.
        inputs: of the run; they are read from the start, and can be again.
        folder: of the job; remembers what was paid.

    Raises:
        BudgetExhausted: a person's budget does not reach; nothing was taken from anybody.
        LedgerError: the ledger fails.
        InputError: a record cannot be read and the run is to stop; an input can be read once only.
    """
    if payer is None:
        yield lambda blocks: blocks
        return
    from textveil.budget.ledger import (
        Ledger,
        paying,  # needs the extra
    )

    with _read_again(inputs.inputs) as rewound, Ledger(payer.ledger) as ledger:
        counts, chains = _counted(worker, engine, inputs, setting)
        costs = [(payer.account(name), _cost(setting, counts[name])) for name in sorted(counts, key=_by_name)]
        rewound()
        receipt = None if folder is None else JobReceipt(folder, _digest(worker.secret, counts, chains))
        with paying(ledger, costs, receipt) as drawing:
            payer.note(drawing.charged)

            def begun(blocks: Iterator[Block]) -> Iterator[Block]:
                drawing.begin()
                return _unchanged(blocks, chains)

            yield begun


_DIGEST_BYTES: Final = 32  # of ``Block.chain``


def _unchanged(blocks: Iterator[Block], chains: bytes) -> Iterator[Block]:
    for block in blocks:
        place = _DIGEST_BYTES * block.number
        if bytes.fromhex(block.chain) != chains[place : place + _DIGEST_BYTES]:
            raise InputError("the input must stay the same while it is read; it changed after it was paid for.")
        yield block


def _by_name(name: bytes | None) -> bytes:
    return b"" if name is None else b"=" + name


def _counted(
    worker: BlockWorker, engine: Engine, inputs: Inputs, setting: Setting
) -> tuple[Mapping[bytes | None, Counts], bytes]:
    """Return the counts of each person, and the digests of the blocks."""
    counting = replace(worker, counts_only=True, cipher=None)
    by_person: dict[bytes | None, Counts] = {}
    chains = bytearray()

    def noted() -> Iterator[Block]:
        for block in inputs.blocks():
            chains.extend(bytes.fromhex(block.chain))
            yield block

    for outcome in engine.outcomes(counting, noted()):
        if outcome.skipped and worker.on_error == "stop":
            raise InputError(outcome.skipped[0].reason)
        if worker.columns.unit is None:
            own = trimmed(outcome.tally.kinds, setting.counted)
            by_person[None] = added(by_person.get(None, ()), own)
        for name, counts in outcome.persons.items():
            who = name.removeprefix(b"=") if name else None
            by_person[who] = added(by_person.get(who, ()), counts)
    return by_person, bytes(chains)


def _cost(setting: Setting, counts: Counts) -> Accountant:
    return setting.accountant(dict(zip(setting.counted, counts, strict=False)))


@contextlib.contextmanager
def _read_again(names: Sequence[str]) -> Iterator[Callable[[], object]]:
    """Standard input, if it is an input, as a file that is read twice; gives what puts it back to its start."""
    for number, name in enumerate(names, start=1):
        if name != "-" and not stat.S_ISREG(Path(name).stat().st_mode):
            raise ParameterError(f"`ledger` needs inputs that can be read twice; input {number} is no regular file.")
    if "-" not in names:
        yield lambda: None
        return
    before = sys.stdin
    with tempfile.TemporaryFile() as held:  # without a name, and nobody else's
        shutil.copyfileobj(before.buffer, held)
        held.seek(0)
        sys.stdin = io.TextIOWrapper(held)
        try:
            yield partial(held.seek, 0)
        finally:
            sys.stdin.detach()
            sys.stdin = before


def _digest(secret: bytes, counts: Mapping[bytes | None, Counts], chains: bytes) -> str:
    mixed = hashlib.blake2b(chains, key=secret, digest_size=32, person=b"textveil paid")
    for name in sorted(counts, key=_by_name):
        mixed.update(json.dumps([_by_name(name).hex(), counts[name]]).encode("ascii"))
    return mixed.hexdigest()
