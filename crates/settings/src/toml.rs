//! Reads TOML into a tree.

use ::toml::Spanned;
use ::toml::de::{DeTable, DeValue};

use super::node::{NodeFault, Pair, SettingNode, SettingValue};

/// Reads a whole file. The parser itself limits the nesting depth.
pub(crate) fn read(text: &str) -> Result<SettingNode, NodeFault> {
    let lines = Lines(text.match_indices('\n').map(|(at, _)| at).collect());
    let table = DeTable::parse(text).map_err(|error| fault(&lines, &error))?;
    Ok(SettingNode { line: 1, value: lines.table(table.get_ref()) })
}

fn fault(lines: &Lines, error: &::toml::de::Error) -> NodeFault {
    let line = error.span().map_or(1, |span| lines.of(span.start));
    NodeFault { line, what: error.message().trim().replace('\n', "; ") }
}

/// The offsets of the line ends in a text.
struct Lines(Vec<usize>);

impl Lines {
    fn of(&self, at: usize) -> usize {
        self.0.partition_point(|&end| end < at) + 1
    }

    fn table(&self, table: &DeTable<'_>) -> SettingValue {
        let mut pairs: Vec<Pair> = table
            .iter()
            .map(|(name, node)| Pair {
                name: name.get_ref().to_string(),
                line: self.of(name.span().start),
                node: self.node(node),
            })
            .collect();
        pairs.sort_by_key(|pair| pair.line);
        SettingValue::Table(pairs)
    }

    fn node(&self, node: &Spanned<DeValue<'_>>) -> SettingNode {
        let value = match node.get_ref() {
            DeValue::Table(table) => self.table(table),
            DeValue::Array(list) => SettingValue::List(list.iter().map(|node| self.node(node)).collect()),
            value => SettingValue::Text(text(value)),
        };
        SettingNode { line: self.of(node.span().start), value }
    }
}

fn text(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => text.to_string(),
        DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
            Ok(number) => number.to_string(),
            Err(_) => number.as_str().to_owned(),
        },
        DeValue::Float(number) => number.as_str().to_owned(),
        DeValue::Boolean(switch) => switch.to_string(),
        DeValue::Datetime(time) => time.to_string(),
        DeValue::Array(_) | DeValue::Table(_) => String::new(),
    }
}
