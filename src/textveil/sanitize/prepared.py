"""Texts made ready for their draws: what they will cost is known, and nothing of it is spent yet."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

from textveil.errors import RandomnessError
from textveil.privacy.accountant import Accountant
from textveil.privacy.guarantees import Guarantee
from textveil.sanitize.release import Release
from textveil.sanitize.setting import Setting


class Prepared:
    """Texts of one person, found and counted but not drawn; made by ``Sanitizer.prepare``.

    No randomness has been used yet, so what a release costs can be taken from a budget before it is drawn, and the
    texts dropped where there is not enough.

    Args:
        counts: of each text, how many draws of each kind it takes.

    Example:
        >>> prepared = sanitizer.prepare(texts)
        >>> reservation = ledger.reserve(account, prepared.accountant)
        >>> releases = prepared.release()
        >>> ledger.commit(reservation)
    """

    def __init__(
        self, setting: Setting, counts: Sequence[Mapping[str, int]], draw: Callable[[], list[Release]]
    ) -> None:
        self.setting = setting
        self.counts: tuple[Mapping[str, int], ...] = tuple(counts)
        self._draw: Callable[[], list[Release]] | None = draw
        self._lock = threading.Lock()

    @cached_property
    def accountant(self) -> Accountant:
        """Cost of all texts together: the draws of one document that is made of them all."""
        return self.cost(0, len(self.counts))

    @cached_property
    def spent(self) -> Guarantee:
        """Sum of the cost: ``accountant.spent``, computed once."""
        return self.accountant.spent

    def cost(self, start: int, stop: int) -> Accountant:
        """Account for the texts from number ``start`` (from 0) up to ``stop``, if several persons' stand together."""
        total: Counter[str] = Counter()
        for counts in self.counts[start:stop]:
            total.update(counts)
        return self.setting.accountant(total)

    def release(self) -> list[Release]:
        """Draw, once: a release of each text, in order.

        Raises:
            RandomnessError: it was called before. A second release has to be paid for, so prepare the texts again.
        """
        with self._lock:
            draw, self._draw = self._draw, None
        if draw is None:
            raise RandomnessError(
                "release must be called once for texts that were prepared once; got a second call. Prepare them again, "
                "and pay for that release too."
            )
        return draw()
