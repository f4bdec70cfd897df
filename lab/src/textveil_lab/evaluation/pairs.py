"""What every metric of two texts asks of them: as many of the one as of the other, and something to compare with."""

from collections.abc import Sequence, Sized
from typing import Final

from textveil.errors import need

EXTRA: Final = "evaluation"


def check_pairs(before: Sequence[Sized], after: Sequence[Sized], names: tuple[str, str]) -> None:
    """See that there are pairs, and that every first half holds something; a second half may be empty.

    Args:
        before: what is compared with.
        after: what is judged.
        names: of both parameters.

    Raises:
        ParameterError: no pairs, different counts, a text in the place of a list of them, or an empty first half.
    """
    first, second = names
    for name, some in ((first, before), (second, after)):
        need(not isinstance(some, str), name, "one text", "a list of texts", "Put it in a list.")
    need(len(before) > 0, first, "none", "one at least")
    need(len(after) == len(before), second, f"{len(after)}", f"as many as {first}, {len(before)}")
    empty = next((number for number, one in enumerate(before) if not _holds(one)), None)
    need(empty is None, first, f"an empty one at {empty}", "texts that hold a word at least", "Leave it out.")


def _holds(one: Sized) -> bool:
    return bool(one.strip()) if isinstance(one, str) else len(one) > 0
