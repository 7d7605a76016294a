//! Renders a page from its tokens: elements break and indent lines as they do on a screen.

use std::collections::HashSet;

use crate::cut::family::html::sheet::{Gap, LineKind, LineSide, PageLine, PageSheet};
use crate::cut::family::html::token::{Token, attribute};
use crate::cut::family::html::{entity, link};
use crate::{omit, signal};

/// A page being rendered.
pub(super) struct Page<'a> {
    sheet: PageSheet,
    /// The lists that contain the next word. For a numbered list, the last number used.
    lists: Vec<Option<usize>>,
    /// The number of cells in the current row so far, if there is a row.
    cells: Option<usize>,
    /// The text of the current code block.
    code: Option<String>,
    /// The attributes of the current link, and the number of bytes of text before it.
    link: Option<(&'a str, usize)>,
    nav: Option<Nav>,
    /// The anchors of the page.
    anchors: HashSet<&'a str>,
    /// The link targets shown so far.
    shown: HashSet<String>,
}

/// The current navigation element.
struct Nav {
    depth: usize,
    /// The index of its first line.
    from: usize,
    /// The number of bytes of text before it.
    before: usize,
    links: usize,
    /// The number of bytes of text within its links.
    linked: usize,
}

impl<'a> Page<'a> {
    pub(super) fn new(anchors: HashSet<&'a str>) -> Self {
        Self {
            sheet: PageSheet::default(),
            lists: Vec::new(),
            cells: None,
            code: None,
            link: None,
            nav: None,
            anchors,
            shown: HashSet::new(),
        }
    }

    pub(super) fn see(&mut self, token: Token<'a>) {
        match token {
            Token::Text(text) => match &mut self.code {
                Some(code) => entity::push(code, text),
                None => self.sheet.text(text),
            },
            Token::Open { name, attributes } => self.open(&name.to_ascii_lowercase(), attributes),
            Token::Close { name, .. } => self.close(&name.to_ascii_lowercase()),
            // Some servers report errors only in a comment.
            Token::Comment(text) if text.lines().any(|line| signal::find(line).is_some()) => {
                self.sheet.block(&format!("<!--{text}-->"));
            }
            Token::Comment(_) | Token::Raw(_) | Token::Other(_) => {}
        }
    }

    /// Returns the text of the page. Every line ends with a newline.
    pub(super) fn finish(mut self) -> String {
        self.end_code();
        self.end_link();
        self.sheet.end_line();
        write(&self.sheet.lines)
    }

