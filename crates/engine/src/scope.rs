//! Determines how each tool's results are treated in one request: by the settings, then the rules, then the request's
//! own options.

use std::hash::Hash;

use tersely_core::{Loss, Mode, Plan, Reader, Redaction, fits_pattern};

use crate::clear_point::ClearPoint;
use crate::expand_offer::ExpandOffer;
use crate::overrides::change::PlanOverride;
use crate::overrides::request_options::{RequestOptions, SessionName};
use crate::overrides::schema_mode::SchemaMode;
use crate::remote::answers::RemoteAnswers;
use crate::settings::Discovery;
use crate::settings::EngineSettings;
use crate::settings::Prompts;
use crate::settings::Rule;
use crate::skip::means;

/// The properties that rules may depend on: the request's path, and its authenticated tenant.
#[derive(Clone, Copy)]
pub(crate) struct RulePlace<'s> {
    pub(crate) path: &'s str,
    pub(crate) tenant: Option<&'s str>,
}

impl<'s> From<&'s str> for RulePlace<'s> {
    fn from(path: &'s str) -> Self {
        Self { path, tenant: None }
    }
}

impl RulePlace<'_> {
    fn fits(self, rule: &Rule) -> bool {
        let here = rule.route.as_ref().is_none_or(|route| self.path.starts_with(route.as_str()));
        let is_tenant = |pattern: &String| self.tenant.is_some_and(|tenant| fits_pattern(pattern, tenant));
        here && rule.tenant.as_ref().is_none_or(is_tenant)
    }
}

/// All settings, rules and options that apply to one request.
pub(crate) struct Scope<'s> {
    pub(crate) settings: &'s EngineSettings,
    /// Tells these settings from others.
    pub(crate) fingerprint: u64,
    pub(crate) place: RulePlace<'s>,
    pub(crate) options: &'s RequestOptions,
    /// The maximum loss allowed, regardless of the settings.
    pub(crate) max_loss: Loss,
    /// The number of results at the start that stay unchanged.
    pub(crate) plain_results: usize,
    /// The number of messages at the start that stay unchanged.
    pub(crate) frozen_messages: usize,
    /// Whether a result may refer to earlier ones. It may not if the provider may have dropped the earlier results.
    pub(crate) refers: bool,
    /// A remote compressor's answers for the results.
    pub(crate) answers: Option<&'s RemoteAnswers>,
    /// Where the conversation was cleared.
    pub(crate) clearings: &'s [ClearPoint],
    /// The reader class that the request's model implies; options and rules can override it.
    pub(crate) model_reader: Reader,
}

impl<'s> Scope<'s> {
    /// The scope that follows from the settings and the options, for any body.
    pub(crate) fn new(
        settings: &'s EngineSettings,
        place: impl Into<RulePlace<'s>>,
        options: &'s RequestOptions,
    ) -> Self {
        Self {
            settings,
            fingerprint: 0,
            place: place.into(),
            options,
            max_loss: Loss::Detail,
            plain_results: 0,
            frozen_messages: 0,
            refers: options.session.dedup != Some(false),
            answers: None,
            clearings: &[],
            model_reader: Reader::Strong,
        }
    }

    /// Everything that determines how the results of the request are compressed, except for the results themselves.
    pub(crate) fn treatment(&self) -> impl Hash {
        let place = (!self.settings.rules.is_empty()).then_some((self.place.path, self.place.tenant));
        let RequestOptions { change, skip_tools, session, schema, bypass, .. } = self.options;
        let is_usual =
            *change == PlanOverride::default() && skip_tools.is_empty() && *session == SessionName::default();
        let options = (!is_usual).then(|| format!("{change:?} {skip_tools:?} {session:?}"));
        let limits = (self.max_loss, self.plain_results, self.frozen_messages, self.refers);
        let schema = schema.map(|schema| schema == SchemaMode::Minify);
        let treated = (self.fingerprint, self.clearings, self.model_reader);
        (treated, place, options, limits, (schema, *bypass))
    }

    /// The same scope with this maximum loss.
    pub(crate) fn with_max_loss(self, max_loss: Loss) -> Self {
        Self { max_loss, ..self }
    }

    /// The same scope, but results must not refer to earlier ones.
    pub(crate) fn without_references(self) -> Self {
        Self { refers: false, ..self }
    }

    /// The same scope for a model of this reader class.
    pub(crate) fn with_reader(self, model_reader: Reader) -> Self {
        Self { model_reader, ..self }
    }

