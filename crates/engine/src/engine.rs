//! Rewrites one request body: removes the options that are meant for us, compresses every tool result, and leaves
//! everything else unchanged.

use bytes::Bytes;
use tersely_account::{ShownName, TokenChange, stable_hash};
use tersely_core::{Loss, Reader};

use tersely_wire::hidden::ToolHiding;
use tersely_wire::{Insertion, Reading, UserPrompt, in_order, patch};

use crate::beside;
use crate::candidates::Candidate;
use crate::candidates::candidates;
use crate::forward_body::ForwardBody;
use crate::memo::known_part::KnownPart;
use crate::memo::past::Past;
use crate::memo_lookup::{MemoLookup, RewriteParts, count_change, look_up, memo_of};
use crate::model_tiers::reader_of;
use crate::overrides::body_object::{asks_in_body, take};
use crate::overrides::error::OptionError;
use crate::overrides::request_options::RequestOptions;
use crate::remote::strategy::Strategy;
use crate::report::Report;
use crate::request::Request;
use crate::results::{Results, results};
use crate::scope::Scope;
use crate::sent_body::{BodyEdit, SentBody};
use crate::session_hash::session;
use crate::settings::EngineSettings;
use crate::token_count::{count, inserted_tokens};
use crate::tools::discovery::ToolChoice;
use crate::tools::retrieval;
use crate::tools::retrieval::HiddenTools;
use crate::tools::retrieval::HiddenWay;

/// The engine. The body that it returns depends only on its settings and the request.
#[derive(Debug, Clone, Default)]
pub struct Engine {
    settings: EngineSettings,
    /// Tells these settings from others.
    fingerprint: u64,
}

impl Engine {
    /// An engine with these settings.
    #[must_use]
    pub fn new(settings: EngineSettings) -> Self {
        let fingerprint = stable_hash(&format!("{settings:?}"));
        Self { settings, fingerprint }
    }

    /// An engine whose settings follow from the settings of this one and from `name` alone.
    #[must_use]
    pub fn derived(&self, name: &str, settings: EngineSettings) -> Self {
        Self { settings, fingerprint: stable_hash(&format!("{} {name}", self.fingerprint)) }
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
        self.pass_reading(request, &request.provider.read(body))
    }

