"""Names in Chinese: family names with one or two characters behind, titles, labels, places and organizations.

Chinese writes no spaces and no capitals. A name is told by its family name, by characters that given names are made of,
by a word for a person beside it, and by what may stand before and behind a name; frequent words that begin like a
family name are public.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from textveil.detection.east_asian import ALONE, FORMS, HAN, back_to
from textveil.detection.found import Found, Phase, Row
from textveil.detection.gates import anywhere
from textveil.detection.lists import listed, written
from textveil.text.patterns import lazy_regex, matches

_H: Final = f"[{HAN}]"
COMMON: Final = frozenset(
    "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏钟汪田任姜范方石"
    "姚谭廖邹熊金陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段雷钱汤尹黎易常武乔贺赖龚文庞樊兰殷施陶洪翟安颜倪严牛温芦季俞章鲁葛伍韦申尤毕聂"
    "丛焦柳邢岳齐梅莫庄辛管祝左涂谷祁舒耿牟卜詹关苗凌费纪靳盛童欧甄项曲成游阳裴席卫查屈鲍覃霍翁隋甘景薄单包柏宁柯阮桂闵解柴华车"
    "冉房边張劉陳楊趙黃吳孫馬羅鄭謝韓馮蕭鄧許呂蘇盧蔣賈葉閻鍾鐘范譚鄒陸顧萬錢湯賀賴龔龐蘭顏嚴溫蘆韋畢聶叢齊莊關紀項陽衛鮑單寧閔車邊骆佟戚晏谌荀喻隋冼邰宓逄阚蔺鄢郗邸郜佘仝亓卞匡芮臧鞠璩缪邬嵇滕岑栾晁褚奚郏"
)
"""Family names of one character that are read without a label beside them."""
_LOOSE: Final = frozenset("于方成常安文万白高金江石包车边单管解查席费游阳华关景任严温易左向谷毛石牛盛時明万")
"""Family names that are words or parts of words at least as often: they need more beside them."""
_TITLES: Final = (
    "先生|女士|小姐|太太|夫人|医生|医师|大夫|护士长|护士|教授|老师|经理|总经理|副总|总监|主任|院长|校长|律师|同学|同志|博士|师傅|阿姨|叔叔|伯伯|局长|处长|科长|部长|"
    "董事长|主席|书记|警官|法官|检察官|工程师|会计|秘书|店长|队长|班长|奶奶|爷爷|大爷|大妈|大哥|大姐|师兄|师姐|学长|学姐|主管|组长|总|工|哥|姐|女仕|导师|导演|教练|"
    "醫師|醫生|護士|護理師|經理|總經理|總監|老師|同學|律師|院長|校長|主任|局長|處長|科長|部長|董事長|師傅|爺爺|隊長|組長|小姐"
)
_LABELS: Final = (
    "姓名|患者姓名|病人姓名|患者|病人|联系人|收件人|收货人|寄件人|客户|客户姓名|申请人|法定代表人|法人代表|负责人|经办人|主治医生|主治医师|责任护士|接诊医生|医师签名|医师|医生|"
    "户名|担保人|债权人|债务人|出借人|借款人|保证人|见证人|被?询问人|被?讯问人|当事人|原告|被告|委托人|受托人|代理人|签名|签字|署名|抄送|发件人|收信人|作者|家属|监护人|紧急联系人|订购人|乘客|员工|学生|学生姓名|家长|班主任|出租方|承租方|"
    "甲方|乙方|记录|主持|列席|缺席|请假|参会|群主|园长|讲师|值班|校对|编辑|主刀|麻醉师|汇报对象|直属上级|上级|接送|开户名|持卡人|被保险人|投保人|受益人|报告人|记录人|审核人|证人|房东|租客|配偶|父亲|母亲|曾用名|面试官|候选人|应聘者|推荐人|主持人|参会人员|出席|"
    "聯絡人|收件人|申請人|負責人|主治醫師|護理師|戶名|簽名|寄件者|收件者|監護人|緊急聯絡人|學生|客戶|員工"
)
_CUES: Final = (
    "麻烦 拜托 提醒 问一下 取件人 用户 名叫 叫做 叫他 叫她 人称 绰号 外号 小名 叫 我叫 我是 请 由 给 跟 和 与 找 问 替 帮 陪 通知 联系 感谢 转告 家属 家长 配偶 老公 老婆 爱人 儿媳 女婿 孙子 孙女 侄子 外甥 舅舅 姑姑 姨妈 保姆 护工 患者 病人 学生 员工 客户 同事 朋友 好友 丈夫 妻子 儿子 女儿 母亲 父亲 爸爸 妈妈 哥哥 姐姐 弟弟 妹妹 "
    "爷爷 奶奶 外婆 外公 医生 护士 教授 老师 经理 主任 律师 司机 记者 演员 歌手 作家 总统 主席 总理 市长 省长 部长 院长 校长 导演 法官 邻居 室友 助理 秘书 工程师 女士 先生 嫌疑人 "
    "被告人 原告 被告 证人 队长 选手 球员 教练 同学 会计 代表 创始人 董事长 负责人 联系人 主管 房东 老板 用户 报警人 租户 租客 检察官 投诉人 举报人 目击者 当事人 死者 伤者 失主 候选人 候选人是 取件人 乘客 客人 住户 业主 网友 店员 学员 会员 队员 号床 床 教师 原告人 护士长 法官 警官 經理 醫師 醫生 老師 護士 學生 同事 律師 亲爱的 尊敬的 親愛的 你好 您好 收件人 前台 民警 辅警 店主 徒弟 实习生 研究生 师父 弟子 租客 同乡 老乡 工友 听说 老板娘 表弟 表哥 表妹 表姐 堂弟 堂妹 婆婆 公公 岳父 岳母 男友 女友 闺蜜 发小 领导 护工 月嫂 出纳 导游 保洁 保安 厨师 站长 园长 阿姨 师傅 辅导员 班主任 "
    "與 請 給 聯絡 感謝 通知 丈夫 太太 女兒 兒子 媽媽 爸爸 回复 抄送"
)
_BEFORE: Final = frozenset(
    "和与及跟由请向对给找叫是为让将把被同问替帮陪的而但当因以据在说者位名、與請給對為讓將幫據說讓收"
)
_BEHIND: Final = frozenset(
    "的了说是在和与于去来已将会也就都先因从对向到把被给为及还要想表不正曾可能有没做让叫道告负担主出参发收提认指今昨明本女男之等则接打住陪联代诉嘱送代诉嘱送生于又再很需应"
    "與說來將會從對給為還讓負擔參發認聯應後后前上下您你我他她，签驾骑持投相写买拿用带坐站跑走看听吃喝问回进死病入当至并称介反觉申请拒同"
)
_LABELLED: Final = lazy_regex(
    rf"(?<!{_H})(?:{_LABELS})(?:[（(][^()（）\n]{{0,10}}[)）])?[ 　]?[:：][ 　]{{0,3}}(?P<name>{_H}{{2,4}}(?:[·•・]{_H}{{1,6}})?)(?!{_H})"
)
_BESIDE_LABEL: Final = lazy_regex(
    rf"(?:户名|姓名|联[系络]人|[本件货款卡责表办理托请保字证绍护害举继租卖让与]人|被告人?|原告|[甲乙买卖租][方]|[医审判陪书护教警检法辅讲列乘售收演球推导观值技保程]{_H}{{0,2}}[员师士官长]|部|科|处|室|组|委)"
    rf"(?:[是为叫]|[ 　]{{1,3}})?(?P<name>{_H}{{2,4}})(?=[，,。；;、（(）)\n]|[ 　]|[签诉与和于在]|\Z)"
)
"""A name right behind a label, a role, or the office that signs: 户名应丽娜, 人事部 连慧."""
_NOBODY: Final = frozenset("未定 待定 不详 不詳 同上 本人 暂无 未填 保密 匿名 自己 家属 全体 见下 见附件 如下".split())
_OF_KIN: Final = lazy_regex(
    rf"(?:[我他她你][哥弟姐妹爸妈](?![夫哥弟姐妹妈爸])|外婆|外公|奶奶|爷爷|父亲|母亲|爸爸|妈妈|丈夫|妻子|儿子|女儿|哥哥|姐姐|弟弟|妹妹|孙子|孙女|老公|老婆|男朋友|女朋友|同事|邻居|室友|门卫|保安|司机|保姆|护工|老头子|老伴|媳妇|婆婆|岳父|岳母|公公|丈母娘|舅舅|舅妈|姨妈|姑姑|姑妈|[表堂][哥弟姐妹]|姐夫|妹夫|嫂子|弟媳|弟妹|[叔伯][叔伯父]|婶婶|姑[父夫]|姨[父夫]|小[姨姑舅]子?|大[哥姐嫂伯]|二[哥姐叔]|亲家|侄[子女]|外甥女?|小子|闺女|村主任|支书|社工|站长|园长)"
    rf"(?P<name>小{_H}{{2}}|[老小大]{_H}|{_H}{{2,3}})(?=[^{HAN}]|[{''.join(sorted(_BEHIND))}]|\Z)"
)
_ANY_LABEL: Final = lazy_regex(
    rf"(?<!{_H}){_H}{{1,5}}(?:[人员員者班长師师士医生工手管床习警]|签字|签名|簽名|姓名)[ 　]?[:：][ 　]{{0,2}}(?P<name>{_H}{{2,3}})(?!{_H})"
)
_ANOTHER: Final = lazy_regex(rf"[、，,/ 　]{{1,2}}(?P<name>{_H}{{2,4}})(?=[、，,/ 　。\n（(]|\Z)")
_ASIDE: Final = lazy_regex(r"[（(][^()（）\n]{1,16}[)）]")
_ATTENDING: Final = ("出席", "参会", "列席", "缺席", "请假", "参加", "与会")
_DUTY: Final = lazy_regex(
    rf"^(?:周|星期|礼拜)[一二三四五六日天][ 　：:]{{1,3}}(?P<name>{_H}{{2,3}})(?=[ 　、（(]|$)", re.MULTILINE
)
_WRITER: Final = lazy_regex(rf"^(?P<name>{_H}{{3}})(?=[：:][^\s])", re.MULTILINE)
_CHAT: Final = lazy_regex(rf"^(?P<name>{_H}{{2,3}})(?=[：:][^\s])", re.MULTILINE)
_I_AM: Final = lazy_regex(rf"(?:我是|我叫)(?P<name>[小阿]{_H})(?=[，。,！!]|\Z)")
_SIDE_BY_SIDE: Final = lazy_regex(rf"(?<!{_H}){_H}{{2,3}}(?:、{_H}{{2,3}}){{1,12}}(?={_H}|\W|\Z)")
"""Names in a row: 汪楚涵、郭子墨、苗小玉三人."""
_PAIR: Final = lazy_regex(rf"(?P<first>{_H}{{3}})、(?P<second>{_H}{{3}})")
_DEAR: Final = lazy_regex(
    rf"亲爱的(?P<dear>{_H}{{2,4}})(?=[，,：:！!])|(?:^|[\n。！])(?P<said>{_H}{{2}})(?=[，,：:！!])"
    rf"|(?:^|[\n。！，])(?P<ill>{_H}{{2}})(?=今天|昨天|昨晚|明天|发烧|生病)"
)
"""Whom a letter or a chat speaks to or of by the given name."""
_RELATED: Final = lazy_regex(
    rf"(?<!{_H})(?P<name>{_H}{{2,4}})[（(](?:妻子|丈夫|老公|老婆|父亲|母亲|儿子|女儿|哥哥|弟弟|姐姐|妹妹|爷爷|奶奶|外公|外婆|配偶|同事|朋友|邻居|室友|本人|监护人)[)）]"
)
_SPACED_LABEL: Final = lazy_regex(
    rf"(?:姓[ 　]{{1,4}}名|姓名(?=[ 　:：]))[ 　]?[:：]?[ 　]{{0,3}}(?P<name>{_H}{{2,4}})(?!{_H})"
)
_SIGN: Final = lazy_regex("[:：]")
_TITLE: Final = lazy_regex(f"(?:{_TITLES})")
_FOREIGN: Final = lazy_regex(
    rf"[阮黎范裴陈武潘邓]氏{_H}{{1,2}}(?=[^{HAN}]|[的了说是在和与去来也])|(?<!{_H}){_H}{{1,6}}[·•・]{_H}{{1,6}}(?:[·•・]{_H}{{1,6}})?(?!{_H})|{_H}{{2,4}}[·•・]{_H}{{2,4}}"
)
_FOND: Final = lazy_regex(rf"(?P<fond>[小老阿大])(?P<family>{_H})")
_NOT_FOND: Final = frozenset(
    "总大百年鼠虎式实是旧城街字头爷爸妈弟妹伴化挝手房早远到去来鸟鹰天账汉本底龄时包车边高方白明常平学数米票康麦雪乡路区组说家人师板外公婆"
)
_OF_AGE: Final = lazy_regex(rf"(?P<name>{_H})(?:姐|哥|叔|姨|婶|嫂|伯)(?!{_H}?[姐哥叔姨婶嫂伯夫])")
_NOT_OF_AGE: Final = frozenset("小大老表堂学师空二三四五六七八阿姑舅伯叔爷奶公婆的我你他她帅姐哥姨婶嫂亲干么个")
_SOUNDS: Final = (
    "阿埃艾安奥巴白拜班邦保贝本比彼别宾伯勃博布查茨达戴丹道德登迪蒂丁杜顿多厄恩尔法菲费芬弗夫福盖甘冈高戈格根古哈海汉赫亨胡华霍基吉加贾杰金卡凯坎康考柯科克肯孔库昆拉莱兰朗劳勒雷黎里利莲列林琳隆卢鲁伦罗洛马玛迈麦曼梅门蒙米密敏明莫姆穆娜纳乃南内尼宁"
    "纽诺欧帕潘佩彭皮平珀普齐奇恰乔切琼热仁日瑞萨塞桑瑟沙莎尚绍舍申圣施史士斯丝思苏索塔泰坦汤唐陶特腾提图托瓦旺威维韦温文沃乌西希锡夏香谢辛雄休修逊雅亚延扬耶叶伊依英尤约扎泽詹珍朱兹佐丽买娅其汗孜吐合江鲁呼娃朝敦"
)
_BY_SOUND: Final = lazy_regex(rf"(?<![{HAN}·])[{_SOUNDS}]{{3,8}}(?![{HAN}·])|(?<={_H})[{_SOUNDS}]{{2,9}}")
_BED: Final = lazy_regex(r"[0-9]{1,3}[床号][ 　:：]?\Z")
_IN_BED: Final = lazy_regex(
    rf"(?<![0-9])[0-9]{{1,3}}床[ 　:：]?(?P<name>{_H}{{2,4}}(?:[·•・]{_H}{{1,4}})?)(?=[ 　，,、（(：:\n]|\Z)"
)
_CALLED: Final = lazy_regex(
    rf"(?:(?:都|大家|人人|一直)叫[他她我]|(?:外号|绰号|小名|昵称|人称)(?:叫|是|[：:]|(?=[“\"「])))[“”\"「]?(?P<name>{_H}{{2,3}})(?=[^{HAN}]|[的是]|\Z)"
    rf"|(?:名叫|叫做?|自称|被称为|人称)[“\"「](?P<quoted>{_H}{{2,4}})[”\"」]|(?<![大小同何贵免百]{{1}})姓(?P<family>{_H})(?=[^{HAN}]|的)|(?:大名|本名|真名|原名)(?:叫|是|[：:])?(?P<great>{_H}{{2,4}})(?=[^{HAN}]|\Z)"
    rf"|(?:儿子|女儿|孩子|宝宝|弟弟|妹妹|孙子|孙女|外甥|侄子|侄女)(?:名|小名)?叫(?P<called>{_H}{{2,3}})(?=[，。,；\n]|\Z)|落款[是为写：:]?(?P<signed>{_H}{{2,3}})(?=[和、，。\n]|\Z)"
    rf"|(?<!{_H})(?:患者|病人|死者|伤者|嫌疑人|犯罪嫌疑人|被告人?|原告|失主)?(?P<sexed>{_H}{{2,4}})(?=[，,（(](?:男|女)(?:[，,）)性]))"
)
_OF_CHILD: Final = lazy_regex(
    rf"(?:(?<!{_H})|(?<=[请问给让找等叫和跟带])|(?<=[尊亲][敬爱]的))(?P<name>{_H}{{2,4}}?)的?(?:妈妈|爸爸|妈咪|奶奶|爷爷|姥姥|姥爷|家长|(?P<short>[妈爸]))(?:(?!{_H})|(?=[带说来去的在帮也]))"
)
"""Words behind a child's name that name its parents, in chats of a school: 乐乐妈妈."""
_NO_CHILD: Final = lazy_regex("别人|[二两三我你您他她它的各全单亲孩学新年老宝辣众诸患其所部和与及请让给跟问叫是]")
_GREETED: Final = lazy_regex(rf"(?:^|\n)(?P<name>[小阿]{_H})(?=[，,：:！!])")
_RUN: Final = lazy_regex(rf"{_H}{{2,}}")


