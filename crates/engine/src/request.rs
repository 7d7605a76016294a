//! The facts about a request that determine how its body is rewritten.

use bytes::Bytes;
use tersely_core::Loss;
use tersely_wire::Provider;

use crate::clear_point::ClearPoint;
use crate::memo::Recall;
use crate::memo::known_part::KnownPart;
use crate::overrides::request_options::RequestOptions;
use crate::remote::answers::RemoteAnswers;
use crate::scope::{RulePlace, Scope};
use crate::settings::EngineSettings;

/// The facts about a request that determine how its body is rewritten.
#[derive(Clone)]
pub struct Request<'r> {
    /// The API whose format the body has.
    pub provider: &'static Provider,
    /// Path and query of the URL; rules may depend on it.
    pub path: &'r str,
    /// The authenticated tenant; rules may depend on it.
    pub tenant: Option<&'r str>,
    /// The options in the request's headers, which override those in its body.
    pub asked: RequestOptions,
    /// A hash of the session name in its headers, if there is one.
    pub named: Option<u64>,
    /// The maximum loss allowed, regardless of the settings. It does not affect which tools are offered.
    pub most: Loss,
    /// The number of results at the start that an earlier request sent uncompressed. They stay uncompressed, and no
    /// tool is offered, because the earlier request offered none.
    pub plain: usize,
    /// The number of messages at the start that stay unchanged, because the client says that they were sent before.
    pub frozen: usize,
    /// Where the conversation was cleared, the earliest first. Everything up to there is as it was then.
    pub clearings: &'r [ClearPoint],
    /// A remote compressor's answers for the request's results.
    pub agreed: Option<&'r RemoteAnswers>,
    /// The body, if the caller shares it, so that the memo can keep it without a copy.
    pub shared: Option<&'r Bytes>,
    /// The memo of this client's earlier requests. It saves time and does not change the output.
    pub memo: Option<Recall<'r>>,
    /// What the memo was found to know about the body, so that it is not looked up again.
    pub known: Option<&'r KnownPart>,
}

impl<'r> Request<'r> {
    /// A request without options.
    #[must_use]
    pub fn new(provider: &'static Provider, path: &'r str) -> Self {
        let (asked, most) = (RequestOptions::default(), Loss::Detail);
        let (tenant, named, agreed, shared, memo, known) = (None, None, None, None, None, None);
        Self {
            provider,
            path,
            tenant,
            asked,
            named,
            most,
            plain: 0,
            frozen: 0,
            clearings: &[],
            agreed,
            shared,
            memo,
            known,
        }
    }

    /// The scope of the request under these settings and options.
    pub(crate) fn scope<'s>(&self, settings: &'s EngineSettings, options: &'s RequestOptions) -> Scope<'s>
    where
        'r: 's,
    {
        Scope {
            plain_results: self.plain,
            frozen_messages: self.frozen,
            answers: self.agreed,
            clearings: self.clearings,
            ..Scope::new(settings, self.place(), options)
        }
    }

    /// The properties of the request that rules may depend on.
    fn place(&self) -> RulePlace<'r> {
        RulePlace { path: self.path, tenant: self.tenant }
    }
}