    /// True when detail may be cut from the results of any tool, even of tools that were not called yet: the tools at
    /// the start of a prompt must not change during a conversation.
    pub(crate) fn may_cut(&self) -> bool {
        let allows = |plan: Plan| plan.mode != Mode::Disabled && plan.loss == Loss::Detail;
        !self.options.bypass && self.settings.expand != ExpandOffer::Never && self.any(allows)
    }

    /// True when the request is only observed: measured and sent unchanged. This applies to the whole request or not at
    /// all, so rules for single tools are ignored.
    pub(crate) fn observes(&self) -> bool {
        let whole = self.rules().filter(|rule| rule.tool.is_none());
        let ruled = whole.fold(self.settings.plan, |plan, rule| rule.change.on(plan));
        self.options.change.on(ruled).mode == Mode::Observe
    }

    /// True when no result can be changed, so there is no need to look for them.
    pub(crate) fn is_idle(&self) -> bool {
        self.options.bypass || !self.any(|plan| plan.mode != Mode::Disabled)
    }

    /// True when nothing in the body can be changed.
    pub(crate) fn is_off(&self) -> bool {
        self.is_idle()
            && self.schema() == SchemaMode::Disabled
            && self.prompts().is_none()
            && self.discovery().is_none()
    }

    /// The reader class for results that no rule covers.
    pub(crate) fn reader(&self) -> Reader {
        self.with_options(self.settings.plan).reader
    }

    /// How tool descriptions are rewritten.
    pub(crate) fn schema(&self) -> SchemaMode {
        if self.options.bypass {
            SchemaMode::Disabled
        } else {
            self.options.schema.unwrap_or(self.settings.schema)
        }
    }

    /// How JSON in user messages is rewritten.
    pub(crate) fn prompts(&self) -> Option<Prompts> {
        self.settings.prompts.filter(|_| !self.options.bypass)
    }

    /// The limit on the tools that the model is shown; all of them are shown by default.
    pub(crate) fn discovery(&self) -> Option<&'s Discovery> {
        self.settings.discovery.as_ref().filter(|_| !self.options.bypass)
    }

    /// True when results of `tool` stay unchanged, except for secrets.
    pub(crate) fn skips(&self, tool: &str) -> bool {
        let tool = listed_name(tool);
        let mut skipped = self.settings.skip_tools.iter().chain(&self.options.skip_tools);
        skipped.any(|listed| means(listed, tool))
    }

    /// The plan for results of `tool`, unless they are skipped. `None` when they stay completely unchanged: not even
    /// secrets are masked.
    pub(crate) fn plan(&self, tool: &str) -> Option<Plan> {
        let tool = listed_name(tool);
        let fits = |rule: &&Rule| rule.tool.as_ref().is_none_or(|pattern| fits_pattern(pattern, tool));
        let ruled = self.rules().filter(fits).fold(self.settings.plan, |plan, rule| rule.change.on(plan));
        let plan = self.with_options(ruled);
        (plan.mode != Mode::Disabled).then_some(plan)
    }

    /// A plan with the request's options. The options can lower the loss but not raise it, and cannot turn off masking
    /// that the operator turned on everywhere.
    fn with_options(&self, ruled: Plan) -> Plan {
        let asked = self.options.change.on(ruled);
        let loss = ruled.loss.min(asked.loss).min(self.max_loss);
        let redact = match (ruled.redact, asked.redact) {
            (Redaction::All, _) => Redaction::All,
            // A mask is a loss: if no loss is allowed, masking must be turned on explicitly.
            (_, Redaction::Usual) if loss == Loss::None => Redaction::Off,
            (_, redact) => redact,
        };
        let reader = if asked.reader == Reader::Auto { self.model_reader } else { asked.reader };
        Plan { mode: asked.mode.at_work(), loss, redact, reader, ..asked }
    }

    /// True when `holds` returns true for the plan without rules, or for the plan with any single rule.
    fn any(&self, holds: impl Fn(Plan) -> bool) -> bool {
        let asks = |ruled: Plan| holds(self.with_options(ruled));
        let plan = self.settings.plan;
        asks(plan) || self.rules().any(|rule| asks(rule.change.on(plan)))
    }

    fn rules(&self) -> impl Iterator<Item = &Rule> {
        self.settings.rules.iter().filter(|rule| self.place.fits(rule))
    }
}

/// The name of a tool in lists and rules.
fn listed_name(tool: &str) -> &str {
    if tool.is_empty() { "generic" } else { tool }
}

