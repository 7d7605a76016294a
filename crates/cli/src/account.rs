//! Counts the tokens of a text as sent, and of each form that it can be encoded in.

use serde_json::{Map, Value as Json};
use tersely_codec::{Form, Value, encode};
use tersely_core::O200k;
use tersely_terminal::share::Share;
use tersely_terminal::table;

/// The number of tokens of one text, as sent and in each form. `None` if the form cannot represent the text exactly.
#[derive(Debug)]
pub(crate) struct Account {
    pub sent: usize,
    forms: Vec<(Form, Option<usize>)>,
}

impl Account {
    /// Counts the tokens of `sent`, and of `value`, which was parsed from it, in every form.
    pub(crate) fn of(sent: &str, value: &Value<'_>) -> Self {
        let count = |form| encode(form, value).map(|text| O200k.count(&text));
        Self { sent: O200k.count(sent), forms: Form::ALL.map(|form| (form, count(form))).to_vec() }
    }

    /// The number of tokens in `form`.
    pub(crate) fn tokens(&self, form: Form) -> Option<usize> {
        self.forms.iter().find(|(known, _)| *known == form).and_then(|(_, tokens)| *tokens)
    }

    /// The share of tokens that `form` saves, compared with the text as sent.
    pub(crate) fn share_saved(&self, form: Form) -> Option<Share> {
        self.tokens(form).map(|tokens| Share::saved(self.sent, tokens))
    }

    /// A table with a row for each form; the chosen form is marked.
    pub(crate) fn table(&self, chosen: Form) -> String {
        let head = ["form", "tokens", "saved", ""].map(str::to_owned).to_vec();
        let sent = ["as sent".to_owned(), self.sent.to_string(), String::new(), String::new()].to_vec();
        let forms = Form::ALL.map(|form| self.row(form, chosen));
        table::align("lrrl", &[vec![head, sent], forms.to_vec()].concat())
    }

    fn row(&self, form: Form, chosen: Form) -> Vec<String> {
        let tokens = self.tokens(form).map_or("-".to_owned(), |tokens| tokens.to_string());
        let saved = self.share_saved(form).map_or("-".to_owned(), |share| share.to_string());
        let remark = match self.tokens(form) {
            None => "cannot represent this value exactly",
            Some(_) if form == chosen => "<- written",
            Some(_) => "",
        };
        vec![form.name().to_owned(), tokens, saved, remark.to_owned()]
    }

    /// The token counts as JSON, by form.
    pub(crate) fn json(&self) -> Json {
        let sent = ("sent".to_owned(), Json::from(self.sent));
        let forms = self.forms.iter().map(|&(form, tokens)| (form.name().to_owned(), Json::from(tokens)));
        Json::Object(std::iter::once(sent).chain(forms).collect::<Map<_, _>>())
    }
}
