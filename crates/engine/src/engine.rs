//! Rewrites one request body: removes the options that are meant for us, compresses every tool result, and leaves
//! everything else unchanged.

use std::borrow::Cow;

use tersely_account::{TokenChange, stable_hash};
use tersely_core::{Loss, Reader};

use tersely_wire::hidden::ToolHiding;
use tersely_wire::{HistoryPlace, UserPrompt, named_model, splice};

use crate::beside;
use crate::candidates::Candidate;
use crate::candidates::candidates;
use crate::model_tiers::reader_of;
use crate::overrides::body_object::take;
use crate::overrides::error::OptionError;
use crate::overrides::request_options::RequestOptions;
use crate::remote::strategy::Strategy;
use crate::report::Report;
use crate::request::Request;
use crate::results::results;
use crate::scope::Scope;
use crate::settings::EngineSettings;
use crate::token_count::{BodyTokens, added_tokens};
use crate::tools::discovery::ToolChoice;
use crate::tools::retrieval;
use crate::tools::retrieval::HiddenTools;
use crate::tools::retrieval::HiddenWay;
use crate::tools::retrieval::KeptOriginal;

/// The engine. The body that it returns depends only on its settings and the request.
#[derive(Debug, Clone, Default)]
pub struct Engine {
    settings: EngineSettings,
}

/// A body to forward.
pub struct ForwardBody<'b> {
    /// The bytes to send; borrowed when nothing was changed.
    pub body: Cow<'b, [u8]>,
    /// The account of the changes.
    pub report: Report,
    /// The tools to hide in the response; `None` when no tool was added.
    pub hidden: Option<HiddenTools>,
}

impl Engine {
    /// An engine with these settings.
    #[must_use]
    pub fn new(settings: EngineSettings) -> Self {
        Self { settings }
    }

    /// The engine's settings.
    #[must_use]
    pub fn settings(&self) -> &EngineSettings {
        &self.settings
    }

    /// The body to send in place of `body`. Parts that cannot be rewritten are left unchanged.
    ///
    /// # Errors
    /// When the options for us in the body are invalid.
    pub fn pass<'b>(&self, request: &Request<'_>, body: &'b [u8]) -> Result<ForwardBody<'b>, OptionError> {
        let (asked, body) = match take(body)? {
            None => (request.asked.clone(), Cow::Borrowed(body)),
            Some((own, rest)) => (request.asked.clone().or(own), Cow::Owned(rest)),
        };
        let mut passed = self.process(request, &asked, body)?;
        passed.report.record.words = asked.debug;
        Ok(passed)
    }

    /// Rewrites a body without its options for us. A body that is only observed, or in the holdout, is forwarded
    /// unchanged.
    fn process<'b>(
        &self,
        request: &Request<'_>,
        asked: &RequestOptions,
        body: Cow<'b, [u8]>,
    ) -> Result<ForwardBody<'b>, OptionError> {
        if request.scope(&self.settings, asked).is_off() {
            return self.rewrite(request, asked, body);
        }
        let session = session(request, asked, &body);
        let arm = self.arm(request, asked, &body, session);
        if arm.is_applied() {
            let mut passed = self.rewrite(request, asked, body)?;
            (passed.report.record.arm, passed.report.record.session) = (arm, session);
            return Ok(passed);
        }
        // The body is sent unchanged, so an error while rewriting it is no reason to refuse the request.
        let made = self.rewrite(request, asked, Cow::Borrowed(&*body)).map(|made| made.report);
        let mut made = made.unwrap_or_default();
        made.record.session = session;
        let body = self.mask_by_name(request, asked, body);
        let report = made.observed(arm, count_tokens(request, &BodyTokens::default(), &body));
        Ok(ForwardBody { body, report, hidden: None })
    }

    /// The results of a body that a remote compressor may shorten, if one is configured: results that are new to the
    /// model, and results for which the compressor may have an earlier answer.
    #[must_use]
    pub fn candidates(&self, request: &Request<'_>, body: &[u8]) -> Vec<Candidate> {
        let Strategy::Remote(remote) = &self.settings.strategy else { return Vec::new() };
        // An unreadable body is refused or reported later, in `pass`.
        let Ok(taken) = take(body) else { return Vec::new() };
        let (asked, body) = match &taken {
            Some((own, rest)) => (request.asked.clone().or(own.clone()), &**rest),
            None => (request.asked.clone(), body),
        };
        let scope = request.scope(&self.settings, &asked).with_max_loss(request.most);
        let provider = request.provider;
        // If the original body is sent, the compressor's answers are not used, so asking it would waste money.
        let arm = self.arm(request, &asked, body, session(request, &asked, body));
        if !arm.is_applied() || offer_expansion(&scope, request, body).is_none() {
            return Vec::new();
        }
        let slots = provider.slots(body).unwrap_or_default();
        let prompts =
            if remote.tells_question { provider.prompts(body).unwrap_or_default() } else { Vec::new() };
        let question = |it: &UserPrompt<'_>| Some((it.span.start, it.text()?.into_owned()));
        candidates(
            &scope,
            &slots,
            provider.last_assistant_end(body),
            &prompts.iter().filter_map(question).collect::<Vec<_>>(),
        )
    }

    /// The reader class that the model name of a request implies.
    fn reader(&self, request: &Request<'_>, body: &[u8]) -> Reader {
        let model = named_model(request.path, body);
        reader_of(&self.settings.readers, request.provider.name(), model.as_deref())
    }

    /// Rewrites a body, whether it is sent or only measured.
    fn rewrite<'b>(
        &self,
        request: &Request<'_>,
        asked: &RequestOptions,
        body: Cow<'b, [u8]>,
    ) -> Result<ForwardBody<'b>, OptionError> {
        let mut scope = request.scope(&self.settings, asked);
        if request.provider.drops_results(&body) {
            scope = scope.without_references();
        }
        if !scope.is_idle() {
            scope = scope.with_reader(self.reader(request, &body));
        }
        let own = BodyTokens::default();
        let count = |body: &[u8]| count_tokens(request, &own, body);
        let before = if scope.is_off() { None } else { Some(count(&body)) };
        let offered = offer_expansion(&scope, request, &body);
        // Detail is cut only if the model can fetch it back.
        let max_loss = if offered.is_some() { Loss::Detail } else { Loss::Form };
        let scope = scope.with_max_loss(request.most.min(max_loss));
        let choice = scope.discovery().filter(|_| scope.plain_results == 0);
        let choice =
            choice.and_then(|discovery| ToolChoice::of(discovery, request.provider, request.path, &body));
        let (hides, tool, body) = match offered {
            Some((hides, offered)) => (Some(hides), added_tokens(&body, &offered), Cow::Owned(offered)),
            None => (None, 0, body),
        };
        let (mut passed, kept) = splice_results(&scope, request, body)?;
        passed.report.record.tool_tokens = tool;
        passed.report.reader = (!scope.is_idle()).then(|| scope.reader());
        let shed = choice.and_then(|choice| choice.apply(&mut passed.body, &mut passed.report));
        let masked = isize::try_from(passed.report.masked).unwrap_or_default();
        passed.report.record.request_tokens = before.map(|before| TokenChange {
            before: before.saturating_add_signed(-masked),
            after: count(&passed.body),
        });
        Ok(ForwardBody { hidden: HiddenWay::of(hides, shed).map(|way| HiddenTools { way, kept }), ..passed })
    }
}

