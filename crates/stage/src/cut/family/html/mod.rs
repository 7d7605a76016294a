//! Extracts the text of web pages.
//!
//! Headings, lists, tables, links and code are kept. Tags, scripts, styles, comments and navigation that consists
//! only of links are omitted. A line below the text gives the sizes of the omitted parts.

mod entity;
mod gist;
mod link;
mod page;
mod sheet;
mod token;

use crate::class::{CutClass, Omission};
use crate::omit;
use crate::plan::{Loss, Mode};
use crate::stage::{Edit, Scene, Stage};
use crate::view::TextView;
use page::Page;
use token::{HtmlTokens, Token};

/// The cut for a text that is an HTML document.
pub(super) struct Html;

/// Shorter texts, in bytes, are left unchanged.
const MIN_BYTES: usize = 512;

impl Stage for Html {
    fn name(&self) -> &'static str {
        "html"
    }

    fn mode(&self) -> Mode {
        Mode::Standard
    }

    /// The lines of a page's source differ from the lines of its text, so they cannot be compared.
    fn cuts_lines(&self) -> bool {
        false
    }

    fn leaves(&self) -> &'static [Omission] {
        &[(CutClass::Content, &["markup", "scripts and styles", "comments", "navigation"])]
    }

    fn apply(&self, _: Scene<'_>, text: &TextView<'_>) -> Option<Edit> {
        let start = document(text)?;
        let (above, html) = text.split_at(start);
        let mut page = Page::new(link::anchors(html));
        let mut weight = Weight::default();
        let mut tokens = HtmlTokens::new(html);
        while let Some(token) = tokens.next() {
            weight.add(&token);
            let ends = matches!(&token, Token::Close { name, .. } if name.eq_ignore_ascii_case("html"));
            page.see(token);
            if ends && !tokens.rest().contains('<') {
                break;
            }
        }
        let mut out = above.to_owned();
        out.push_str(&gist::gist(page.finish()));
        out.push_str(&weight.marker());
        out.push_str(tokens.rest());
        Some(Edit { text: out, loss: Loss::Detail, note: String::new() })
    }
}

/// Maximum number of bytes in front of a document: enough for response headers, but not for prose.
const MAX_ABOVE_BYTES: usize = 4096;

/// Strings that occur in templates but not in web pages.
const TEMPLATE: [&str; 4] = ["{{", "{%", "<%", "<?php"];

/// The start of the HTML document in `text`; `None` when there is none or it is a template.
fn document(text: &str) -> Option<usize> {
    let head = &text[..text.floor_char_boundary(MAX_ABOVE_BYTES)];
    let start = begin(head)?;
    let template = TEMPLATE.iter().any(|sign| head.contains(sign));
    (text.len() >= MIN_BYTES && !template).then_some(start)
}

/// The start of the first line that opens a page, if only headers, blank lines or an XML declaration precede that
/// line.
fn begin(head: &str) -> Option<usize> {
    let mut next = 0;
    let mut answer = false;
    for line in head.split_inclusive('\n') {
        let bare = line.trim_start_matches('\u{feff}').trim_start();
        let line_start = next + (line.len() - bare.len());
        next += line.len();
        if opens(bare) {
            return Some(line_start);
        }
        answer |= bare.starts_with("HTTP/");
        let quiet = bare.is_empty() || bare.starts_with("<!--") && bare.trim_end().ends_with("-->");
        if let Some(end) = bare.strip_prefix("<?xml").and_then(|rest| rest.find("?>")) {
            let rest = &bare[5 + end + 2..];
            if opens(rest.trim_start()) {
                return Some(line_start);
            }
        } else if !quiet && !(answer && (bare.starts_with("HTTP/") || header(bare))) {
            return None;
        }
    }
    None
}

/// True for a line that begins a page.
fn opens(line: &str) -> bool {
    let begins = |sign: &str| line.get(..sign.len()).is_some_and(|start| start.eq_ignore_ascii_case(sign));
    begins("<!doctype html") || ["<html>", "<html ", "<html\n", "<html\r"].into_iter().any(begins)
}

