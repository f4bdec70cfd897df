"""A filter of ``logging``: formatted text, arguments, tracebacks and extras without planted values."""

import io
import json
import logging
import logging.handlers
import queue
from collections.abc import Iterator

import pytest

from textveil.integrations.log_records import SanitizingFilter

NAME, MAIL, PASSWORD = "Katarzyna Halvorsen", "k.halvorsen@acme-mail.com", "hX9-kk2Lq"
PLANTED = (NAME, MAIL, PASSWORD, "alvorsen", "4915123456789")
SANITIZING = SanitizingFilter(seconds=60)


class EveryField(logging.Formatter):
    """Writes all that a record holds, as handlers that send JSON do."""

    def format(self, record: logging.LogRecord) -> str:
        return super().format(record) + json.dumps(record.__dict__, default=str) + "\n"


@pytest.fixture
def log() -> Iterator[tuple[logging.Logger, io.StringIO]]:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(EveryField("%(levelname)s %(name)s %(message)s"))
    handler.addFilter(SANITIZING)
    logger = logging.getLogger("shop.orders")
    logger.addHandler(handler)
    logger.propagate = False
    yield logger, stream
    logger.removeHandler(handler)


def test_no_part_of_a_record_holds_a_planted_value(log: tuple[logging.Logger, io.StringIO]) -> None:
    logger, stream = log
    extra = {"user": "khalvorsen", "body": {"to": [MAIL], "n": 7}, "phone": 4915123456789, "who": {NAME}, "tries": 3}
    try:
        raise ValueError(f"no account for {MAIL}")
    except ValueError:
        logger.exception("login of %s with password: %s", NAME, PASSWORD, extra=extra, stack_info=True)
    written = stream.getvalue()
    assert not [value for value in PLANTED if value in written]
    assert "ERROR shop.orders login of " in written and "ValueError: no account for " in written
    assert "Stack (most recent call last)" in written
    fields = json.loads(written[written.rindex('{"name"') :])
    assert fields["body"]["n"] == 7 and fields["tries"] == 3 and isinstance(fields["phone"], int)
    assert fields["args"] is None and fields["exc_info"] is None and fields["lineno"] > 0


def test_records_of_a_trace_share_surrogates_and_are_sanitized_once(log: tuple[logging.Logger, io.StringIO]) -> None:
    logger, stream = log
    logger.addFilter(SANITIZING)  # a second time, for other handlers
    for trace in ("1" * 32, "1" * 32, "2" * 32):
        logger.warning("Please ask %s.", NAME, extra={"otelTraceID": trace})
    logger.removeFilter(SANITIZING)
    first, second, other = (line.split("{")[0] for line in stream.getvalue().splitlines() if line)
    assert first == second and NAME not in first + other
    record = logging.makeLogRecord({"msg": f"Please ask {NAME}."})
    assert SANITIZING.filter(record)
    once = record.msg
    assert SANITIZING.filter(record) and record.msg == once != f"Please ask {NAME}."


def test_a_record_that_fails_is_dropped_and_counted() -> None:
    before = SANITIZING.dropped
    assert SANITIZING.filter(logging.makeLogRecord({"msg": "%d", "args": (NAME,)})) is False
    assert SANITIZING.dropped == before + 1
    slow = SanitizingFilter(seconds=0.0)
    record = logging.makeLogRecord({"msg": f"ask {NAME} " * 200})
    assert slow.filter(record) is False and slow.dropped == 1


def test_the_program_need_not_wait(log: tuple[logging.Logger, io.StringIO], monkeypatch: pytest.MonkeyPatch) -> None:
    logger, _ = log
    waiting: queue.Queue[logging.LogRecord] = queue.Queue()
    stream = io.StringIO()
    behind = logging.StreamHandler(stream)
    behind.addFilter(SANITIZING)
    listener = logging.handlers.QueueListener(waiting, behind)
    monkeypatch.setattr(logger, "handlers", [logging.handlers.QueueHandler(waiting)])
    listener.start()
    logger.warning("ask %s", NAME)
    listener.stop()
    assert stream.getvalue().startswith("ask ") and NAME not in stream.getvalue()
