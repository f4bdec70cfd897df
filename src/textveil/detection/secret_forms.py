"""How issuers write their keys and tokens: a beginning that says whose it is, and what follows it."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import Final, NamedTuple

from textveil.detection.found import words_in
from textveil.text.patterns import lazy_regex


class Form(NamedTuple):
    """What stands behind a beginning.

    Attributes:
        pattern: of all of it, from ``before`` characters ahead of the beginning; bounded.
        before: how many characters of it stand ahead of the beginning.
        mixed: whether what follows must look drawn, since the beginning alone also begins words.
    """

    pattern: re.Pattern[str]
    before: int = 0
    mixed: bool = False


_WORD: Final = "[A-Za-z0-9_]"
_WIDE: Final = "[A-Za-z0-9_-]"
_TABLE: Final = (
    (r"[A-Z0-9]{16,20}(?![A-Za-z0-9])", "AKIA ASIA ABIA ACCA AROA AIDA AGPA ANPA"),
    (r"[A-Za-z0-9]{36}(?![A-Za-z0-9_])", "npm_"),
    (r"[A-Za-z0-9]{30,40}(?![A-Za-z0-9_])", "hf_"),
    (r"[A-Za-z0-9_]{16,255}", "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ gsk_ r8_ glc_ glsa_ sbp_ nfp_ rubygems_ sntrys_"),
    (
        r"[A-Za-z0-9_]{16,255}",
        "dop_v1_ doo_v1_ dor_v1_ shpat_ shpss_ shpca_ shppa_ lin_api_ ntn_ vercel_ pscale_tkn_ tfp_",
    ),
    (
        r"[A-Za-z0-9_]{10,255}",
        "sk_live_ sk_test_ rk_live_ rk_test_ pk_live_ pk_test_ whsec_ shippo_live_ shippo_test_ lsv2_",
    ),
    (
        r"[A-Za-z0-9_-]{16,255}",
        "glpat- gldt- glft- glsoat- glrt- glcbt- glimt- glptt- glagent- gloas- GR1348941 dckr_pat_",
    ),
    (
        r"[A-Za-z0-9_-]{12,255}",
        "sk-proj- sk-svcacct- sk-admin- sk-None- sk-ant- sk-or-v1- xai- pplx- figd_ pul- tskey- NRAK-",
    ),
    (r"[A-Za-z0-9-]{10,255}", "xoxb- xoxp- xoxa- xoxr- xoxs- xoxe- xapp- xoxe.xoxb- xoxe.xoxp-"),
    (
        r"[A-Za-z0-9_-]{24,255}",
        "AIza GOCSPX- ya29. hvs. hvb. hvr. EAACEdEose0cBA ATATT3 ATCTT3 sq0csp- sq0atp- EAAAE pypi-AgE",
    ),
    (r"[A-Za-z0-9_-]{16,72}\.[A-Za-z0-9_-]{16,72}", "SG."),
    (r"[A-Za-z0-9]{8}-[A-Za-z0-9]{4}-[A-Za-z0-9-]{12,64}", "HRKU- AGE-SECRET-KEY-"),
    (r"[0-9a-f]{24}-[0-9a-f]{34}", "PMAK-"),
    (r"[0-9A-Z]{20,80}", "AGE-SECRET-KEY-1"),
    (r"[0-9a-f]{32}(?![A-Za-z0-9])", "dapi AC SK key-"),
    (r"[A-Za-z0-9_-]{6,4096}\.[A-Za-z0-9_-]{6,8192}(?:\.[A-Za-z0-9_-]{0,8192}){0,3}", "eyJ"),
    (r"[A-Z0-9]{6,12}/B[A-Z0-9]{6,12}/[A-Za-z0-9]{12,32}", "https://hooks.slack.com/services/T"),
    (r"[0-9]{15,20}/[A-Za-z0-9_-]{40,90}", "https://discord.com/api/webhooks/ https://discordapp.com/api/webhooks/"),
)
_MIXED: Final = words_in("""AROA AIDA AGPA ANPA ABIA ACCA gsk_ r8_ glc_ ntn_ vercel_ pul- xai-""")

FORMS: Final = MappingProxyType(
    {
        **{
            beginning: Form(lazy_regex(re.escape(beginning) + tail), 0, beginning in _MIXED)
            for tail, beginnings in _TABLE
            for beginning in beginnings.split()
        },
        "sk-": Form(lazy_regex(r"sk-[A-Za-z0-9]{20,64}(?![A-Za-z0-9_-])"), 0, True),
        ":AA": Form(lazy_regex(r"[0-9]{9}:AA[A-Za-z0-9_-]{32,36}(?![A-Za-z0-9_-])"), 9),
        "Q~": Form(lazy_regex(r"[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}"), 4),
        "-us": Form(lazy_regex(r"[0-9a-f]{32}-us[0-9]{1,2}(?![A-Za-z0-9])"), 32),
    }
)
"""By beginning, what is a secret. Public: it is what surrogates keep as it is."""

KEPT_BEGINNINGS: Final = tuple(
    sorted(
        (beginning for beginning, form in FORMS.items() if not form.before),
        key=lambda beginning: (-len(beginning), beginning),
    )
)
"""Beginnings at the start of a secret, the longest first."""

PEM_LABEL: Final = r"(?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)?"
"""What the first line of a private key says between its hyphens."""
