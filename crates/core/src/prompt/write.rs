//! Writes a JSON document in the form that costs least where it stands.

use tersely_codec::{Form, encode, json};

use crate::fence;
use crate::prompt::PromptForm;
use crate::prompt::find::{Document, PromptPlace};
use crate::tokens::O200k;

/// What becomes of a document.
pub(super) enum Written {
    /// This stands in its place.
    Short(String),
    /// It costs least as it is.
    Same,
    /// No form can hold it.
    Failed,
}

/// Writes `document` of `text` in a form, if that costs less.
pub(super) fn write(form: PromptForm, text: &str, document: &Document<'_>) -> Written {
    let wanted: &[Form] = match form {
        PromptForm::Auto => &[Form::Toon, Form::Terse],
        PromptForm::Toon => &[Form::Toon],
    };
    let encoded = wanted.iter().map(|form| Some((*form, encode(*form, &document.value)?)));
    let forms: Vec<_> = encoded.flatten().collect();
    if forms.is_empty() {
        return Written::Failed;
    }
    let compact = (form == PromptForm::Auto).then(|| (Form::Json, json::encode(&document.value)));
    let now = &text[document.span.clone()];
    let mut least = O200k.count(now);
    let mut best = None;
    for (form, written) in forms.into_iter().chain(compact) {
        let Some(laid) = lay(text, document, form, &written).filter(|laid| laid.len() < now.len()) else {
            continue;
        };
        if let Some(cost) = O200k.count_within(&laid, least.saturating_sub(1)) {
            (least, best) = (cost, Some(laid));
        }
    }
    best.map_or(Written::Same, Written::Short)
}

/// What stands in the document's place so that a reader sees where it begins and ends.
fn lay(text: &str, document: &Document<'_>, form: Form, written: &str) -> Option<String> {
    match document.place {
        PromptPlace::Whole => Some(written.to_owned()),
        PromptPlace::Fenced(ticks) => {
            let language = match form {
                Form::Json => text[document.span.clone()].lines().next()?,
                _ => language(form),
            };
            let stays = !written.lines().any(|line| fence::closes(ticks, line));
            stays.then(|| format!("{language}\n{written}"))
        }
        PromptPlace::Between if form == Form::Json => Some(written.to_owned()),
        PromptPlace::Between => Some(fenced(text, document, form, written)),
    }
}

/// A form of its own lines, between fences that none of them closes.
fn fenced(text: &str, document: &Document<'_>, form: Form, written: &str) -> String {
    let longest = written.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let ticks = "`".repeat(3.max(longest + 1));
    let before = text[..document.span.start].rsplit('\n').next().unwrap_or_default();
    let after = text[document.span.end..].split('\n').next().unwrap_or_default();
    let [start, end] = [before, after].map(|side| if side.trim().is_empty() { "" } else { "\n" });
    format!("{start}{ticks}{}\n{written}\n{ticks}{end}", language(form))
}

/// What a fence says of a form: nothing where the word would tell a model nothing.
fn language(form: Form) -> &'static str {
    if form == Form::Toon { "toon" } else { "" }
}
