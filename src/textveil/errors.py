"""Every error that textveil raises on purpose.

    TextveilError
    ├── ParameterError        (also ValueError)   an argument is outside its domain
    │   └── UnknownNameError                       no such mechanism, format or option
    ├── MissingExtra          (also ImportError)  an optional package is not installed
    ├── VocabularyError       (also ValueError)   a vocabulary cannot be read or is not valid
    ├── ModelError            (also ValueError)   a language model cannot be read or does not fit
    │   └── WrongModel        (also ParameterError) the folder that was given holds no model of the kind asked for
    ├── EndpointError         (also OSError)      a service did not answer, or not as it was asked to
    ├── InputError            (also ValueError)   a document or record cannot be read
    │   ├── Interrupted       (audit.sampled)     foreign code failed midway; keeps the evidence so far
    │   └── SlowText                               documents take longer to be read than they may
    ├── OutputError           (also OSError)      a result cannot be written
    ├── LedgerError                               a ledger of budgets cannot be read or written
    ├── BudgetExhausted       (also ValueError)   a release would cost more than is left of a budget
    ├── UnsupportedGuarantee  (also TypeError)    no rule converts or composes these guarantees
    ├── RefutedGuarantee      (also ValueError)   the mechanism's claim is known to be false
    ├── RandomnessError       (also TypeError)    randomness would be copied or reused
    └── InternalError         (also RuntimeError) a check of textveil on itself failed; nothing is released

A message is one line: what, wanted, got, what to do next. It never holds input text. It names parameters of this
library as they are spelled in Python, between backticks if they are not its first word: Raise `max_document_bytes`.
Try `workers=1`. The command line puts its own spelling in their places.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Final, NamedTuple


class TextveilError(Exception):
    """Base of every deliberate error; its text is safe to print and to log."""


class ParameterError(TextveilError, ValueError):
    """An argument is outside its domain."""

    parameter: str = ""  # the argument with whose name the message begins; empty where it begins otherwise


class UnknownNameError(ParameterError):
    """A name that no catalog knows."""


class MissingExtra(TextveilError, ImportError):
    """An optional package is not installed; says how to install it.

    The command adds an extra to the textveil that is installed, be that from a clone or a registry: pip takes it as it
    is, and looks for no other. As the context of an import it is raised if that fails.
    """

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"`{package}` is not installed. Run: pip install 'textveil[{extra}]'")

    def __enter__(self) -> None:
        """Begin an import."""

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, ImportError):
            raise self from None


class MissingLab(TextveilError, ImportError):
    """The package textveil-lab is needed and not installed; says how to install it."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"{what} needs the package textveil-lab. In a clone of textveil, run: python -m pip install ./lab"
        )


class VocabularyError(TextveilError, ValueError):
    """A vocabulary cannot be read, or does not hold what a vocabulary must hold."""


class ModelError(TextveilError, ValueError):
    """A language model cannot be read, is not sound, or is of another vocabulary."""


class WrongModel(ModelError, ParameterError):
    """A folder that was given holds no model, or none of the kind that is asked for: another folder is the remedy."""


class EndpointError(TextveilError, OSError):
    """A service did not answer, or not as it was asked to; its answer is not in the message."""

    answered: bool = True  # whether it answered at all


class InputError(TextveilError, ValueError):
    """A document or a record cannot be read; names its number, never its content."""


class SlowText(InputError):
    """Documents take longer to be read than whoever reads them allows."""


class OutputError(TextveilError, OSError):
    """A result cannot be written; nothing stands under its name."""


class LedgerError(TextveilError):
    """A ledger of budgets cannot be read or written, so nothing is released; names no account."""


class Amount(NamedTuple):
    """An amount of privacy loss."""

    epsilon: float  # nats
    delta: float = 0.0  # a probability


class BudgetExhausted(TextveilError, ValueError):
    """A release would cost more than is left of a budget; nothing was drawn and nothing was taken.

    Attributes:
        remaining: what is left, rounded down.
        needed: what the release would cost, rounded up.
        scope: whose budget it is: "person", "key", "tenant".
        renews: when the budget is renewed, where the release then fits; None if waiting does not help.
    """

    def __init__(
        self, message: str, *, remaining: Amount, needed: Amount, scope: str, renews: datetime | None = None
    ) -> None:
        super().__init__(message)
        self.remaining = remaining
        self.needed = needed
        self.scope = scope
        self.renews = renews

    def told_with(self, more: str) -> BudgetExhausted:
        """The same error with another sentence."""
        return BudgetExhausted(
            f"{self} {more}", remaining=self.remaining, needed=self.needed, scope=self.scope, renews=self.renews
        )


class UnsupportedGuarantee(TextveilError, TypeError):
    """No rule converts or composes these guarantees."""


class RefutedGuarantee(TextveilError, ValueError):
    """The mechanism's claimed guarantee is known to be false."""


class RandomnessError(TextveilError, TypeError):
    """Random state would be copied, pickled or reused."""


class InternalError(TextveilError, RuntimeError):
    """A check of textveil on itself failed: a release would hold what it must not, so nothing is released."""


_OURS: Final = sys.stdlib_module_names | {"textveil", "textveil_lab"}


def is_ours(error: BaseException) -> bool:
    """Tell whether none but textveil's and Python's code has a part in an error: another's may quote a private text."""
    step = error.__traceback__
    while step and str(step.tb_frame.f_globals.get("__name__")).partition(".")[0] in _OURS:
        step = step.tb_next
    return step is None


@contextmanager
def told_by_type(what: str) -> Iterator[None]:
    """Tell errors of other packages' code by their type alone.

    ``what``: was wanted, as "detector NAME must return spans". Raises InputError in place of such an error, and of an
    exit; TextveilError in place of another of textveil's own, which is not about the text alone.
    """
    try:
        yield
    except (Exception, SystemExit) as error:
        if is_ours(error):
            raise
        about_text = isinstance(error, InputError) or not isinstance(error, TextveilError)
        kind, told = type(error).__name__, InputError if about_text else TextveilError
    else:
        return
    raise told(f"{what}; got {kind}. Correct its code.") from None


def need(
    condition: bool,
    name: str,
    value: object,
    wanted: str,
    hint: str = "",
    *,
    kind: type[ParameterError] = ParameterError,
) -> None:
    """Raise ``ParameterError`` unless ``condition`` holds.

    Args:
        condition: what must be true (a NumPy bool is fine).
        name: the argument, as the caller spells it.
        value: what was given; printed, so never pass text that could be private.
        wanted: the domain, as the end of "name must be ...".
        hint: what to do next, a full sentence.
        kind: the class of the error.
    """
    if not condition:
        tail = f" {hint}" if hint else ""
        error = kind(f"{name} must be {wanted}; got {value}.{tail}")
        error.parameter = name
        raise error
