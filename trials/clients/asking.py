"""An upstream whose model fetches back what was left out: it calls the hidden tool for the first reference that it sees.

What it says is a function of the request, so it needs no memory of a conversation.
"""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Callable

from speech import TOOL, Call, Say, Text, is_hidden, shape_of, streams
from upstream import Handler, Upstream, arguments, shell

COMMAND = "python3 build.py"
OVERLOADED = 529
LOOK = Text(("Let me see ", "all of it. "))
REFERENCE = re.compile(r"<<<SHADOW:(shadow_\w+)>>>")

# What an upstream says to a request, by the tools that it offers and the results that it holds.
# Nothing at all is an upstream that fails.
Script = Callable[[dict, list[str], list[tuple[str, str]]], list[Say]]


def proof(answer: str) -> str:
    """Words that only those can say who have read the answer."""
    return f"SEEN-{hashlib.sha256(answer.encode()).hexdigest()[:24]}"


def reference(results: list[tuple[str, str]]) -> str | None:
    """The first reference in the results."""
    found = [REFERENCE.search(text) for mark, text in results if not is_hidden(mark)]
    return next((match[1] for match in found if match), None)


def agent(_body: dict, tools: list[str], results: list[tuple[str, str]]) -> list[Say]:
    """The turn of an agent: runs a command, fetches back what was left out of its result, and says what it saw."""
    hidden = [text for mark, text in results if is_hidden(mark)]
    own = shell(tools)
    if hidden:
        return [Text(("That is ", proof(hidden[0]), "."))]
    if results and (found := reference(results)):
        return [LOOK, Call(TOOL, {"id": found})]
    if results or not own:
        return [Text(("Nothing was left out.",))]
    return [Call(own, arguments(own, COMMAND))]


class Asking(Upstream):
    """Plays a script in the shape of each request."""

    def __init__(self, script: Script, pause: float = 0.02, handler: type[Player] | None = None) -> None:
        self.script, self.pause = script, pause
        super().__init__(handler or Player)


class Player(Handler):
    """Answers one connection."""

    server: Asking

    def do_POST(self) -> None:
        """Say what the script says."""
        raw, path = self.keep(), self.path
        shape, body = shape_of(path), json.loads(raw or b"{}")
        if shape is None:
            self.whole({"input_tokens": 10, "totalTokens": 10})
            return
        turn = len(self.server.requests)
        says = self.server.script({"path": path, **body}, shape.tools(body), shape.results(body))
        if not says:
            self.whole({"error": {"type": "overloaded_error", "message": "come again"}}, OVERLOADED)
        elif streams(path, body):
            self.chunks(shape.events(turn, says), self.server.pause)
        else:
            time.sleep(self.server.pause)
            self.whole(shape.whole(turn, says))
