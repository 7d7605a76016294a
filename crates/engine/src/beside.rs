//! Rewrites tool descriptions and JSON in user messages, if the settings say so.

use bytes::Bytes;
use tersely_core::{prompt, schema};
use tersely_wire::{Provider, Reading, Splice, replacement, rewrite};

use crate::overrides::error::OptionError;
use crate::overrides::schema_mode::SchemaMode;
use crate::report::Report;
use crate::scope::Scope;
use crate::sent_body::BodyEdit;

/// The edits of tool descriptions and user messages. Text that cannot be read is left unchanged.
///
/// # Errors
/// When a form cannot represent a user's JSON document, and the settings refuse such requests.
pub(crate) fn edits(
    scope: &Scope<'_>,
    provider: &Provider,
    reading: &Reading<'_>,
    report: &mut Report,
) -> Result<Vec<BodyEdit>, OptionError> {
    let mut all = Vec::new();
    if scope.schema() == SchemaMode::Minify {
        let found = rewrite::descriptions(provider, reading.body(), schema::minify).unwrap_or_default();
        report.descriptions += found.len();
        all.extend(found);
    }
    if let Some(prompts) = scope.prompts() {
        let mut stats = prompt::Stats::default();
        let write = |text: &str| {
            let (short, seen) = prompt::shorten_as(prompts.form, prompts.min_bytes, text);
            stats += seen;
            short
        };
        all.extend(rewrite::prompts(reading, write));
        if prompts.log_stats {
            report.prompts += stats;
        }
        if stats.failed_count > 0 && !prompts.fail_open {
            return Err(OptionError::at(
                "prompts",
                "TOON cannot represent a JSON document in a user message exactly",
            ));
        }
    }
    let edit = |edit: Splice| Some((edit.0.clone(), Bytes::from(replacement(reading.body(), &edit)?)));
    Ok(all.into_iter().filter_map(edit).collect())
}
