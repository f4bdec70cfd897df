"""Times of day: a staircase on the minutes of a day."""

from __future__ import annotations

import re
from typing import Annotated, Final

import numpy as np

from textveil.surrogates.declaration import SURROGATES, OptionalEpsilon, declared
from textveil.surrogates.drawn import AS_READ, UNREAD, Drawn, agreed, proved
from textveil.surrogates.quantities import check_width, width_option, window
from textveil.surrogates.scopes import Scope
from textveil.surrogates.writing import filled
from textveil.text.patterns import lazy_regex

MINUTES: Final = 24 * 60

_TIME: Final = lazy_regex(
    r"(?P<hour>[0-9]{1,2})"
    r"(?:(?P<mark>[:.h]|)(?P<minute>[0-9]{2})(?:(?P<seconds>:[0-5][0-9])(?:(?P<point>[.,])(?P<fraction>[0-9]{1,9}))?)?)?"
    r"(?P<gap>\s{0,2})(?P<end>a\.?m\.?|p\.?m\.?|h(?:rs|ours)?|)"
    r"(?P<offset>z|[+-](?P<hours>[0-9]{2})(?:(?P<colon>:?)(?P<minutes>[0-9]{2}))?)?",
    re.IGNORECASE,
)
# Minutes that clocks somewhere are before or behind UTC; the first 27 are whole hours.
_SHIFTS: Final = (*range(-720, 841, 60), -570, -210, 210, 270, 330, 345, 390, 525, 570, 630, 765)
_WHOLE_HOURS: Final = 27
_WIDTH = width_option("minutes", "MINUTES")


@declared(summary="A time near the true one, or any.", kinds=("time",), proof=SURROGATES)
def time(*, epsilon: OptionalEpsilon = 0.0, width: Annotated[int, _WIDTH] | None = None) -> Drawn:
    """Times by a staircase on the 1,440 minutes of a day, round the clock; all that is finer is uniform.

    Equal times get equal ones, in whatever format: where seconds are written, that is hour, minute and second. A
    fraction of a second gets as many digits, and an offset from UTC (+02:00) another one of those that clocks have.

    Hours are written with two digits on the clock of 24 hours and without a leading zero before am and pm, however the
    private one is: a zero would tell its hour. What cannot be read as a time gets a uniform one, as 14:05.

    ``width`` is that of the staircase, where ``epsilon`` is above 0.
    """
    check_width(width, epsilon, MINUTES, f"at most {MINUTES} minutes")
    minutes, label = window(size=MINUTES, epsilon=epsilon, width=width, circle=True), f"time {epsilon!r} {width}"

    def surrogate_of(value: str, scope: Scope, rng: np.random.Generator) -> str:
        minute, match = _read(value)
        if match is None:
            any_minute = agreed(scope, label, _key(value), rng, lambda source: str(source.integers(MINUTES)))
            return "{:02d}:{:02d}".format(*divmod(int(any_minute), 60))
        drawn = agreed(
            scope, label, _key(value), rng, lambda source: f"{minutes.draw(minute, source)}{_finer(match, source)}"
        )
        return _written(drawn, match)

    return Drawn(
        name="time",
        parameters={"epsilon": epsilon} | ({} if width is None else {"width": width}),
        guarantee=proved(epsilon, SURROGATES),
        public=(
            "its format: whether minutes, seconds and a fraction of them, am or pm are written and how, whether it is "
            "UTC (Z) or has an offset, and whether it can be read as a time",
        ),
        equality=AS_READ,
        surrogate_of=surrogate_of,
        read=_key,
    )


def _key(value: str) -> str:
    minute, match = _read(value)
    if match is None:
        return UNREAD + value
    offset = (match["offset"] or "").replace(":", "").lower()
    return f"{minute} {match['seconds'] or ''} {match['fraction'] or ''} {offset}"


def _read(value: str) -> tuple[int, re.Match[str] | None]:
    match = _TIME.fullmatch(value) if len(value) <= 30 else None
    minute = -1 if match is None else _minute_of(match)
    return minute, match if minute >= 0 else None


def _finer(match: re.Match[str], source: np.random.Generator) -> str:
    """Draw second, fraction and offset beside the minute, each behind a space, if they are written."""
    second = f"{source.integers(60):02d}" if match["seconds"] else ""
    fraction = filled("9" * len(match["fraction"]), source) if match["fraction"] else ""
    if not match["hours"]:
        return f" {second} {fraction} 0"
    shifts = _SHIFTS if match["minutes"] else _SHIFTS[:_WHOLE_HOURS]
    return f" {second} {fraction} {shifts[source.integers(len(shifts))]}"


def _minute_of(match: re.Match[str]) -> int:
    """Return the minute of the day that was read; -1 if it is none.

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


def _written(drawn: str, match: re.Match[str]) -> str:
    minute, second, fraction, shift = drawn.split(" ")
    hour, rest = divmod(int(minute), 60)
    end = match["end"]
    if end[:1].lower() in ("a", "p"):
        half = "p" if hour >= 12 else "a"
        end = (half.upper() if end[0].isupper() else half) + end[1:]
        shown = str((hour - 1) % 12 + 1)
    else:
        shown = f"{hour:02d}"
    if match["minute"] is not None:
        shown += f"{match['mark']}{rest:02d}"
    if match["seconds"]:
        shown += f":{second}"
    if match["fraction"]:
        shown += match["point"] + fraction
    return shown + match["gap"] + end + _offset(int(shift), match)


def _offset(shift: int, match: re.Match[str]) -> str:
    if not match["hours"]:
        return match["offset"] or ""
    hours, minutes = divmod(abs(shift), 60)
    behind = f"{match['colon']}{minutes:02d}" if match["minutes"] else ""
    return f"{'-' if shift < 0 else '+'}{hours:02d}{behind}"