    /// The body to send in place of a body that was read before.
    ///
    /// # Errors
    /// As with [`Self::pass`].
    pub fn pass_reading<'b>(
        &self,
        request: &Request<'_>,
        reading: &Reading<'b>,
    ) -> Result<ForwardBody<'b>, OptionError> {
        let model = reading.model(request.path).and_then(|name| ShownName::of(&name));
        let Some((own, rest)) = take(reading)? else {
            let mut passed = self.process(request, &request.asked, reading)?;
            passed.report.model = model;
            return Ok(passed);
        };
        let (asked, rest) = (request.asked.clone().or(own), Bytes::from(rest));
        let request = Request { shared: Some(&rest), known: None, ..request.clone() };
        let mut passed = self.process(&request, &asked, &request.provider.read(&rest))?;
        passed.report.record.words.clone_from(&asked.debug);
        passed.report.model = model;
        let body = match passed.body {
            SentBody::Came(_) => rest.clone(),
            SentBody::New(body) => body,
        };
        Ok(ForwardBody { body: SentBody::New(body), report: passed.report, hidden: passed.hidden })
    }

    /// Rewrites a body without its options for us. A body that is only observed, or in the holdout, is forwarded
    /// unchanged.
    fn process<'b>(
        &self,
        request: &Request<'_>,
        asked: &RequestOptions,
        reading: &Reading<'b>,
    ) -> Result<ForwardBody<'b>, OptionError> {
        if request.scope(&self.settings, asked).is_off() {
            return Ok(ForwardBody {
                body: SentBody::Came(reading.body()),
                report: Report::default(),
                hidden: None,
            });
        }
        let arm = self.arm(request, asked, reading);
        if arm.is_applied() {
            let mut passed = self.rewrite(request, asked, reading)?.0;
            passed.report.record.arm = arm;
            return Ok(passed);
        }
        // The body is sent unchanged, so an error while rewriting it is no reason to refuse the request.
        let (made, tokens) = match self.rewrite(request, asked, reading) {
            Ok((made, tokens)) => (made.report, tokens),
            Err(_) => (Report::default(), count(reading.body())),
        };
        let session = made.record.session.or_else(|| session(request, asked, reading, None));
        let body = self.mask_by_name(request, asked, reading);
        let tokens = if let SentBody::New(masked) = &body { count(masked) } else { tokens };
        let mut report = made.observed(arm, tokens);
        report.record.session = session;
        Ok(ForwardBody { body, report, hidden: None })
    }

    /// True when nothing in the body of a request can be changed, whatever the body contains. Options in the body are
    /// then not looked for.
    #[must_use]
    pub fn is_off(&self, request: &Request<'_>) -> bool {
        request.scope(&self.settings, &request.asked).is_off()
    }

    /// What the memo knows about a body; `None` if that is nothing.
    #[must_use]
    pub fn look_up(&self, request: &Request<'_>, reading: &Reading<'_>) -> Option<KnownPart> {
        if asks_in_body(reading) {
            return None;
        }
        let (scope, offered) = self.scope(request, &request.asked, reading);
        look_up(&scope, request, reading, offered)
    }

    /// The results of a body that a remote compressor may shorten, if one is configured: results that are new to the
    /// model, and results for which the compressor may have an earlier answer.
    #[must_use]
    pub fn candidates(&self, request: &Request<'_>, reading: &Reading<'_>) -> Vec<Candidate> {
        // Invalid options are refused later, in `pass`.
        match take(reading) {
            Ok(None) => self.candidates_of(request, &request.asked, reading),
            Ok(Some((own, rest))) => {
                let asked = request.asked.clone().or(own);
                self.candidates_of(request, &asked, &request.provider.read(&rest))
            }
            Err(_) => Vec::new(),
        }
    }

    fn candidates_of(
        &self,
        request: &Request<'_>,
        asked: &RequestOptions,
        reading: &Reading<'_>,
    ) -> Vec<Candidate> {
        let Strategy::Remote(remote) = &self.settings.strategy else { return Vec::new() };
        let scope = request.scope(&self.settings, asked).with_max_loss(request.most);
        // If the original body is sent, the compressor's answers are not used, so asking it would waste money.
        let is_applied = self.arm(request, asked, reading).is_applied();
        if !is_applied || offer_expansion(&scope, request, reading).is_none() {
            return Vec::new();
        }
        let prompts = if remote.tells_question { reading.prompts() } else { &[] };
        let question = |it: &UserPrompt<'_>| Some((it.span.start, it.text()?.into_owned()));
        let questions: Vec<_> = prompts.iter().filter_map(question).collect();
        candidates(&scope, reading.slots(), reading.last_assistant_end(), &questions)
    }

    /// The reader class that the model name of a request implies.
    fn reader(&self, request: &Request<'_>, reading: &Reading<'_>) -> Reader {
        let model = reading.model(request.path);
        reader_of(&self.settings.readers, request.provider.name(), model.as_deref())
    }

    /// The scope of a request, and the tool that is offered in it. Detail is cut only if the model can fetch it back.
    fn scope<'s>(
        &'s self,
        request: &Request<'s>,
        asked: &'s RequestOptions,
        reading: &Reading<'_>,
    ) -> (Scope<'s>, Option<(&'static ToolHiding, Insertion)>) {
        let mut scope = Scope { fingerprint: self.fingerprint, ..request.scope(&self.settings, asked) };
        if reading.drops_results() {
            scope = scope.without_references();
        }
        if !scope.is_idle() {
            let known = request.known.map(|known| known.reader);
            scope = scope.with_reader(known.unwrap_or_else(|| self.reader(request, reading)));
        }
        let offered = match request.known {
            Some(known) => known.offered.clone(),
            None => offer_expansion(&scope, request, reading),
        };
        let max_loss = if offered.is_some() { Loss::Detail } else { Loss::Form };
        // Only what the model can fetch back is cleared, and only for a model that does so.
        let may_clear = max_loss.min(request.most) == Loss::Detail
            && scope.reader() == Reader::Strong
            && !reading.drops_results();
        if !may_clear {
            scope.clearings = &[];
        }
        (scope.with_max_loss(request.most.min(max_loss)), offered)
    }

    /// Rewrites a body, whether it is sent or only measured, and returns the number of its tokens as it came.
    fn rewrite<'b>(
        &self,
        request: &Request<'_>,
        asked: &RequestOptions,
        reading: &Reading<'b>,
    ) -> Result<(ForwardBody<'b>, usize), OptionError> {
        let (scope, offered) = self.scope(request, asked, reading);
        let lookup = MemoLookup::of(&scope, request, reading);
        let past = lookup.as_ref().and_then(MemoLookup::past);
        let session = session(request, asked, reading, past);
        if let Some((mut again, tokens)) = lookup.as_ref().and_then(|lookup| lookup.again(reading)) {
            again.report.record.session = session;
            return Ok((again, tokens));
        }
        let choice = scope.discovery().filter(|_| scope.plain_results == 0);
        let choice = choice
            .and_then(|discovery| ToolChoice::of(discovery, request.provider, request.path, reading.body()));
        let mut report = Report::default();
        let (results, edits) = edits(&scope, request, (reading, past), offered.as_ref(), &mut report)?;
        report.record.session = session;
        report.record.tool_tokens =
            offered.as_ref().map_or(0, |(_, tool)| inserted_tokens(reading.body(), tool));
        report.reader = (!scope.is_idle()).then(|| scope.reader());
        let patched = (!edits.is_empty()).then(|| Bytes::from(patch(reading.body(), &edits)));
        let mut body = patched.clone().map_or(SentBody::Came(reading.body()), SentBody::New);
        let shed = choice.and_then(|choice| choice.apply(request.provider, &mut body, &mut report));
        let edited = (shed.is_none()).then_some(&*edits);
        let shared = lookup.as_ref().and_then(MemoLookup::shared_past);
        let tokens = count_change(shared, reading.body(), edited, &body);
        let masked = isize::try_from(report.masked).unwrap_or_default();
        let before = tokens.before.saturating_add_signed(-masked);
        report.record.request_tokens = Some(TokenChange { before, ..tokens });
        let hidden = HiddenWay::of(offered.map(|(hides, _)| hides), shed);
        if let Some(lookup) = &lookup {
            let (sent, report, hidden) = (&body, &report, hidden.as_ref());
            lookup.keep(&results, RewriteParts { edits: &edits, patched, sent, tokens, report, hidden });
        }
        let hidden = hidden.map(|way| HiddenTools { way, kept: results.kept });
        Ok((ForwardBody { body, report, hidden }, tokens.before))
    }
}