/// True for `Name: value`.
fn header(line: &str) -> bool {
    let name = line.split_once(':').map_or("", |(name, _)| name);
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// The number of bytes of a page that are not text, by kind.
#[derive(Default)]
struct Weight {
    markup: usize,
    scripts: usize,
    comments: usize,
}

impl Weight {
    fn add(&mut self, token: &Token<'_>) {
        match token {
            Token::Text(_) => {}
            Token::Raw(text) => self.scripts += text.len(),
            Token::Comment(text) => self.comments += text.len() + "<!---->".len(),
            Token::Open { name, attributes } => self.markup += name.len() + attributes.len() + 2,
            Token::Close { name, tail } => self.markup += name.len() + tail.len() + 3,
            Token::Other(text) => self.markup += text.len(),
        }
    }

    /// The line that gives the sizes: `[8120 bytes left out: markup 7000, scripts and styles 1120]`.
    fn marker(&self) -> String {
        let parts =
            [("markup", self.markup), ("scripts and styles", self.scripts), ("comments", self.comments)];
        let said: Vec<_> =
            parts.iter().filter(|part| part.1 > 0).map(|(what, size)| format!("{what} {size}")).collect();
        let all = parts.iter().map(|part| part.1).sum();
        omit::things(all, "bytes", &said.join(", ")) + "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Call;
    use crate::plan::Plan;

    fn apply(text: &str) -> Option<String> {
        let edit = Html.apply(Scene::of(&Plan::default(), Call::default()), &TextView::new(text));
        edit.map(|edit| edit.text)
    }

    /// Checks the text shown for `body`, without the line that gives the sizes.
    fn check(body: &str, shown: &str) {
        let style = "x".repeat(MIN_BYTES);
        let page =
            format!("<!DOCTYPE html><html><head><style>{style}</style></head><body>{body}</body></html>\n");
        let text = apply(&page).unwrap();
        let (said, sizes) = text
            .rsplit_once(
                "
[",
            )
            .unwrap_or(("", &text));
        assert!(
            sizes.contains("bytes left out: markup ") && sizes.contains("scripts and styles 512"),
            "{text}"
        );
        assert_eq!(said, shown, "{body}");
    }

    #[test]
    fn pages_become_text() {
        check(
            "<h2>A <b>b</b></h2><p>one\n  two&amp;&nbsp;<code>x &lt; y</code>.</p>",
            "## A b\n\none two& `x < y`.",
        );
        check("<ul><li>a<li><p>b</p><ol><li>c</ol></ul>d", "- a\n- b\n  1. c\n\nd");
        check(
            "<table><tr><th>a</th><th>b</th></tr><tr><td><p>1</p></td><td></td><td>2<br>3</td></tr></table>",
            "a | b\n1 | | 2 3",
        );
        check("<pre>\na  &lt;b&gt;\n  <i>c</i>\n</pre>", "```\na  <b>\n  c\n```");
        check("<p>x<sup>2</sup> <del>old</del> H<sub>2</sub>O</p>", "x^2 ~~old~~ H_2O");
        check(
            "<svg><path d=\"M0\"/><text>key</text><text>value</text></svg><img alt=\"a cat\"><img src=x>",
            "key value\n[image: a cat]",
        );
    }

    #[test]
    fn links_say_where_they_lead_once() {
        check(
            "<p><a href=\"/a?x=1&amp;y=2\">one</a> <a href='/a?x=1&amp;y=2'>one</a> <a href=\"#p\">here</a> <a href=\"http://x.test\">\
             http://x.test</a> <a href=\"/b\"><code>b</code></a><a href=\"#h\">§</a></p>",
            "[one](/a?x=1&y=2) one here http://x.test [`b`](/b)",
        );
    }

    #[test]
    fn navigation_and_contents_are_counted() {
        check(
            "<nav><a href=a>A</a> <a href=b>B</a> <a href=c>C</a></nav><ul><li><a href=#x>Top</a><li><a href=#y>End</a></ul>\
             <h2 id=x>Top</h2>t<h2 id=y>End</h2>",
            "[3 links left out: navigation]\n[2 lines left out: contents, the headings below]\n\n## Top\n\nt\n\n## End",
        );
    }

    /// Behaviour 3.15: errors are kept wherever they are.
    #[test]
    fn errors_stay() {
        check("<nav><a>A</a><a>B</a><a>C</a><p>Error: x</p></nav>", "ABC\n\nError: x");
        check("<!-- [HttpException]: no such page -->y", "<!-- [HttpException]: no such page -->\ny");
        check("<div>a</div><div class=\"e>f\">error: no &unknown; page", "a\nerror: no &unknown; page");
    }

    #[test]
    fn only_pages_are_read() {
        let rest = format!("<body>{}</body></html>", "x ".repeat(300));
        for text in [
            format!("<!doctype HTML><html>{rest}"),
            format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html lang=en>{rest}"),
            format!("<?xml version=\"1.0\"?>\n<html>{rest}"),
        ] {
            assert!(apply(&text).is_some(), "{text}");
        }
        for text in [
            format!("const PAGE: &str = \"\n<html>{rest}"),
            format!("<html><title>{{{{ title }}}}</title>{rest}"),
            format!("<p>{rest}"),
            "<html></html>".to_owned(),
        ] {
            assert_eq!(apply(&text), None);
        }
        let curl = apply(&format!("HTTP/2 200\nage: 1\n\n<html>{rest}\ntook 3 s\nexit 0\n")).unwrap();
        assert!(
            curl.starts_with("HTTP/2 200\nage: 1\n\nx x") && curl.ends_with("]\n\ntook 3 s\nexit 0\n"),
            "{curl}"
        );
    }

    #[test]
    fn hostile_pages_are_no_fault() {
        for piece in [
            "<ul><li>x",
            "<div>",
            "<a href=x>y",
            "</nav><nav>",
            "<pre>",
            "&",
            "&#x",
            "<td>|",
            "<h1>",
            "<code>é",
            "<tr><td>a<table>",
        ] {
            let page = format!("<html>{}", piece.repeat(50_000));
            assert!(apply(&page).is_some(), "{piece}");
        }
    }
}