@cache
def _words() -> frozenset[str]:
    """Return frequent words; those of three characters that are made like a name are persons whom everybody knows."""
    words = listed("zh", "ordinary") | listed("zh", "frequent")
    of_names = frozenset("".join(listed("zh", "given")))
    return frozenset(word for word in words if len(word) != 3 or word[0] not in COMMON or not set(word[1:]) <= of_names)


@cache
def _no_names() -> frozenset[str]:
    return _words() | _NOBODY


@cache
def _given_characters() -> frozenset[str]:
    return frozenset("".join(listed("zh", "given"))) | listed("zh", "character")


@cache
def _cues() -> frozenset[str]:
    return frozenset(_CUES.split())


@cache
def _families() -> frozenset[str]:
    return listed("zh", "family")


def family_of(name: str) -> str:
    """Return the family name that a name begins with: of two characters if it is one; empty if none."""
    if len(name) > 2 and name[:2] in _families():
        return name[:2]
    return name[:1] if name[:1] in COMMON or name[:1] in _families() else ""


def find_titled(text: str) -> Iterator[Found]:
    """Yield names before a title ("王小明医生"), behind a label ("姓名：王小明"), with "小", and foreign ones ("约翰·史密斯")."""
    yield from _labelled(text)
    yield from _in_rows(text)
    yield from _called(text)
    for match in matches(_OF_KIN, text):
        name = match["name"]
        name = name[:2] if len(name) > 2 and name[2] in "也在的了说是来去也就都已将把被没做" else name
        name = name[:2] if name[0] == name[1] else name
        family = name[1] if name[0] in _FONDLY else family_of(name)
        if (
            (
                name[0] == name[-1]
                or (name[0] == "小" and len(name) > 2)
                or (name[0] == "大" and name[1] in listed("zh", "telling"))
                or family in _families()
                or _sure(name[1:])
                or _sure(name)
            )
            and name not in _no_names()
            and not _TITLE.search(name[1:])
        ):
            yield Found(match.start("name"), match.start("name") + len(name), "person", 0.7, "title")
    for match in matches(_FOREIGN, text):
        yield Found(*match.span(), "person", 0.7, "list")
    for match in matches(_GREETED, text):
        if match["name"] not in _words():
            yield Found(*match.span("name"), "person", 0.6, "title")
    yield from _fondly(text)
    yield from _by_sound(text)
    for match in matches(_TITLE, text):
        if start := _before_title(text, match.start(), match[0]):
            yield Found(match.start() - start, match.start(), "person", 0.8, "title")


