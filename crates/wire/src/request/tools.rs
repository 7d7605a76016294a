//! The tools of a request, as the walk through its body finds them.

use std::ops::Range;

use tersely_json::{JsonError, JsonScan};

/// The part of a request that a model reads before the conversation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RequestHead {
    /// The total size of the tools and the system prompt.
    pub bytes: usize,
    /// The names of the tools.
    pub tools: Vec<String>,
}

/// The tools that a model reads at the start, as the walk through a body finds them.
#[derive(Debug, Default)]
pub(crate) struct FoundTools {
    /// The total size of the tools.
    pub(crate) bytes: usize,
    /// Where their names are.
    pub(crate) names: Vec<Range<usize>>,
    /// Where the tools are, as far as there is room for them.
    pub(crate) parts: Vec<FoundTool>,
}

/// The maximum number of tools whose places are remembered.
const MAX_TOOLS: usize = 2_048;

/// Where a tool and its name are.
#[derive(Debug)]
pub(crate) struct FoundTool {
    pub(crate) span: Range<usize>,
    pub(crate) name: Option<Range<usize>>,
}

/// The members of an entry that contain the definition of a tool, or several definitions.
const WRAPS: [&str; 5] = ["function", "custom", "toolSpec", "functionDeclarations", "function_declarations"];

impl FoundTools {
    /// Reads the array of tools at the current position.
    pub(crate) fn read(&mut self, scan: &mut JsonScan<'_>) -> Result<(), JsonError> {
        if scan.peek() != Some(b'[') {
            return scan.skip().map(drop);
        }
        scan.items(|scan| self.entry(scan))
    }

    /// Reads one entry. For a tool without a name, such as `local_shell`, its type is taken.
    fn entry(&mut self, scan: &mut JsonScan<'_>) -> Result<(), JsonError> {
        scan.peek();
        let (start, mark, part) = (scan.at(), self.names.len(), self.parts.len());
        let (mut name, mut kind, mut is_deferred) = (None, None, false);
        scan.members(|scan, key| match key {
            b"name" => keep_first(&mut name, scan),
            b"type" => keep_first(&mut kind, scan),
            b"defer_loading" => {
                let place = scan.skip()?;
                is_deferred = &scan.body()[place] == b"true";
                Ok(())
            }
            _ if WRAPS.iter().any(|wrap| wrap.as_bytes() == key) => scan.items(|scan| self.definition(scan)),
            _ => scan.skip().map(drop),
        })?;
        if is_deferred {
            self.names.truncate(mark);
            self.parts.truncate(part);
            return Ok(());
        }
        self.bytes += scan.at() - start;
        if self.parts.len() == part {
            self.remember(start..scan.at(), name.clone().or_else(|| kind.clone()));
        }
        if self.names.len() == mark {
            self.names.extend(name.or(kind));
        }
        Ok(())
    }

    /// Reads the definition of a tool inside an entry.
    fn definition(&mut self, scan: &mut JsonScan<'_>) -> Result<(), JsonError> {
        let mut name = None;
        scan.peek();
        let start = scan.at();
        scan.members(|scan, key| match key {
            b"name" => keep_first(&mut name, scan),
            _ => scan.skip().map(drop),
        })?;
        self.remember(start..scan.at(), name.clone());
        self.names.extend(name);
        Ok(())
    }

    fn remember(&mut self, span: Range<usize>, name: Option<Range<usize>>) {
        if self.parts.len() < MAX_TOOLS {
            self.parts.push(FoundTool { span, name });
        }
    }
}

fn keep_first(field: &mut Option<Range<usize>>, scan: &mut JsonScan<'_>) -> Result<(), JsonError> {
    let place = scan.skip()?;
    field.get_or_insert(place);
    Ok(())
}
