"""The commands in this process, as the tests of textveil's own run them."""

from tests.cli.conftest import command as command
from tests.cli.conftest import small as small
