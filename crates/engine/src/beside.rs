//! What is done to a body beside its tool results, when it was asked for: descriptions of tools, JSON of users.

use tersely_core::{O200k, prompt, schema};
use tersely_wire::{Provider, Splice, rewrite};

use crate::overrides::error::OptionError;
use crate::overrides::schema_mode::SchemaMode;
use crate::report::Report;
use crate::scope::Scope;

/// The edits of descriptions and users' texts; what cannot be read is left as it came.
///
/// # Errors
/// When a document of a user cannot be written otherwise, and the settings would rather refuse the request.
pub(crate) fn edits(
    scope: &Scope<'_>,
    provider: &dyn Provider,
    body: &[u8],
    report: &mut Report,
) -> Result<Vec<Splice>, OptionError> {
    let mut all = Vec::new();
    if scope.schema() == SchemaMode::Minify {
        let found = rewrite::descriptions(provider, body, schema::minify).unwrap_or_default();
        report.descriptions += found.len();
        all.extend(found);
    }
    if let Some(wish) = scope.prompts() {
        let mut stats = prompt::Stats::default();
        let write = |text: &str| {
            let (short, seen) = prompt::shorten_as(wish.form, &O200k, wish.min_bytes, text);
            stats += seen;
            short
        };
        all.extend(rewrite::prompts(provider, body, write).unwrap_or_default());
        if wish.log_stats {
            report.prompts += stats;
        }
        if stats.failed_count > 0 && !wish.fail_open {
            return Err(OptionError::at(
                "prompts",
                "TOON cannot hold a JSON document in a user message exactly",
            ));
        }
    }
    Ok(all)
}
