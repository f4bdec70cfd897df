"""Tables that are lists of values, of SQL, of a dump and of JSON; and labels in markup before their values."""

import pytest

import textveil as tv

ROWS = (("Ebony Kaczmarek", "walnut-quarry", "020 7946 0018"), ("Star O'Hope", "summer1999", "020 7946 0044"))
TABLES = (
    "INSERT INTO users (id, full_name, password, phone) VALUES (1, '{}', '{}', '{}'), (2, '{}', '{}', '{}');",
    "insert into users(id,full_name,pass,phone)\n  values\n    (NULL,'{}','{}','{}'),\n    (2,'{}','{}','{}');",
    "COPY public.users (id, full_name, password, phone) FROM stdin;\n1\t{}\t{}\t{}\n2\t{}\t{}\t{}\n\\.\n",
    '{{"columns": ["id","full_name","password","phone"], "rows": [[1, "{}", "{}", "{}"], [null, "{}", "{}", "{}"]]}}',
    '[["id","full_name","password","phone"],["1","{}","{}","{}"],["2","{}","{}","{}"]]',
)


def left(text: str) -> str:
    kept = list(text)
    for span in tv.detect(text, min_score=0.35):
        if span.kind in ("person", "secret", "phone"):
            kept[span.start : span.end] = "_" * (span.end - span.start)
    return "".join(kept)


@pytest.mark.parametrize("table", TABLES)
def test_cells_go_by_the_heads_of_their_columns(table: str) -> None:
    rows = [[value.replace("'", "''") if "'{}'" in table else value for value in row] for row in ROWS]
    text = left(table.format(*rows[0], *rows[1]))
    assert not [value for row in rows for value in row for value in value.split() if value in text]
    assert "full_name" in text and text.count("2") + text.count("null") >= 1


@pytest.mark.parametrize(
    "text",
    [
        "INSERT INTO t (a, kind) VALUES (1, 'walnut-quarry');",
        "INSERT INTO t (id, full_name) VALUES (1, NULL), (2, DEFAULT);",
        '["red", "green"], ["password", "walnut-quarry"]',
        "INSERT INTO t (passed, test_name) VALUES (TRUE, 'walnut-quarry'), (FALSE, 'oak-quarry');",
        "user,pass\nAll tests,yes\nOne,no\nTwo,declined\n",
        "<tr><th>User</th><th>Password</th><th>Phone</th></tr>",
        "<dt>Password</dt><dd>Must have eight characters</dd>",
        "<key>password</key><string></string>",
        "<td>Password</td><td>Role</td>",
    ],
)
def test_lists_without_such_heads_stay(text: str) -> None:
    assert left(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "<dl><dt>Password</dt><dd>{}</dd></dl>",
        "<dict><key>password</key>\n  <string>{}</string></dict>",
        "<tr><th>Password</th><td>{}</td></tr>",
        "<strong>Password</strong>: <code>{}</code>",
        "user,pass\nroot,{}\n",
    ],
)
def test_password_behind_its_label_in_markup_goes(text: str) -> None:
    assert "walnut" not in left(text.format("walnut-quarry7"))
