//! A configuration file as a tree, with the line of every name and value.

/// A value and its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingNode {
    pub line: usize,
    pub value: SettingValue,
}

/// A value in a file. Numbers and switches are stored as typed; the code that needs one parses it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingValue {
    Nothing,
    Text(String),
    List(Vec<SettingNode>),
    Table(Vec<Pair>),
}

/// A name, its line, and its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    pub name: String,
    pub line: usize,
    pub node: SettingNode,
}

/// A syntax error and its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NodeFault {
    pub line: usize,
    pub what: String,
}

impl SettingValue {
    /// The kind of the value, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Text(_) => "a value",
            Self::List(_) => "a list",
            Self::Table(_) => "a table",
        }
    }
}