    fn open(&mut self, name: &str, attributes: &'a str) {
        match name {
            "pre" | "listing" | "xmp" => self.start_code(),
            _ if self.code.is_some() => self.inside_code(name),
            "br" if self.cells.is_some() => self.sheet.space(),
            "title" if self.sheet.bytes == 0 => self.sheet.lead(Gap::Line, "title: ".to_owned()),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                let level = name.bytes().last().map_or(1, |digit| usize::from(digit - b'0'));
                self.sheet.lead(Gap::Paragraph, format!("{} ", "#".repeat(level)));
            }
            "ul" | "menu" | "dir" => self.start_list(None),
            "ol" => self.start_list(Some(0)),
            "li" => self.item(),
            "tr" => self.row(Some(0)),
            "td" | "th" => self.cell(),
            "a" => self.start_link(attributes),
            "nav" => self.start_nav(),
            "img" => self.image(attributes),
            _ => self.space(name, LineSide::Open),
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "pre" | "listing" | "xmp" => self.end_code(),
            _ if self.code.is_some() => {}
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "title" => self.sheet.add_gap(Gap::Paragraph),
            "ul" | "ol" | "menu" | "dir" => self.end_list(),
            "tr" | "table" => self.row(None),
            "td" | "th" => {}
            "a" => self.end_link(),
            "nav" => self.end_nav(),
            _ => self.space(name, LineSide::Close),
        }
    }

    /// Applies the effect of an element on the space around its words.
    fn space(&mut self, name: &str, side: LineSide) {
        match name {
            "p" | "blockquote" | "table" | "dl" | "section" | "article" | "figure" | "form" | "fieldset"
            | "main" | "hr" => self.sheet.add_gap(self.block_gap()),

            "div" | "dt" | "dd" | "br" | "li" | "header" | "footer" | "aside" | "address" | "summary"
            | "details" | "center" | "figcaption" | "legend" | "caption" | "body" | "svg" | "dialog" => {
                self.sheet.add_gap(Gap::Line);
            }
            "button" | "option" | "select" | "label" | "text" | "textarea" | "input" | "desc" | "title" => {
                self.sheet.space();
            }
            "code" | "kbd" | "samp" | "tt" => self.sheet.mark("`", side),
            "del" | "s" | "strike" => self.sheet.mark("~~", side),
            "q" => self.sheet.mark("\"", side),
            "sup" if side == LineSide::Open => self.sheet.mark("^", side),
            "sub" if side == LineSide::Open => self.sheet.mark("_", side),
            _ => {}
        }
    }

    /// The gap between blocks. It is smaller within a list or a table row.
    fn block_gap(&self) -> Gap {
        if self.lists.is_empty() && self.cells.is_none() { Gap::Paragraph } else { Gap::Line }
    }

    fn start_code(&mut self) {
        self.end_code();
        self.code = Some(String::new());
    }

    fn inside_code(&mut self, name: &str) {
        if let Some(code) = &mut self.code
            && name == "br"
        {
            code.push('\n');
        }
    }

    fn end_code(&mut self) {
        let Some(code) = self.code.take() else { return };
        let code = code.strip_prefix('\n').unwrap_or(&code).trim_end();
        if code.is_empty() {
            return;
        }
        self.sheet.add_gap(Gap::Line);
        if code.contains(['\n', '`']) {
            let fence = "`".repeat(ticks(code).max(2) + 1);
            self.sheet.block(&format!("{fence}\n{code}\n{fence}"));
        } else {
            self.sheet.word(&format!("`{code}`"));
            self.sheet.add_gap(Gap::Line);
        }
    }

    fn start_list(&mut self, number: Option<usize>) {
        self.sheet.add_gap(if self.lists.is_empty() { Gap::Paragraph } else { Gap::Line });
        self.lists.push(number);
        self.indent();
    }

    fn end_list(&mut self) {
        self.lists.pop();
        self.sheet.add_gap(if self.lists.is_empty() { Gap::Paragraph } else { Gap::Line });
        self.indent();
    }

    fn indent(&mut self) {
        self.sheet.indent = self.lists.len().min(MAX_INDENT);
    }

    fn item(&mut self) {
        let lead = match self.lists.last_mut() {
            Some(Some(number)) => {
                *number += 1;
                format!("{number}. ")
            }
            _ => "- ".to_owned(),
        };
        let indent = "  ".repeat(self.sheet.indent.saturating_sub(1));
        self.sheet.lead(Gap::Line, indent + &lead);
    }

    fn row(&mut self, cells: Option<usize>) {
        self.cells = cells;
        self.sheet.add_gap(Gap::Line);
    }

    fn cell(&mut self) {
        let Some(cells) = &mut self.cells else { return self.sheet.space() };
        *cells += 1;
        if *cells > 1 {
            self.sheet.bar();
        }
    }

    fn image(&mut self, attributes: &str) {
        let alt = attribute(attributes, "alt").unwrap_or("").trim();
        if !alt.is_empty() {
            self.sheet.text(&format!("[image: {alt}]"));
        }
    }

    fn start_link(&mut self, attributes: &'a str) {
        self.end_link();
        self.link = Some((attributes, self.sheet.bytes));
        self.sheet.watch();
    }

    /// Ends a link, and shows its target, unless the link's text or an earlier link shows it.
    fn end_link(&mut self) {
        let Some((attributes, before)) = self.link.take() else { return };
        if let Some(nav) = &mut self.nav {
            nav.links += 1;
            nav.linked += self.sheet.bytes - before;
        }
        let Some(place) = self.sheet.take_watch() else { return };
        let text = self.sheet.since(place).map(str::to_owned);
        match (link::target(attributes, &self.anchors), text) {
            (None, Some(text)) if link::is_local(attributes) => {
                if SIGNS.contains(&text.as_str()) {
                    self.sheet.take_back(place);
                } else {
                    self.sheet.note_jump(place);
                }
            }
            (Some(target), Some(text)) => {
                let mut href = String::new();
                entity::push(&mut href, target);
                let after = format!("]({href})");
                if text != href && self.shown.insert(href) {
                    self.sheet.enclose(place, ["[", &after]);
                }
            }
            // The text of the link spans several lines.
            (Some(target), None) => self.sheet.text(&format!(" ({target})")),
            (None, _) => {}
        }
    }

    fn start_nav(&mut self) {
        if let Some(nav) = &mut self.nav {
            nav.depth += 1;
            return;
        }
        self.sheet.end_line();
        let (from, before) = (self.sheet.lines.len(), self.sheet.bytes);
        self.nav = Some(Nav { depth: 1, from, before, links: 0, linked: 0 });
    }

    /// Ends navigation, and omits it if it consists almost only of links.
    fn end_nav(&mut self) {
        self.end_link();
        let Some(mut nav) = self.nav.take() else { return };
        nav.depth -= 1;
        if nav.depth > 0 {
            self.nav = Some(nav);
            return;
        }
        self.sheet.add_gap(Gap::Line);
        self.sheet.end_line();
        let lines = &self.sheet.lines[nav.from..];
        let tells = lines.iter().any(|line| signal::find(&line.text).is_some());
        let text = self.sheet.bytes - nav.before;
        if nav.links >= MIN_LINKS && nav.linked * 100 >= text * MIN_LINKED_PERCENT && !tells {
            self.sheet.lines.truncate(nav.from);
            self.sheet.block(&omit::things(nav.links, "links", "navigation"));
        }
    }
}

