//! One request body through: what it says to us taken out, every tool result compressed, and all else as it came.

use std::borrow::Cow;

use tersely_account::{TokenChange, stable_hash};
use tersely_core::{Loss, Reader};
use tersely_wire::hidden::HidesTool;
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
use crate::token_count::{BodyTokens, added};
use crate::tools::discovery::ToolChoice;
use crate::tools::retrieval;
use crate::tools::retrieval::HiddenTools;
use crate::tools::retrieval::HiddenWay;
use crate::tools::retrieval::KeptOriginal;

/// Settings at work. What it makes of a body depends on these two alone.
#[derive(Debug, Clone, Default)]
pub struct Engine {
    settings: EngineSettings,
}

/// A body that may go on.
pub struct ForwardBody<'b> {
    /// What to send; borrowed when nothing was changed.
    pub body: Cow<'b, [u8]>,
    /// The account of it.
    pub report: Report,
    /// What its response is to be watched for; `None` when nothing is hidden in it, and nothing was left out of it.
    pub hidden: Option<HiddenTools>,
}

impl Engine {
    /// An engine that does as `settings` say.
    #[must_use]
    pub fn new(settings: EngineSettings) -> Self {
        Self { settings }
    }

    /// What it was told.
    #[must_use]
    pub fn settings(&self) -> &EngineSettings {
        &self.settings
    }

    /// The body that should be sent in the place of `body`. Whatever cannot be done is left as it came.
    ///
    /// # Errors
    /// When the body asks for something that makes no sense.
    pub fn pass<'b>(&self, request: &Request<'_>, body: &'b [u8]) -> Result<ForwardBody<'b>, OptionError> {
        let (asked, body) = match take(body)? {
            None => (request.asked.clone(), Cow::Borrowed(body)),
            Some((own, rest)) => (request.asked.clone().or(own), Cow::Owned(rest)),
        };
        let mut passed = self.treat(request, &asked, body)?;
        passed.report.record.words = asked.debug;
        Ok(passed)
    }

