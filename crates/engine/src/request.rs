//! A request, as far as it matters to its body.

use tersely_core::Loss;
use tersely_wire::Provider;

use crate::memo::Recall;
use crate::overrides::request_options::RequestOptions;
use crate::remote::agreed::RemoteAnswers;
use crate::scope::RulePlace;

/// A request, as far as it matters to its body.
#[derive(Clone)]
pub struct Request<'r> {
    /// The shape of the body.
    pub provider: &'static Provider,
    /// Where it is sent, with its query: rules may speak of routes.
    pub path: &'r str,
    /// Whose it is, if that was checked: rules may speak of tenants.
    pub tenant: Option<&'r str>,
    /// What it asks for beside its body; above what the body asks for.
    pub asked: RequestOptions,
    /// A hash of the name that its head gives its conversation, if it gives one.
    pub named: Option<u64>,
    /// The most that may be lost, whatever the settings say. Its tools stay the same all the same.
    pub most: Loss,
    /// How many results, from the first on, an earlier request sent as they came: they stay so, and no tool is offered,
    /// because none was.
    pub plain: usize,
    /// How many messages, from the first on, stay as they came: whoever sends them says that they were sent before.
    pub frozen: usize,
    /// What stands for its results by the word of a compressor, where one was asked.
    pub agreed: Option<&'r RemoteAnswers>,
    /// What is remembered of the request before it, and of whom; it changes the time that is taken, and nothing else.
    pub memo: Option<Recall<'r>>,
}

impl<'r> Request<'r> {
    /// A request that asks for nothing.
    #[must_use]
    pub fn new(provider: &'static Provider, path: &'r str) -> Self {
        let (asked, most) = (RequestOptions::default(), Loss::Detail);
        let (tenant, named, agreed, memo) = (None, None, None, None);
        Self { provider, path, tenant, asked, named, most, plain: 0, frozen: 0, agreed, memo }
    }

    /// Where rules may hold for it.
    pub(crate) fn place(&self) -> RulePlace<'r> {
        RulePlace { path: self.path, tenant: self.tenant }
    }
}
