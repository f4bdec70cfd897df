"""Passwords, codes and user names behind their label in other scripts and in Turkish."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from textveil.detection.found import Found, Phase, Row
from textveil.detection.gates import anywhere
from textveil.text.patterns import lazy_regex, matches

_CODE: Final = r"(?=[^\s,;，。、；،]{0,40}[0-9_#@!%&*$-])[^\s,;，。、；،)）]{3,40}"
"""A value in which a digit or a mark stands: what a word alone cannot be."""
_LABELS: Final = (
    r"(?:密码|密碼|口令|暗号|暗碼)[ ]?(?:是|为|為|改成|改为|：|:|=){1,2}[ 　]?(?P<zh>[^\s，。；、,;）)]{3,40})",
    r"(?:パスワード|暗証番号|合言葉|パスコード|暗証)[ 　]?(?:は|：|:|=)[ 　]?(?P<ja>[!-~]{3,40}|[^\s、。，]{2,24}?(?=です|でした|に|と|。|、|\s|$))",
    r"(?:비밀번호|암호|패스워드|비번|비밀 번호|현관번호)(?:는|은)? ?[:：=]? ?(?P<ko>(?=[^\s,]{0,30}[0-9_#@!-])[^\s,.]{3,40}?)(?=입니다|이에요|예요|이고|이며|야|로|으로|[,.\s]|$)",
    rf"(?i:парол[ьяеию]{{1,2}}|токен[а-я]?|ключ api|api-ключ|пин-?код|кодовое слово|код (?:от|домофона|двери|подъезда|сейфа)(?: [а-я]{{1,20}}){{0,2}})(?: (?:от|к|для) [а-яё-]{{1,30}})?(?:(?: был| была| теперь| такой| —| -|:|=){{1,3}} ?(?P<ru>[^\s,;.]{{3,40}})| (?P<ru2>{_CODE}))",
    rf"(?:كلمة (?:المرور|السر)|الرقم السري|رمز (?:الدخول|الباب|البوابة)|كلمة مرور)(?: {'[ء-ي]'}{{2,12}}){{0,2}}?(?: ?[:：]| هي| هو) ?(?P<ar>[^\s،,.]{{3,40}})",
    rf"(?i:şifre(?:si|niz|miz|m|n)?|parola(?:sı|nız|mız|m|n)?|kapı kodu)(?: ise| olarak)? ?[:=]? ?(?P<tr>{_CODE})",
)
_SECRET: Final = lazy_regex("|".join(f"(?:{label})" for label in _LABELS))
_USER: Final = lazy_regex(
    r"(?:(?i:логин[а-я]{0,2})|用户名|用戶名|账户名|ユーザー名|ユーザーID|ログインID|아이디|사용자명|اسم المستخدم|(?i:kullanıcı adı(?:m|n|nız)?))(?: ?[:：=は是는은—-])? ?(?P<user>[A-Za-z][A-Za-z0-9._-]{2,30})(?![A-Za-z0-9@])"
)
_EMAIL: Final = lazy_regex(
    "(?<=[\u3000-\u9fff\uac00-\ud7af\uff00-\uff20])[A-Za-z0-9][A-Za-z0-9._%+-]{0,62}@[A-Za-z0-9-]{1,62}(?:\\.[A-Za-z0-9-]{1,62}){1,5}"
)
"""An address right behind a character of a script without spaces."""
_FEW: Final = frozenset("""слишком неверный короткий забыт утерян указан изменён истёк""".split())


def find_secrets(text: str) -> Iterator[Found]:
    """Yield what a label for a password, a code or a user's name stands before."""
    for match in matches(_SECRET, text):
        value = match[match.lastgroup or 0]
        if value.lower() not in _FEW:
            start, end = match.span(match.lastgroup or 0)
            yield Found(start, end - len(value) + len(value.rstrip(".!?)»\"'")), "secret", 0.9, "label")
    for match in matches(_EMAIL, text):
        yield Found(*match.span(), "email", 0.9)
    for match in matches(_USER, text):
        yield Found(*match.span("user"), "handle", 0.8, "label")


# fmt: off
PHASE: Final = Phase("script-secrets", (
    Row("script-secret", find_secrets, anywhere, "email handle secret", 0.9, "label",
        "пароль: Снежинка2020", "пароль слишком короткий"),
))
"""Secrets first: their words are names too."""
# fmt: on
