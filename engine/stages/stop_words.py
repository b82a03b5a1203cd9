"""The base dictionary of stop words: insults and obscenities in dictionary form, Russian and English."""

BASE: tuple[str, ...] = (
    # Russian
    "дурак", "дура", "идиот", "идиотка", "дебил", "кретин", "тварь", "мразь", "ублюдок", "урод", "скотина", "гнида",
    "сволочь", "сука", "блядь", "блять", "бля", "хуй", "хуйня", "хуесос", "хуёвый", "пизда", "пиздец", "пиздёж",
    "ебать", "ебаный", "ёбаный", "ебанутый", "заебать", "заебали", "мудак", "мудила", "гандон", "говно", "говнюк",
    "жопа", "пидор", "пидорас", "шлюха", "залупа", "долбоёб", "заткнись", "отвали",
    # English
    "idiot", "moron", "imbecile", "stupid bot", "dumbass", "asshole", "arsehole", "bastard", "bitch", "bullshit",
    "cunt", "fuck", "fucking", "fucker", "motherfucker", "shit", "shitty", "slut", "whore", "wanker", "dickhead",
    "prick", "retard", "faggot", "nigger", "shut up",
)  # fmt: skip
