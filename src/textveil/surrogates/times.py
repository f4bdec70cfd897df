"""Times of day: a staircase on the minutes of a day."""

from __future__ import annotations

import re
from typing import Annotated, Final

import numpy as np

from textveil.errors import need
from textveil.registry.options import Option, at_least
from textveil.surrogates.declaration import SURROGATES, OptionalEpsilon, declared
from textveil.surrogates.drawn import AS_READ, UNREAD, Drawn, agreed, proved
from textveil.surrogates.scopes import Scope
from textveil.surrogates.windows import window
from textveil.text.patterns import lazy_regex

MINUTES: Final = 24 * 60

_TIME: Final = lazy_regex(
    r"(?P<hour>[0-9]{1,2})(?:(?P<mark>[:.h]|)(?P<minute>[0-9]{2})(?P<seconds>:[0-5][0-9])?)?"
    r"(?P<gap>\s{0,2})(?P<end>a\.?m\.?|p\.?m\.?|h(?:rs|ours)?|)",
    re.IGNORECASE,
)
_WIDTH = Option(
    domain=at_least(1),
    help="How many minutes around the true one are raised.",
    metavar="MINUTES",
    unset="the one of least mean error at epsilon",
)


@declared(summary="A time near the true one, or any.", kinds=("time",), proof=SURROGATES)
def time(*, epsilon: OptionalEpsilon = 0.0, width: Annotated[int, _WIDTH] | None = None) -> Drawn:
    """Times by a staircase on the 1,440 minutes of a day, round the clock; seconds are uniform.

    Equal times get equal ones, in whatever format: where seconds are written, that is hour, minute and second.

    Hours are written with two digits on the clock of 24 hours and without a leading zero before am and pm, however the
    private one is: a zero would tell its hour. What cannot be read as a time gets a uniform one, as 14:05.

    ``width`` is that of the staircase, where ``epsilon`` is above 0.
    """
    need(epsilon > 0 or width is None, "epsilon", epsilon, "> 0 with `width`", "Leave `width` out for uniform draws.")
    need(width is None or width <= MINUTES, "width", width, f"at most {MINUTES} minutes")
    minutes, label = window(size=MINUTES, epsilon=epsilon, width=width, circle=True), f"time {epsilon!r} {width}"

    def surrogate_of(value: str, scope: Scope, rng: np.random.Generator) -> str:
        match = _TIME.fullmatch(value) if len(value) <= 30 else None
        minute = -1 if match is None else minute_of(match)
        if match is None or minute < 0:
            any_minute = agreed(scope, label, _key(value), rng, lambda source: str(source.integers(MINUTES)))
            return "{:02d}:{:02d}".format(*divmod(int(any_minute), 60))
        if not match["seconds"]:
            drawn = agreed(scope, label, _key(value), rng, lambda source: str(minutes.draw(minute, source)))
            return _written(int(drawn), match)
        drawn = agreed(
            scope, label, _key(value), rng, lambda source: f"{minutes.draw(minute, source)}:{source.integers(60):02d}"
        )
        shown, mark, second = drawn.partition(":")
        return _written(int(shown), match, mark + second)

    return Drawn(
        name="time",
        parameters={"epsilon": epsilon} | ({} if width is None else {"width": width}),
        guarantee=proved(epsilon, SURROGATES),
        public=(
            "its format: whether minutes, seconds, am or pm are written and how, and whether it can be read as a time",
        ),
        equality=AS_READ,
        surrogate_of=surrogate_of,
        read=_key,
    )


def _key(value: str) -> str:
    """What times are told apart by: minute of the day and second, where they can be read."""
    match = _TIME.fullmatch(value) if len(value) <= 30 else None
    minute = -1 if match is None else minute_of(match)
    return UNREAD + value if match is None or minute < 0 else f"{minute}{match['seconds'] or ''}"


def minute_of(match: re.Match[str]) -> int:
    """The minute of the day that was read; -1 where it is none.

    Any hour is read in any format, 24:00 as midnight and 14:30 pm by its hour: else which can be read would tell it.
    """
    hour, minute, end = int(match["hour"]), int(match["minute"] or 0), match["end"][:1].lower()
    if match["minute"] is None and not end:
        return -1
    if match["minute"] is not None and not match["mark"] and match["seconds"]:
        return -1
    if end in ("a", "p") and 1 <= hour <= 12:
        hour = hour % 12 + (12 if end == "p" else 0)
    read = hour * 60 + minute if minute < 60 else -1
    return read % MINUTES if read <= MINUTES else -1


def _written(minute: int, match: re.Match[str], seconds: str = "") -> str:
    """A drawn minute of the day in the format of the time that was read."""
    hour, rest = divmod(minute, 60)
    end = match["end"]
    if end[:1].lower() in ("a", "p"):
        half = "p" if hour >= 12 else "a"
        end = (half.upper() if end[0].isupper() else half) + end[1:]
        shown = str((hour - 1) % 12 + 1)
    else:
        shown = f"{hour:02d}"
    if match["minute"] is not None:
        shown += f"{match['mark']}{rest:02d}{seconds}"
    return shown + match["gap"] + end
