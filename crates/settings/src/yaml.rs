//! Reads YAML into a tree, with limits on depth and size.
//!
//! A scalar is kept as text: its key decides whether `on` is a switch or a word. Aliases are copied, and the copies
//! count towards the limits, so that a few lines cannot expand to millions.

use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle, Span, StrInput};

use super::node::{NodeFault, Pair, SettingNode, SettingValue};

const MAX_DEPTH: usize = 32;
const MAX_NODES: usize = 10_000;

/// Reads a whole file with one document.
pub(crate) fn read(text: &str) -> Result<SettingNode, NodeFault> {
    let mut reader =
        Reader { parser: Parser::new_from_str(text), anchors: HashMap::new(), nodes: 0, line: 1 };
    let mut root = SettingNode { line: 1, value: SettingValue::Table(Vec::new()) };
    let mut documents = 0;
    loop {
        match reader.next()? {
            Event::StreamEnd | Event::Nothing => return Ok(root),
            Event::StreamStart | Event::DocumentEnd => {}
            Event::DocumentStart(_) if documents > 0 => return reader.fault("only one document per file"),
            Event::DocumentStart(_) => documents += 1,
            event => root = reader.node(event, 0)?.or_table(),
        }
    }
}

struct Reader<'a> {
    parser: Parser<'a, StrInput<'a>>,
    anchors: HashMap<usize, (SettingNode, usize)>,
    nodes: usize,
    line: usize,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Result<Event<'a>, NodeFault> {
        match self.parser.next_event() {
            None => Ok(Event::StreamEnd),
            Some(Ok((event, span))) => {
                self.line = line(&span);
                Ok(event)
            }
            Some(Err(error)) => {
                Err(NodeFault { line: error.marker().line().max(1), what: error.info().to_owned() })
            }
        }
    }

    fn node(&mut self, event: Event<'a>, depth: usize) -> Result<SettingNode, NodeFault> {
        if depth > MAX_DEPTH {
            return self.fault("too deep: tables and lists nest at most 32 levels");
        }
        let (line, before) = (self.line, self.nodes);
        self.count(1)?;
        let (value, anchor) = match event {
            Event::Scalar(text, style, anchor, _) => (scalar(&text, style), anchor),
            Event::SequenceStart(anchor, _) => (self.list(depth)?, anchor),
            Event::MappingStart(anchor, _) => (self.table(depth)?, anchor),
            Event::Alias(anchor) => return self.copy(anchor),
            _ => return self.fault("a value was expected"),
        };
        let node = SettingNode { line, value };
        if anchor > 0 {
            self.anchors.insert(anchor, (node.clone(), self.nodes - before));
        }
        Ok(node)
    }

    fn list(&mut self, depth: usize) -> Result<SettingValue, NodeFault> {
        let mut list = Vec::new();
        loop {
            match self.next()? {
                Event::SequenceEnd => return Ok(SettingValue::List(list)),
                event => list.push(self.node(event, depth + 1)?),
            }
        }
    }

    fn table(&mut self, depth: usize) -> Result<SettingValue, NodeFault> {
        let mut pairs: Vec<Pair> = Vec::new();
        loop {
            let name = match self.next()? {
                Event::MappingEnd => return Ok(SettingValue::Table(pairs)),
                Event::Scalar(name, ..) => name.into_owned(),
                _ => return self.fault("a key must be a plain word"),
            };
            let line = self.line;
            if pairs.iter().any(|pair| pair.name == name) {
                return self.fault(&format!("{name}: duplicate key"));
            }
            let event = self.next()?;
            pairs.push(Pair { name, line, node: self.node(event, depth + 1)? });
        }
    }

    fn copy(&mut self, anchor: usize) -> Result<SettingNode, NodeFault> {
        let Some((node, size)) = self.anchors.get(&anchor).cloned() else {
            return self.fault("this alias refers to a value that contains it");
        };
        self.count(size)?;
        Ok(node)
    }

    fn count(&mut self, more: usize) -> Result<(), NodeFault> {
        self.nodes += more;
        if self.nodes > MAX_NODES {
            return self.fault("too many values: at most 10,000, counting copies by alias");
        }
        Ok(())
    }

    fn fault<T>(&self, what: &str) -> Result<T, NodeFault> {
        Err(NodeFault { line: self.line, what: what.to_owned() })
    }
}

impl SettingNode {
    /// The node itself; an empty document becomes an empty table.
    fn or_table(self) -> Self {
        match self.value {
            SettingValue::Nothing => Self { line: self.line, value: SettingValue::Table(Vec::new()) },
            _ => self,
        }
    }
}

fn scalar(text: &str, style: ScalarStyle) -> SettingValue {
    match (style, text) {
        (ScalarStyle::Plain, "" | "~" | "null" | "Null" | "NULL") => SettingValue::Nothing,
        _ => SettingValue::Text(text.to_owned()),
    }
}

fn line(span: &Span) -> usize {
    span.start.line().max(1)
}