#[cfg(test)]
mod tests {
    use tersely_testing::generate::Choices;

    use super::*;

    fn check(settings: &EngineSettings, tool: &str, expected: Option<(Mode, Loss)>) {
        let asked = RequestOptions::default();
        let scope = Scope::new(settings, "/v1/messages", &asked);
        assert_eq!(scope.plan(tool).map(|plan| (plan.mode, plan.loss)), expected, "{tool}");
    }

    fn rule(tool: Option<&str>, route: Option<&str>, mode: Mode) -> Rule {
        let change = PlanOverride::of(&["mode"], Plan { mode, ..Plan::default() });
        Rule { tool: tool.map(str::to_owned), route: route.map(str::to_owned), tenant: None, change }
    }

    #[test]
    fn of_several_rules_the_last_is_heard() {
        let rules = vec![
            rule(Some("mcp__*"), None, Mode::Safe),
            rule(None, Some("/v1/messages"), Mode::Aggressive),
            rule(None, Some("/v1/chat"), Mode::Disabled),
            rule(Some("*query"), None, Mode::Disabled),
        ];
        let settings = EngineSettings { rules, ..EngineSettings::default() };
        check(&settings, "Bash", Some((Mode::Aggressive, Loss::Detail)));
        check(&settings, "mcp__db__list", Some((Mode::Aggressive, Loss::Detail)));
        check(&settings, "mcp__db__query", None);
    }

    #[test]
    fn what_is_only_told_is_worked_out_all_the_same() {
        let observe = Plan { mode: Mode::Observe, ..Plan::default() };
        let rules = vec![rule(Some("x"), None, Mode::Safe), rule(None, Some("/v2"), Mode::Standard)];
        let settings = EngineSettings { plan: observe, rules, ..EngineSettings::default() };
        check(&settings, "Bash", Some((Mode::Standard, Loss::Detail)));
        check(&settings, "x", Some((Mode::Safe, Loss::Detail)));
        let asks = |mode| RequestOptions {
            change: PlanOverride::of(&["mode"], Plan { mode, ..Plan::default() }),
            ..RequestOptions::default()
        };
        let usual = EngineSettings::default();
        for (settings, path, asked, expected) in [
            (&settings, "/v1", RequestOptions::default(), true),
            (&settings, "/v2", RequestOptions::default(), false),
            (&settings, "/v1", asks(Mode::Safe), false),
            (&usual, "/v1", asks(Mode::Observe), true),
            (&usual, "/v1", RequestOptions::default(), false),
        ] {
            assert_eq!(Scope::new(settings, path, &asked).observes(), expected, "{path} {asked:?}");
        }
    }

    #[test]
    fn tools_that_are_listed_are_left_alone() {
        let skip_tools = vec!["read".to_owned(), "generic".to_owned(), "x".to_owned()];
        let settings = EngineSettings { skip_tools, ..EngineSettings::default() };
        let asked = RequestOptions::default();
        let scope = Scope::new(&settings, "/v1/messages", &asked);
        assert!(["Read", "x", ""].iter().all(|tool| scope.skips(tool)));
        assert!(!scope.skips("Bash"));
        check(&settings, "x", Some((Mode::Standard, Loss::Detail)));
    }

    #[test]
    fn a_request_is_heard_last_and_cannot_ask_for_more_loss() {
        let asks = Plan { mode: Mode::Safe, loss: Loss::Detail, ..Plan::default() };
        let change = PlanOverride::of(&["mode", "loss"], asks);
        let asked = RequestOptions { change, ..RequestOptions::default() };
        let rules = vec![rule(Some("x"), None, Mode::Aggressive)];
        let plan = Plan { loss: Loss::Form, ..Plan::default() };
        let settings = EngineSettings { plan, rules, ..EngineSettings::default() };
        let scope = Scope::new(&settings, "/", &asked);
        let plan = scope.plan("x").unwrap();
        assert_eq!((plan.mode, plan.loss), (Mode::Safe, Loss::Form));
    }

