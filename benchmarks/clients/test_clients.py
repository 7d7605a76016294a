"""Tests of what compares; run with `python3 -m unittest` in this folder."""

from __future__ import annotations

import json
import unittest

from compare import Change, Unfaithful, changed, compare
from relay import parse
from upstream import Request


class Compare(unittest.TestCase):
    """Only one string may differ."""

    def test_a_changed_string_is_found(self) -> None:
        sent = json.dumps({"a": 1, "r": 'x "quoted" \\ text', "z": [2]}).encode()
        seen = json.dumps({"a": 1, "r": "x é", "z": [2]}, ensure_ascii=False).encode()
        self.assertEqual(changed(sent, seen), Change('x "quoted" \\ text', "x é"))

    def test_any_other_change_is_a_fault(self) -> None:
        for seen in [b'{"a":"y","z":3}', b'{"a":"y" ,"z":2}', b'{"b":"x","z":2}']:
            with self.assertRaises(Unfaithful):
                changed(b'{"a":"x","z":2}', seen)

    def test_headers_are_held_but_for_the_hop_s_own(self) -> None:
        sent = Request("POST", "/", [("Host", "a"), ("X-Key", "1")], b"{}")
        self.assertEqual(compare([sent], [Request("POST", "/", [("host", "b"), ("x-key", "1")], b"{}")]), [])
        with self.assertRaises(Unfaithful):
            compare([sent], [Request("POST", "/", [("x-key", "2")], b"{}")])

    def test_requests_are_read_from_bytes(self) -> None:
        plain = b"POST /a HTTP/1.1\r\ncontent-length: 2\r\n\r\n{}"
        chunks = b"POST /b HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\n\r\n"
        self.assertEqual([(one.path, one.body) for one in parse(plain + chunks)], [("/a", b"{}"), ("/b", b"{}")])


if __name__ == "__main__":
    unittest.main()
