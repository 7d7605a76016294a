//! What was meant: how far to go with which tool's results.

use std::sync::Arc;

use tersely_account::Holdout;
use tersely_core::prompt::PromptForm;
use tersely_core::{Filter, Plan};

use crate::expand_offer::ExpandOffer;
use crate::model_tiers::KnownReaders;
use crate::overrides::change::PlanOverride;
use crate::overrides::schema_mode::SchemaMode;
use crate::remote::strategy::Strategy;

/// Everything that an engine can be told.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EngineSettings {
    /// What is done with results of which no rule speaks.
    pub plan: Plan,
    /// Tools and routes that are treated otherwise; of several that fit, the last is heard.
    pub rules: Vec<Rule>,
    /// Models that are known better than by the table of readers.
    pub readers: KnownReaders,
    /// Results left as they came, by tool name or category: `read`, `edit`, `write`, `bash`, `glob`, `grep`.
    pub skip_tools: Vec<String>,
    /// Who leaves detail out of results.
    pub strategy: Strategy,
    /// Where the tool is offered with which a model fetches back what was left out.
    pub expand: ExpandOffer,
    /// What is done with the descriptions of tools.
    pub schema: SchemaMode,
    /// What is done with JSON in the text of users; nothing unless said.
    pub prompts: Option<Prompts>,
    /// What people leave out of their own tools' output; the first that is for a call is heard.
    pub filters: Arc<[Filter]>,
    /// How many of its tools a model is shown; all of them unless said.
    pub discovery: Option<Discovery>,
    /// Which sessions are left as they came, to compare with; none unless said.
    pub holdout: Holdout,
}

/// A tool or a route that is treated otherwise; what it leaves open is as for the rest.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rule {
    /// The tool's name, with `*` for any part; any tool if not said.
    pub tool: Option<String>,
    /// What the request's path begins with; any path if not said.
    pub route: Option<String>,
    /// Whose the request is, with `*` for any part; anybody's if not said, else nobody's of whom that was not checked.
    pub tenant: Option<String>,
    /// What is otherwise.
    pub change: PlanOverride,
}

impl Default for Prompts {
    fn default() -> Self {
        Self { min_bytes: 4096, form: PromptForm::Auto, fail_open: true, log_stats: true }
    }
}

/// JSON in the text of users, written shorter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prompts {
    /// Texts of at most so many bytes are left as they came.
    pub min_bytes: usize,
    /// In which form.
    pub form: PromptForm,
    /// Whether a document that the form cannot hold goes on as it came, or the request is refused.
    pub fail_open: bool,
    /// Whether what was done is told.
    pub log_stats: bool,
}

/// How many tools a model is shown of how many, and which ones in any case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Discovery {
    /// So many tools are always shown: a list that is no longer stays as it is.
    pub min_tools: usize,
    /// So many tools are shown, those that are always kept included, unless these alone are more.
    pub max_tools: usize,
    /// Tools that are always shown, with `*` for any part of a name.
    pub always_keep: Vec<String>,
    /// So many tools are shown in answer to one search.
    pub max_results: usize,
}

impl Default for Discovery {
    fn default() -> Self {
        Self { min_tools: 5, max_tools: 25, always_keep: Vec::new(), max_results: 5 }
    }
}
