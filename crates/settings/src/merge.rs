//! Merges the layers by precedence, and checks the result.

use std::fs::File;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};
use tersely_account::HoldoutShare;
use tersely_core::prompt::PromptForm;
use tersely_core::{Loss, Mode, Plan, Redaction};
use tersely_engine::{ClearMode, Prompts};
use tersely_gateway::TlsFiles;

use super::all::AllSettings;
use super::draft::Draft;
use super::field::SettingField;
use super::key_table::KEYS;
use super::layer::Layer;
use super::origin::SettingOrigin;
use super::problem::Problem;
use super::words::Words;
use super::{rule, server, tenant};

/// A setting, its value and its origin.
#[derive(Debug, Clone)]
pub struct MergedEntry {
    /// The key, with its group in front of a dot.
    pub name: String,
    /// The value; secrets are masked.
    pub value: Value,
    /// Where the value comes from.
    pub origin: SettingOrigin,
    /// The value for bug reports, without the user's names, paths or secrets.
    pub public: String,
}

/// The settings, one entry with its origin for each, and notices.
pub(crate) type MergedSettings = (AllSettings, Vec<MergedEntry>, Vec<String>);

/// Merges the layers; the last has the highest precedence.
pub(crate) fn merge(layers: [Layer; 4]) -> Result<MergedSettings, Vec<Problem>> {
    let mut merger = Merger::default();
    for key in KEYS.iter() {
        merger.key(key.name, key.field, &layers);
    }
    merger.seal();
    merger.hold();
    merger.lock(&layers);
    merger.trials();
    merger.reach();
    for layer in layers {
        merger.take(layer);
    }
    if merger.problems.is_empty() { Ok(merger.finish()) } else { Err(merger.problems) }
}

#[derive(Default)]
struct Merger {
    draft: Draft,
    entries: Vec<MergedEntry>,
    /// Precedence of the single upstream.
    upstream: u8,
    problems: Vec<Problem>,
    notices: Vec<String>,
}

impl Merger {
    fn key(&mut self, name: &'static str, field: SettingField, layers: &[Layer]) {
        let heard = layers.iter().rev().find_map(|layer| layer.values.get(name));
        // A single upstream on the command line overrides the file's upstreams for each provider.
        let heard = heard.filter(|(_, origin)| !is_own(name) || origin.rank() >= self.upstream);
        let origin = heard.map_or(SettingOrigin::Default, |(_, origin)| origin.clone());
        if let Some((words, _)) = heard {
            self.write(name, field, words, &origin);
        } else if name == NOTICE && self.draft.settings.gateway.listen.ip().is_loopback() {
            // On a loopback address there is no load balancer that needs time to notice a shutdown.
            self.draft.timeouts().notice = Duration::ZERO;
        }
        if name == "upstream" {
            self.upstream = origin.rank();
        }
        let value = field.show(&mut self.draft);
        let public = if field.is_free() { format!("{name}: set") } else { format!("{name} = {value}") };
        self.entries.push(MergedEntry { name: name.to_owned(), value, origin, public });
    }

    fn write(&mut self, name: &str, field: SettingField, words: &Words, origin: &SettingOrigin) {
        if let Err(what) = field.write(&mut self.draft, words) {
            self.problems.push(Problem::at(origin, name, what));
        }
        if let SettingField::Files(place) = field {
            for path in place(&mut self.draft).iter().filter(|path| File::open(path).is_err()) {
                let what = format!("{} cannot be read", path.display());
                self.problems.push(Problem::at(origin, name, what));
            }
        }
    }

    /// Reports a remote store without a secret: texts must be encrypted before they leave the process.
    fn seal(&mut self) {
        let typed = self.entries.iter().find(|entry| entry.name == "store.addresses");
        let heard =
            |name: &str| self.entries.iter().any(|it| it.name == name && it.origin != SettingOrigin::Default);
        if let Some(entry) = typed.filter(|_| !self.draft.kept.addresses.is_empty() && !heard("store.secret"))
        {
            let what =
                "a remote store needs store.secret, which encrypts texts before they leave this process";
            let hint = "set store.secret or TERSELY_STORE_SECRET to the output of `openssl rand -hex 32`, and use the same value on every replica";
            self.problems.push(Problem::at(&entry.origin, &entry.name, what).hint(hint));
        }
    }

    /// Reports incomplete TLS settings, and tenants' certificates without the authority to check them.
    fn lock(&mut self, layers: &[Layer]) {
        let TlsFiles { cert, key, client_ca } = &self.draft.tls;
        let missing = match (cert.is_empty(), key.is_empty(), client_ca.is_empty()) {
            (false, true, _) => Some(("tls.cert", "tls.key")),
            (true, false, _) => Some(("tls.key", "tls.cert")),
            (true, true, false) => Some(("tls.client_ca", "tls.cert")),
            _ => None,
        };
        let entry = |name: &str| self.entries.iter().find(|entry| entry.name == name);
        if let Some((entry, missing)) = missing.and_then(|(name, missing)| Some((entry(name)?, missing))) {
            let what = format!("needs {missing} as well");
            self.problems.push(Problem::at(&entry.origin, &entry.name, what).hint(format!("set {missing}")));
        }
        let mut tenants = layers.iter().flat_map(|layer| &layer.tenants);
        if let Some((_, origin)) = tenants.find(|(it, _)| client_ca.is_empty() && !it.certificates.is_empty())
        {
            let what = "clients cannot present certificates without tls.client_ca";
            let hint = "set tls.client_ca to the authority of these certificates, or give the tenant keys";
            self.problems.push(Problem::at(origin, "tenants.certificates", what).hint(hint));
        }
    }

