//! Tool discovery: shows a model only the tools that match the start of its conversation, and adds two tools that find
//! and call the others.
//!
//! The choice depends on the request's tools and on the user messages before the model's first answer. Both are the
//! same in every request of a conversation, so the start of the conversation stays in the provider's prompt cache,
//! whichever replica handles it.

use std::collections::BTreeSet;
use std::sync::Arc;

use tersely_core::discover::{self, ToolText, rank};
use tersely_core::{O200k, fits_pattern};
use tersely_wire::bridge::{CallBridge, ListedTool, ToolBridging, ToolCatalogue, ToolNames};
use tersely_wire::hidden::{HiddenTool, ToolHiding};
use tersely_wire::{Provider, top_members};

use crate::report::Report;
use crate::report::ToolCount;
use crate::sent_body::SentBody;
use crate::settings::Discovery;
use crate::token_count::inserted_tokens;

/// The definition of the tool that finds hidden tools.
pub(crate) const SEARCH: HiddenTool = HiddenTool {
    name: discover::SEARCH,
    description: discover::SEARCH_DESCRIPTION,
    parameters: discover::SEARCH_PARAMETERS,
};

/// The definition of the tool that calls hidden tools.
pub(crate) const CALL: HiddenTool = HiddenTool {
    name: discover::CALL,
    description: discover::CALL_DESCRIPTION,
    parameters: discover::CALL_PARAMETERS,
};

/// The choice of the tools of a request that its model is not shown.
pub(crate) struct ToolChoice {
    hides: &'static ToolHiding,
    catalog: ToolCatalog,
    count: ToolCount,
}

/// The tools that a model can find, and how it calls them.
#[derive(Clone)]
pub struct ToolCatalog {
    /// How hidden tools are called in the provider's format.
    pub bridges: &'static ToolBridging,
    /// How the model's calls of hidden tools are recognised.
    pub calls: CallBridge,
    /// The tools that the model is not shown.
    hidden: Arc<ToolNames>,
    max_results: usize,
}

/// A search index of the tools that a model can find.
#[derive(Debug, Default)]
pub(crate) struct ToolIndex {
    texts: Vec<ToolText>,
    definitions: Vec<String>,
    max_results: usize,
}

impl ToolChoice {
    /// Chooses among the tools of a body; `None` when all of them are shown.
    pub(crate) fn of(settings: &Discovery, provider: &Provider, path: &str, body: &[u8]) -> Option<Self> {
        let (bridges, hides) = (provider.bridges()?, provider.hides(path)?);
        let catalogue = bridges.catalogue(body)?;
        let free = catalogue.tools.iter().filter(|tool| !tool.is_fixed);
        let tools: ToolNames = free.clone().map(|tool| tool.name.clone()).collect();
        // A call could not distinguish two tools with the same name.
        if tools.len() < free.count() {
            return None;
        }
        let hidden = choose_hidden(settings, &catalogue);
        let (all, max_results) = (catalogue.tools.len(), settings.max_results);
        let count = ToolCount { shown: all - hidden.len(), all };
        is_worth_it(&catalogue, &hidden).then(|| {
            let hidden = hidden.into_iter().map(|at| catalogue.tools[at].name.clone()).collect();
            let listed = top_members(&["tools"], body).unwrap_or_default();
            let listed = listed.first().map_or_else(Arc::default, |tools| Arc::from(tools.value));
            let calls = CallBridge { call: CALL.name, tools: Arc::new(tools), listed };
            let catalog = ToolCatalog { bridges, calls, hidden: Arc::new(hidden), max_results };
            Self { hides, catalog, count }
        })
    }

    /// Removes the hidden tools from a body and adds our own. Returns what is needed to recognise their calls in the
    /// response; `None` if our own tools cannot be hidden.
    pub(crate) fn apply(
        self,
        provider: &'static Provider,
        body: &mut SentBody<'_>,
        report: &mut Report,
    ) -> Option<(&'static ToolHiding, ToolCatalog)> {
        let reading = provider.read(body);
        let [search, call] = [&SEARCH, &CALL].map(|tool| self.hides.offer(tool, &reading).ok().flatten());
        let (mut both, call) = (search?, call?);
        both.bytes.extend(call.bytes);
        let narrow =
            self.catalog.bridges.narrow(&self.catalog.hidden, CALL.name, &both.apply(reading.body()))?;
        report.record.tool_tokens += inserted_tokens(reading.body(), &both);
        report.tools = Some(self.count);
        *body = SentBody::New(narrow.into());
        Some((self.hides, self.catalog))
    }
}