def _fondly(text: str) -> Iterator[Found]:
    """Yield names behind 小, 老, 阿 or 大, before 姐 or 叔, and of who lies in a bed."""
    for match in matches(_FOND, text):
        if _is_fond(text, match.start(), match["fond"], match["family"]):
            yield Found(*match.span(), "person", 0.6, "title")
    for match in matches(_OF_AGE, text):
        ends = _ends(text, match.end()) or match["name"] in COMMON - _LOOSE
        if _opens(text, match.start()) and ends and match["name"] not in _NOT_OF_AGE:
            yield Found(*match.span("name"), "person", 0.6, "title")
    for match in matches(_IN_BED, text):
        name = match["name"]
        if (_is_made_like_one(name) and name not in _words()) or name[0] in _FONDLY or name[0] == name[1]:
            yield Found(*match.span("name"), "person", 0.7, "field")


def _is_fond(text: str, start: int, fond: str, family: str) -> bool:
    """Return whether 小, 老, 阿 or 大 with a character behind it is a name: 老贺, 阿兰."""
    end = start + 2
    cued = _cued(text, start) or text[start - 1 : start] in tuple("：:找和与、")
    when = text[max(0, start - 2) : start] in _WHEN
    if not (when or _opens(text, start) or text[start - 1] in "里等带喊有到部组室科处班"):
        return False
    ends = _ends(text, end) or text[end] in "接家请請这這"
    if fond == "阿" and ends and family in _given_characters():
        return True
    if fond == "大":
        near = text[max(0, start - _NEAR) : end + _NEAR]
        known = family in listed("zh", "telling") | (COMMON - _LOOSE) and near.count(fond + family) > 1
    else:
        known = family in (COMMON - _LOOSE if not cued else (COMMON | _families()) - _NOT_FOND)
        known = known or (fond == "小" and family in listed("zh", "telling"))
        known = known or (fond == "老" and family not in _NOT_FOND)
    told = cued and (fond == "阿" or family in COMMON - _LOOSE)
    return (told or (known and ends)) and not _is_word_here(text, start, end)


