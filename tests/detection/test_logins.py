"""A login that a command, a log or a phrase tells goes; roles and words stay."""

import pytest
from tests.helpers.pattern_strings import strings_of

import textveil as tv
from textveil.detection.gates import glance
from textveil.detection.logins import _ACTING, _DONE, LOGIN_GATE


def handles(text: str) -> list[str]:
    return [text[span.start : span.end] for span in tv.detect(text, min_score=0.35) if span.kind == "handle"]


@pytest.mark.parametrize(
    "text",
    [
        "psql -U {} -h localhost crm",
        "mysql -u{} shopdb",
        "sudo usermod -aG docker {}",
        "sudo useradd -m {}",
        "su - {} -c make",
        "gpasswd -a {} wheel",
        "chown -R {}:staff srv",
        "rsync -a ./out {}@bastion:/srv",
        "{}@bastion:~$ ls",
        "please ssh as {}. it works",
        "closed by {} 3 hours ago",
        "Merge pull request #12 from {}/fix-bloom",
        "Permission to web.git denied to {}.",
        "login failed for {} twice",
        "user {} not found",
        "- name: APPROVER\n  value: {}",
        "# ask {} before touching this",
        "TODO {}: fix",
        "^b764e28 ({} 2023-05-15 08:00:02 +0100 43) x",
        "{} ALL=(ALL) NOPASSWD: ALL",
        "AllowUsers {} root",
        "GRANT ALL ON crm.* TO '{}'@'%';",
        "CREATE USER {} WITH LOGIN;",
        "10:02 <{}> hi all",
        "musteri={} kart",
        "su: (to root) {} on pts/3",
        "FAILED LOGIN 1 FROM tty1 FOR {}, Authentication failure",
        "openvpn: {}/203.0.113.77:51820 MULTI: Learn",
        "TCP_MISS/200 512 GET http://x.example/ {} DIRECT/192.0.2.4",
        "imap-login: user=<{}>, method=PLAIN",
        "npm ERR! 403 user {} is not allowed",
        "remote: Permission to {}/site.git denied",
        'DEBUG_USER = "{}"',
        "UPDATE t SET x = y WHERE login = '{}';",
        "ADMIN_USERS={},root",
        "users: [root, {}]\n",
        "DiskFull (assigned to {})",
        r"\\NAS01\homes\{}\Documents",
        "LABEL maintainer=\"{}\"",
    ],
)  # fmt: skip
def test_a_login_that_something_tells_goes(text: str) -> None:
    assert handles(text.format("tpellatt")) == ["tpellatt"]


def test_a_name_where_a_login_may_stand_is_no_login() -> None:
    assert handles("login failed for 'Olga Birkin'") == [] and handles("login failed for 'olgab'") == ["olgab"]


def test_two_logins_that_a_comment_names_go() -> None:
    assert handles("# ping tpellatt or mkarimova if it fails") == ["tpellatt", "mkarimova"]
    assert handles("AllowUsers tpellatt mkarimova root") == ["tpellatt", "mkarimova"]


@pytest.mark.parametrize(
    "text",
    [
        "sudo -u postgres psql -U postgres; ssh as root; git push -u origin main",
        "sort -u names; docker run -u nginx web",
        "written by hand, updated by default, reviewed by mistake",
        "<div> hello <span> all </span></div>",
        "chown -R root:root /srv; passwd root; su - admin",
        "# ask the team before touching this",
        "TODO later: fix",
    ],
)
def test_roles_and_words_are_no_logins(text: str) -> None:
    assert handles(text) == []


def test_each_verb_before_a_login_opens_the_gate() -> None:
    done, acting = strings_of(_DONE) or (), strings_of(_ACTING) or ()
    texts = [f"It was {verb} by it" for verb in done] + [f"I {verb} as it" for verb in acting]
    assert len(texts) > 300 and all(LOGIN_GATE(text, glance(text)) for text in texts)
    assert not any(LOGIN_GATE(text, glance(text)) for text in ("known as it", "a person as it", "sent by it"))


def test_a_login_goes_in_paths_and_as_the_owner_of_a_device() -> None:
    text = "User dvance\nIdentityFile ~/.ssh/dvance_ed25519"
    assert handles(text) == ["dvance", "dvance"]
    device = "ask hannah-printer, canon-printer"
    assert [device[span.start : span.end] for span in tv.detect(device)] == ["hannah"]
    assert handles('name = "dana.whitlock"') == ["dana.whitlock"]
    assert handles("reported to priya.n on friday") == ["priya.n"]
    assert handles("see tom.achterberg today") == ["tom.achterberg"]
    assert handles("Mail: petra.k\n") == ["petra.k"]
    assert handles("thanks anna.then we go; see anna.json") == []


