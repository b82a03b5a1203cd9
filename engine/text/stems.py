"""Stems of words, the language chosen word by word from its script, so that mixed text needs no guess.

The stemmers are Snowball's (M. Porter, snowballstem.org). PyStemmer, when installed, gives the same stems faster.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Protocol, cast

import snowballstemmer

from engine.text.normal import words


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...


_RUSSIAN = cast(_Stemmer, snowballstemmer.stemmer("russian"))
_ENGLISH = cast(_Stemmer, snowballstemmer.stemmer("english"))

STOP_WORDS = frozenset(
    # Russian: function words and the words that only say that something is asked
    "а без бы был была были было быть в вам вас ваш ваша ваше ваши весь во вот все всё вы где да для до его ее"
    " если есть еще ж же за здесь и из или им их к как какая какие какими каким каких какого какое какой какому"
    " какую ко когда кто ли либо мне можно мной мой моя моё мое мои моего моей моих мы на надо нам нас наш наша"
    " наши него ней нему них но ну нужно нужен нужна нужны о об обо он она они оно от по под подскажите пожалуйста"
    " при про с со свой своя свою своего своей своих себя скажите сколько так такая такое такой там те тем то того"
    " той только том тот ту тут ты у уже хочу чего чем что чтобы эта эти это этого этой этом этот эту я"
    " здравствуйте привет добрый день узнать интересует хотелось хотел хотела каков какова каково каковы который"
    " которая которые которых"
    # English
    " a about all also am an and any are as at be been but by can could did do does for from get had has have hello hi"
    " how i i'd i'm i've if in into is it it's its like me my need of on or our please say should so some tell that the"
    " their them then there these they this to us want was we were what what's when where which who whom whose why will"
    " with would you your yours know let many much".split()
)

NEGATIONS = frozenset(
    "не нет ни без нельзя никогда никак кроме no not never without cannot can't can’t don't don’t doesn't doesn’t isn't"
    " won't wouldn't shouldn't didn't hasn't haven't dont doesnt cant wont except unable nor".split()
)


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The stem of one folded word."""
    first = word[0]
    return (_RUSSIAN if "а" <= first <= "я" else _ENGLISH).stemWord(word)


def stems(text: str) -> list[str]:
    """Stems of all words in order, stop words included; parts of hyphenated words count too."""
    return [stem(part) for word in words(text) for part in word.replace("’", "'").split("-") if part]


def content_stems(text: str) -> list[str]:
    """Stems of the words that carry meaning, in order, with repeats."""
    return [
        stem(part)
        for word in words(text)
        for part in word.replace("’", "'").split("-")
        if part and part not in STOP_WORDS and part not in NEGATIONS and (len(part) > 1 or part.isdigit())
    ]