    /// The body that should be sent for one that asks for this.
    fn treat<'b>(
        &self,
        request: &Request<'_>,
        asked: &RequestOptions,
        body: Cow<'b, [u8]>,
    ) -> Result<ForwardBody<'b>, OptionError> {
        if Scope::new(&self.settings, request.place(), asked).is_off() {
            return self.work(request, asked, body);
        }
        let session = session(request, asked, &body);
        let arm = self.arm(request, asked, &body, session);
        if arm.is_applied() {
            let mut passed = self.work(request, asked, body)?;
            (passed.report.record.arm, passed.report.record.session) = (arm, session);
            return Ok(passed);
        }
        // Whatever it would have been refused for, nothing is done to it.
        let made = self.work(request, asked, Cow::Borrowed(&*body)).map(|made| made.report);
        let mut made = made.unwrap_or_default();
        made.record.session = session;
        let body = self.masked(request, asked, body);
        let report = made.observed(arm, weigh(request, &BodyTokens::default(), &body));
        Ok(ForwardBody { body, report, hidden: None })
    }

    /// The results of a body that a compressor may shorten, where one is to: those that are new to the model, and those
    /// of which it may have said something before.
    #[must_use]
    pub fn candidates(&self, request: &Request<'_>, body: &[u8]) -> Vec<Candidate> {
        let Strategy::Remote(remote) = &self.settings.strategy else { return Vec::new() };
        // What cannot be read is refused or reported when the body is passed.
        let Ok(taken) = take(body) else { return Vec::new() };
        let (asked, body) = match &taken {
            Some((own, rest)) => (request.asked.clone().or(own.clone()), &**rest),
            None => (request.asked.clone(), body),
        };
        let mut scope = Scope::new(&self.settings, request.place(), &asked);
        (scope.plain, scope.most) = (request.plain, request.most);
        let provider = request.provider;
        // It costs, and nothing would be sent of what it says.
        let arm = self.arm(request, &asked, body, session(request, &asked, body));
        if !arm.is_applied() || offered(&scope, request, body).is_none() {
            return Vec::new();
        }
        let slots = provider.slots(body).unwrap_or_default();
        let prompts =
            if remote.tells_question { provider.prompts(body).unwrap_or_default() } else { Vec::new() };
        let said = |it: &UserPrompt<'_>| Some((it.span.start, it.text()?.into_owned()));
        candidates(
            &scope,
            &slots,
            provider.spoken(body),
            &prompts.iter().filter_map(said).collect::<Vec<_>>(),
        )
    }

    /// Who reads a request, by the name of its model.
    fn reader(&self, request: &Request<'_>, body: &[u8]) -> Reader {
        let model = named_model(request.path, body);
        reader_of(&self.settings.readers, request.provider.name(), model.as_deref())
    }

    fn work<'b>(
        &self,
        request: &Request<'_>,
        asked: &RequestOptions,
        body: Cow<'b, [u8]>,
    ) -> Result<ForwardBody<'b>, OptionError> {
        let mut scope = Scope::new(&self.settings, request.place(), asked);
        (scope.plain, scope.frozen) = (request.plain, request.frozen);
        scope.agreed = request.agreed;
        scope.refers &= !request.provider.drops_results(&body);
        if !scope.is_idle() {
            scope.reader = self.reader(request, &body);
        }
        let own = BodyTokens::default();
        let weigh = |body: &[u8]| weigh(request, &own, body);
        let before = if scope.is_off() { None } else { Some(weigh(&body)) };
        let offered = offered(&scope, request, &body);
        // What the model cannot fetch back is not left out.
        let most = if offered.is_some() { Loss::Detail } else { Loss::Form };
        scope.most = request.most.min(most);
        let choice = scope.discovery().filter(|_| scope.plain == 0);
        let choice = choice.and_then(|wish| ToolChoice::of(wish, request.provider, request.path, &body));
        let (hides, tool, body) = match offered {
            Some((hides, offered)) => (Some(hides), added(&body, &offered), Cow::Owned(offered)),
            None => (None, 0, body),
        };
        let (mut passed, kept) = spliced(&scope, request, body)?;
        passed.report.record.tool_tokens = tool;
        passed.report.reader = (!scope.is_idle()).then(|| scope.reader());
        let shed = choice.and_then(|choice| choice.apply(&mut passed.body, &mut passed.report));
        let masked = isize::try_from(passed.report.masked).unwrap_or_default();
        passed.report.record.request_tokens = before.map(|before| TokenChange {
            before: before.saturating_add_signed(-masked),
            after: weigh(&passed.body),
        });
        Ok(ForwardBody { hidden: HiddenWay::of(hides, shed).map(|way| HiddenTools { way, kept }), ..passed })
    }
}

/// The tokens of a body.
fn weigh(request: &Request<'_>, own: &BodyTokens, body: &[u8]) -> usize {
    request.memo.map_or_else(|| own.weigh(b"", body), |it| it.weigh(body))
}

/// What tells a conversation from others of its client. What its user said first stands in every request of it, where its
/// tools and system prompts may come and go.
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

/// The texts of the first message that has any: between two messages stands the role of one.
fn first_message<'p>(body: &'p [u8], prompts: &'p [UserPrompt<'p>]) -> impl Iterator<Item = &'p [u8]> {
    const ROLE: &[u8] = b"\"role\"";
    let mut end = prompts.first().map_or(0, |prompt| prompt.span.start);
    prompts.iter().map_while(move |prompt| {
        let between = body.get(end..prompt.span.start)?;
        end = prompt.span.end;
        (!between.windows(ROLE.len()).any(|bytes| bytes == ROLE)).then_some(prompt.token)
    })
}

/// The body with the tool in it with which a model fetches back what was left out; `None` where nothing is to be.
fn offered(
    scope: &Scope<'_>,
    request: &Request<'_>,
    body: &[u8],
) -> Option<(&'static dyn HidesTool, Vec<u8>)> {
    let leaves_out = scope.leaves_out() && scope.plain == 0;
    if !leaves_out || !scope.settings.expand.holds(|| request.provider.head(body)) {
        return None;
    }
    retrieval::offer(request.provider, request.path, body)
}

/// The body with its results compressed, and what was left out.
fn spliced<'b>(
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
