"""What is left of a budget, in words: how much more text it pays for at a setting."""

from __future__ import annotations

from collections.abc import Callable

from textveil.privacy.accountant import Accountant
from textveil.sanitize.setting import Setting


def text_left(setting: Setting, affords: Callable[[Accountant], int | None]) -> str:
    """How much more a budget pays for, for readers: "about 2,300 words left".

    It is told by the kind that costs most: of a text of cheaper kinds it pays for more.

    Args:
        setting: of the sanitizer, with its policy.
        affords: how many releases of a cost the budget pays for, one after another; None where nothing limits them:
            ``Ledger.affords`` of an account.
    """
    found = [(one, affords(setting.accountant({one.kind: 1}))) for one in setting.protected if one.costs]
    limited = [(count, one.kind) for one, count in found if count is not None]
    if not found:
        return "nothing that is drawn costs anything"
    if not limited:
        return "no limit"
    count = min(limited)[0]
    texts, spans = setting.whole_texts, setting.policy is not None and setting.policy.finds_spans
    what = "text" if texts else "value" if spans else "word"
    about = "about " if count >= 100 else ""
    return f"{about}{_rounded_down(count):,} {what}{'' if count == 1 else 's'} left"


def _rounded_down(count: int) -> int:
    """Two digits of a count."""
    step = 10 ** max(0, len(str(count)) - 2)
    return count // step * step