/// The tool to add to the body so that the model can fetch omitted text; `None` if nothing may be cut.
fn offer_expansion(
    scope: &Scope<'_>,
    request: &Request<'_>,
    reading: &Reading<'_>,
) -> Option<(&'static ToolHiding, Insertion)> {
    let may_cut = scope.may_cut() && scope.plain_results == 0;
    if !may_cut || !scope.settings.expand.applies(|| reading.head()) {
        return None;
    }
    retrieval::offer(request.provider, request.path, reading)
}

/// The compressed results of a body, and all edits of the body.
fn edits(
    scope: &Scope<'_>,
    request: &Request<'_>,
    (reading, past): (&Reading<'_>, Option<&Past>),
    offered: Option<&(&'static ToolHiding, Insertion)>,
    report: &mut Report,
) -> Result<(Results, Vec<BodyEdit>), OptionError> {
    let mut edits = beside::edits(scope, request.provider, reading, report)?;
    let results = if scope.is_idle() {
        Results::default()
    } else {
        results(scope, memo_of(scope, request), past, reading)
    };
    report.add(&results.report);
    report.close();
    edits.extend(results.edits(reading.slots()));
    edits.extend(offered.map(|(_, Insertion { at, bytes })| (*at..*at, Bytes::copy_from_slice(bytes))));
    Ok((results, in_order(edits)))
}
