"""Refdesk in Telegram. `app.py` runs it; chat libraries are imported here and nowhere else.

polling.py | webhook.py  how updates come in
updates.py               an update -> a message to be answered, or nothing (manners)
taps.py                  a tap on a button, for `adapters/taps.py`
commands.py              what we say ourselves
support.py, people.py    the support desk here; relayed.py, files.py: what goes back and forth
markdown.py              text with entities -> Markdown
known.py                 which of our messages are known when a process begins
reply.py                 what Telegram shows of an answer: messages that are sent, edited, removed
calls.py, lanes.py       Telegram's calls and refusals, and how many are allowed
formatting.py            Markdown -> text with entities, split to size
"""
