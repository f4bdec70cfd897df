"""Names, places, firms and numbers on pages of other languages: what each rule finds, and what stays beside it."""

import pytest

import textveil as tv

FOUND = [
    # towns behind four digits, numerals, directions, bodies of a country and by letters
    ("Er wohnt in 8010 Graz und war von 2010 bis 2012 nicht dort.", "place", "8010 Graz"),
    ("The treaty of King William II was lost, and they knew it.", "person", "William II"),
    ("Il vescovo parlò con Sisto IV e con gli altri.", "person", "Sisto IV"),
    ("The mine in South Wales was closed for good.", "place", "South Wales"),
    ("It is bordered on the east by the Raft River and its valley.", "place", "Raft River"),
    ("The house is near Cape Cod and its light.", "place", "Cape Cod"),
    ("He joined the Indian Institute of Science that year.", "organization", "Indian Institute of Science"),
    ("She played in the National Rugby League for a while.", "organization", "National Rugby League"),
    ("The show aired on KTVX for two years.", "organization", "KTVX"),
    ("She got her degree from KTVU and was the first in her family.", "organization", "KTVU"),
    ("In 1998 the album was sold by Q-Zanford to all of the shops.", "organization", "Q-Zanford"),
    ("Wczoraj grał u nas zespół Wrzosak i nie było tu nikogo.", "organization", "Wrzosak"),
    ("It was first shown by NBC in the spring.", "organization", "NBC"),
    # labels, kin, roles and houses of seven languages
    ("Le syndic Montagne ne sera pas là avec nous.", "person", "Montagne"),
    ("Denunciante: Roble Cebollero\nno lo hizo con los demás de la calle.", "person", "Roble Cebollero"),
    (
        "Comunicante: Jucilene Aparecida dos Santos\nA vítima não sabe nada do autor.",
        "person",
        "Jucilene Aparecida dos Santos",
    ),
    ("Timmerman Boom komt met zijn zoon naar het huis.", "person", "Boom"),
    ("Zabrał go sołtys Mazur, a potem nie ma nic dla nas.", "person", "Mazur"),
    ("Die Erzieherin Svantje kommt nicht mehr zu uns.", "person", "Svantje"),
    ("Nein, im Hospiz Morgenrot sind wir nicht mehr.", "organization", "Hospiz Morgenrot"),
    (
        "Voir avec la Pharmacie du Marché-Couvert pour les médicaments de la nuit.",
        "organization",
        "Pharmacie du Marché-Couvert",
    ),
    ("El camión de Áridos Peralta no cedió el paso a los demás.", "organization", "Áridos Peralta"),
    ("Le devis de Ravanat Père et Fils est là pour vous avec les autres.", "organization", "Ravanat Père et Fils"),
    ("Osoba kontaktowa nie odbiera, a Kowalczyk nie wie o tym nic.", "person", "Kowalczyk"),
    ("Ik heb Kees gebeld en hij komt niet meer naar ons.", "person", "Kees"),
    ("Non so se Andrea viene con noi o con gli altri.", "person", "Andrea"),
    ("Sprawa jest u Agnieszki, a nie u nas.", "person", "Agnieszki"),
    ("Erben: Klöverkamp\nDas ist nicht mehr bei uns.", "person", "Klöverkamp"),
    ("Handtekening: Wietske\nDat is niet meer voor ons.", "person", "Wietske"),
    ("Firmado: ZUBIAURRENA\nno lo sabe con los demás de la casa.", "person", "ZUBIAURRENA"),
    ("Mijn man Joke in 't Veld is niet meer bij ons.", "person", "Joke in 't Veld"),
    ("Geachte mevrouw in 't Veld, het is niet meer bij ons.", "person", "in 't Veld"),
    ("Contactpersoon: Joke in 't Veld\nhet is niet meer bij ons.", "person", "Joke in 't Veld"),
    ("Ik heb Joke in 't Veld gebeld en zij komt niet.", "person", "Joke in 't Veld"),
    ("Elle est née le 12/04/1957, 66 ans, et vit avec nous.", "age", "66 ans"),
    ("Luca e Mia (7 anni) non sono con noi.", "age", "7 anni"),
    ("Le suspect, 43 ans, est parti avec les autres.", "age", "43 ans"),
    ("Un alunno di 16 anni non è con noi.", "age", "16 anni"),
    # names with particles, forms of two columns, tables, quotation
    ("Le chien de M. d'Ornano de Brissac est perdu et nous ne savons rien.", "person", "d'Ornano de Brissac"),
    ("Henk de Groot zag het niet, want de deur van De Groot was dicht.", "person", "De Groot"),
    ("Name       Svantje Brodersen\nGeboren    19.08.1991\nSie ist nicht mehr bei uns.", "person", "Svantje Brodersen"),
    ("| Condòmino | Saldo |\n|---|---|\n| Dell'Acqua | 98 |\n| Ndiaye | 12 |\n", "person", "Dell'Acqua"),
    ('Toen riep die jongen "Dylan, kom nou" en dat was het voor ons.', "person", "Dylan"),
    ("Kamer 12: Wiebrechje – wil niet eten en het is niet goed.", "person", "Wiebrechje"),
    ("Ontem falei com a Neide e não foi nada.", "person", "Neide"),
    # places
    ("Ha lavorato presso l'Hotel Miramare, Grottole\ne poi non ha più lavorato con noi.", "place", "Grottole"),
    ("Sie wohnt in der Lerchengasse und ist nicht mehr bei uns.", "place", "Lerchengasse"),
    ("Abito in via Garibaldi e non sono più con loro.", "place", "via Garibaldi"),
    ("No quisieron hablar con los demás en la calle Molino Viejo.", "place", "calle Molino Viejo"),
    ("Mieszka z mężem na ul. Kwiatowej w domu i nie ma go dla nas.", "place", "ul. Kwiatowej"),
    ("Bairro: Morada do Sol\nA vítima não sabe nada do autor que fugiu da casa.", "place", "Morada do Sol"),
    # numbers, pets and bynames
    ("Jej syn ma numer 505 550 147 i nie ma go w pracy dla nas.", "phone", "505 550 147"),
    ("Zepsuł się samochód, rej. LZA 44KJ i nie ma go już.", "id", "LZA 44KJ"),
    ("Mieszka z psem Misiem w domu i nie ma nic dla nas.", "person", "Misiem"),
    ('O autor, vulgo "Neguinho da Kombi", não é daqui e fugiu da casa.', "person", "Neguinho da Kombi"),
    ("El chico al que llaman el Chato no quiso hablar con los demás.", "person", "Chato"),
    ("Il vicino, detto il Bruciato, non ha tagliato la siepe per noi.", "person", "Bruciato"),
    # Chinese
    ("住址：柳河县三棵榆镇前进村二组\n", "place", "柳河县三棵榆镇前进村二组"),
    ("工作单位：蓝禾纸品\n", "organization", "蓝禾纸品"),
    ("我家老头子栾福在看电视。", "person", "栾福"),
    ("我们都叫她翠儿。", "person", "翠儿"),
    ("出席：佘晓燕、娜仁、端木云\n", "person", "娜仁"),
    ("乐乐妈妈：收到", "person", "乐乐"),
    ("她怀疑是老邢家的人。", "person", "老邢"),
    ("推荐人：邬志强\n邬总说可以。", "person", "邬"),
    ("在宏达采石场上班。", "organization", "宏达采石场"),
    ("微信：weichi_77", "handle", "weichi_77"),
    ("账号：6217 0000 1004 1715 901", "id", "6217 0000 1004 1715 901"),
    # Japanese
    ("ふりがな　みぶ　かなえ\n", "person", "みぶ　かなえ"),
    ("出席者：鵜飼、六車 昭三、猪俣さん\n", "person", "六車 昭三"),
    ("夫 久保田　リカルドと暮らす。", "person", "久保田　リカルド"),
    ("今日は、めいちゃんと遊びました。", "person", "めい"),
    ("紹介は六車 昭三氏です。", "person", "六車 昭三"),
    ("若葉台マンションの総会です。", "organization", "若葉台マンション"),
    ("勤務先：たつの印刷所\n", "organization", "たつの印刷所"),
    ("次は5/12（日）に受診。", "date", "5/12（日）"),
    ("5月12日（日）に来ます。", "date", "5月12日（日）"),
    # Korean
    ("주소: 양평군 서종면 북한강로 417, 나동 203호\n", "place", "양평군 서종면 북한강로 417, 나동 203호"),
    ("참석자: 회장 구본철, 관리소장 노대근\n", "person", "노대근"),
    ("사공혁 씨가 왔다. 사공 감사는 반대.", "person", "사공"),
    ("빈소라 씨가 왔다. 소라 씨 남편도 왔다.", "person", "소라"),
    ("어머니 나은 사이에서 자랐다.", "person", "나은"),
    ("푸른숲아파트에서 회의했다.", "organization", "푸른숲아파트"),
    ("(유)산들포장에서 일한다.", "organization", "(유)산들포장"),
    # Arabic
    ("العنوان: ٢٤ ش عبد المنعم رياض، المنصورة\n", "place", "٢٤ ش عبد المنعم رياض، المنصورة"),
    ("الاسم: هبة الله محمود الششتاوي\n", "person", "هبة الله محمود الششتاوي"),
    ("الملازم عدي بني هاني\n", "person", "عدي بني هاني"),
    ("قالت ماما وفاء اليوم.", "person", "وفاء"),
    ("في قرية عين الزعرور اليوم.", "place", "عين الزعرور"),
    ("الموظف البديل: نبيل قسطة\n", "person", "نبيل قسطة"),
    ("يعمل في شركة الدلتا للأقمشة ش.م.م اليوم", "organization", "شركة الدلتا للأقمشة ش.م.م"),
    ("اشتراها من محلات الهدى للدراجات.", "organization", "محلات الهدى للدراجات"),
    # Turkish
    ("Doğum yeri: Şavşat\nbugün çok güzel bir gün oldu.", "place", "Şavşat"),
    ("Torunu Poyraz Bülbül geldi. Poyraz'ın annesi bugün çok güzel.", "person", "Poyraz"),
    ("Tutanağı imzaladı ve bugün çok güzel bir gün oldu.\nM. Taşkıran", "person", "M. Taşkıran"),
]
STAYS = [
    ("Die Höhe liegt zwischen 1900 und 2650 Meter über dem Meer.", "Meter"),
    ("Er war von 2010 bis 2012 Präsident und ist noch da.", "Präsident"),
    ("Sie kam in der Liste auf Platz 3 von 10 und war nicht froh.", "Platz 3"),
    ("Er spielte für den Verein als rechter Mittelfeldspieler.", "Mittelfeldspieler"),
    ("Nel 1590 morì il padre. Sorgendo sul colle, il paese è bello.", "Sorgendo"),
    ("The budget was owned by FAQ and the rest of them.", "FAQ"),
    ("U dziecka jest zespół Wrzosaka i nie ma na to leku.", "Wrzosaka"),
    ("His old RAF tie was in the box with the rest.", "RAF"),
    ("Firmado: RECEPCIÓN\nno lo sabe con los demás de la casa.", "RECEPCIÓN"),
    ("Unterschrift: REDAKTIONSTEAM\nDas ist nicht mehr bei uns.", "REDAKTIONSTEAM"),
    ("Patient: NORMOTENSIVE\nThese are the notes that we have.", "NORMOTENSIVE"),
    ("Hoy se trata de Panadería y de nada más para los demás.", "Panadería"),
    ("Het gaat over Erwtensoep en verder niet over ons.", "Erwtensoep"),
    ("Non c'è altro di Ecografia da fare con noi.", "Ecografia"),
    ("Ordine del Giorno: le quote e il resto sono in allegato per noi.", "Ordine"),
    ("ATA da Assembleia de Condóminos n.º 14\nNão há nada mais para dizer da casa.", "Condóminos"),
    ("La Junta General Ordinaria se celebrará en la casa de los vecinos.", "Ordinaria"),
    ("KARTA WYPISOWA Oddział Chorób\nPacjent był u nas i nie ma nic dla nas.", "WYPISOWA"),
    ("Gentili Condòmini, ecco le quote per la casa e non altro.", "Condòmini"),
    ("Er steckt in der Sackgasse und kommt nicht mehr heraus.", "Sackgasse"),
    ("Name      Stadt\nAnna      Köln\n", "Stadt"),
    ("Name      Svantje Brodersen\nWohnort   Klein Nordende\nBeruf     Koch, nicht mehr im Dienst",
     "Beruf"),
    ("Sąd Rejonowy w Zamościu nie uznał tego i nie ma nic dla nas.", "Sąd Rejonowy"),
    ("A Polícia Federal não prendeu mais ninguém na casa.", "Polícia Federal"),
    ("El Tribunal Supremo no ha dictado nada más para los demás.", "Tribunal Supremo"),
    ("Il Tribunale Ordinario non ha detto nulla ai vicini della casa.", "Tribunale Ordinario"),
    ("Le Tribunal de Grande Instance n'a rien dit aux voisins de la maison.", "Tribunal de Grande Instance"),
    ("El Juzgado de Primera Instancia y el SEPE no dicen nada para los demás.", "Juzgado de Primera Instancia"),
    ("O Conselho Tutelar não disse mais nada para as pessoas da casa.", "Conselho Tutelar"),
    ("De Kamer van Koophandel heeft niet meer van zich laten horen.", "Kamer van Koophandel"),
    ("Urząd Wojewódzki nie uznał tego i nie ma nic dla nas.", "Urząd Wojewódzki"),
    ("Los papeles del SEPE y de la DGT no dicen nada para los demás.", "DGT"),
    ("Nakład 505550147 i nie ma nic dla nas.", "505550147"),
    ("二胎妈妈：收到", "二胎"),
    ("我叫他快点来。", "快点来"),
    ("地址：请填写", "请填写"),
    ("孩子在幼儿园上班的妈妈。", "幼儿园"),
    ("責任者：営業部、総務部\nお願いします", "総務部"),
    ("新しい食堂で食べた。", "新しい食堂"),
    ("赤ちゃん、わんちゃん。", "わん"),
    ("割合は1/2に減る。", "1/2"),
    ("친구 하나가 왔다.", "하나가"),
    ("동네식당에서 먹었다.", "동네식당"),
    ("마음 깊이 감사 전하며 글을 쓴다.", "전하며"),
    ("زار معرض الكتاب اليوم.", "معرض الكتاب"),
    ("ماما تعبانة اليوم.", "تعبانة"),
    ('Bugün "Benim köpeğim" dedi ve çok güzel bir gün oldu.', "Benim"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "kind", "value"), FOUND)
def test_page_tells_a_value(text: str, kind: str, value: str) -> None:
    assert (kind, value) in [(span.kind, text[span.start : span.end]) for span in tv.detect(text)]


@pytest.mark.parametrize(("text", "value"), STAYS)
def test_word_names_nobody(text: str, value: str) -> None:
    start = text.index(value)
    names = [span for span in tv.detect(text) if span.kind in ("person", "place", "organization", "date", "phone")]
    assert not any(span.start < start + len(value) and start < span.end for span in names)


def test_goods_in_small_letters_are_no_firm() -> None:
    found = tv.detect("Compraron pinturas Cabrales para los demás en la fiesta.")
    assert "organization" not in [span.kind for span in found]
