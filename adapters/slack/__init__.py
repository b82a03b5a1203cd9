"""Refdesk in Slack. `app.py` runs it; Slack's libraries are imported here and nowhere else.

serving.py           how events come in: Socket Mode, or signed HTTP
events.py            an event -> a message to be answered, or nothing (manners)
taps.py              a tap on a button, for `adapters/taps.py`
commands.py          what we say ourselves; `/ask`
home.py              the app's Home
reply.py, stream.py  an answer in one thread: messages that are posted, streamed, updated, removed
calls.py, budgets.py Slack's calls and refusals, and how many are allowed
formatting.py        Markdown -> blocks with a fallback text, split to size
scopes.py            what the app has to be allowed, as in deploy/slack-manifest.yaml
"""