    #[test]
    fn no_request_switches_off_what_the_operator_asked_for() {
        let asked = |redact: Option<Redaction>| {
            let says = |redact| PlanOverride::of(&["redact_secrets"], Plan { redact, ..Plan::default() });
            RequestOptions { change: redact.map(says).unwrap_or_default(), ..RequestOptions::default() }
        };
        for (set, loss, request, expected) in [
            (Redaction::All, Loss::None, Some(Redaction::Off), Redaction::All),
            (Redaction::Usual, Loss::Detail, Some(Redaction::Off), Redaction::Off),
            (Redaction::Usual, Loss::Detail, None, Redaction::Usual),
            (Redaction::Usual, Loss::None, None, Redaction::Off),
            (Redaction::Usual, Loss::None, Some(Redaction::All), Redaction::All),
            (Redaction::Off, Loss::Detail, None, Redaction::Off),
        ] {
            let plan = Plan { redact: set, loss, ..Plan::default() };
            let settings = EngineSettings { plan, ..EngineSettings::default() };
            let asked = asked(request);
            let found = Scope::new(&settings, "/", &asked).plan("x").map(|plan| plan.redact);
            assert_eq!(found, Some(expected), "{set:?} {loss:?} {request:?}");
        }
    }

    #[test]
    fn nothing_is_looked_for_where_nothing_can_be_done() {
        let off = Plan { mode: Mode::Disabled, ..Plan::default() };
        let asks = |mode: Option<Mode>| {
            let says = |mode| PlanOverride::of(&["mode"], Plan { mode, ..Plan::default() });
            RequestOptions { change: mode.map(says).unwrap_or_default(), ..RequestOptions::default() }
        };
        let rules = vec![rule(Some("x"), Some("/v1"), Mode::Safe)];
        let plain = EngineSettings { plan: off, ..EngineSettings::default() };
        let some = EngineSettings { plan: off, rules, ..EngineSettings::default() };
        for (settings, path, asked, idle) in [
            (&plain, "/v1", asks(None), true),
            (&plain, "/v1", asks(Some(Mode::Safe)), false),
            (&some, "/v1", asks(None), false),
            (&some, "/v2", asks(None), true),
            (&some, "/v1", asks(Some(Mode::Disabled)), true),
            (&some, "/v1", RequestOptions { bypass: true, ..RequestOptions::default() }, true),
            (&EngineSettings::default(), "/v1", asks(None), false),
        ] {
            assert_eq!(Scope::new(settings, path, &asked).is_idle(), idle, "{path} {asked:?}");
        }
    }

    /// Behaviour 23.8.
    #[test]
    fn a_rule_for_a_tenant_holds_for_no_other() {
        let rule = |tenant: &str, mode| Rule { tenant: Some(tenant.to_owned()), ..rule(None, None, mode) };
        let rules = vec![rule("ci-*", Mode::Safe), rule("ci-2", Mode::Disabled)];
        let settings = EngineSettings { rules, ..EngineSettings::default() };
        let asked = RequestOptions::default();
        for (tenant, expected) in [
            (None, Some(Mode::Standard)),
            (Some("ci"), Some(Mode::Standard)),
            (Some("ci-1"), Some(Mode::Safe)),
            (Some("ci-2"), None),
        ] {
            let scope = Scope::new(&settings, RulePlace { path: "/", tenant }, &asked);
            assert_eq!(scope.plan("x").map(|plan| plan.mode), expected, "{tenant:?}");
        }
    }

    const MODES: [Mode; 4] = [Mode::Disabled, Mode::Safe, Mode::Standard, Mode::Aggressive];
    const LOSSES: [Loss; 3] = [Loss::None, Loss::Form, Loss::Detail];

    fn random_rule(seed: &mut u64) -> Rule {
        let plan = Plan { mode: MODES[seed.pick(4)], loss: LOSSES[seed.pick(3)], ..Plan::default() };
        let names = [&["mode"][..], &["loss"], &["mode", "loss"], &[]][seed.pick(4)];
        let pattern = |seed: &mut u64, all: [Option<&str>; 4]| all[seed.pick(4)].map(str::to_owned);
        Rule {
            tool: pattern(seed, [None, Some("Bash"), Some("mcp__*"), Some("*")]),
            route: pattern(seed, [None, Some("/v1"), Some("/v1/messages"), Some("")]),
            tenant: pattern(seed, [None, None, Some("ci-*"), Some("*")]),
            change: PlanOverride::of(names, plan),
        }
    }

    /// True when a rule is for this tool, path and tenant, spelt out for the patterns above.
    fn is_meant(rule: &Rule, tool: &str, path: &str, tenant: Option<&str>) -> bool {
        let tool = match rule.tool.as_deref() {
            None | Some("*") => true,
            Some("mcp__*") => tool.starts_with("mcp__"),
            Some(name) => name == tool,
        };
        let tenant = match rule.tenant.as_deref() {
            None => true,
            Some("*") => tenant.is_some(),
            Some(_) => tenant.is_some_and(|tenant| tenant.starts_with("ci-")),
        };
        tool && tenant && rule.route.as_ref().is_none_or(|route| path.starts_with(route.as_str()))
    }

