//! Table: a hundred shapes of text that a tool may print, each of any length.

/// What a text is made of.
pub(crate) enum Shape {
    /// The same over and over.
    Same(&'static str),
    /// A line, a row or a record for each number.
    Each(fn(usize) -> String),
    /// The same, within what stands before and behind.
    Within(&'static str, fn(usize) -> String, &'static str),
    /// So many of the first, then as many of the second.
    Nested(&'static str, &'static str),
}

impl Shape {
    /// A text of about so many bytes.
    pub(crate) fn text(&self, bytes: usize) -> String {
        match self {
            Self::Same(part) => part.repeat(bytes / part.len()),
            Self::Each(part) => fill(String::new(), *part, bytes),
            Self::Within(before, part, behind) => fill((*before).to_owned(), *part, bytes) + behind,
            Self::Nested(open, close) => {
                let depth = bytes / (open.len() + close.len());
                open.repeat(depth) + &close.repeat(depth)
            }
        }
    }
}

fn fill(mut text: String, part: fn(usize) -> String, bytes: usize) -> String {
    let mut number = 0;
    while text.len() < bytes {
        text.push_str(&part(number));
        number += 1;
    }
    text
}

/// A number that looks random, and is not.
fn odd(number: usize) -> u64 {
    let mixed = (number as u64).wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 16
}

fn time(n: usize) -> String {
    format!("2026-01-{:02}T{:02}:{:02}:{:02}Z", n / 86_400 % 28 + 1, n / 3600 % 24, n / 60 % 60, n % 60)
}

use Shape::{Each, Nested, Same, Within};

/// The shapes, by name.
pub(crate) static SHAPES: &[(&str, Shape)] = &[
    ("digits", Same("1234567890")),
    ("zeros", Same("0")),
    ("newlines", Same("\n")),
    ("carriage returns", Same("\r")),
    ("line ends of two bytes", Same("\r\n")),
    ("spaces", Same(" ")),
    ("tabs", Same("\t")),
    ("blanks of all kinds", Same(" \t\r\n\u{b}")),
    ("letters", Same("a")),
    ("capitals", Same("A")),
    ("letters of both sizes", Same("aB")),
    ("words", Same("the quick brown fox ")),
    ("random words", Each(|n| format!("{:x} ", odd(n)))),
    ("random hexadecimal", Each(|n| format!("{:012x}", odd(n)))),
    ("base64", Each(|n| format!("{:x}Ab+/zQ", odd(n)))),
    ("brackets", Same("[")),
    ("closing brackets", Same("]")),
    ("braces", Same("{")),
    ("parentheses", Same("(")),
    ("angles", Same("<")),
    ("closing angles", Same(">")),
    ("equals signs", Same("=")),
    ("dashes", Same("-")),
    ("dots", Same(".")),
    ("commas", Same(",")),
    ("colons", Same(":")),
    ("semicolons", Same(";")),
    ("slashes", Same("/")),
    ("backslashes", Same("\\")),
    ("double quotes", Same("\"")),
    ("single quotes", Same("'")),
    ("back quotes", Same("`")),
    ("pipes", Same("|")),
    ("plus signs", Same("+")),
    ("hashes", Same("#")),
    ("percent signs", Same("%")),
    ("ampersands", Same("&")),
    ("dollars", Same("$")),
    ("at signs", Same("@")),
    ("underscores", Same("_")),
    ("escaped quotes", Same("\\\"")),
    ("accents", Same("é")),
    ("marks that combine", Same("e\u{301}")),
    ("ideographs", Same("日本語")),
    ("emoji", Same("😀")),
    ("joined emoji", Same("👩\u{200d}👩\u{200d}👧")),
    ("wide spaces", Same("\u{a0}")),
    ("control characters", Same("\u{1}\u{2}\u{7f}")),
    ("nulls", Same("\0")),
    ("deep lists", Nested("[", "]")),
    ("deep objects", Nested("{\"a\":", "}")),
    ("deep elements", Nested("<a>", "</a>")),
    ("deep parentheses", Nested("(", ")")),
    ("wide list", Within("[0", |n| format!(",{n}"), "]")),
    ("wide list of strings", Within("[\"\"", |n| format!(",\"s{n}\""), "]")),
    ("wide object", Within("{\"a\":0", |n| format!(",\"k{n}\":{n}"), "}")),
    ("one key many times", Within("{\"a\":0", |n| format!(",\"a\":{n}"), "}")),
    ("records", Within("[{}", |n| format!(",{{\"id\":{n},\"kind\":\"cat\",\"ok\":true}}"), "]")),
    ("records of other keys", Within("[{}", |n| format!(",{{\"k{n}\":{n}}}"), "]")),
    (
        "records of many keys",
        Within("[{}", |n| format!(",{{\"a{}\":1,\"b{}\":2,\"c{}\":3}}", n % 97, n % 89, n % 83), "]"),
    ),
    ("lists of lists", Within("[[]", |n| format!(",[{n},[{n}]]"), "]")),
    ("lists of empty lists", Within("[[]", |_| ",[]".to_owned(), "]")),
    ("list with lines", Within("[\n  0", |n| format!(",\n  {n}"), "\n]\n")),
    ("records with lines", Within("[\n  {}", |n| format!(",\n  {{\n    \"id\": {n}\n  }}"), "\n]\n")),
    ("a long string", Within("{\"a\":\"", |n| format!("line {n}\\n"), "\"}")),
    ("a list that never ends", Within("[{\"a\":1}", |n| format!(",{{\"a\":{n}}}"), "")),
    ("documents on lines", Each(|n| format!("{{\"id\":{n},\"text\":\"hello {n}\"}}\n"))),
    ("documents behind labels", Each(|n| format!("Output: {{\"id\":{n}}}\n"))),
    ("lines that begin like documents", Each(|n| format!("{{ this is no document {n}\n"))),
    ("objects of Python", Within("[{'id': 0}", |n| format!(", {{'id': {n}, 'name': 'x'}}"), "]")),
    ("separated values", Within("id,name,kind\n", |n| format!("{n},name {n},cat\n"), "")),
    ("separated by tabs", Within("id\tname\tkind\n", |n| format!("{n}\tname {n}\tcat\n"), "")),
    ("quoted values", Within("id,name\n", |n| format!("\"{n}\",\"a \"\"b\"\" {n}\"\n"), "")),
    ("many columns", Each(|n| format!("{n},{n},{n},{n},{n},{n},{n},{n},{n},{n},{n},{n},{n},{n},{n},{n}\n"))),
    ("aligned table", Within("NAME      READY   AGE\n", |n| format!("pod-{n:<6} 1/1     {}d\n", n % 90), "")),
    ("ruled table", Within("| id | name |\n|----|------|\n", |n| format!("| {n} | name {n} |\n"), "")),
    ("log", Each(|n| format!("{} INFO worker {} finished batch {n}\n", time(n), n % 7))),
    ("log of one message", Each(|n| format!("{} INFO heartbeat\n", time(n)))),
    ("log of two messages", Each(|n| format!("{} {}\n", time(n), ["GET / 200", "WARN slow"][n % 2]))),
    ("log of long lines", Each(|n| format!("{} DEBUG {}\n", time(n), format!("a{n} ").repeat(60)))),
    ("errors", Each(|n| format!("error[E{:04}]: it broke at {n}\n  --> src/a.rs:{n}:1\n", n % 900))),
    (
        "tracebacks",
        Each(|n| format!("Traceback (most recent call last):\n  File \"a.py\", line {n}\nValueError: {n}\n")),
    ),
    (
        "diff",
        Within(
            "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n",
            |n| format!("@@ -{n} +{n} @@\n-a {n}\n+b {n}\n"),
            "",
        ),
    ),
    (
        "diff of many files",
        Each(|n| {
            format!(
                "diff --git a/f{n} b/f{n}\nindex 1..2 100644\n--- a/f{n}\n+++ b/f{n}\n@@ -1 +1 @@\n-a\n+b\n"
            )
        }),
    ),
    ("numbered lines", Each(|n| format!("{:>6}\tlet x = {n};\n", n + 1))),
    ("numbered lines with arrows", Each(|n| format!("{:>6}→x {n}\n", n + 1))),
    ("hits", Each(|n| format!("src/a{}.rs:{n}:    let value = {n};\n", n / 9))),
    ("hits of one file", Each(|n| format!("a:{n}:x\n"))),
    ("paths", Each(|n| format!("src/dir{}/sub{}/file{n}.rs\n", n % 9, n % 31))),
    ("deep paths", Each(|n| format!("{}f{n}\n", "a/".repeat(n % 40)))),
    (
        "long listing",
        Each(|n| format!("-rw-r--r-- 1 root root {:>8} Jan  1 00:{:02} file{n}.txt\n", n * 37, n % 60)),
    ),
    ("tree", Each(|n| format!("{}├── file{n}\n", "│   ".repeat(n % 5)))),
    ("statistics of changes", Each(|n| format!(" src/file{n}.rs | {:>4} ++--\n", n % 1000))),
    ("blame", Each(|n| format!("9348401{} (Ann Lee 2025-11-01 17:34:09 +0100 {:>6}) x{n}\n", n % 9, n + 1))),
    (
        "commits",
        Each(|n| format!("commit {:040x}\nAuthor: A B <a@b.c>\nDate: x\n\n    message {n}\n\n", odd(n))),
    ),
    (
        "diagnostics",
        Each(|n| format!("src/a.ts({n},1): error TS{}: Cannot find name 'x{n}'.\n", 2000 + n % 7)),
    ),
    ("tests", Each(|n| format!("test module::case_{n} ... ok\n"))),
    ("colours", Each(|n| format!("\u{1b}[{}mline {n}\u{1b}[0m\n", 30 + n % 8))),
    ("codes of a terminal that never end", Same("\u{1b}[")),
    ("progress", Each(|n| format!("\rdownloading {}%", n % 101))),
    ("elements", Within("<r>", |n| format!("<a id=\"{n}\">text {n}</a>"), "</r>")),
    ("elements on lines", Within("<r>\n", |n| format!("  <a>\n    <b>{n}</b>\n  </a>\n"), "</r>\n")),
    (
        "page",
        Within("<html><body>", |n| format!("<p class=\"x\">some <b>text</b> {n}</p>\n"), "</body></html>"),
    ),
    ("tags that are open", Within("<html>", |_| "<div><span ".to_owned(), "")),
    ("snapshot", Each(|n| format!("- button \"New {n}\" [ref=e{n}] [cursor=pointer]\n"))),
    ("the same line", Same("a line that is the same as the one before it\n")),
    ("two lines by turns", Same("ping to the server\npong from the server\n")),
    ("nine lines by turns", Each(|n| format!("step {} of nine is done\n", n % 9))),
    (
        "blocks that come again",
        Each(|n| format!("block {n}\n{}", "the body of it, a line\nand another line\n".repeat(4))),
    ),
    ("lines like our own", Each(|n| format!("(the line above {n} more times)\n"))),
    ("marks like our own", Each(|n| format!("[terse{n} json: indent 2]\n"))),
    ("code", Each(|n| format!("fn f{n}(x: u32) -> u32 {{\n    x + {n}\n}}\n\n"))),
    ("secrets", Each(|n| format!("password = hunter{n} token: {:040x}\n", odd(n)))),
    ("assignments", Each(|n| format!("KEY_{n}=value {n}\n"))),
    ("addresses", Each(|n| format!("https://example.com/a/{n}?q={n}&r=x#y\n"))),
    ("markdown", Each(|n| format!("## Part {n}\n\n- *one* `two` [three](four)\n\n```sh\nls {n}\n```\n\n"))),
    ("one long line", Each(|n| format!("word{n} "))),
];
