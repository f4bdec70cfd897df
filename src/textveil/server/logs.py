"""Logs as lines of JSON that hold no text: named facts of ours, and of others' messages only what they are about.

A message of another package is logged as it was written in its code, without what was put into it, and an exception as
its type and place: either may quote a request, an address with a key, or an answer.
"""

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Final

from textveil.server.errors import place_of

FACTS: Final = ("request", "method", "route", "status", "milliseconds", "key", "policy", "place", "code", "address")
"""What our own lines may say beside their message; anything else is left out."""

_OWN = "textveil"


class LogLines(logging.Formatter):
    """A record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, without its end."""
        at = datetime.fromtimestamp(record.created, UTC)
        own = record.name.split(".")[0] == _OWN
        line = {
            "time": at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": str(record.msg).strip() if isinstance(record.msg, str) else type(record.msg).__name__,
        }
        if own:
            line |= {name: getattr(record, name) for name in FACTS if hasattr(record, name)}
        if record.exc_info and record.exc_info[1] is not None:
            line["place"] = place_of(record.exc_info[1])
        return json.dumps(line, ensure_ascii=True, default=lambda value: type(value).__name__)


def log_as_json(*, requests: bool) -> None:
    """Send the logs of the whole process to standard error as lines of JSON.

    Args:
        requests: whether there is a line for each request.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(LogLines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger(_OWN).setLevel(logging.INFO)
    logging.getLogger("textveil.server.requests").disabled = not requests
    logging.captureWarnings(True)
