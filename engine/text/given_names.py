"""Common given names, Russian and English, by which a person is recognised in a text."""

from __future__ import annotations

_RUSSIAN = (
    "александр александра алексей алёна алина алиса алла анастасия анатолий андрей анна антон антонина аня арина"
    " аркадий арсений артём артур ася богдан борис боря вадим валентин валентина валерий валерия валя ваня варвара"
    " василий василиса вася вероника виктор виктория витя виталий владимир владислав влад вова володя всеволод"
    " вячеслав галина галя геннадий георгий герман глеб григорий гриша даниил данила данил даша дарья денис дима"
    " дмитрий ева евгений евгения екатерина катя елена елизавета лиза женя захар зинаида зоя иван игорь илья инна"
    " ирина ира кирилл клавдия константин костя коля ксения ксюша лариса лев леонид лёша лида лидия лилия люба"
    " людмила люда максим макс маргарита марина мария маша матвей михаил миша надя наталья наталия наташа никита"
    " николай нина оксана олег олеся ольга оля павел паша пётр петя полина рита родион роза руслан рустам саша"
    " светлана света семён сергей серёжа слава софья софия станислав степан стас таисия тамара таня татьяна тарас"
    " тимофей тимур толя ульяна федор фёдор филипп эдуард элина эльвира эмилия юлия юля юра юрий юлиан яков яна"
    " ярослав ильдар ринат рамиль айгуль гульнара марат ильяс аслан тигран армен карина камила диана снежана злата"
    " мирослава милана"
)
_ENGLISH = (
    "aaron abigail adam adrian alan albert alex alexander alexandra alice alison amanda amelia amy andrea andrew"
    " angela anna anne anthony arthur ashley barbara benjamin ben beth betty brenda brian bruce carl carol caroline"
    " catherine charles charlotte chloe chris christina christine christopher claire colin craig daniel david"
    " deborah dennis diana diane donald donna dorothy douglas dylan edward eleanor elizabeth emily emma eric erica"
    " ethan eugene eva evelyn fiona frances gary geoffrey george gerald gloria gordon graham greg gregory hannah"
    " harold harry heather helen henry howard ian isabella jack jacob jacqueline james jamie jane janet jason jean"
    " jeff jeffrey jennifer jenny jeremy jessica jim joan joanna joe john jonathan joseph joshua joyce judith judy"
    " julia julian julie karen kate katherine kathleen katie keith kelly kenneth kevin kim kyle larry laura lauren"
    " lawrence leah leonard lewis liam linda lisa louis louise lucas lucy luke lynn margaret maria marie marilyn"
    " martin martha mary matthew megan melissa michael michelle mike molly nancy natalie nathan nicholas nicole"
    " nigel noah nora oliver olivia oscar owen pamela patricia patrick paul paula peter philip phoebe rachel ralph"
    " raymond rebecca richard robert roger ronald rosemary roy russell ruth ryan samantha samuel sandra sara sarah"
    " scott sean sharon sheila shirley simon sofia sophia sophie stanley stella stephanie stephen steve steven"
    " stuart susan suzanne sylvia teresa thomas tim timothy tina tom tony tracy tyler valerie vanessa veronica"
    " victor victoria vincent virginia walter wendy wayne william zoe yusuf mohammed muhammad ahmed ali fatima priya"
    " raj sanjay"
)


def _stem(name: str) -> str:
    """What a Russian name keeps in all its cases."""
    name = name.replace("ё", "е")
    return name[:-1] if name[-1] in "аяйь" else name


_STEMS = frozenset(map(_stem, _RUSSIAN.split()))
_NAMES = frozenset(_ENGLISH.split())
_ENDINGS = ("", "а", "я", "у", "ю", "е", "и", "ы", "й", "ь", "ем", "ом", "ой", "ей", "ием", "ии", "ию", "ия")


def is_given_name(word: str) -> bool:
    """Whether a capitalised word is a common given name, in any Russian case."""
    if not word[:1].isupper():
        return False
    folded = word.lower().replace("ё", "е")
    if folded in _NAMES:
        return True
    return any(folded.removesuffix(ending) in _STEMS for ending in _ENDINGS if folded.endswith(ending))
