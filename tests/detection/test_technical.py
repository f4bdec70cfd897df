"""Technical text is text: words of code stay, strings and comments are read, and nobody is hidden by a mark of code."""

from itertools import pairwise

import pytest
from tests.helpers.growth import is_linear

import textveil as tv
from textveil.detection.embedded import embedded_detector
from textveil.detection.technical import find_code, find_early, find_homes
from textveil.sanitize.policy.making import parts_of

STAYS = [
    "Why does OrderRepository raise IndexError? Compare Cassandra cluster, MariaDB and Memcached.",
    "```python\nfrom sklearn.ensemble import RandomForestClassifier\nModel = RandomForestClassifier(Depth)\n```",
    "public class CartController extends BaseController {\n    private final CartService cartService;\n}",
    "SELECT Clients.Name FROM Clients\nINNER JOIN Sales ON Clients.Id = Sales.ClientId\nWHERE Sales.Total > 10;",
    '<h3 class="Title" id="Top">Hello</h3><img src="Logo.png"/>',
    "Colors #1a2b3c, #FFF and #00ff0080 in A1:B20, with =SUMIF(Totals!A:A,\"East\")",
    "Upgrade Node 18.17.1 to v20.5.0 and react@18.2.0 in package.json",
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/119.0.0.0 Safari/537.36",
    "@Override\npublic void onCreate(@NonNull Bundle State) { super.onCreate(State); }",
    "kubectl get pods -n Staging && docker build -t Api:latest .",
    "In /usr/local/Cellar/Python and C:\\Program Files\\Java\\bin and /home/user/Projects",
    "Use std::vector, System.out.println() and torch.nn.Linear with snake_case_Name",
    "const Cart = ({ Items }) => <List items={Items} />;",
    'logger.info("Starting Worker"); import Core from "@babel/core"',
    "terraform plan; then `helm upgrade Release ./Chart`",
    '{"maxRetries": 3, "Content-Type": "text/plain", "isAdmin": false}',
]  # fmt: skip

AGENTS = [
    '{"stdout": "def f(path):\\n    return {line: len(line) for line in path}\\n user: str(user)\\n", "code": 0}',
    "apiVersion: apps/v1\nmetadata:\n  name: invoices-worker\nspec:\n  volumes:\n    - name: tmp-cache\n",
    "env:\n  - name: MAIL_API_KEY\n    valueFrom: {secretKeyRef: {name: mail-credentials}}\n  - name: S3_REGION\n",
    "Name: rowlib\nVersion: 2.1\n\nname: rowd\nimage: rowd:1\n\ndef f(name: str, ms: int): ...\nname: bert-base-rows",
    "USER   PID %CPU %MEM COMMAND\nroot     1  0.0  0.1 /sbin/init\n",
    "rules:\n  - name: InvoiceRecognizer\n  - name: UsBankMatcher\n",
    "commit 9c1d2ab7f01e5be3186a90cc27e1b54d88f03a6e\n\n    Interleave batches of rows\n\n    Ungate the `next` flag\n",
    '{"stdout": "commit 9c1d2ab7f0\\n\\n    Interleave batches of rows\\n", "exit_code": 0}',
    "* 8c1d2ab (HEAD -> main) Desugar the macros\n* 7c1d2ab Memoize lookups\nSubject: [PATCH 2/3] Dedupe rows\n",
    "diff --git a/a.py b/a.py\nindex 83db48f..bf2a9c1 100644\nnew file mode 100755\nold mode 100644\n",
    '{"diff": "index 0000000..bf2a9c1\\n@@ -1 +1 @@\\nnew file mode 100644\\nindex 83db48f..0000000 100644\\n"}',
    "100644 blob 9c1d2ab7f01e5be3186a90cc27e1b54d88f03a6e\tREADME",
    "Parse the NHS number; purity by HPLC (area), then LC-MS.\n- HPLC\n",
    "owners:\n  - Platform Team\n  - infra\nreviewers: [Data Science, qa, Grafana Labs]\nlead: TBD\n",
    "the user hasn't set it; User=systemd-timesync",
    " Schema | Name | Owner\n--------+------+-------\n public | rows | postgres\n",
]
"""Results of an agent's tools: what stands where a person could."""