/// The number of tokens in a body.
fn count_tokens(request: &Request<'_>, own: &BodyTokens, body: &[u8]) -> usize {
    request.memo.map_or_else(|| own.count(b"", body), |it| it.count_tokens(body))
}

/// A hash that distinguishes a conversation from others of the same client: a hash of the session's name, or of the
/// user's first message. Every request of a conversation contains that message, while tools and system prompts may
/// change.
pub(crate) fn session(request: &Request<'_>, asked: &RequestOptions, body: &[u8]) -> Option<u64> {
    if request.named.is_some() {
        return request.named;
    }
    if let Some(name) = &asked.session.id {
        return Some(stable_hash(&("named", name)));
    }
    if request.provider.history(body) == HistoryPlace::Elsewhere {
        return None;
    }
    let prompts = request.provider.prompts(body).unwrap_or_default();
    let first: Vec<_> = first_message(body, &prompts).collect();
    (!first.is_empty()).then(|| stable_hash(&("begun", first)))
}

/// The texts of the first user message. A `role` between two texts means that they belong to different messages.
fn first_message<'p>(body: &'p [u8], prompts: &'p [UserPrompt<'p>]) -> impl Iterator<Item = &'p [u8]> {
    const ROLE: &[u8] = b"\"role\"";
    let mut end = prompts.first().map_or(0, |prompt| prompt.span.start);
    prompts.iter().map_while(move |prompt| {
        let between = body.get(end..prompt.span.start)?;
        end = prompt.span.end;
        (!between.windows(ROLE.len()).any(|bytes| bytes == ROLE)).then_some(prompt.token)
    })
}

/// The body with the `expand_context` tool added; `None` if nothing may be cut.
fn offer_expansion(
    scope: &Scope<'_>,
    request: &Request<'_>,
    body: &[u8],
) -> Option<(&'static ToolHiding, Vec<u8>)> {
    let may_cut = scope.may_cut() && scope.plain_results == 0;
    if !may_cut || !scope.settings.expand.applies(|| request.provider.head(body)) {
        return None;
    }
    retrieval::offer(request.provider, request.path, body)
}

/// The body with its results compressed, and the originals of those that were cut.
fn splice_results<'b>(
    scope: &Scope<'_>,
    request: &Request<'_>,
    body: Cow<'b, [u8]>,
) -> Result<(ForwardBody<'b>, Vec<KeptOriginal>), OptionError> {
    let mut report = Report::default();
    let mut edits = beside::edits(scope, request.provider, &body, &mut report)?;
    let mut kept = Vec::new();
    if !scope.is_idle() {
        let results = results(scope, request, &body);
        edits.extend(results.edits);
        kept = results.kept;
        report.add(&results.report);
    }
    edits.sort_by_key(|(span, _)| span.start);
    report.close();
    let new = match splice(&body, &edits) {
        Cow::Borrowed(_) => None,
        Cow::Owned(new) => Some(new),
    };
    Ok((ForwardBody { body: new.map_or(body, Cow::Owned), report, hidden: None }, kept))
}