_WHEN: Final = frozenset("晚上 昨晚 昨天 今天 今早 后来 然后 刚才".split())
_NEAR: Final = 400  # characters among which 大强 is met again


def _by_sound(text: str) -> Iterator[Found]:
    """Yield names of other languages that are written by their sound: behind a role, in a bed, or alone in a field."""
    for match in matches(_BY_SOUND, text):
        start, end = match.span()
        told = (at for at in range(start, end - 1) if any(text[max(0, at - n) : at] in _cues() for n in (2, 3, 4)))
        free = text[start - 1 : start] in ("", "：", ":", "、", "员") or _BED.search(text, max(0, start - 6), start)
        start = start if free and end - start > 2 else next(told, end)
        ends = start < end and (_ends(text, end) or _TITLE.match(text, end))
        if ends and text[start:end] not in _words() and text[start:end] not in listed("zh", "place"):
            yield Found(start, end, "person", 0.6, "list")


def _is_word_here(text: str, start: int, end: int) -> bool:
    words = (text[start:end], text[start : end + 1], text[start : end + 2], text[start + 1 : end + 1])
    return any(word in _words() or word in listed("zh", "place") for word in words)


def _labelled(text: str) -> Iterator[Found]:
    """Yield names behind a label, and those that are listed behind them."""
    for match in matches(_BESIDE_LABEL, text):
        name = match["name"]
        family = family_of(name)
        given = name[len(family) :]
        signed = " " in match[0] and text[match.end() : match.end() + 1] in ("", "\n")
        sure = _sure(given) and given not in _words()
        told = match[0][0] not in "部科处室组委" or signed or sure or family[:1] in COMMON - _LOOSE
        if told and 0 < len(given) < 3 and _is_made_like_one(name) and set(given) <= _given_characters():
            yield Found(*match.span("name"), "person", 0.7, "field")
    for pattern in (_LABELLED, _SPACED_LABEL, _RELATED, _ANY_LABEL):
        for match in matches(pattern, text):
            end = match.end("name")
            known = pattern in (_LABELLED, _RELATED) or bool(family_of(match["name"]))
            known = known or (
                match["name"][0] in _FONDLY if pattern is _ANY_LABEL else _SIGN.search(match[0]) is not None
            )
            if known and match["name"] not in _no_names() and _TITLE.match(match["name"]) is None:
                yield Found(match.start("name"), end, "person", 0.8, "field")
                end = aside.end() if (aside := _ASIDE.match(text, end)) else end
                attending = text.startswith(_ATTENDING, match.start())
                while (other := _ANOTHER.match(text, end)) and (family_of(other["name"]) or attending):
                    yield Found(*other.span("name"), "person", 0.8, "field")
                    end = other.end()
                    end = aside.end() if (aside := _ASIDE.match(text, end)) else end


def _writers(text: str) -> Iterator[Found]:
    """Yield who writes the lines of a chat and is named again in it, if one of the writers has a given name."""
    lines = list(matches(_CHAT, text))
    for match in lines if any(_sure(line["name"]) or line["name"][0] in _FONDLY for line in lines) else ():
        again = text.count(match["name"]) > 1 and set(match["name"]) <= _given_characters()
        if len(lines) > 1 and again and match["name"] not in _no_names():
            yield Found(*match.span("name"), "person", 0.6, "field")


def _in_rows(text: str) -> Iterator[Found]:
    """Yield names in a row."""
    for row in matches(_SIDE_BY_SIDE, text):
        if all(_is_made_like_one(name) for name in row[0].split("、")):
            for one in _IN_ROW.finditer(row[0]):
                yield Found(row.start() + one.start(), row.start() + one.end(), "person", 0.7, "list")
    for pair in matches(_PAIR, text):
        if all(_is_made_like_one(name) and set(name[1:]) <= _given_characters() for name in pair.groups()):
            yield Found(*pair.span("first"), "person", 0.7, "list")
            yield Found(*pair.span("second"), "person", 0.7, "list")