    /// Reports `prompts.fail_open = false` where it has no effect: only TOON can fail, because the other forms can
    /// represent every document.
    fn hold(&mut self) {
        let Prompts { form, fail_open, .. } = self.draft.prompts;
        let typed = self.entries.iter().find(|entry| entry.name == "prompts.fail_open");
        if let Some(entry) = typed.filter(|_| self.draft.prompting && !fail_open && form == PromptForm::Auto)
        {
            let what = "can be false only with prompts.form = \"toon\": the other forms can represent every document";
            let hint = "set prompts.form to toon, or remove prompts.fail_open";
            self.problems.push(Problem::at(&entry.origin, &entry.name, what).hint(hint));
        }
    }

    /// Reports two trials at once: a session has one arm.
    fn trials(&mut self) {
        let engine = &self.draft.settings.engine;
        let are_two = engine.clear == ClearMode::Half && engine.holdout.share != HoldoutShare::default();
        if let Some(entry) = self.entries.iter().find(|entry| are_two && entry.name == "clear") {
            let what = "\"half\" already compares two groups of sessions, so `holdout` cannot be set as well";
            let hint = "set clear to cold or off, or holdout to 0";
            self.problems.push(Problem::at(&entry.origin, &entry.name, what).hint(hint));
        }
    }

    /// Reports a compressor that lacks a required setting, or whose answers would differ between instances because they
    /// share no store. A shared store is needed even if the compressor is idle now, because a rule or a request may use
    /// it.
    fn reach(&mut self) {
        let Draft { remote, kept, settings, .. } = &self.draft;
        if !remote.is_remote() {
            return;
        }
        let Plan { mode, loss, .. } = settings.engine.plan;
        let is_idle = mode == Mode::Disabled || loss < Loss::Detail;
        if is_idle && mode != Mode::Disabled {
            let loss = "`loss` does not allow Tersely to omit detail";
            self.notices.push(format!("remote.strategy has no effect: {loss}"));
        }
        let is_alone = settings.gateway.listen.ip().is_loopback();
        let (what, hint) = if let Some(missing) = remote.missing().filter(|_| !is_idle) {
            (
                format!("{} needs {missing}", remote.strategy),
                format!("set {missing}; docs/remote.md has examples"),
            )
        } else if kept.addresses.is_empty() && !is_alone {
            let what = "a compressor's answers vary, but every instance must send the same text, so they need a shared store";
            (
                what.to_owned(),
                "set store.addresses and store.secret, or listen on a loopback address only".to_owned(),
            )
        } else {
            return;
        };
        if let Some(entry) = self.entries.iter().find(|entry| entry.name == "remote.strategy") {
            self.problems.push(Problem::at(&entry.origin, &entry.name, what).hint(hint));
        }
    }

    fn take(&mut self, mut layer: Layer) {
        self.problems.extend(layer.faults());
        self.notices.extend(layer.notices);
        for (rule, origin) in layer.rules {
            let name = format!("rules[{}]", self.draft.settings.engine.rules.len());
            if self.draft.plan().redact == Redaction::All && rule.change.sets("redact_secrets") {
                let what = "redact_secrets is true for all requests; a rule cannot make an exception";
                self.problems
                    .push(Problem::at(&origin, &name, what).hint("remove redact_secrets from the rule"));
            }
            let (value, public) = (json!(rule::spell(&rule)), name.clone());
            self.entries.push(MergedEntry { name, value, origin, public });
            self.draft.settings.engine.rules.push(rule);
        }
        for (settings, origin) in layer.tenants {
            let name = format!("tenants[{}]", self.draft.tenants.len());
            if let Some(what) = tenant::clash(&settings, &self.draft.tenants) {
                self.problems.push(Problem::at(&origin, &name, what));
            }
            let (value, public) = (json!(tenant::spell(&settings)), "tenants: one".to_owned());
            self.entries.push(MergedEntry { name, value, origin, public });
            self.draft.tenants.push(settings);
        }
        for (name, server, origin) in layer.servers {
            let value = json!(server::spell(&server));
            let (entry, public) = (format!("mcp.servers.{name}"), "mcp.servers: one".to_owned());
            self.entries.push(MergedEntry { name: entry, value, origin, public });
            self.draft.settings.servers.insert(name, server);
        }
        for (path, origin) in layer.trusted {
            self.trust(path, origin);
        }
    }

    /// Adds a certificate file. If it cannot be read, that is only a notice: the variable may be meant for other
    /// programs and must not prevent startup.
    fn trust(&mut self, path: PathBuf, origin: SettingOrigin) {
        if File::open(&path).is_err() {
            return self.notices.push(format!("{origin} has no effect: {} cannot be read", path.display()));
        }
        let known = self.draft.authorities();
        if !known.contains(&path) {
            let name = "authorities, also".to_owned();
            self.entries.push(MergedEntry { public: name.clone(), name, value: json!(path), origin });
            known.push(path);
        }
    }

    fn finish(self) -> MergedSettings {
        (self.draft.finish(), self.entries, self.notices)
    }
}

/// The key whose default depends on the address to listen on.
const NOTICE: &str = "timeouts.notice";

fn is_own(name: &str) -> bool {
    name.starts_with("upstreams.")
}
