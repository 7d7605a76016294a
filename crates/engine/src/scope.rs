//! Says what is done with the results of a tool in one request: settings, then rules, then what the request asks for.

use tersely_core::{Loss, Mode, Plan, Reader, Redaction, fits_pattern};

use crate::expand_offer::ExpandOffer;
use crate::overrides::request_options::RequestOptions;
use crate::overrides::schema_mode::SchemaMode;
use crate::remote::agreed::RemoteAnswers;
use crate::settings::Discovery;
use crate::settings::EngineSettings;
use crate::settings::Prompts;
use crate::settings::Rule;
use crate::skip::means;

/// Where a rule may hold: the request's path, and whose it is if that was checked.
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
        let whose = |pattern: &String| self.tenant.is_some_and(|tenant| fits_pattern(pattern, tenant));
        here && rule.tenant.as_ref().is_none_or(whose)
    }
}

/// What holds for one request.
pub(crate) struct Scope<'s> {
    pub(crate) settings: &'s EngineSettings,
    pub(crate) place: RulePlace<'s>,
    pub(crate) asked: &'s RequestOptions,
    /// The most that may be lost, whatever the settings say.
    pub(crate) most: Loss,
    /// How many results, from the first on, stay as they came.
    pub(crate) plain: usize,
    /// How many messages, from the first on, do.
    pub(crate) frozen: usize,
    /// Whether a result may name what stands earlier: not where the provider may have dropped that.
    pub(crate) refers: bool,
    /// What stands for results by the word of a compressor.
    pub(crate) agreed: Option<&'s RemoteAnswers>,
    /// Who the request's model is, where nothing else is said.
    pub(crate) reader: Reader,
}

impl<'s> Scope<'s> {
    /// What the settings and the request say.
    pub(crate) fn new(
        settings: &'s EngineSettings,
        place: impl Into<RulePlace<'s>>,
        asked: &'s RequestOptions,
    ) -> Self {
        let refers = asked.session.dedup != Some(false);
        let (place, most, reader) = (place.into(), Loss::Detail, Reader::Strong);
        Self { settings, place, asked, most, plain: 0, frozen: 0, refers, agreed: None, reader }
    }

    /// True when something may be left out of the results of some tool. Which tools were called does not matter: what
    /// stands at the head of a prompt must not change as a conversation goes on.
    pub(crate) fn leaves_out(&self) -> bool {
        let allows = |plan: Plan| plan.mode != Mode::Disabled && plan.loss == Loss::Detail;
        !self.asked.bypass && self.settings.expand != ExpandOffer::Never && self.any(allows)
    }

    /// True when what is made of the request is only told. That holds for all of it or for nothing, so a rule for single
    /// tools is not asked.
    pub(crate) fn observes(&self) -> bool {
        let whole = self.rules().filter(|rule| rule.tool.is_none());
        let ruled = whole.fold(self.settings.plan, |plan, rule| rule.change.on(plan));
        self.asked.change.on(ruled).mode == Mode::Observe
    }

    /// True when nothing can be done to any result, so that there is no need to look for them.
    pub(crate) fn is_idle(&self) -> bool {
        self.asked.bypass || !self.any(|plan| plan.mode != Mode::Disabled)
    }

    /// True when nothing can be done to the body at all.
    pub(crate) fn is_off(&self) -> bool {
        self.is_idle()
            && self.schema() == SchemaMode::Disabled
            && self.prompts().is_none()
            && self.discovery().is_none()
    }

    /// Who reads results of which no rule speaks.
    pub(crate) fn reader(&self) -> Reader {
        self.asking(self.settings.plan).reader
    }

    /// What is done with the descriptions of tools.
    pub(crate) fn schema(&self) -> SchemaMode {
        if self.asked.bypass {
            SchemaMode::Disabled
        } else {
            self.asked.schema.unwrap_or(self.settings.schema)
        }
    }

    /// What is done with JSON in the texts of users.
    pub(crate) fn prompts(&self) -> Option<Prompts> {
        self.settings.prompts.filter(|_| !self.asked.bypass)
    }

    /// How many of its tools the model is shown; all of them where nothing is said.
    pub(crate) fn discovery(&self) -> Option<&'s Discovery> {
        self.settings.discovery.as_ref().filter(|_| !self.asked.bypass)
    }

    /// True when results of `tool` are left as they came, but for their secrets.
    pub(crate) fn skips(&self, tool: &str) -> bool {
        let tool = named(tool);
        let mut skipped = self.settings.skip_tools.iter().chain(&self.asked.skip_tools);
        skipped.any(|listed| means(listed, tool))
    }

    /// What is done with a result of `tool`, unless it is one of those that are skipped; `None` when nothing is, not even
    /// to its secrets.
    pub(crate) fn plan(&self, tool: &str) -> Option<Plan> {
        let tool = named(tool);
        let fits = |rule: &&Rule| rule.tool.as_ref().is_none_or(|pattern| fits_pattern(pattern, tool));
        let ruled = self.rules().filter(fits).fold(self.settings.plan, |plan, rule| rule.change.on(plan));
        let plan = self.asking(ruled);
        (plan.mode != Mode::Disabled).then_some(plan)
    }

    /// A plan with what the request asks for; it can ask for less loss, not for more, and cannot switch off what the
    /// operator asked for by name.
    fn asking(&self, ruled: Plan) -> Plan {
        let asked = self.asked.change.on(ruled);
        let loss = ruled.loss.min(asked.loss).min(self.most);
        let redact = match (ruled.redact, asked.redact) {
            (Redaction::All, _) => Redaction::All,
            // A mask is a loss: where none is allowed, it has to be asked for.
            (_, Redaction::Usual) if loss == Loss::None => Redaction::Off,
            (_, redact) => redact,
        };
        let reader = if asked.reader == Reader::Auto { self.reader } else { asked.reader };
        Plan { mode: asked.mode.at_work(), loss, redact, reader, ..asked }
    }

    /// True when something holds for the plan of results of which no rule speaks, or of which a single one does.
    fn any(&self, holds: impl Fn(Plan) -> bool) -> bool {
        let asks = |ruled: Plan| holds(self.asking(ruled));
        let plan = self.settings.plan;
        asks(plan) || self.rules().any(|rule| asks(rule.change.on(plan)))
    }

    fn rules(&self) -> impl Iterator<Item = &Rule> {
        self.settings.rules.iter().filter(|rule| self.place.fits(rule))
    }
}

/// The name by which a tool is listed.
fn named(tool: &str) -> &str {
    if tool.is_empty() { "generic" } else { tool }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::overrides::change::PlanOverride;

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
}