def _called(text: str) -> Iterator[Found]:
    """Yield what somebody is called by, whose parents somebody is, and who is spoken to."""
    for pattern in (_DUTY, _WRITER):
        for match in matches(pattern, text):
            name = match["name"]
            parts = {name[:2], name[1:]} & _words() if pattern is _WRITER and not _sure(name[1:]) else ()
            if _is_made_like_one(name) and not parts:
                yield Found(*match.span("name"), "person", 0.7, "field")
    yield from _writers(text)
    for match in matches(_I_AM, text):
        if match["name"] not in _no_names():
            yield Found(*match.span("name"), "person", 0.6, "cue")
    for match in matches(_DEAR, text):
        name = match[match.lastgroup or 0]
        if name not in _no_names() and not _TITLE.search(name) and (match["dear"] or _sure(name)):
            yield Found(*match.span(match.lastgroup or 0), "person", 0.6, "cue")
    for match in matches(_CALLED, text):
        group = match.lastgroup or ""
        name = match[group]
        fits = name in COMMON or name in _families() if group == "family" else name not in _no_names()
        if fits or group in ("quoted", "called", "signed") or (group == "name" and "名" in match[0]):
            yield Found(*match.span(group), "person", 0.6, "cue")
    for match in matches(_OF_CHILD, text):
        name = match["name"]
        before = text[match.start() - 1 : match.start()]
        known = name[0] == name[-1] or _sure(name) or name[0] in _FONDLY or before == "的"
        known = known or (before in ("：", ":", "、") if match["short"] else name not in _words())
        if _NO_CHILD.match(name) is None and known:
            yield Found(*match.span("name"), "person", 0.6, "cue")


_IN_ROW: Final = lazy_regex("[^、]+")


def _is_made_like_one(name: str) -> bool:
    """Return whether a name of two or three characters has a family and a given name, and is no word."""
    family = family_of(name)
    given = name[len(family) :]
    known = name not in _words() and name not in listed("zh", "place") and name[-1] not in "市县区省镇村路街"
    fits = set(given) <= _given_characters() if len(given) == 1 or family[:1] in _LOOSE else True
    return bool(family and given and known and fits)


_ROLES_ALONE: Final = frozenset(
    "主任 主席 主管 队长 班长 组长 店长 部长 科长 处长 局长 隊長 組長 部長 局長 處長 科長".split()
)
"""Titles before which a character is more often a word's than a family's: 副主任."""


def _before_title(text: str, end: int, title: str) -> int:
    """Return how many characters of a name stand before a title."""
    before = text[max(0, end - 6) : end]
    for length in (4, 3, 2, 1):
        name = before[-length:] if length <= len(before) else ""
        family = family_of(name)
        if (
            not family
            or not _RUN.fullmatch(name + name)
            or len(name) - len(family) > 2
            or (length == 4 and len(family) < 2)
            or (length == 3 and name[:2] in _cues())
        ):
            continue
        alone = len(name) == len(family) == 1 and before[:-1].endswith(("了", "见", "过"))
        opens = length == len(before) or _opens(text, end - length) or alone or before[-length - 2 : -length] in _WHEN
        given = name[len(family) :]
        if not given:
            known = family[0] in COMMON or (len(title) > 1 and len(family) == 1 and title not in _ROLES_ALONE)
            if opens and known and (len(title) > 1 or _ends(text, end + len(title))):
                return length
            continue
        made = set(given) <= _given_characters()
        if name not in _words() and family[0] in COMMON and ((opens and made) or (len(title) > 1 and (opens or made))):
            return length
    return 0


def _opens(text: str, start: int) -> bool:
    """Return whether a name may begin here: behind no character, or behind a word that stands before names."""
    if start == 0 or not "\u3400" <= text[start - 1] <= "\u9fff":
        return True
    return text[start - 1] in _BEFORE or _cued(text, start)


def _cued(text: str, start: int) -> bool:
    return text[start - 1 : start] == "员" or any(text[max(0, start - n) : start] in _cues() for n in (1, 2, 3, 4))


def _ends(text: str, end: int) -> bool:
    return end >= len(text) or not "\u3400" <= text[end] <= "\u9fff" or text[end] in _BEHIND


_CELL: Final = lazy_regex(
    rf"(?:(?<=[=\[]['\"])|(?<=[\[, \n]\(['\"])|(?<=[^A-Z_]=))(?P<name>{_H}{{2,3}})(?=['\"]|[ ,，;]|\Z)"
)
"""What a value of code or of a log is, and nothing else: 用户=戚薇."""


def find_free(text: str) -> Iterator[Found]:
    """Yield names that their characters and their neighbors tell, and those that stand alone."""
    for match in matches(ALONE, text):
        name = match["name"]
        made = _is_made_like_one(name) and set(name[len(family_of(name)) :]) <= _given_characters()
        if name not in _no_names() and (made or _sure(name)):
            yield Found(*match.span("name"), "person", 0.5, "list")
    for match in matches(_CELL, text):
        given = match["name"][len(family_of(match["name"])) :]
        if _is_made_like_one(match["name"]) and set(given) & _given_characters():
            yield Found(*match.span("name"), "person", 0.6, "field")
    for run in matches(_RUN, text):
        place, stop = run.span()
        while place < stop - 1:
            length, score = _free(text, place, stop)
            if length:
                yield Found(place, place + length, "person", score, "list")
            place += length or 1


def _may_be(name: str) -> bool:
    """Return whether a name that no list has can be one: 由妻子 is "by his wife"."""
    return name[0] not in _PREPOSITIONS and name not in _words() and name[-1] not in _BEHIND


def _free(text: str, start: int, stop: int) -> tuple[int, float]:
    double = text[start : start + 2] in _families() and stop - start > 2
    opens = _opens(text, start)
    if not double and text[start] not in COMMON:
        known = text[start] in _families() and _sure(text[start + 1 : start + 3])
        rare = opens and known and text[start] not in "和与" and (_ends(text, start + 3) or _cued(text, start))
        if rare and start + 3 <= stop and text[start : start + 3] not in _words():
            return 3, 0.6
        whose = text[start - 1 : start] in _OF_PERSONS | {"叫"} or text[start - 2 : start] == "人是"
        told = opens and whose and text[start] in _families() and _cued(text, start)
        sizes = (n for n in (3, 2) if told and start + n <= stop and (start + n == stop or _ends(text, start + n)))
        length = next((n for n in sizes if _may_be(text[start : start + n])), 0)
        return length, 0.6 if length else 0
    family = 2 if double else 1
    cued = opens and _cued(text, start) and text[start - 1 : start] not in {*"和与由给请找问"}
    told = cued and text[start - 2 : start] in _cues()
    for given in (2, 1):
        end = start + family + given
        name = text[start:end]
        if (
            end > stop
            or name in _words()
            or (given == 2 and name[:2] in _words() and not (told or _sure(name[family:])))
        ):
            continue
        if name in listed("zh", "place") or name[-1] in "市县区省镇村路街":
            continue
        fits = set(name[family:]) <= _given_characters()
        ends = _ends(text, end) or _TITLE.match(text, end) is not None
        if given == 2 and ((fits and opens and ends) or (_sure(name[family:]) and (opens or ends))):
            return end - start, 0.7 if _sure(name[family:]) else 0.6
        if given == 2 and fits and ends and text[start] not in _LOOSE:
            return end - start, 0.5
        short = name[family : family + 1] in listed("zh", "telling") and not fits  # 审判员车颖独任审理
        if told and given == 2 and name[-1] not in _BEHIND and not short:
            return end - start, 0.6
        if cued and fits and set(name[family:]) <= listed("zh", "telling") and name[:2] not in _words():
            return end - start, 0.6
        if cued and ends and (fits or given == 2):
            return end - start, 0.6
        known = name[family:] in listed("zh", "given") or name[family:] in listed("zh", "telling")
        if given == 1 and known and opens and ends and (text[start] not in _LOOSE or _does(text, start, end)):
            return end - start, 0.5
    return 0, 0


