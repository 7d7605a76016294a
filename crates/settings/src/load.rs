//! Loads settings from flags, environment and file, with the filters they name.

use std::path::PathBuf;

use tersely_terminal::fault::Stop;
use tersely_terminal::output;

use crate::all::AllSettings;
use crate::file::{self, FoundFile};
use crate::filters::FilterShelf;
use crate::layer::{self, Layer};
use crate::merge::{self, MergedEntry, MergedSettings};
use crate::origin::SettingOrigin;
use crate::problem::{Problem, fault};
use crate::sources::{FoundPolicy, SettingSources};
use crate::{ignored, tree};

/// Settings, and the origin of each.
#[derive(Debug, Clone)]
pub struct LoadedSettings {
    /// The settings.
    pub settings: AllSettings,
    /// Every setting with its value and origin; secrets are masked.
    pub entries: Vec<MergedEntry>,
    /// The file that was read, if there was one.
    pub file: Option<PathBuf>,
    /// Notices about settings that were accepted but have no effect, or less effect than their name suggests.
    pub notices: Vec<String>,
    /// What was ignored in a file that the user did not choose, one line each.
    pub ignored: Vec<String>,
}

impl LoadedSettings {
    /// The same settings with another default port: each kind of server has its own, so that they can run side by side.
    #[must_use]
    pub fn default_port(mut self, port: u16) -> Self {
        let is_set = |entry: &MergedEntry| entry.name == "listen" && entry.origin != SettingOrigin::Default;
        if !self.entries.iter().any(is_set) {
            self.settings.gateway.listen.set_port(port);
        }
        self
    }
}

/// Loads all settings, or returns everything that is wrong with them.
///
/// # Errors
/// Everything that is wrong with the settings.
pub fn load(sources: &SettingSources) -> Result<LoadedSettings, Vec<Problem>> {
    let mut loaded = load_bare(sources)?;
    if loaded.settings.filtering.enabled {
        let shelf = shelf_for(sources, &loaded.settings);
        let problems = shelf.problems();
        if !problems.is_empty() {
            return Err(problems);
        }
        loaded.notices.extend(shelf.notice());
        loaded.settings.engine.filters = shelf.filters().into();
    }
    Ok(loaded)
}

/// All filters that were found, whether they apply or not.
///
/// # Errors
/// Everything that is wrong with the settings.
pub fn shelf(sources: &SettingSources) -> Result<FilterShelf, Vec<Problem>> {
    Ok(shelf_for(sources, &load_bare(sources)?.settings))
}

/// The user's configuration folder.
#[must_use]
pub fn user_folder(sources: &SettingSources) -> Option<PathBuf> {
    file::user_folder(&sources.environment)
}

/// The folder of the user's state files.
#[must_use]
pub fn state_folder(sources: &SettingSources) -> Option<PathBuf> {
    file::state_folder(&sources.environment)
}

fn shelf_for(sources: &SettingSources, settings: &AllSettings) -> FilterShelf {
    let config = user_folder(sources);
    let folder = settings.filtering.folder(config.as_deref());
    FilterShelf::find(&sources.here, folder.as_deref(), config.as_deref())
}

/// Loads settings for an interactive command. If parts of a file that the user did not choose were ignored, they are
/// reported on stderr.
///
/// # Errors
/// If the settings are invalid, or stderr cannot be written.
pub fn load_telling(sources: &SettingSources) -> Result<LoadedSettings, Stop> {
    let loaded = load(sources).map_err(fault)?;
    for line in &loaded.ignored {
        output::note(&format!("tersely: {line}"))?;
    }
    Ok(loaded)
}

/// Loads all settings, but not the filters.
fn load_bare(sources: &SettingSources) -> Result<LoadedSettings, Vec<Problem>> {
    let found = file::find(sources);
    let mut here = Layer::default();
    let mut ignored = Vec::new();
    if let Some(found) = &found {
        here = tree::read(found, &sources.environment);
        if let (FoundFile::Here(path), FoundPolicy::Ignore) = (found, sources.found) {
            ignored = ignored::tell(path, &mut here);
        }
    }
    match merge_layers(sources, found.as_ref(), here) {
        Ok((settings, entries, notices)) => {
            Ok(LoadedSettings { settings, entries, file: found.map(FoundFile::path), notices, ignored })
        }
        // A file may be valid by itself and still conflict with the user's other settings.
        Err(problems) => match &found {
            Some(FoundFile::Here(path)) if sources.found == FoundPolicy::Ignore => {
                let (settings, entries, notices) = merge_layers(sources, found.as_ref(), Layer::default())?;
                ignored.push(ignored::whole(path, &problems));
                Ok(LoadedSettings { settings, entries, file: Some(path.clone()), notices, ignored })
            }
            _ => Err(problems),
        },
    }
}

