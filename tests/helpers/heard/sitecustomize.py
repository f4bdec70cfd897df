"""Read by every Python process that a test starts: what it writes to standard error is kept, to be searched.

It goes where it would go anyway, and into a file of the folder that ``tests.helpers.log_watch`` names, at once, so that
a process that is killed was heard until then.
"""

import os
import sys


class _Heard:
    """A stream, and a copy of all that is written to it."""

    def __init__(self, stream, path):
        self._stream = stream
        self._copy = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def write(self, text):
        os.write(self._copy, text.encode("utf-8", "backslashreplace"))
        return self._stream.write(text)

    def writelines(self, lines):
        for line in lines:
            self.write(line)

    def __getattr__(self, name):
        return getattr(self._stream, name)


_FOLDER = os.environ.get("TESTS_HEARD_IN")
if _FOLDER and os.path.isdir(_FOLDER) and sys.stderr is not None:  # noqa: PTH112 (pathlib would slow each start)
    sys.stderr = _Heard(sys.stderr, os.path.join(_FOLDER, f"{os.getpid()}.stderr"))  # noqa: PTH118