def _does(text: str, start: int, end: int) -> bool:
    """Return whether who begins a clause does something: 温洁下周调往."""
    first = start == 0 or not "\u3400" <= text[start - 1] <= "\u9fff"
    return first and text[end : end + 1] in tuple("说去来将已会想把让叫道告主参提认打带请走看吃问回下今昨明")


_PREPOSITIONS: Final = frozenset("由于从在向对以和与把被给跟及同因经")
"""Characters that a family may have, and that a sentence has far more often behind a word for a person."""
_OF_PERSONS: Final = frozenset("人者员士师户生")
"""Ends of words for a person."""


def _sure(given: str) -> bool:
    """Return whether two characters are a given name: a listed one, or both far more often in names than in text."""
    telling = set(given) <= listed("zh", "telling") and given not in listed("zh", "pair")
    return len(given) == 2 and (given in listed("zh", "given") or telling)


_JAPANESE: Final = lazy_regex(rf"(?<!{_H})(?P<name>{_H}{{2,3}}[ 　]?{_H}{{1,3}})(?!{_H})")
_GUEST: Final = lazy_regex(rf"(?<=[和叫跟找友、])(?![一二三四五六七八九十])(?P<name>{_H}{{4}})(?!{_H})")
_SIMPLE: Final = str.maketrans(
    "铃泽岛冈边桥东长滨斋广樱龙泷濑荣关宫户黑齐饭马纪优爱", "鈴沢島岡辺橋東長浜斎広桜竜滝瀬栄関宮戸黒斉飯馬紀優愛"
)
"""Characters of Japanese names as China writes them."""


def find_japanese(text: str) -> Iterator[Found]:
    """Yield Japanese names that stand alone, of a listed family and a listed given name: 佐藤花子."""
    for match in (*matches(_JAPANESE, text), *matches(_GUEST, text)):
        name = match["name"].translate(_SIMPLE)
        cuts = (cut for cut in (3, 2) if name[:cut] in listed("ja", "family"))
        guest = match.re.pattern == _GUEST.pattern
        if name not in _words() and any(guest or name[cut:].strip(" 　") in listed("ja", "given") for cut in cuts):
            yield Found(*match.span(), "person", 0.7, "list")


_UNITS: Final = "省市县區区州盟旗镇鎮乡鄉村县縣"
_LONGEST: Final = 8
_WITHIN: Final = lazy_regex(
    rf"(?:[{HAN}]{{1,5}}?(?:自治区|自治州|自治县|特别行政区|新区|地区|街道|开发区|[市县縣区區镇鎮乡鄉村])){{0,3}}(?:[{HAN}]{{1,5}}?(?:大道|大街|[路街巷]))?"
)
_CUED_PLACE: Final = lazy_regex(
    rf"(?:位于|住在|来自|家住|搬到|前往|现居|出生于|在|于|到(?!达)|去|从|回|赴|至)(?P<name>[{HAN}]{{2,3}}(?:省|市|县|縣|自治区|镇|鎮|乡|鄉|村|街道|社区|小区)|(?![这那一某哪])[{HAN}]{{4,5}}(?<![这那个小的乡农])[村镇](?![里民子庄长]))(?![{HAN}]{{0,2}}(?:场|长))"
)
_NUMBERS: Final = "0-9０-９一二三四五六七八九十百"
_ANCHOR: Final = lazy_regex(
    rf"(?:大道|大街|路|街|巷|弄|胡同|里|村|道|段|庄|园|苑|花园|小区|院|宿舍|大厦|广场|家园|天地|[公新]馆|府|湾|城)(?:[东西南北中]?[路段])?[甲乙丙]?[{_NUMBERS}A-Z]{{1,5}}(?:号馆|号|號|弄|巷|栋|棟|幢|段|座)"
)
_REST: Final = lazy_regex(
    rf"(?:之[0-9]{{1,2}})?(?:附[0-9]{{1,3}}号)?(?:院)?(?:[{HAN}]{{2,6}}?(?=[0-9A-Z]))?(?:[0-9]{{1,3}}(?:-[0-9]{{1,4}}){{1,3}}(?![0-9-]))?(?:[{_NUMBERS}A-Z-]{{1,5}}(?:号楼|號樓|号馆|号|號|栋|棟|幢|座|楼|樓|单元|單元|室|层|層|院|弄|巷|F)){{0,5}}(?:之[0-9]{{1,2}})?"
)
_ROOM: Final = lazy_regex(r"[0-9](?<![0-9A-Za-z.].)[0-9]{0,2}(?:栋|棟|幢|座|号楼)(?:[0-9]单元)?[0-9]{2,4}室?(?![0-9])")
_STOPS: Final = "在 于 到达 抵达 到 从 址 住 是 至 往 去 来自 的 ： 寄 地址 送到 搬到 位于 我 他 她 们 了 號碼 号码 邮编 坐落 为 ， 由 请 与 和 及 自 现 ："


