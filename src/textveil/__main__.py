"""``python -m textveil`` is the command line."""

from textveil.cli.main import run

if __name__ == "__main__":
    run()
