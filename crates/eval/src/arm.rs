//! The three arms of an evaluation: as sent, exact, and standard.

use tersely_core::{Loss, Mode, Plan};
use tersely_engine::{Engine, EngineSettings, ExpandOffer, HiddenTools, Request, SentBody};

use crate::api::EvalApi;

/// How the text that a question is about is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum EvalArm {
    /// Unchanged.
    Sent,
    /// Losslessly compressed.
    Exact,
    /// Compressed as by the gateway: details are left out, and the model can fetch them.
    Standard,
}

impl EvalArm {
    /// All arms.
    pub(super) const ALL: [Self; 3] = [Self::Sent, Self::Exact, Self::Standard];

    /// The name of the arm.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Sent => "as sent",
            Self::Exact => "exact",
            Self::Standard => "standard",
        }
    }

    /// Finds an arm by its name.
    pub(super) fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|arm| arm.name() == name)
    }
}

/// The engines of the arms that compress.
pub(super) struct ArmEngines {
    exact: Engine,
    standard: Engine,
}

impl ArmEngines {
    /// Creates engines with the model tiers and filters of these settings.
    pub(super) fn new(usual: &EngineSettings) -> Self {
        let engine = |loss| {
            let plan = Plan { mode: Mode::Standard, loss, ..Plan::default() };
            let (readers, filters) = (usual.readers.clone(), usual.filters.clone());
            Engine::new(EngineSettings {
                plan,
                readers,
                filters,
                expand: ExpandOffer::Always,
                ..EngineSettings::default()
            })
        };
        Self { exact: engine(Loss::None), standard: engine(Loss::Detail) }
    }

    /// The request that an arm sends instead of a body, and its hidden tools.
    pub(super) fn pass(&self, api: EvalApi, arm: EvalArm, body: String) -> (String, Option<HiddenTools>) {
        let engine = match arm {
            EvalArm::Sent => return (body, None),
            EvalArm::Exact => &self.exact,
            EvalArm::Standard => &self.standard,
        };
        let Some(provider) = api.provider() else { return (body, None) };
        // A body that cannot be rewritten is sent unchanged, as in the gateway.
        let passed = engine.pass(&Request::new(provider, api.path()), body.as_bytes()).ok();
        let (new, hidden) = passed.map_or((None, None), |it| (rewritten_body(it.body), it.hidden));
        (new.unwrap_or(body), hidden)
    }
}

/// The new body, if it was rewritten.
fn rewritten_body(body: SentBody<'_>) -> Option<String> {
    match body {
        SentBody::Came(_) => None,
        SentBody::New(new) => String::from_utf8(new.into()).ok(),
    }
}
