//! Writes a JSON document in its cheapest form, in place.

use tersely_codec::{Form, encode, json};

use crate::fence;
use crate::prompt::PromptForm;
use crate::prompt::find::{Document, PromptPlace};
use crate::tokens::O200k;

/// The result of rewriting a document.
pub(super) enum DocumentRewrite {
    /// The text that replaces the document.
    Short(String),
    /// The document is already in its cheapest form.
    Same,
    /// No form can represent the document.
    Failed,
}

/// Writes `document`, which is part of `text`, in a form, if that costs less.
pub(super) fn write(form: PromptForm, text: &str, document: &Document<'_>) -> DocumentRewrite {
    let wanted: &[Form] = match form {
        PromptForm::Auto => &[Form::Toon, Form::Terse],
        PromptForm::Toon => &[Form::Toon],
    };
    let encoded = wanted.iter().map(|form| Some((*form, encode(*form, &document.value)?)));
    let forms: Vec<_> = encoded.flatten().collect();
    if forms.is_empty() {
        return DocumentRewrite::Failed;
    }
    let compact = (form == PromptForm::Auto).then(|| (Form::Json, json::encode(&document.value)));
    let now = &text[document.span.clone()];
    let mut lowest = O200k.count(now);
    let mut best = None;
    for (form, written) in forms.into_iter().chain(compact) {
        let Some(placed) = place(text, document, form, &written).filter(|placed| placed.len() < now.len())
        else {
            continue;
        };
        if let Some(cost) = O200k.count_within(&placed, lowest.saturating_sub(1)) {
            (lowest, best) = (cost, Some(placed));
        }
    }
    best.map_or(DocumentRewrite::Same, DocumentRewrite::Short)
}

/// The document with delimiters that show where it begins and ends, if it needs any.
fn place(text: &str, document: &Document<'_>, form: Form, written: &str) -> Option<String> {
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
        PromptPlace::Between => Some(fence_off(text, document, form, written)),
    }
}

/// The document on lines of its own, in a fence with more backticks than any of its lines.
fn fence_off(text: &str, document: &Document<'_>, form: Form, written: &str) -> String {
    let longest = written.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let ticks = "`".repeat(3.max(longest + 1));
    let before = text[..document.span.start].rsplit('\n').next().unwrap_or_default();
    let after = text[document.span.end..].split('\n').next().unwrap_or_default();
    let [start, end] = [before, after].map(|side| if side.trim().is_empty() { "" } else { "\n" });
    format!("{start}{ticks}{}\n{written}\n{ticks}{end}", language(form))
}

/// The language tag of a fence for a form; empty if a model would not know the word.
fn language(form: Form) -> &'static str {
    if form == Form::Toon { "toon" } else { "" }
}