/// Symbols used next to a heading as the text of a link to that heading.
const SIGNS: [&str; 5] = ["#", "§", "¶", "🔗", "ⓘ"];

/// Maximum indent of nested lists. Deeper lists are not indented further.
const MAX_INDENT: usize = 8;

/// Navigation with fewer links than this is kept, because it costs less than its marker.
const MIN_LINKS: usize = 3;

/// An element counts as navigation if at least this percentage of its text is in links.
const MIN_LINKED_PERCENT: usize = 75;

/// The length of the longest run of backticks in `code`.
fn ticks(code: &str) -> usize {
    code.split(|sign| sign != '`').map(str::len).max().unwrap_or(0)
}

/// Writes the lines, but omits links in a table of contents that only repeat headings of the page.
fn write(lines: &[PageLine]) -> String {
    let heading = |line: &&PageLine| line.kind == LineKind::Heading;
    let headings: HashSet<&str> = lines.iter().filter(heading).map(|line| words(&line.text)).collect();
    let mut out = String::new();
    let mut left = 0;
    for line in lines {
        if line.kind == LineKind::Jump && headings.contains(words(&line.text)) {
            left += 1;
            continue;
        }
        push_contents_marker(&mut out, &mut left);
        if line.apart && !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&line.text);
        out.push('\n');
    }
    push_contents_marker(&mut out, &mut left);
    out
}

/// The text of a line without its indent and list or heading marker.
fn words(line: &str) -> &str {
    line.trim_start_matches([' ', '#', '-'])
}

/// Writes the marker for an omitted table of contents.
fn push_contents_marker(out: &mut String, left: &mut usize) {
    if *left > 0 {
        out.push_str(&omit::lines(*left, "contents, the headings below"));
        out.push('\n');
        *left = 0;
    }
}