def find_places(text: str) -> Iterator[Found]:
    """Yield addresses with a house's number, listed places with what is within them, and places behind "in"."""
    for match in matches(_ANCHOR, text):
        start = back_to(text, match.start(), _STOPS, 30)
        if text[start - 2 : start] in ("路与", "街与", "道与"):
            start = back_to(text, start - 1, _STOPS, 30)
        rest = _REST.match(text, match.end())
        start -= next((n for n in range(1, min(3, start) + 1) if _is_within(text, start, n)), 0)  # 呼和浩特
        if start < match.start():
            yield Found(start, rest.end() if rest else match.end(), "place", 0.8, "street")
    for match in matches(_ROOM, text):
        yield Found(*match.span(), "place", 0.7, "street")
    places = listed("zh", "place")
    for run in matches(_RUN, text):
        place, stop = run.span()
        while place < stop - 1:
            length = next(
                (n for n in range(min(_LONGEST, stop - place), 1, -1) if text[place : place + n] in places), 0
            )
            if not length:
                place += 1
                continue
            end = place + length
            end += end < stop and text[end] in _UNITS
            if text[end - 1] in _UNITS and (within := _WITHIN.match(text, end, stop)):
                end = within.end()
            yield Found(place, end, "place", 0.7, "list")
            place = end
    for match in matches(_CUED_PLACE, text):
        yield Found(*match.span("name"), "place", 0.6, "cue")
    for match in matches(_MALL, text):
        if match["name"][:-1] not in _GENERIC and match["name"] not in _words():
            yield Found(*match.span("name"), "place", 0.7, "place-end")
    for match in matches(_GROUNDS, text):
        start = back_to(text, match.start(), _STOPS + _ORG_STOPS, 12)
        if _names_one(text[start : match.start()]):
            yield Found(start, match.end(), "place", 0.6, "place-end")


def _is_within(text: str, place: int, back: int) -> bool:
    """Return whether a listed place begins so many characters before, and ends behind."""
    return any(text[place - back : place + n] in listed("zh", "place") for n in (1, 2, 3))


_GROUNDS: Final = lazy_regex(
    "(?:(?:森林|湿地|郊野|海洋|主题|地质)?公园|(?:植物|动物|游乐|生态|科技|产业|工业|创业|创意|采摘|陵|墓)园|花园|家园|小区|新村|家属院|宿舍|广场|步行街|老街|古镇|夜市|菜市场|农贸市场|大桥|隧道|高速|新区|开发区|高新区|度假区|风景区|景区"
    "|度假村|农庄|山庄|别墅区?|公馆|(?:地下)?(?:车库|停车场)|水库|机场|码头|大厦|写字楼|火车站|汽车站|高铁站|地铁站|公交站|商业街|购物中心|商场|商城|体育馆|体育场|游泳馆|博物馆|美术馆|图书馆|(?<=.)(?:[一二三四五六]期|天地|国际城|万里城))(?![主工])(?:[一二三四五六1-9]期|[0-9]号馆)?"
)


_MALL: Final = lazy_regex(
    rf"[在去到停逛](?P<name>(?![一二三四五六七八九十两上下这那哪]){_H}{{2,3}}(?:[城汇荟]|天地))(?=[^{HAN}]|[地吃逛买门见停那里的])"
)


def _names_one(name: str) -> bool:
    """Return whether what stands before a word for a sort of place or of shop is a name."""
    return (
        len(name) > 1
        and not name.isdigit()
        and name not in _GENERIC
        and name not in _words()
        and name[0] not in "这那哪某每各几两一"
    )


_INSTITUTION: Final = lazy_regex(
    "(?:咨询有限公司|咨询公司|有限责任公司|股份有限公司|有限公司|股份公司|集团公司|分公司|子公司|公司|集团|医科大学|大学|医学院|学院|人民医院|中心医院|儿童医院|中医院|医院|卫生院|诊所|门诊部|银行|支行|分行|"
    "附属中学|附属小学|中学|小学|幼儿园|高中|(?:职业|技术|艺术|烹饪|外国语|体育|驾驶|武术|国际|实验|双语|特殊教育|寄宿|希望)学校|技校|(?:家具|机械|五金|服装|制衣|食品|玩具|印刷|电子|水泥|纺织|化工|制品)厂|研究所|研究院|实验室|人民法院|法院|检察院|委员会|公安局|分局|派出所|协会|学会|基金会|出版社|杂志社|报社|电视台|都市报|晚报|日报|早报|商报|街道办|律师事务所|事务所|大酒店|酒店|客栈|宾馆|旅馆|民宿|庄园|农家乐|书城|书店|饭店|餐厅|超市|"
    "药房|药店|俱乐部|福利院|养老院|居委会|村委会|税务局|教育局|卫健委|卫生局|物业|工厂|旅行社|股份有限公司|集團|醫院|醫學中心|大學|銀行|學院|國小|國中|高中|診所|協會|基金會|有限公司|事務所|研究院|法院)"
    "(?:[一-龥]{2,4}(?:分行|支行|分公司|分院|校区))?"
)
_HEADED: Final = lazy_regex(
    rf"(?:发票抬头|發票抬頭|单位名称|公司名称|开户名称|商户名称)[ 　]?[:：][ 　]{{0,2}}(?P<name>{_H}[{HAN}（）()A-Za-z0-9]{{3,29}})"
)
_ORG_STOPS: Final = (
    "在 于 到 从 是 的 我 他 她 该 这 那 某 任职 就职 毕业 今年上 明年上 在读 考上 就读 供职 转到 转入 转至 送往 送至 来到 离开 加入 前往 去 至 给 由 向 对 为 与 了 被 说 及 您 你 往 自 转 経 经 進 进 入 因 "
    "写 抬头 填 开户行 选择 到达 抵达 参观 参加 访问 咨询 购买 信任 现任 曾任 收购 成立 创办 签约 起诉 与 拨打 联系 感谢 于是 如果 或者 以及 位于 我们 学生 就 将 把 这家 一家 所 與 這 該 對 給 從 請 请 称 表示 即 比 住 提供 要求 需要 别 放 让 使 通过 经过 儿子 女儿 孩子 家里 （ ）"
)
_GENERIC: Final = frozenset(written("zh")["generic"])


def find_organizations(text: str) -> Iterator[Found]:
    """Yield companies and institutions: a name before the word for their sort."""
    for match in matches(_HEADED, text):
        yield Found(*match.span("name"), "organization", 0.8, "institution")
    for match in matches(_SHOP, text):
        if match["name"] not in _words():
            yield Found(*match.span("name"), "organization", 0.6, "cue")
    for match in matches(_WORKPLACE, text):
        plain = _INSTITUTION.fullmatch(match["name"]) or match["name"][:-1] in _words() | _GENERIC
        if match["name"] not in _words() and not plain:
            yield Found(*match.span("name"), "organization", 0.6, "cue")
    for match in matches(_TRADE, text):
        start = back_to(text, match.end("name"), "在 去 到 往 从 于 给 找 叫", len(match["name"]))
        name = text[start : match.end("name")]
        if _names_one(name) and name[-1] not in "吃做开逛洗买卖去":
            yield Found(start, match.end(), "organization", 0.6, "institution")
    for match in matches(_INSTITUTION, text):
        start = back_to(text, match.start(), _ORG_STOPS, 18)
        name = text[start : match.start()]
        cut = name.rfind("和", 1)
        start += cut + 1 if cut > 0 and len(name) - cut > 2 else 0
        name = text[start : match.start()].lstrip("（(·・）)")
        if len(name) >= 2 and name not in _GENERIC and name not in _words() and name[-1] not in "上读念考":
            yield Found(match.start() - len(name), match.end(), "organization", 0.7, "institution")


