//! Reports the model tier that results are compressed for, based on the settings and the models that clients are
//! configured to use.

use tersely_agents::clients::ClientEnvironment;
use tersely_core::Reader;
use tersely_engine::{Engine, reader_of};

use crate::command::doctor::finding::Finding;

/// Variables that set a client's model.
const MODELS: [&str; 5] = [
    "ANTHROPIC_MODEL",
    "ANTHROPIC_DEFAULT_SONNET_MODEL",
    "ANTHROPIC_DEFAULT_HAIKU_MODEL",
    "GEMINI_MODEL",
    "AIDER_MODEL",
];

/// The findings about the model tier, and the models it is derived from.
pub(crate) fn look(engine: &Engine, environment: &ClientEnvironment) -> Vec<Finding> {
    let settings = engine.settings();
    let (subject, reader) = ("reader", settings.plan.reader);
    if reader != Reader::Auto {
        let words = format!("{} for every model (set explicitly)", reader.name());
        return vec![Finding::open(subject, words.as_str()).public(format!("reader: {words}"))];
    }
    let words = "strong, except for requests to a small model";
    let usual = Finding::open(subject, words).public(format!("reader: {words}"));
    let named = MODELS.iter().filter_map(|name| {
        let model = environment.var(name)?;
        let reader = reader_of(&settings.readers, "", Some(model));
        let reader = reader.name();
        let finding = Finding::open(*name, format!("{model} is treated as a {reader} model"));
        Some(finding.public(format!("{name}: a {reader} model")))
    });
    std::iter::once(usual).chain(named).collect()
}
