//! Counts the cost of each form on a corpus, and checks the laws.

use tersely_codec::stc::{self, StcLayout};
use tersely_codec::{Form, decode, encode, json};
use tersely_core::O200k;
use tersely_terminal::progress;
use tersely_terminal::share::Share;

use super::sample::{JsonSample, SampleSet};

/// The cost of the forms on a corpus.
#[derive(Debug)]
pub(crate) struct FormsScore {
    pub rows: Vec<FileScore>,
    pub skipped: Vec<String>,
}

/// The cost of the forms on one file.
#[derive(Debug)]
pub(crate) struct FileScore {
    pub file: String,
    /// The form that auto chose.
    pub form: Form,
    pub cost: FormsCost,
    /// True if the encoded text decodes to the original value.
    pub exact: bool,
}

/// The number of tokens in each form. `None` if a form cannot represent the value exactly.
#[derive(Debug)]
pub(crate) struct FormsCost {
    pub sent: usize,
    pub compact: usize,
    pub stc: Option<usize>,
    pub tight: Option<usize>,
    pub toon: Option<usize>,
    pub auto: usize,
}

/// Scores every sample of `set`.
pub(crate) fn of(set: &SampleSet) -> FormsScore {
    let bar = progress::counting("counting", set.samples.len());
    let rows = bar.wrap_iter(set.samples.iter()).filter_map(row).collect();
    bar.finish_and_clear();
    FormsScore { rows, skipped: set.skipped.clone() }
}

fn row(sample: &JsonSample) -> Option<FileScore> {
    let value = json::decode(&sample.sent).ok()?;
    let tokens = |form| encode(form, &value).map(|text| O200k.count(&text));
    let cost = FormsCost {
        sent: O200k.count(&sample.sent),
        compact: tokens(Form::Json)?,
        stc: tokens(Form::Stc),
        tight: stc::encode_as(StcLayout::Tight, &value).map(|text| O200k.count(&text)),
        toon: tokens(Form::Toon),
        auto: sample.tokens,
    };
    let exact = decode(sample.form, &sample.text).as_ref() == Ok(&value);
    Some(FileScore { file: sample.name.clone(), form: sample.form, cost, exact })
}

impl FormsCost {
    /// The saving of auto, compared with the original text.
    pub(crate) fn saved(&self) -> Share {
        Share::saved(self.sent, self.auto)
    }
}

impl FormsScore {
    /// The sum over all files. If a form cannot represent a file, the file's compact JSON is counted instead.
    pub(crate) fn total(&self) -> FormsCost {
        let sum = |tokens: fn(&FormsCost) -> usize| self.rows.iter().map(|row| tokens(&row.cost)).sum();
        FormsCost {
            sent: sum(|cost| cost.sent),
            compact: sum(|cost| cost.compact),
            stc: Some(sum(|cost| cost.stc.unwrap_or(cost.compact))),
            tight: Some(sum(|cost| cost.tight.unwrap_or(cost.compact))),
            toon: Some(sum(|cost| cost.toon.unwrap_or(cost.compact))),
            auto: sum(|cost| cost.auto),
        }
    }

    /// The median saving of auto over all files.
    pub(crate) fn median(&self) -> Share {
        Share::median(self.rows.iter().map(|row| row.cost.saved()).collect())
    }

    /// Files that cost more in the chosen form than as compact JSON.
    pub(crate) fn above(&self) -> Vec<&str> {
        self.named(|row| row.cost.auto > row.cost.compact)
    }

    /// Files that do not decode exactly from the chosen form.
    pub(crate) fn inexact(&self) -> Vec<&str> {
        self.named(|row| !row.exact)
    }

    /// True if no law is broken.
    pub(crate) fn lawful(&self) -> bool {
        self.above().is_empty() && self.inexact().is_empty()
    }

    fn named(&self, wanted: fn(&FileScore) -> bool) -> Vec<&str> {
        self.rows.iter().filter(|row| wanted(row)).map(|row| row.file.as_str()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{FileScore, FormsCost, FormsScore};
    use tersely_codec::Form;

    fn score(files: &[(usize, usize, usize, bool)]) -> FormsScore {
        let row = |&(sent, compact, auto, exact)| FileScore {
            file: format!("{sent}.json"),
            form: Form::Terse,
            cost: FormsCost { sent, compact, stc: Some(compact), tight: Some(compact), toon: None, auto },
            exact,
        };
        FormsScore { rows: files.iter().map(row).collect(), skipped: Vec::new() }
    }

    #[test]
    fn a_file_above_compact_json_breaks_the_law() {
        let score = score(&[(100, 80, 50, true), (200, 90, 91, true)]);
        assert_eq!(score.above(), ["200.json"]);
        assert!(!score.lawful());
    }

    #[test]
    fn a_file_that_does_not_come_back_breaks_the_law() {
        let score = score(&[(100, 80, 50, false), (200, 90, 90, true)]);
        assert_eq!(score.inexact(), ["100.json"]);
        assert!(!score.lawful());
    }

    #[test]
    fn totals_count_compact_json_where_a_form_declines() {
        let score = score(&[(100, 80, 50, true), (200, 90, 40, true), (10, 10, 10, true)]);
        let total = score.total();
        assert_eq!((total.sent, total.compact, total.toon, total.auto), (310, 180, Some(180), 100));
        assert_eq!(score.median().to_string(), "50.0 %");
        assert!(score.lawful());
    }
}