_WORKPLACE: Final = lazy_regex(
    rf"(?:在|去|到)(?P<name>{_H}{{2,8}}(?:厂|场|店|馆|社|行|所|矿|坊|吧|棚|室|部|园|电子|科技|集团|制药|地产|物流|传媒|网络|软件|机械|证券|汽配))(?:上班|做|任|打工|工作|干活|做工|当|帮忙|实习|见面|吃饭|开会|做饭)"
)
_TRADE: Final = lazy_regex(
    rf"(?:(?<!{_H})|(?<=[在去到往吃荐给从于是找叫和喝逛过回跑营店修开]))(?P<name>(?![在去到往吃从于是找叫和喝逛过回我你他她它这那每哪][^吃]?{_H}{{0,2}}的)(?![别放把让有没不请帮还再先就都]|我们|你们|他们|一家|那家|这家|哪家|附近|楼下|门口|学校|公司|医院|单位){_H}{{2,7}}?)"
    rf"(?:(?:串串香?|米线|米粉|面馆|拉面|饺子馆|粥铺|餐馆|小?饭馆|小馆|小厨|食府|(?:土|湘|川|粤)?菜馆|酒楼|酒吧|茶馆|茶楼|茶室|咖啡[馆厅]|烘焙|(?:蛋糕|面包|水果|便利|服装|理发|美发|洗衣|干洗|花|文具|五金|打印|宠物|奶茶|杂货|粮油|旗舰|专卖|早餐|小吃|母婴|眼镜)店|小卖部|副食|美容院|网吧|网咖|歌舞厅|歌厅|KTV|棋牌室|麻将馆|健身房|武馆"
    rf"|(?:修|二手)?车行|修理[厂铺]|废品站|批发部|(?:家电|家具|建材|美食|服装)城|商行|照相馆|书吧|书屋|花坊|茶舍|(?:教育)?(?:培训|咨询)(?:中心|班)|托管班|早教(?:中心)?|养殖场|农场|果园|驿站|厂)(?![架炉长商房家区址方])"
    rf"|(?:烧烤|火锅|奶茶|咖啡|房产|设计|装饰|摄影|果业|乳业|实业|电器|家纺|茶业|(?<={_H}{{4}})店)(?=[^{HAN}]|[那里的门吃喝见等行市销客部]|[一二三]楼|\Z))"
)
"""A shop behind "in" or at a clause's start: its name before the word for its trade."""
_SHOP: Final = lazy_regex(
    rf"(?:[店馆厅厂铺吧坊院所园社]|公司|工作室|超市)(?:[，,]叫|[，,]?(?:名叫|[取起]名|名[字称]?[是为]|店名|招牌))[做是：:]?[“「《]?(?P<name>(?![了我你他她它大人车不停上]){_H}{{3,9}})(?=[”」》，。,；！!\n]|\Z)"
)
"""What a shop is called: 开了家餐厅，叫海之味小馆."""
_FIRM_END: Final = lazy_regex(r"(?:有限责任公司|股份有限公司|有限公司|集团公司|集团|公司|集團)\Z")


def mention_forms(name: str, kind: str) -> Iterator[str]:
    """Yield patterns of later mentions: the whole, a given name of two characters, a firm without its legal form."""
    yield re.escape(name)
    if kind == "person" and (parent := _PARENT.search(name)) and parent.start() > 1:
        yield re.escape(name[: parent.start()])
    if kind == "person" and 1 < len(name) < 5 and (family := family_of(name)) and name[0] not in _FONDLY:
        yield rf"(?<![{HAN}]){re.escape(family)}(?=(?:{_TITLES}))"
    if kind == "person" and 1 < len(name) < 5 and len(family := family_of(name)) == 1 and name[0] not in _FONDLY:
        family = re.escape(family)
        yield from (
            rf"(?<![{HAN}]){form}" for form in (f"{family}某", f"{family}某某", f"某{family}某", f"某{family}某某")
        )
        yield from (rf"{form}(?=[称诉辩]|拖欠)" for form in (f"{family}某", f"{family}某某"))
        for form in (f"小{family}", f"老{family}"):
            yield rf"(?<![{HAN}古年月]){form}(?=[^{HAN}]|[今昨明说在的来去也已和家你您可要]|\Z)"
            yield rf"(?<=[和与跟找请让叫是的对由在里下上给听说问见到]){form}(?![师板])"
    if kind == "person" and len(name) == 2 and name[0] in "小老" and name[1] in _families():
        yield rf"{re.escape(name[1])}(?=(?:{_TITLES}|[叔姨婶嫂伯]))"
    if kind == "person" and 2 < len(name) < 5 and "·" not in name:
        given = name[len(family_of(name)) :]
        if len(given) == 2 and given not in _words():
            yield re.escape(given)
    elif kind == "person":
        yield from (re.escape(part) for part in name.split("·") if len(part) > 2)
    elif kind == "organization":
        core = _FIRM_END.sub("", name)
        place = next((core[:length] for length in (4, 3, 2) if core[:length] in listed("zh", "place")), "")
        yield from (re.escape(form) for form in (core, core[len(place) :].lstrip("市省")) if len(form) > 2)


_PARENT: Final = lazy_regex(r"(?:妈妈|爸爸|妈咪|外婆|奶奶|爷爷|姥姥|姥爷|妈|爸)\Z")
_FONDLY: Final = "小老阿"

# fmt: off
PHASES: Final = (
    FORMS,
    Phase("chinese-places", (
        Row("chinese-organization", find_organizations, anywhere, "organization", 0.7, "institution",
            "他在华盛科技有限公司上班", "他在一家公司上班"),
        Row("chinese-title", find_titled, anywhere, "person", 0.8, "cue field list title", "王小明医生", "主治医生"),
        Row("chinese-place", find_places, anywhere, "place", 0.8, "cue list street",
            "住在北京市海淀区中关村大街27号", "住在一个很大的村子里"),
    )),
    Phase("chinese-names", (
        Row("chinese-japanese", find_japanese, anywhere, "person", 0.7, "list", "佐藤花子, Osaka", "大阪城, Osaka"),
        Row("chinese-name", find_free, anywhere, "person", 0.7, "list", "今天李建国来了", "今天高兴得很"),
    )),
)
"""Organizations and addresses first: their characters make family names too."""
# fmt: on