/// The indices of the tools to hide.
fn choose_hidden(settings: &Discovery, catalogue: &ToolCatalogue<'_>) -> BTreeSet<usize> {
    let keeps =
        |tool: &ListedTool<'_>| settings.always_keep.iter().any(|pattern| fits_pattern(pattern, &tool.name));
    let max_tools = settings.max_tools.max(settings.min_tools);
    let free = |(at, tool): (usize, &ListedTool<'_>)| (!tool.is_fixed && !keeps(tool)).then_some(at);
    let mut hidden: BTreeSet<usize> = catalogue.tools.iter().enumerate().filter_map(free).collect();
    let mut room = max_tools.saturating_sub(catalogue.tools.len() - hidden.len());
    let texts: Vec<ToolText> = catalogue.tools.iter().map(text).collect();
    // Matching tools come first, then, as far as there is room, the others in their original order.
    for at in rank(&catalogue.opening, &texts).into_iter().chain(0..texts.len()) {
        if room > 0 && hidden.remove(&at) {
            room -= 1;
        }
    }
    hidden
}

impl ToolCatalog {
    /// An index of the hidden tools of a body.
    pub(crate) fn index(&self, body: &[u8]) -> ToolIndex {
        let tools = self.bridges.catalogue(body).unwrap_or_default().tools;
        let found: Vec<_> = tools.into_iter().filter(|tool| self.hidden.contains(&tool.name)).collect();
        let texts = found.iter().map(text).collect();
        let definitions = found.into_iter().map(|tool| tool.definition.into_owned()).collect();
        ToolIndex { texts, definitions, max_results: self.max_results }
    }
}

impl ToolIndex {
    /// The definitions of the tools that match a model's query, or a message that there are none.
    pub(crate) fn search(&self, input: &str) -> String {
        let input: serde_json::Value = serde_json::from_str(input).unwrap_or_default();
        let query = input["query"].as_str().unwrap_or_default();
        if query.trim().is_empty() {
            return discover::NO_QUERY.to_owned();
        }
        let found = rank(query, &self.texts).into_iter().take(self.max_results);
        let found: Vec<&str> = found.map(|at| self.definitions[at].as_str()).collect();
        if found.is_empty() { discover::nothing_found(query) } else { found.join("\n") }
    }
}

/// The searchable text of a tool.
fn text(tool: &ListedTool<'_>) -> ToolText {
    let ListedTool { name, description, parameters, .. } = tool;
    ToolText { name: name.clone(), description: description.clone(), parameters: parameters.clone() }
}

/// True when the hidden tools cost more than our own.
fn is_worth_it(catalogue: &ToolCatalogue<'_>, hidden: &BTreeSet<usize>) -> bool {
    let own = [SEARCH, CALL].iter().map(|tool| O200k.count(tool.description) + O200k.count(tool.parameters));
    // The names of our tools, and the JSON around them.
    let mut left = own.sum::<usize>() + 2 * 16;
    hidden.iter().any(|at| {
        let cost = O200k.count(&catalogue.tools[*at].definition);
        left = left.saturating_sub(cost);
        left == 0
    })
}

#[cfg(test)]
mod tests {
    use tersely_wire::claimed_provider;

    use super::*;

    /// A request with this many tools, and a user message.
    fn body(tools: usize, messages: &str) -> String {
        let schema = r#"{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}"#;
        let tool = |n: usize| {
            format!(
                r#"{{"name":"tool_{n}","description":"Handles thing number {n} for the one who asks.","input_schema":{schema}}}"#
            )
        };
        let tools: Vec<_> = (0..tools).map(tool).collect();
        format!(r#"{{"tools":[{}],"messages":[{messages}]}}"#, tools.join(","))
    }

    fn unlisted_in(wish: &Discovery, body: &str) -> Option<ToolNames> {
        let provider = claimed_provider("/v1/messages")?;
        let choice = ToolChoice::of(wish, provider, "/v1/messages", body.as_bytes())?;
        Some(choice.catalog.hidden.as_ref().clone())
    }

    const FIRST: &str = r#"{"role":"user","content":"What about 17 and 23?"}"#;

    /// Behaviour 18.2.
    #[test]
    fn the_choice_stays_as_a_conversation_goes_on() {
        let wish = Discovery { always_keep: vec!["*_39".to_owned()], max_tools: 6, ..Discovery::default() };
        let first = unlisted_in(&wish, &body(40, FIRST)).expect("a choice");
        let shown: Vec<_> = (0..40).filter(|n| !first.contains(&format!("tool_{n}"))).collect();
        assert_eq!(shown, [0, 1, 2, 17, 23, 39]);
        let later = format!(
            r#"{FIRST},{{"role":"assistant","content":"Well."}},{{"role":"user","content":"tool_5, tool_6 and tool_7"}}"#
        );
        assert_eq!(unlisted_in(&wish, &body(40, &later)), Some(first));
    }

    #[test]
    fn what_would_not_save_is_not_done() {
        let wish = Discovery { max_tools: 10, ..Discovery::default() };
        for (tools, is_cut) in [(5, false), (10, false), (11, false), (14, true)] {
            assert_eq!(unlisted_in(&wish, &body(tools, FIRST)).is_some(), is_cut, "{tools}");
        }
        let none = Discovery { max_tools: 0, min_tools: 0, ..Discovery::default() };
        assert_eq!(unlisted_in(&none, &body(20, FIRST)).map(|names| names.len()), Some(20));
    }
}