    /// Rules are applied one after the other. The short cuts that look at a whole request leave out nothing that a
    /// result of it needs.
    #[test]
    fn rules_say_the_same_one_by_one_and_all_together() {
        for seed in 0..4000_u64 {
            let seed = &mut { seed };
            let rules: Vec<Rule> = (0..seed.pick(5)).map(|_| random_rule(seed)).collect();
            let plan = Plan { mode: MODES[seed.pick(4)], loss: LOSSES[seed.pick(3)], ..Plan::default() };
            let settings = EngineSettings { plan, rules, ..EngineSettings::default() };
            let tool = ["Bash", "mcp__db__query", "", "Read"][seed.pick(4)];
            let path = ["/v1/messages", "/v1/chat", "/v2"][seed.pick(3)];
            let tenant = [None, Some("ci-1"), Some("dev")][seed.pick(3)];
            let asked = RequestOptions::default();
            let scope = Scope::new(&settings, RulePlace { path, tenant }, &asked);
            let (mut mode, mut loss) = (plan.mode, plan.loss);
            for rule in settings.rules.iter().filter(|rule| is_meant(rule, tool, path, tenant)) {
                let set = rule.change.on(Plan { mode, loss, ..plan });
                (mode, loss) = (set.mode, set.loss);
            }
            let found = scope.plan(tool).map(|plan| (plan.mode, plan.loss));
            assert_eq!(found, (mode != Mode::Disabled).then_some((mode, loss)), "{tool} {path} {settings:?}");
            assert!(found.is_none() || !scope.is_idle() && !scope.is_off(), "{settings:?}");
            let bypass = RequestOptions { bypass: true, ..RequestOptions::default() };
            let bypassed = Scope::new(&settings, RulePlace { path, tenant }, &bypass);
            assert!(bypassed.is_off() && !bypassed.may_cut());
        }
    }

    fn hash(scope: &Scope<'_>) -> u64 {
        use std::hash::BuildHasher;
        std::hash::BuildHasherDefault::<std::hash::DefaultHasher>::default().hash_one(scope.treatment())
    }

    /// Two requests that could be compressed differently are told apart; where a client debugs its requests changes
    /// nothing.
    #[test]
    fn requests_are_treated_alike_only_if_all_that_counts_is_alike() {
        let mut options: Vec<RequestOptions> = vec![RequestOptions::default(); 9];
        let changes = |name, plan| PlanOverride::of(&[name], plan);
        options[1].bypass = true;
        options[2].change = changes("mode", Plan { mode: Mode::Safe, ..Plan::default() });
        options[3].change = changes("min_bytes", Plan { min_bytes: 9, ..Plan::default() });
        options[4].skip_tools = vec!["x".to_owned()];
        options[5].schema = Some(SchemaMode::Minify);
        options[6].schema = Some(SchemaMode::Disabled);
        options[7].session.id = Some("s".to_owned());
        options[8].session.dedup = Some(false);
        let settings = EngineSettings::default();
        let scope = |asked| Scope::new(&settings, "/v1", asked);
        let usual = || scope(&options[0]);
        let mut hashes: Vec<u64> = options.iter().map(|asked| hash(&scope(asked))).collect();
        hashes.extend([
            hash(&usual().with_max_loss(Loss::Form)),
            hash(&usual().without_references()),
            hash(&usual().with_reader(Reader::Small)),
            hash(&Scope { plain_results: 1, ..usual() }),
            hash(&Scope { frozen_messages: 1, ..usual() }),
            hash(&Scope { fingerprint: 1, ..usual() }),
        ]);
        let distinct: std::collections::HashSet<_> = hashes.iter().collect();
        assert_eq!(distinct.len(), hashes.len());
        let debug = RequestOptions { debug: vec![("a".to_owned(), "1".to_owned())], ..options[0].clone() };
        assert_eq!(hash(&scope(&debug)), hashes[0]);
        assert_eq!(hash(&Scope::new(&settings, "/v2", &options[0])), hashes[0], "no rule asks for the path");
        let rules = vec![rule(None, Some("/v2"), Mode::Safe)];
        let by_path = EngineSettings { rules, ..EngineSettings::default() };
        let [one, two] = ["/v1", "/v2"].map(|path| hash(&Scope::new(&by_path, path, &options[0])));
        assert_ne!(one, two);
    }
}
