"""A note goes out under a policy, an answer comes back, and the originals return to both.

Run: python examples/restore.py
"""

import tempfile
from pathlib import Path

import textveil as tv
from textveil.corpora.restored import write_map_file
from textveil.surrogates.map_file import MapFile, read_or_made_key
from textveil.surrogates.restoring import Restorer

NOTE = "Maria Zyxwell saw Tom Baker in Boston. Maria can be reached at maria.zyxwell@example.org."


def answered(release: tv.Release) -> str:
    """What a service might write, which has seen the release alone."""
    one, other = (release.text[span.start : span.end] for span in release.drawn_spans[:2])
    return f"**{one.upper()}** and {other} met; {one.split()[0]}'s note is short."


def main() -> None:
    release = tv.Sanitizer(tv.policy("identifiers"))(NOTE)
    assert release.private_map is not None
    print("released:", release.text)
    assert tv.restore(release.text, release.private_map) == NOTE

    answer = answered(release)
    print("answer:  ", answer)
    print("restored:", tv.restore(answer, release.private_map))

    stream = Restorer(release.private_map).stream()
    pieces = [stream.feed(answer[at : at + 7]) for at in range(0, len(answer), 7)]
    assert "".join([*pieces, stream.close()]) == tv.restore(answer, release.private_map)

    with tempfile.TemporaryDirectory() as folder:
        key, path = read_or_made_key(Path(folder) / "key"), Path(folder) / "note.map"
        write_map_file(path, key, [release.private_map])
        assert tv.restore(answer, MapFile(path, key)) == tv.restore(answer, release.private_map)


if __name__ == "__main__":
    main()