@pytest.mark.parametrize(
    ("text", "owner"),
    [
        ("on lt-jfarquhar-04 since", "lt-jfarquhar-04"),
        ("LAPTOP-FABIAN-KOVAC is down", "LAPTOP-FABIAN-KOVAC"),
        ("client: wks-som, up", "wks-som"),
        ("from mbp-de-camille up", "camille"),
        ("device mfaures-iphone lost", "mfaures-iphone"),
        ("vincent-svensson-macbook", "vincent-svensson-macbook"),
        ("assigned to user c.nicholson, then", "c.nicholson"),
        ("user serena_nicolini's job", "serena_nicolini"),
        ("login: u.strand", "u.strand"),
        ("uid: tanya_knight", "tanya_knight"),
        ("cd ~maryam15/public_html", "maryam15"),
        ("GET /users/jfarquhar/edit", "jfarquhar"),
        ("http://intranet/people/stevensw", "stevensw"),
        ("in /var/mail/viraj29 and", "viraj29"),
        ("/mnt/homes/eliza-marczyk/x", "eliza-marczyk"),
    ],
)  # fmt: skip
def test_hosts_and_paths_give_away_no_owner(text: str, owner: str) -> None:
    left = set(range(text.index(owner), text.index(owner) + len(owner)))
    for span in tv.detect(text, min_score=0.35):
        left -= set(range(span.start, span.end))
    assert not {text[at] for at in left if text[at].isalnum()}


@pytest.mark.parametrize(
    "text",
    [
        "docker-desktop, ubuntu-desktop, gaming-pc, desktop-app, laptop-stand, ws-client, nb-no, pc-lint, lt-LT",
        "GET /users/sign_in, /users/settings, /profile/avatar, ~/bin, a~b, /people/search",
        "the user interface, a user story; user friendly, user defined. user guide",
    ],
)
def test_hosts_and_paths_of_nobody_stay(text: str) -> None:
    assert not tv.detect(text, min_score=0.35)


def test_a_name_in_small_letters_that_ends_a_commit_goes() -> None:
    text = "Fix it\n\nSigned-off-by: h. bloom\nReviewed-by: build bot\nTested-by: ci\n"
    spans = [text[span.start : span.end] for span in tv.detect(text, min_score=0.35) if span.kind == "person"]
    assert spans == ["h. bloom", "build bot"]


def test_hosts_that_name_their_owner_go() -> None:
    text = "cache02.tarnbrook.example, pg.tarnbrook.local, db-primary.internal, mx.clinic.example, build.intern.example"
    urls = [text[span.start : span.end] for span in tv.detect(text) if span.kind == "url"]
    assert urls == ["cache02.tarnbrook.example", "pg.tarnbrook.local"]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Schick mir Bergmann_Attest.pdf bitte", "Bergmann"),
        ("see recibo-olvera-2024.JPG", "olvera"),
        ("Rota_Keane_v2.xlsx is by Rosalind Keane", "Keane"),
        ("Receipt: Gantry_receipt_March.pdf for Mrs Philippa Gantry.", "Gantry"),
    ],
)
def test_a_name_in_the_name_of_a_file_is_found(text: str, name: str) -> None:
    found = [text[span.start : span.end] for span in tv.detect(text, min_score=0.35) if span.start == text.index(name)]
    assert found == [name]


@pytest.mark.parametrize(
    "text", ["see Kitchen_rota.pdf", "read Paris_notes.docx", "Winter_Duvets.jpg", "manual_v2.pdf"]
)
def test_words_in_the_name_of_a_file_stay(text: str) -> None:
    assert not [span for span in tv.detect(text, min_score=0.35) if span.kind in ("person", "place", "handle")]


def test_a_login_of_a_persons_whole_name_is_no_given_name() -> None:
    text = (
        "[14:02] jkowalczyk: morning all, did anyone restart the build box?\n[14:03] Marta O: not me. ask @dshah\n"
        "[14:03] dshah: yes sorry, rebooted at 13:50 after Jan Kowalczyk asked me to\n[14:04] jkowalczyk: i did??\n"
        "[14:04] Devika Shah: you pinged me in #infra lol\n[14:06] Marta O: jan needs coffee.\n"
    )
    found = {text[span.start : span.end]: span.kind for span in tv.detect(text, min_score=0.35)}
    assert (found["jkowalczyk"], found["dshah"], found["jan"]) == ("handle", "handle", "person")