/// Merges the file's layer with all other layers.
fn merge_layers(
    sources: &SettingSources,
    found: Option<&FoundFile>,
    file: Layer,
) -> Result<MergedSettings, Vec<Problem>> {
    // If the file belongs to a downloaded project, the user's own file is read as well.
    let own = found.and_then(|found| file::below(found, sources));
    let own = own.map(|own| tree::read(&own, &sources.environment)).unwrap_or_default();
    let layers = [own, file, layer::environment(&sources.environment), layer::flags(&sources.flags)];
    merge::merge(layers)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tersely_core::{DictionaryMethod, Loss, Mode, Plan, Redaction};
    use tersely_engine::{EngineSettings, ExpandOffer, PlanOverride, Prompts, Rule, SchemaMode};
    use tersely_store::{StoreLimits, StorePlace};

    use super::*;

    fn settings_from(set: &[(&str, &str)]) -> AllSettings {
        let environment = set.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        load(&SettingSources { environment, here: "no-such-folder".into(), ..SettingSources::default() })
            .unwrap()
            .settings
    }

    #[test]
    fn nothing_typed_means_the_defaults() {
        let (meant, usual) = (settings_from(&[]), AllSettings::default());
        let filters = meant.engine.filters.clone();
        assert_eq!(filters.len(), 3, "those that come with the program");
        let expand = ExpandOffer::Auto;
        assert_eq!(meant.engine, EngineSettings { filters, expand, ..usual.engine });
        let mut gateway = usual.gateway;
        gateway.timeouts.notice = Duration::ZERO;
        assert_eq!(format!("{:?}", meant.gateway), format!("{gateway:?}"));
    }

    #[test]
    fn what_is_typed_reaches_the_engine() {
        let engine = settings_from(&[
            ("TERSELY_MODE", "aggressive"),
            ("TERSELY_LOSS", "none"),
            ("TERSELY_MIN_BYTES", "1"),
            ("TERSELY_SKIP_ABOVE", "9"),
            ("TERSELY_MAX_BYTES", "2"),
            ("TERSELY_REDACT_SECRETS", "off"),
            ("TERSELY_DICTIONARY", "auto"),
            ("TERSELY_SKIP_TOOLS", "read, my_tool,"),
            ("TERSELY_SCHEMA_COMPRESSION", "minify"),
            ("TERSELY_PROMPTS_ENABLED", "yes"),
            ("TERSELY_PROMPTS_MIN_BYTES", "3"),
        ])
        .engine;
        let plan = engine.plan;
        assert_eq!((plan.mode, plan.loss, plan.min_bytes), (Mode::Aggressive, Loss::None, 1));
        assert_eq!(
            (plan.max_bytes, plan.redact, plan.dictionary),
            (2, Redaction::Off, DictionaryMethod::Auto)
        );
        assert_eq!(plan.skip_above, 9);
        assert_eq!(
            (engine.skip_tools.join(" "), engine.schema),
            ("read my_tool".to_owned(), SchemaMode::Minify)
        );
        assert_eq!(engine.prompts, Some(Prompts { min_bytes: 3, ..Prompts::default() }));
    }

    #[test]
    fn what_is_typed_reaches_the_gateway() {
        let gateway = settings_from(&[
            ("TERSELY_UPSTREAM", "http://all:1/v1"),
            ("TERSELY_UPSTREAMS_GEMINI", "https://own"),
            ("TERSELY_TIMEOUTS_IDLE", "never"),
            ("TERSELY_TIMEOUTS_DRAIN", "2s"),
            ("TERSELY_LIMITS_HEADERS", "7"),
            ("HTTPS_PROXY", "http://proxy"),
        ])
        .gateway;
        let upstreams = format!("{:?}", gateway.upstreams);
        assert!(upstreams.contains("all:1") && upstreams.contains("own"), "{upstreams}");
        assert!(!upstreams.contains("anthropic.com"), "{upstreams}");
        assert_eq!((gateway.timeouts.idle, gateway.timeouts.drain), (None, Duration::from_secs(2)));
        assert_eq!((gateway.limits.headers, gateway.proxy.url.as_str()), (7, "http://proxy"));
    }

    #[test]
    fn what_is_typed_reaches_the_store() {
        let here = settings_from(&[
            ("TERSELY_STORE_BYTES", "5"),
            ("TERSELY_STORE_ORIGINAL_TTL", "7s"),
            ("TERSELY_LIMITS_MEMO", "128MiB"),
        ]);
        assert!(matches!(here.keeping.store.place, StorePlace::Memory(StoreLimits { bytes: 5, .. })));
        assert_eq!(here.keeping.store.lives.original, Duration::from_secs(7));
        assert_eq!((here.memo.bytes, here.memo.conversations), (128 << 20, 128));
        let away = settings_from(&[
            ("TERSELY_STORE_ADDRESSES", "redis://a,redis://b"),
            ("TERSELY_STORE_SECRET", "0123456789abcdef"),
            ("TERSELY_STORE_TENANT_HEADER", "X-Tenant"),
            ("TERSELY_STORE_DEADLINE", "3ms"),
            ("TERSELY_STORE_PREFIX", "p"),
        ])
        .keeping;
        let StorePlace::Remote(remote) = away.store.place else { panic!("it is kept elsewhere") };
        assert_eq!(
            (remote.addresses.join(" "), remote.prefix.as_str()),
            ("redis://a redis://b".to_owned(), "p")
        );
        assert_eq!(remote.deadline, Duration::from_millis(3));
        assert!(away.store.secret.is_some() && away.header.is_some_and(|name| name == "x-tenant"));
    }

    #[test]
    fn a_rule_holds_what_it_changes() {
        let path = std::env::temp_dir().join(format!("tersely-{}-rule.yaml", std::process::id()));
        let text = "rules: [{tool: 'x*', route: /v1, tenant: 'ci-*', loss: none, skip_above: 1KiB, max_tokens: 2, redact_secrets: no, dictionary: lzw}]";
        std::fs::write(&path, text).unwrap();
        let rules = settings_from(&[("TERSELY_CONFIG", &path.display().to_string())]).engine.rules;
        std::fs::remove_file(path).unwrap();
        let plan = Plan {
            loss: Loss::None,
            skip_above: 1024,
            max_bytes: 8,
            redact: Redaction::Off,
            dictionary: DictionaryMethod::Lzw,
            ..Plan::default()
        };
        let said = ["loss", "skip_above", "max_bytes", "redact_secrets", "dictionary"];
        let change = PlanOverride::of(&said, plan);
        assert_eq!(
            rules,
            [Rule {
                tool: Some("x*".to_owned()),
                route: Some("/v1".to_owned()),
                tenant: Some("ci-*".to_owned()),
                change
            }]
        );
    }
}