GOES = [
    ("prompts", "def f():\n    # for Maria Gonzalez, m.g@example.org\n    return 1", ["Maria", "Gonzalez", "m.g@"]),
    ("prompts", 'Customer(name="Peter Miller", mail="p@example.com")', ["Peter", "Miller", "p@example"]),
    ("prompts", "INSERT INTO T (Name) VALUES ('Peter Miller', 'Leeds');", ["Peter", "Miller", "Leeds"]),
    ("prompts", '{"name": "Maria Gonzalez", "Kaitlyn": 3}', ["Maria", "Gonzalez", "Kaitlyn"]),
    ("prompts", "<p>Seen by <b>Maria Gonzalez</b></p><img alt='Peter Miller'>", ["Maria", "Peter"]),
    ("prompts", "```\nDear Kaitlyn Brown,\ncall Peter Miller.\n```", ["Kaitlyn", "Brown", "Peter"]),
    ("prompts", "/home/kaitlyn/x, C:\\Users\\Maria.Gonzalez\\a, /Users/jsmith42/b", ["kaitlyn", "Maria", "jsmith42"]),
    ("prompts", "`Maria Gonzalez` wrote <Maria Gonzalez>; mail li.wei@163.com", ["Maria", "li.wei"]),
    ("prompts", "Nginx 192.168.1.17 answered; MariaDB at 10.1.2.3", ["192.168.1.17", "10.1.2.3"]),
    ("prompts", "2024-05-01 INFO com.app.UserService - user Kaitlyn Brown left", ["2024-05-01", "Kaitlyn"]),
    ("prompts", "Write to maria.gonzalez(at)gmail.com; MariaGonzalez is Maria Gonzalez", ["gmail.com", "Maria"]),
    ("prompts", "- name: LauraPottery\n- name: KAITLYN_KEY\nname: anne-marie", ["Laura", "KAITLYN", "anne-marie"]),
    ("prompts", "commit 9c1d2ab7f0\n\n    Kaitlyn fixed the loader\n", ["Kaitlyn"]),
    ("prompts", "mode 100645, index 100644, file 100644x, id 100644", ["100645", "100644"]),
    ("clinical", "attending = Kaitlyn;\nSister: Maria Gonzalez;", ["Kaitlyn", "Maria"]),
    ("clinical", "Word 12.05.2024; see /files/87654321/a.txt, MRN = 4455667", ["12.05.2024", "87654321", "4455667"]),
    ("identifiers", "DeShawn McDonald met LeBron James and Jean-Luc MacArthur.", ["McDonald", "James", "MacArthur"]),
    ("identifiers", "<h2>Room 12</h2>", ["12"]),
]  # fmt: skip


def drawn(preset: str, text: str) -> list[str]:
    """The values that a policy replaces."""
    parts = parts_of(tv.policy(preset))
    return [text[span.start : span.end] for span in parts.finder.found([text])[0] if span.kind in parts.surrogates]


@pytest.mark.parametrize("text", STAYS)
def test_code_stays_byte_for_byte(text: str) -> None:
    assert drawn("prompts", text) == []
    assert [value for value in drawn("clinical", text) if not value.isdecimal()] == []


@pytest.mark.parametrize("text", AGENTS)
def test_results_of_tools_name_nobody_by_keys_and_verbs(text: str) -> None:
    assert drawn("prompts", text) == []


@pytest.mark.parametrize(("preset", "text", "gone"), GOES)
def test_personal_data_goes_from_code_as_from_elsewhere(preset: str, text: str, gone: list[str]) -> None:
    values = drawn(preset, text)
    assert [word for word in gone if not any(word in value for value in values)] == []


@pytest.mark.parametrize("preset", ["identifiers", "clinical", "prompts"])
@pytest.mark.parametrize("tag", ["h1", "h2", "H3", "h6"])
def test_tags_of_headings_are_markup_and_no_numbers(preset: str, tag: str) -> None:
    text = f"<{tag}>Results</{tag}> <{tag} class='x'>a</{tag}>"
    assert tv.Sanitizer(tv.policy(preset))(text).text == text
    assert "h77" not in tv.Sanitizer(tv.policy("identifiers"))("<h77>").text or preset != "identifiers"


def test_code_is_no_span_and_its_numbers_are_of_code() -> None:
    text = "for i in range(12):\n    total = total + 3.5"
    kinds = {span.kind for span in tv.detect(text, "embedded")}
    assert kinds == {"code-number"}
    assert "code" not in embedded_detector().kinds


@pytest.mark.parametrize(
    "piece",
    ["f().a()", "a_", "aB", "<a ", "`a", "/a", "a.b", '"a" :', "(", "=", "{\n", "x = (\n", "$A$1", "@A",
     "Mozilla/5.0 (", "'a", "f(((\n", "if (a\n", "C:\\Users\\", "#ab", "A1:", "public a ",
     "=A(", "a::", "3.1.", "v1.2@", "a ", "A1 "],
)  # fmt: skip
def test_hostile_strings_take_no_long_time(piece: str) -> None:
    for find in (find_early, find_homes, find_code):
        found = [(one.start, one.end) for one in find(piece * 1_000)]
        assert all(before[1] <= after[0] for before, after in pairwise(found))
        assert is_linear(lambda text, find=find: list(find(text)), piece), find


@pytest.mark.parametrize(
    "line",
    [
        "{} has {{x}} there",
        "Ask {} about {{id}}",
        "{}: {{",
        "for {} {{x}}",
        "key = {};",
        "SELECT {} FROM x;",
        "let {} = 2",
    ],
)
@pytest.mark.parametrize("name", ["Ms Green", "Lucy Green", "Dr. Black", "Frau Engel"])
def test_a_word_behind_a_title_or_a_given_name_is_no_code(line: str, name: str) -> None:
    text = line.format(name)
    place = text.index(name.split()[-1])
    assert any(span.kind == "person" and span.start <= place < span.end for span in tv.detect(text)), text
