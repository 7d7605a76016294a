//! The engine's settings.

use std::sync::Arc;

use tersely_account::Holdout;
use tersely_core::prompt::PromptForm;
use tersely_core::{Filter, Plan};

use crate::clear_mode::ClearMode;
use crate::expand_offer::ExpandOffer;
use crate::model_tiers::KnownReaders;
use crate::overrides::change::PlanOverride;
use crate::overrides::schema_mode::SchemaMode;
use crate::remote::strategy::Strategy;

/// All settings of an engine.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EngineSettings {
    /// The plan for results that no rule covers.
    pub plan: Plan,
    /// Overrides for tools and routes; of several that match, the last wins.
    pub rules: Vec<Rule>,
    /// Models whose reader class the operator sets.
    pub readers: KnownReaders,
    /// Tools whose results stay unchanged, by name or category: `read`, `edit`, `write`, `bash`, `glob`, `grep`.
    pub skip_tools: Vec<String>,
    /// How detail is cut from results.
    pub strategy: Strategy,
    /// Which requests offer the `expand_context` tool.
    pub expand: ExpandOffer,
    /// When old results are cleared.
    pub clear: ClearMode,
    /// How tool descriptions are rewritten.
    pub schema: SchemaMode,
    /// How JSON in user messages is rewritten; not at all by default.
    pub prompts: Option<Prompts>,
    /// Users' own filters; the first that matches a call applies.
    pub filters: Arc<[Filter]>,
    /// The limit on the tools that a model is shown; all are shown by default.
    pub discovery: Option<Discovery>,
    /// Which sessions are sent uncompressed for comparison; none by default.
    pub holdout: Holdout,
}

/// An override for a tool, a route or a tenant. Fields that it does not set stay unchanged.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rule {
    /// Pattern for the tool's name, with `*`; any tool by default.
    pub tool: Option<String>,
    /// Prefix of the request's path; any path by default.
    pub route: Option<String>,
    /// Pattern for the authenticated tenant, with `*`; any client by default. If there is a pattern, unauthenticated
    /// requests do not match.
    pub tenant: Option<String>,
    /// The fields that the rule overrides.
    pub change: PlanOverride,
}

impl Default for Prompts {
    fn default() -> Self {
        Self { min_bytes: 4096, form: PromptForm::Auto, fail_open: true, log_stats: true }
    }
}

/// How JSON in user messages is rewritten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prompts {
    /// Texts of up to this many bytes stay unchanged.
    pub min_bytes: usize,
    /// The form to write JSON in.
    pub form: PromptForm,
    /// Whether a document that the form cannot represent is left unchanged; otherwise the request is refused.
    pub fail_open: bool,
    /// Whether counts are reported.
    pub log_stats: bool,
}

/// How many of its tools a model is shown, and which tools are always shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Discovery {
    /// Lists of up to this many tools stay unchanged.
    pub min_tools: usize,
    /// The maximum number of tools shown, including those that are always shown, unless there are more of these.
    pub max_tools: usize,
    /// Patterns for tools that are always shown, with `*`.
    pub always_keep: Vec<String>,
    /// The maximum number of tools that one search returns.
    pub max_results: usize,
}

impl Default for Discovery {
    fn default() -> Self {
        Self { min_tools: 5, max_tools: 25, always_keep: Vec::new(), max_results: 5 }
    }
}
