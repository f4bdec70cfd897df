"""Rest of a budget in words: how much more text it pays for at a setting."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from textveil.privacy.accountant import Accountant
from textveil.sanitize.setting import Setting

Affords: TypeAlias = Callable[[Accountant], int | None]
"""How many releases of a cost a budget pays for, one after another; None where nothing limits them."""


class TextLeft(NamedTuple):
    """Text that a budget still pays for, rounded down.

    Attributes:
        words: that can be drawn if nothing else is; None where words are not drawn, cost nothing or promise nothing, or
            nothing limits them.
        values: of the kind that costs most that can be drawn if nothing else is; None likewise, and where no spans are.
    """

    words: int | None
    values: int | None
    said: str  # for readers: "about 2,300 words left"


@dataclass(frozen=True, slots=True)
class TextCosts:
    """Costs of one draw of each kind at a setting, made once for many budgets."""

    kinds: tuple[tuple[str, Accountant], ...]  # those whose draws cost something, and their cost
    noun: str  # what a text is told in: "word", "value", "text"
    unpriced: bool  # whether nothing is promised of some draw, so that no budget can pay for it

    @classmethod
    def of(cls, setting: Setting) -> TextCosts:
        """Compute the costs at a setting."""
        spans = setting.policy is not None and setting.policy.finds_spans
        noun = "text" if setting.whole_texts else "value" if spans else "word"
        if any(not protected.guarantee.promises for protected in setting.protected):
            return cls((), noun, unpriced=True)
        kinds = tuple(
            (protected.kind, setting.accountant({protected.kind: 1}))
            for protected in setting.protected
            if protected.costs
        )
        return cls(kinds, noun, unpriced=False)

    def left(self, affords: Affords) -> TextLeft:
        """Say how much more a budget pays for.

        It is told by the kind that costs most: of a text of cheaper kinds it pays for more.

        Args:
            affords: ``Ledger.affords`` of an account, or that of a ``Balance``.
        """
        if self.unpriced:
            return TextLeft(None, None, "nothing is promised of something that is drawn: there is no count")
        if not self.kinds:
            return TextLeft(None, None, "nothing that is drawn costs anything")
        counts = {kind: affords(cost) for kind, cost in self.kinds}
        count = min((number for number in counts.values() if number is not None), default=None)
        if count is None:
            return TextLeft(None, None, "no limit")
        about = "about " if count >= 100 else ""
        said = f"{about}{rounded_down(count):,} {self.noun}{'' if count == 1 else 's'} left"
        return TextLeft(counts.get("word"), count if self.noun == "value" else None, said)


def text_left(setting: Setting, affords: Affords) -> str:
    """Say how much more a budget pays for: "about 2,300 words left"."""
    return TextCosts.of(setting).left(affords).said


def rounded_down(count: int) -> int:
    """Two digits of a count."""
    step = 10 ** max(0, len(str(count)) - 2)
    return count // step * step
