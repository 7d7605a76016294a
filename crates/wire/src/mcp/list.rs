//! Reads a server's list of tools, and adds a tool to it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use tersely_json::{BytePatch, JsonNode, string};

use crate::hidden::HiddenTool;
use crate::mcp::message::{RpcId, RpcMessage};
use crate::request::schema;

/// What to do with `structuredContent` that only repeats the texts of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StructuredCopies {
    /// Keep it.
    Keep,
    /// Remove it where no client needs it: the tool declares no output schema, or the client shows it to its model
    /// instead of the text and does not validate it.
    #[default]
    Auto,
    /// Remove it, and remove the output schemas as well.
    Drop,
}

/// Changes to lists of tools, apart from the added tool.
#[derive(Debug, Clone, Copy, Default)]
pub struct ListChanges {
    /// What to do with structured results and their schemas.
    pub copies: StructuredCopies,
    /// Shortens a description; `None` if descriptions must not be shortened.
    pub minify: Option<fn(&str) -> Option<String>>,
}

/// One page of a server's list of tools.
#[derive(Debug, Clone)]
pub struct ToolListing<'a> {
    body: &'a [u8],
    list: JsonNode<'a>,
    tools: Vec<ListedTool<'a>>,
    /// True if more pages follow.
    is_part: bool,
}

/// One tool in the list.
#[derive(Debug, Clone)]
struct ListedTool<'a> {
    node: JsonNode<'a>,
    name: Cow<'a, str>,
    has_schema: bool,
}

impl<'a> ToolListing<'a> {
    /// Finds the answer to the request `id` in a server's message, if that answer lists tools.
    #[must_use]
    pub fn find(id: &RpcId, body: &'a [u8]) -> Option<Self> {
        let message = RpcMessage::all(body).into_iter().find(|message| message.id.as_ref() == Some(id))?;
        let [list, next] = message.result?.get_all(["tools", "nextCursor"])?;
        let list = list.filter(JsonNode::is_list)?;
        let tool = |node: JsonNode<'a>| {
            let [name, schema] = node.get_all(["name", "outputSchema"])?;
            Some(ListedTool { name: name?.text()?, has_schema: schema.is_some(), node })
        };
        let tools = list.items().into_iter().filter_map(tool).collect();
        Some(Self { body, list, tools, is_part: next.is_some() })
    }

    /// True when the server itself has a tool with this name.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.tools.iter().any(|tool| tool.name == name)
    }

    /// The names of the tools without an output schema.
    pub fn plain(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().filter(|tool| !tool.has_schema).map(|tool| &*tool.name)
    }

    /// The names of the tools in their order, if this page is the whole list.
    #[must_use]
    pub fn whole(&self) -> Option<Vec<String>> {
        let is_whole = !self.is_part && self.tools.len() == self.list.items().len();
        is_whole.then(|| self.tools.iter().map(|tool| tool.name.clone().into_owned()).collect())
    }

    /// The message with the tools in an earlier order, new ones last; `None` if they are in that order already. The list
    /// is at the front of every prompt, so another order would lose the provider's cache.
    #[must_use]
    pub fn in_order(&self, earlier: &[String]) -> Option<Vec<u8>> {
        let ranks: BTreeMap<&str, usize> =
            earlier.iter().enumerate().map(|(rank, name)| (name.as_str(), rank)).collect();
        let mut tools: Vec<_> = self.tools.iter().collect();
        tools.sort_by_key(|tool| ranks.get(&*tool.name).copied().unwrap_or(usize::MAX));
        let is_same = tools.iter().zip(&self.tools).all(|(one, other)| one.node.span == other.node.span);
        if is_same || self.whole().is_none() {
            return None;
        }
        let tools: Vec<_> = tools.iter().map(|tool| tool.node.bytes()).collect();
        let mut patch = BytePatch::default();
        patch.put(self.list.span.clone(), [b"[", &*tools.join(&b','), b"]"].concat());
        Some(patch.apply(self.body).into_owned())
    }

    /// Applies these changes to the message, and adds `tool` after the other tools.
    #[must_use]
    pub fn with(&self, changes: ListChanges, tool: Option<&HiddenTool>) -> Cow<'a, [u8]> {
        let mut patch = BytePatch::default();
        if changes.copies == StructuredCopies::Drop {
            self.tools.iter().for_each(|tool| patch.cut(&tool.node, "outputSchema"));
        }
        if let Some(minify) = changes.minify {
            self.tools.iter().for_each(|tool| describe(&tool.node, minify, &mut patch));
        }
        if let Some(tool) = tool {
            patch.push(&self.list, &tool_json(tool));
        }
        patch.apply(self.body)
    }
}

/// The members of a tool that contain schemas.
const SCHEMAS: [&str; 2] = ["inputSchema", "outputSchema"];

