"""Small talk: questions about whoever answers as if that were a person, and what one says to a companion.

Companies are addressed by "you" as well ("do you deliver?", "сколько лет вы на рынке?"), so it is what is asked of
"you" that tells: age, name, family, feelings, tastes; mostly only where nothing follows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from engine.text.normal import normalise
from engine.text.stems import content_stems

_END = (
    r"(?=$|[?!.,;:)]| (?:really|exactly|actually|anyway|today|now|right now|these days|then|so far|lately|please"
    r"|though"
    r"|or (?:a|an|are|is|what|not|just)|at (?:night|all)|again|in (?:the|real) life|originally|if (?:i|you)"
    r"|on your|by the way|вообще|сейчас|сегодня|на самом деле|кстати|или|там|тут|сам|сама"
    r"|такой|такая|такое)(?:\W|$))"
)
_PERSONAL = (
    r"name|nickname|age|birthday|birth date|date of birth|gender|sex|hobby|hobbies|star sign|zodiac sign|sign|mood|iq"
    r"|dream|religion|nationality|height|weight|personality|life|story|family|mother|father|mom|mum|dad|parents"
    r"|brother|sister|siblings|wife|husband|girlfriend|boyfriend|best friend|friends|creator|maker|soul|heart|body"
)
_OWNED = (
    r"name|age|birthday|gender|hobby|hobbies|pets?|dog|cat|family|parents|mother|father|mom|mum|dad|brothers?"
    r"|sisters?"
    r"|siblings|kids|children|wife|husband|girlfriend|boyfriend|partner|friends|feelings|emotions|soul|heart|body"
    r"|brain"
    r"|dreams|consciousness|sense of humou?r|personality|crush"
)
_SORT = (
    r"(?:really |actually |just |even |secretly )?(?:(?:a|an|the) )?(?:(?:real|actual|live|living|male|female"
    r"|human) )*"
    r"(?:bot|chat ?bot|robot|human(?: being)?|being|artificial intelligence(?: being)?|person|man|woman|boy|girl"
    r"|machine|computer|program|ai|alien|alive|real"
    r"|married|single|in love|happy|sad|hungry|tired|bored|sleepy|lonely|angry|awake|asleep|drunk|conscious|sentient"
    r"|self-aware|smart|clever|stupid|dumb|intelligent|funny|crazy|beautiful|pretty|cute|handsome|male|female"
    r"|religious)"
)
_FEATS = r"sing|dance|laugh|cry|dream|love|feel|think|fall in love|fly|swim|smile|see me|rap|whistle|joke|feel pain"
_TOLD = (
    r"joke|jokes|riddle|poem|story|stories|fairy tale|bedtime story|fun fact|funny|interesting|about yourself"
    r"|limerick"
)
_GOOD = r"smart|clever|stupid|dumb|funny|cute|beautiful|pretty|sweet|useless|crazy|boring|amazing|awesome|hilarious"

_ENGLISH = (
    rf"how (?:old|tall|heavy|smart) (?:are|were) you{_END}", rf"how (?:old|tall|smart) you are{_END}",
    rf"(?:what(?: is|'s|s|)|whats|who(?: is|'s)|when(?: is|'s)|how(?: is|'s)|tell me|know|about) your"
    rf" (?:own |real |full |first |last |true )?(?:{_PERSONAL}){_END}",
    r"your fav(?:ou?rite|e)?\b",
    rf"your (?:\w+ )?(?:name|nickname|age|birthday|hobby|hobbies|interests|home ?town|date of birth)s?{_END}",
    r"your (?:free|spare) time\b", r"you have free time\b", r"hobbies (?:do|are) you\b", r"jokes?\b",
    rf"(?:something|anything)(?: \w+){{0,2}} (?:funny|hilarious){_END}",
    r"(?:purpose|meaning|point|sense) of (?:\w+ )?(?:life|existence|living)\b", r"life's (?:purpose|meaning)\b",
    rf"what (?:are you called|(?:should|do|can|may) i call you){_END}",
    rf"who (?:are you|you are){_END}", rf"what are you{_END}",
    r"who (?:made|built|created|invented|programmed|trained|designed|coded|raised) you\b",
    r"(?:what|which) (?:company|firm|organi[sz]ation|person) (?:made|makes|built|designed|created) you\b",
    rf"who do you work for{_END}", r"you were born\b",
    rf"your (?:birthplace|birth|birth date|roots|origins?|parents){_END}",
    rf"(?:refer to|address) you(?: as| by)?{_END}",
    r"(?:human|person|robot|bot|ai|real|computer|machine),? or (?:an? )?(?:real,? )?(?:live )?(?:human|person"
    r"|robot|bot|ai"
    r"|fake|artificial|computer|machine)\b",
    rf"who (?!audit|licens|regulat|insur|certif|recommend|authori|inspect|fund|found|hack|rob|sued)\w+ed you{_END}",
    r"have you ever (?:been in love|loved|cried|kissed|danced|travelled|traveled|dreamed|eaten|been to)\b",
    rf"did you (?:go to|finish|like) (?:school|college|university){_END}", rf"do you get paid{_END}",
    rf"are you (?:happy|satisfied|bored) with your (?:job|life|work){_END}", r"your plans for (?:the|this|next|to)\b",
    r"consider yourself\b", rf"what age (?:are you|you are){_END}",
    r"how many (?:years|birthdays) have you (?:been (?:alive|living|around)|had|lived)\b",
    r"are you \d+ years old\b", rf"where (?:are |were )?you (?:originally |really |actually )?from{_END}",
    rf"(?:would|could|can) you (?:be|act like|think like|pass for) {_SORT}{_END}",
    rf"(?:do|have) you (?:have|keep|own|got) (?:any )?(?:animals|dogs?|cats?|pets?)(?: (?:or|and) \w+)?{_END}",
    r"(?:were|are) you (?:born|raised|made|created|built|programmed)\b(?! by law)",
    rf"(?:where|(?:what|which) \w+) (?:are|were|do) you (?:come )?(?:from|live|live in|born in|grow up){_END}",
    rf"where (?:did|do) you (?:grow up|come from|live|sleep|go to school){_END}",
    rf"\b(?:are|aren't|if|that) you(?: are|'re)? {_SORT}{_END}",
    rf"\bam i (?:talking|speaking|chatting) (?:to|with) {_SORT}{_END}",
    r"are you (?:smarter|better|cleverer|older|younger|stronger|taller|funnier) than\b",
    rf"\b(?:do|have|don't) you (?:have|got|ever have|ever had) (?:a |an |any |your own )?(?:{_OWNED}){_END}",
    r"\bdo you (?:ever |really |also |even |still )?(?:sleep|dream|eat|drink|cry|laugh|get (?:tired|bored|lonely"
    r"|sad|angry)"
    rf"|feel (?:\w+)|feel|dance|sing|smoke|breathe|age|exist){_END}",
    r"\bdo you (?:really )?(?:love|hate|miss|trust) (?:me|people|humans|us|it|music|cats|dogs|your (?:job|life"
    r"|work))\b",
    rf"\bdo you (?:really )?(?:like|remember|want) (?:me|people|humans|music|cats|dogs|pizza|your (?:job"
    rf"|life)){_END}",
    r"\bdo you believe\b", r"\bdo you know (?:any|a|some) (?:\w+ )?(?:joke|riddle|poem|song|stor|fun)",
    rf"\bwhat (?:do|did|would|will) you (?:like to )?(?:do for (?:fun|a living)|eat|drink|dream|dream (?:of"
    rf"|about)|wear|look like|feel"
    rf"|feel like){_END}",
    rf"\bwhat (?:\w+ )?do you (?:like|love|hate|enjoy)(?: (?:best|most|to do|doing|the most))?{_END}",
    r"\bwhat do you think (?:of|about) (?!the|your|our|my|this|these)",
    rf"\bwhat are you (?:wearing|doing|thinking(?: about)?|up to){_END}",
    rf"\bwhat (?:\w+ )?sign are you{_END}", rf"\bcan you (?:{_FEATS}){_END}",
    rf"\b(?:tell|give|read|sing|say|write|know|hear|recite|make up)(?: me| us)?(?: a| an| another| some| any"
    rf"| something"
    rf"| your best| one more)* (?:\w+ )?(?:{_TOLD}){_END}",
    r"\b(?:tell|give) me an? (?:\w+ )?joke\b", r"\bsing (?:me |us |for )", r"\bmake me (?:laugh|smile)\b",
    rf"\bhow (?:are|r) (?:you|u)(?: (?:doing|feeling))?{_END}",
    r"\bhow(?:'s| is) (?:it going|life|your day|your life)\b",
    r"\bhow (?:was|has) your (?:day|weekend|night)\b", rf"\bhow do you feel{_END}", rf"\bwhat'?s up{_END}",
    r"\bi (?:think i )?(?:love|hate|miss|like) you\b", r"\bmarry me\b",
    r"\b(?:be|become) (?:my|your) (?:\w+ )?(?:friend|girlfriend|boyfriend|wife|husband)\b",
    rf"\byou(?: are|'re|re) (?:so |very |really |too |not |a )*(?:{_GOOD})\b",
    rf"\b(?:let's|let us|wanna|want to) (?:play(?: a game| something)?|chat|talk|be friends|go out){_END}",
    rf"\bi(?:'m| am) (?:so )?(?:bored|lonely){_END}", r"\bmeaning of (?:life|it all)\b",
)  # fmt: skip

_YOU = r"(?:ты|вы)"
_TO_YOU = r"(?:тебе|вам)"
_OF_YOU = r"(?:тебя|вас)"
_YOUR = r"(?:тво[йяеию]\w*|ваш\w*)"
_SORT_RU = (
    r"(?:(?:вообще|правда|точно|реально|там|же|не|сам|живой|живая|настоящ\w+|реальн\w+) )*"
    r"(?:бот|чат-бот|чатбот|робот|человек|люди|машина|программа|нейросеть|нейронка|живой|живая|настоящ\w+|реальн\w+"
    r"|мужчина|женщина|парень|девушка|девочка|мальчик|замужем|женат\w*|влюблен\w*|одинок\w*|счастлив\w*|грустишь"
    r"|голод\w+|устал\w*|глуп\w*|туп\w+|умн\w+|красив\w+|дурак|дура|смешн\w+|классн\w+|мил\w+|лучш\w+|умница|молодец)"
)
_RUSSIAN = (
    rf"{_YOU} (?:когда-нибудь|хоть раз) (?:влюблял|целовал|плакал|бывал|был|летал|видел|мечтал)\w*",
    rf"в как\w+ (?:школе|институте|университете|вузе) {_YOU}\b", rf"{_TO_YOU} платят\b", rf"{_YOU} откуда родом",
    rf"какие у {_OF_YOU} планы на\b", r"на (?:скольких|каких) языках ты\b",
    r"(?:ты )?умеешь (?:танц|пе|шут|меч|люб|чувств)\w+",
    rf"сколько {_TO_YOU} (?:сейчас |уже )?(?:лет|годиков){_END}", rf"сколько лет {_TO_YOU}{_END}",
    r"как (?:тебя|вас|тя) (?:зовут|звать|называть|величать)\b", rf"как(?:ое|ово) {_YOUR} (?:\w+ )?имя{_END}",
    rf"как {_TO_YOU} (?:живется|спится|работается)\b", rf"{_YOUR} любим", rf"у {_OF_YOU} (?:\w+ )?любим",
    rf"любим\w+ (?:у {_OF_YOU}|{_YOUR})\b", rf"{_TO_YOU} (?:больше |очень |самому )?нрав",
    rf"когда (?:у {_OF_YOU}|{_YOUR}) (?:был |будет )?(?:день рождения|др){_END}",
    rf"(?:какой|какая|какое|кто|какие|как) (?:у {_OF_YOU} |{_YOUR} )(?:рост|вес|возраст|пол|характер|хобби|знак"
    rf"|знак зодиака|настроение|мечта|религия|национальность|имя|мам\w+|пап\w+|отец|мать|родители|создатель|хозяин"
    rf"|лучший друг|дела|жизнь|день|семья|сестра|брат|муж|жена|парень|девушка){_END}",
    rf"\bкто {_YOUR} (?:мам\w*|пап\w*|отец|мать|родители|создател\w+|разработчик\w*|друз\w+|лучший друг|хозяин)\b",
    rf"\b(?:кто|что) (?:же )?{_YOU}{_END}", rf"\b{_YOU} (?:вообще |же )?кто{_END}", rf"\b{_YOU} {_SORT_RU}{_END}",
    r"\bкто (?:тебя|вас) (?:создал|придумал|сделал|написал|обучил|родил|программировал|запрограммировал"
    r"|разработал)\w*",
    rf"\bкто {_YOU} по (?:знаку|гороскопу|национальности|профессии)\b",
    rf"\bя (?:говорю|общаюсь|разговариваю) с {_SORT_RU}", rf"\bэто (?:робот|бот|живой человек){_END}",
    rf"\bоткуда (?:же )?{_YOU}(?: родом| взял\w+)?{_END}",
    rf"\bиз как\w+ (?:же )?(?:{_YOU} )?(?:страны|города|планеты)(?: {_YOU})?{_END}",
    rf"\b(?:где|когда|как|в каком \w+) {_YOU} (?:родил\w*|вырос\w*|живешь|живете|учил\w*|спишь|появил\w*){_END}",
    rf"\b{_YOU} (?:вообще |правда |когда-нибудь |тоже |меня |еще |умеешь |умеете |можешь |можете "
    rf"|очень )*(?:любишь|спишь|спите|ешь|пьешь"
    r"|куришь|веришь|верите|мечтаешь|мечтаете|чувствуешь|чувствуете|боишься|боитесь|скучаешь|скучаете|устаешь|плачешь"
    r"|смеешься|дышишь|грустишь|танцуешь|поешь|петь|танцевать|шутить|смеяться|плакать|любить|чувствовать|мечтать"
    r"|думать)\b",
    rf"\bу {_OF_YOU} (?:вообще |уже )?есть (?:девушка|парень|муж|жена|семья|дети|мама|папа|родители|друзья|друг"
    rf"|подруга|чувства"
    rf"|душа|сердце|тело|мозг|мозги|хобби|имя|возраст|питомец|питомцы|кошка|кот|собака|мечта|совесть|брат"
    rf"|сестра){_END}",
    rf"\bесть (?:ли )?у {_OF_YOU} (?:девушка|парень|муж|жена|семья|дети|мама|папа|родители|друзья|чувства|душа"
    rf"|сердце|хобби"
    rf"|имя|мечта|совесть|брат|сестра|питомцы){_END}",
    rf"\b{_TO_YOU} (?:\w+ )?(?:снятся|снится|скучно|грустно|одиноко|весело|больно|страшно|бывает|хочется)\b",
    r"\b(?:расскажи|расскажите|знаешь|знаете|почитай|прочитай|сочини|придумай|напиши|спой|спойте|загадай)(?:те)?"
    r"(?: мне| нам| какую-нибудь| какой-нибудь| какую-то| пожалуйста| хороший| хорошую| смешной| смешную| еще| один)*"
    r" (?:анекдот\w*|шутк\w+|сказк\w+|стих\w*|стишок|истори[юи]|загадк\w+|песн\w+|песенк\w+|колыбельн\w+|что-нибудь"
    r"|что-то|чего-нибудь|о себе|про себя)",
    r"\bспой(?:те)?\b", r"\bпошути(?:те)?\b", r"\b(?:рас|на)смеши\b",
    rf"\bкак (?:у {_OF_YOU} |{_YOUR} )?(?:дела|делишки|жизнь|настроение|поживаешь|поживаете"
    rf"|самочувствие)(?: у {_OF_YOU})?{_END}",
    rf"\bкак (?:ты|сам|сама){_END}", rf"\bкак прошел (?:твой |ваш )?(?:день|выходной){_END}",
    r"\bчем (?:ты |вы )?(?:занимаешься|увлекаешься|увлекаетесь)\b", rf"\bчто (?:ты |сейчас )*делаешь{_END}",
    r"\bчто (?:ты |вы )?(?:думаешь|думаете) (?:о|об|про|насчет)\b", rf"\bво что {_YOU} одет", r"\bты одет",
    r"\bя (?:тебя|вас) (?:\w+ )?(?:люблю|ненавижу|обожаю)\b", r"\bлюблю тебя\b", r"\bвыходи(?:те)? за меня\b",
    r"\bженись на мне\b", rf"\b{_YOU} (?:умнее|лучше|старше|моложе|сильнее|глупее|красивее) ",
    rf"\b{_YOU} (?:так\w+|очень|прост\w*|сам\w+|просто) {_SORT_RU}",
    rf"\bдавай(?:те)? (?:\w+ )?(?:поиграем|сыграем|поболтаем|поговорим|дружить|пообщаемся|познакомимся"
    rf"|встречаться){_END}",
    rf"\bмне (?:так |очень )?(?:скучно|грустно|одиноко){_END}", r"\bсмысл жизни\b",
    r"\bхочешь (?:дружить|быть|поиграть|встречаться)\b",
)  # fmt: skip


def _any_of(patterns: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(rf"(?:(?<!\w){one})" for one in patterns))


_SAID_IN_ENGLISH, _SAID_IN_RUSSIAN = _any_of(_ENGLISH), _any_of(_RUSSIAN)
_CYRILLIC = re.compile("[а-я]")
_REST = 2
"""A message with more telling words besides asks something else as well."""
_LONGEST = 200
"""Letters; a longer message has more words than that, and is not worth the search."""


@lru_cache(maxsize=1 << 15)
def is_small_talk(text: str) -> bool:
    """Whether the message is about who answers, or mere company, and about hardly anything else."""
    plain = normalise(text)
    if len(plain) > _LONGEST:
        return False
    said = (_SAID_IN_RUSSIAN if _CYRILLIC.search(plain) else _SAID_IN_ENGLISH).search(plain)
    return said is not None and len(content_stems(plain[: said.start()] + plain[said.end() :])) <= _REST
