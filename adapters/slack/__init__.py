"""Refdesk in Slack. `running.py` runs it; Slack's libraries are imported here and nowhere else.

running.py           from start to stop, in one workspace or wherever the app is installed
app.py               the bot of one workspace
workspaces.py        several of them; installations.py, installing.py: how they come by OAuth
serving.py           how events come in: Socket Mode, or signed HTTP; and browsers that install the app
listeners.py         what comes in, given to its workspace
events.py            an event -> a message to be answered, or nothing (manners)
taps.py              a tap on a button, for `adapters/taps.py`
commands.py          what we say ourselves; `/ask` and `/human`
desk.py              the support desk here: support.py (tickets as threads), people.py, relayed.py, files.py, names.py
rich_text.py         what people write -> Markdown
home.py, pane.py     the app's Home; what meets whoever opens the conversation
quiet.py             answers that only the asker sees, until everyone is to
hints.py             statuses, sessions with a stop button, suggested questions
stopping.py          answers that may be stopped while they are made
reply.py, stream.py  what Slack shows of an answer: messages that are posted, streamed, updated, removed
calls.py, budgets.py Slack's calls and refusals, and how many are allowed
formatting.py        Markdown -> blocks with a fallback text, split to size
scopes.py            what the app has to be allowed, as in deploy/slack-manifest.yaml
"""