/// Shortens the descriptions of a tool and of its parameters.
fn describe(tool: &JsonNode<'_>, minify: fn(&str) -> Option<String>, patch: &mut BytePatch) {
    let found = schema::find(tool.bytes(), |scan, found| schema::tool(&SCHEMAS, scan, found));
    let start = tool.span.start;
    for (span, short) in found.unwrap_or_default().into_iter().filter_map(|found| found.edit(minify)) {
        let short = short.map_or_else(String::new, |short| string::quote(&short));
        patch.put(start + span.start..start + span.end, short);
    }
}

/// Writes a tool definition in the MCP format. The tool is marked as read-only, so clients need not ask before each
/// call.
fn tool_json(tool: &HiddenTool) -> String {
    let HiddenTool { name, description, parameters } = tool;
    format!(
        r#"{{"name":"{name}","description":{},"inputSchema":{parameters},"annotations":{{"readOnlyHint":true,"idempotentHint":true,"openWorldHint":false}}}}"#,
        string::quote(description)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOOL: HiddenTool = HiddenTool { name: "more", description: "Shows \"more\".", parameters: "{}" };
    const OWN: &str = r#"{"name":"more","description":"Shows \"more\".","inputSchema":{},"annotations":{"readOnlyHint":true,"idempotentHint":true,"openWorldHint":false}}"#;

    fn check(changes: ListChanges, tool: Option<&HiddenTool>, tools: &str, expected: &str) {
        let body =
            |tools: &str| format!(r#"{{"jsonrpc":"2.0","id":"l","result":{{"tools":{tools},"x":1}}}}"#);
        let before = body(tools);
        let listing = ToolListing::find(&RpcId::Text("l".into()), before.as_bytes()).expect("a list");
        assert_eq!(String::from_utf8_lossy(&listing.with(changes, tool)), body(expected));
    }

    #[test]
    fn one_tool_is_added_and_nothing_else_changes() {
        let keep = ListChanges::default();
        check(keep, Some(&TOOL), r#"[ {"name":"a"} ]"#, &format!(r#"[ {{"name":"a"}},{OWN} ]"#));
        check(keep, Some(&TOOL), "[]", &format!("[{OWN}]"));
        check(keep, None, r#"[ {"name":"a","outputSchema":{}} ]"#, r#"[ {"name":"a","outputSchema":{}} ]"#);
    }

    #[test]
    fn schemas_of_results_go_where_that_is_asked_for() {
        let (before, after) =
            (r#"[{"name":"a","outputSchema":{"x":[1]}},{"name":"b"}]"#, r#"[{"name":"a"},{"name":"b"}]"#);
        check(ListChanges { copies: StructuredCopies::Drop, minify: None }, None, before, after);
    }

    #[test]
    fn descriptions_are_shortened_where_that_is_asked_for() {
        let minify = |text: &str| Some(text.split_whitespace().collect::<Vec<_>>().join(" "));
        let before = r#"[{"name":"a","description":"one\n  two","inputSchema":{"properties":{"x":{"description":" y  z","default":"  "}}},"x-mcp-header":"  "}]"#;
        let after = r#"[{"name":"a","description":"one two","inputSchema":{"properties":{"x":{"description":"y z","default":"  "}}},"x-mcp-header":"  "}]"#;
        check(ListChanges { minify: Some(minify), ..ListChanges::default() }, None, before, after);
    }

    #[test]
    fn tools_keep_an_earlier_order() {
        let earlier = ["b", "c", "a"].map(str::to_owned);
        let (id, names) = (RpcId::Number("1".into()), |body: &[u8]| {
            ToolListing::find(&RpcId::Number("1".into()), body).and_then(|listing| listing.whole())
        });
        let body =
            br#"{"id":1,"result":{"tools":[ {"name":"a"}, {"name":"new"},{"name":"b","x":[1]} ],"y":2}}"#;
        let now = ToolListing::find(&id, body).expect("a list").in_order(&earlier).expect("another order");
        assert_eq!(
            String::from_utf8_lossy(&now),
            r#"{"id":1,"result":{"tools":[{"name":"b","x":[1]},{"name":"a"},{"name":"new"}],"y":2}}"#
        );
        assert_eq!(names(&now), Some(["b", "a", "new"].map(str::to_owned).to_vec()));
        assert_eq!(ToolListing::find(&id, &now).expect("a list").in_order(&earlier), None);
        for body in [
            &br#"{"id":1,"result":{"tools":[{"name":"a"},{"name":"b"}],"nextCursor":"n"}}"#[..],
            br#"{"id":1,"result":{"tools":[{"name":"a"},7,{"name":"b"}]}}"#,
        ] {
            let listing = ToolListing::find(&id, body).expect("a list");
            assert_eq!((listing.whole(), listing.in_order(&earlier)), (None, None));
        }
    }

    #[test]
    fn names_and_schemas_are_known() {
        let body = br#"{"id":1,"result":{"tools":[{"name":"a","outputSchema":{}},{"name":"b"}]}}"#;
        let listing = ToolListing::find(&RpcId::Number("1".into()), body).expect("a list");
        assert!(listing.has("b") && !listing.has("c"));
        assert_eq!(listing.plain().collect::<Vec<_>>(), ["b"]);
        assert!(ToolListing::find(&RpcId::Number("2".into()), body).is_none());
    }
}
