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


def written_of(record: logging.LogRecord) -> str:
    return EveryField("%(asctime)s %(message)s").format(record)


def test_a_record_is_read_again_where_anything_came_later_or_the_policy_is_another() -> None:
    first, second = SanitizingFilter(seconds=60), SanitizingFilter(seconds=60)
    for change in (
        {"user": MAIL},
        {"msg": f"of {MAIL}"},
        {"stack_info": MAIL},
        {"levelname": MAIL},
        {"otelTraceID": MAIL},
    ):
        record = logging.makeLogRecord({"msg": f"ask {NAME}"})
        assert first.filter(record)
        written_of(record)
        once = record.msg
        assert second.filter(record) and record.msg == once  # nothing new
        record.__dict__.update(change)
        assert second.filter(record) and not any(value in written_of(record) for value in PLANTED), change
    record = logging.makeLogRecord({"msg": "ask about the hunter tree"})
    assert first.filter(record)
    record.__dict__["password"] = "hX9-kk2Lq"
    record.msg += " hX9-kk2Lq"
    assert second.filter(record) and PASSWORD not in written_of(record)


def test_a_weaker_policy_does_not_stand_for_a_stronger_one() -> None:
    record = logging.makeLogRecord({"msg": "born on 3 March 1971 in Hamburg"})
    assert SANITIZING.filter(record) and "1971" in record.msg
    assert SanitizingFilter("clinical", seconds=60).filter(record) and "3 March 1971" not in record.msg


@pytest.mark.parametrize(
    "extra",
    [
        {"_textveil_sanitized": True, "u": MAIL},
        {"trace_id": MAIL},
        {"span_id": PASSWORD + " is the password"},
        {"otelSpanID": f"ghp_{'aBcdEfghIjkl' * 3}"},
        {"otelTraceSampled": "of Katarzyna Halvorsen"},
        {"otelTraceID": {"to": MAIL}},
        {MAIL: 1},
        {"katarzyna_halvorsen": True},
        {"of.4915123456789": 1},
        {"userKatarzynaHalvorsen": "x"},
        {"body": {"raw": MAIL.encode("utf-16"), "set": {MAIL.encode("utf-16-le")}, "list": [bytearray(NAME.encode())]}},
        {"raw": MAIL.encode("utf-16-be")},
        {"raw": {b"\x00\x01\x80" + NAME.encode()}},
        {"phone": -4915123456789},
    ],
)
def test_no_extra_passes_by_its_name_or_its_kind(extra: dict[str, object]) -> None:
    record = logging.makeLogRecord({"msg": "a"} | extra)
    assert SANITIZING.filter(record)
    written = written_of(record).lower()
    low = ("ghp_abcdefghijkl", MAIL.encode("utf-16").hex(), r"k\u0000.", r"k\x00.", *map(str.lower, PLANTED))
    assert not [value for value in low if value in written], written
    if "phone" in extra:
        assert record.__dict__["phone"] < 0


def test_ids_and_plain_names_stay() -> None:
    extra = {"otelTraceID": "a1" * 16, "otelSpanID": "0123456789abcdef", "otelTraceSampled": True, "trace_id": "0",
             "otelServiceName": "shop", "request_id": "r", "userId": "u", "n": 3, "balance": -1234567}  # fmt: skip
    record = logging.makeLogRecord({"msg": "a"} | extra)
    assert SANITIZING.filter(record)
    assert {name: record.__dict__.get(name) for name in extra} == extra


def test_arguments_that_are_bytes_are_read() -> None:
    record = logging.makeLogRecord(
        {"msg": "of %s and %s", "args": (MAIL.encode("utf-16"), {"k": [NAME.encode("utf-16-le")]})}
    )
    assert SANITIZING.filter(record)
    assert not any(value in record.msg for value in PLANTED) and "\\x00" not in record.msg
