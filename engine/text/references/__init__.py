"""The grammar of references, Russian and English: where a text points at another place, of this document or another.

It finds "см. раздел 7.2", "подпункт «а» пункта 2 статьи 19", "Article 12(3)(a)", "Sections 7.1-7.3 of RFC 9110",
"предыдущий пункт", "as described above", "как определено в глоссарии", "ГОСТ 34.602-89", "[build](build.md#args)".
To teach it a new word, add a row to the tables of `words`; a new numbered series of documents, to `documents.SERIES`.
Every pattern is linear in the text: repeats are bounded, and nothing is nested.
"""

from engine.text.references.find import find_mentions
from engine.text.references.labels import expand as expand_labels
from engine.text.references.mention import Mention
from engine.text.references.pointing import points_only

__all__ = ["Mention", "expand_labels", "find_mentions", "points_only"]
