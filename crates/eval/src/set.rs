//! A set of questions about tool outputs.

use std::fmt::Write;
use std::fs;
use std::io::Read as _;
use std::path::Path;

use flate2::read::GzDecoder;
use serde_json::Value;
use sha2::{Digest, Sha256};
use tersely_core::O200k;
use tersely_terminal::fault::CommandFault;

/// The built-in set, taken from our corpus, as gzip: a fifth of its length.
const OURS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/questions.json.gz"));

/// The maximum size of a question file, in bytes.
const MAX_FILE_BYTES: u64 = 64 << 20;

/// The output of a tool.
#[derive(Debug, Clone)]
pub(super) struct EvalText {
    /// The name of the tool.
    pub(super) tool: String,
    /// The command or arguments of the call.
    pub(super) command: String,
    /// The output.
    pub(super) text: String,
}

/// The right answer, which also determines how replies are compared with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Truth {
    /// The reply must contain these words.
    Exact(String),
    /// The reply must contain this number and no other.
    Number(String),
    /// The reply must contain all of these, in any order.
    Set(Vec<String>),
}

/// A question with one right answer.
#[derive(Debug, Clone)]
pub(super) struct EvalQuestion {
    /// The id: a hash of the question and the text.
    pub(super) id: String,
    /// The text that the question is about.
    pub(super) about: EvalText,
    /// The question.
    pub(super) question: String,
    /// The right answer.
    pub(super) truth: Truth,
}

fn built_in() -> Result<Vec<EvalQuestion>, String> {
    let mut text = String::new();
    GzDecoder::new(OURS).read_to_string(&mut text).map_err(|error| error.to_string())?;
    parse(&text)
}

/// Reads the questions of a file, or else the built-in ones.
pub(super) fn read(file: Option<&Path>) -> Result<Vec<EvalQuestion>, CommandFault> {
    let Some(path) = file else {
        return built_in().map_err(|what| CommandFault::unable(what, "please report this bug"));
    };
    let fault = |what: String| {
        let hint = "see docs/measuring.md for the format: {\"texts\":[…],\"questions\":[…]}";
        CommandFault::unable(format!("{}: {what}", path.display()), hint)
    };
    let length = fs::metadata(path).map_err(|error| fault(error.to_string()))?.len();
    if length > MAX_FILE_BYTES {
        return Err(fault(format!("larger than {} MB", MAX_FILE_BYTES >> 20)));
    }
    let text = fs::read_to_string(path).map_err(|error| fault(error.to_string()))?;
    parse(&text).map_err(fault)
}

/// The questions about texts with a maximum of `longest` tokens. If there are more than `limit`, they are sampled
/// evenly.
pub(super) fn choose(
    questions: Vec<EvalQuestion>,
    longest: Option<usize>,
    limit: Option<usize>,
) -> Vec<EvalQuestion> {
    let fits = |it: &EvalQuestion| longest.is_none_or(|longest| O200k.count(&it.about.text) <= longest);
    let mut chosen: Vec<_> = questions.into_iter().filter(fits).collect();
    let count = chosen.len();
    let Some(limit) = limit.filter(|limit| *limit < count) else { return chosen };
    let mut at = 0;
    chosen.retain(|_| {
        let is_next = (at + 1) * limit / count > at * limit / count;
        at += 1;
        is_next
    });
    chosen
}

fn parse(text: &str) -> Result<Vec<EvalQuestion>, String> {
    let set: Value = serde_json::from_str(text).map_err(|error| format!("not JSON: {error}"))?;
    let list = |name: &str| {
        set[name]
            .as_array()
            .filter(|list| !list.is_empty())
            .ok_or_else(|| format!("there is no list named {name}"))
    };
    let texts = list("texts")?.iter().enumerate();
    let texts = texts
        .map(|(at, it)| about(it).map_err(|what| format!("text {}: {what}", at + 1)))
        .collect::<Result<Vec<_>, _>>()?;
    let questions = list("questions")?.iter().enumerate();
    questions
        .map(|(at, it)| question(&texts, it).map_err(|what| format!("question {}: {what}", at + 1)))
        .collect()
}

fn word(value: &Value, name: &str) -> Result<String, String> {
    value[name].as_str().map(str::to_owned).ok_or_else(|| format!("{name} is not a string"))
}

fn about(value: &Value) -> Result<(String, EvalText), String> {
    let or = |name: &str, usual: &str| value[name].as_str().unwrap_or(usual).to_owned();
    let text = EvalText { tool: or("tool", "bash"), command: or("command", ""), text: word(value, "text")? };
    Ok((word(value, "name")?, text))
}

fn question(texts: &[(String, EvalText)], value: &Value) -> Result<EvalQuestion, String> {
    let (name, question) = (word(value, "text")?, word(value, "question")?);
    let (_, about) =
        texts.iter().find(|(it, _)| *it == name).ok_or_else(|| format!("there is no text named {name:?}"))?;
    let truth = truth(value)?;
    let id = digest(&[&about.text, &question]);
    Ok(EvalQuestion { id, about: about.clone(), question, truth })
}

fn truth(value: &Value) -> Result<Truth, String> {
    let answer = &value["answer"];
    match value["kind"].as_str().unwrap_or("exact") {
        "exact" => Ok(Truth::Exact(some(answer)?)),
        "number" => {
            let number = some(answer)?;
            let is_number = number.replace(',', "").parse::<f64>().is_ok();
            is_number.then_some(Truth::Number(number)).ok_or_else(|| "answer is not a number".to_owned())
        }
        "set" => {
            let all = answer.as_array().filter(|all| !all.is_empty()).ok_or("answer is not a list")?;
            Ok(Truth::Set(all.iter().map(some).collect::<Result<_, _>>()?))
        }
        other => Err(format!("unknown kind {other:?}; use exact, number or set")),
    }
}

/// A non-empty string; a number is converted to a string.
fn some(value: &Value) -> Result<String, String> {
    let text =
        value.as_str().map_or_else(|| value.as_number().map(ToString::to_string), |it| Some(it.to_owned()));
    text.filter(|text| !text.trim().is_empty()).ok_or_else(|| "answer is empty".to_owned())
}

/// A short hash of these texts.
pub(super) fn digest(texts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for text in texts {
        hash.update(text.len().to_le_bytes());
        hash.update(text.as_bytes());
    }
    hash.finalize().iter().take(8).fold(String::new(), |mut name, byte| {
        let _ = write!(name, "{byte:02x}");
        name
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::score::is_right;

    #[test]
    fn our_own_questions_can_be_answered_from_their_texts() {
        let questions = read(None).unwrap();
        assert!(questions.len() >= 150, "{}", questions.len());
        assert!(OURS.len() < 80_000, "{}", OURS.len());
        let names: HashSet<_> = questions.iter().map(|it| &it.id).collect();
        assert_eq!(names.len(), questions.len(), "no question comes twice");
        for EvalQuestion { about, question, truth, .. } in &questions {
            let (answer, parts) = match truth {
                Truth::Exact(answer) => (answer.clone(), vec![answer]),
                Truth::Number(answer) => (answer.clone(), vec![]),
                Truth::Set(answers) => (answers.join(", "), answers.iter().collect()),
            };
            for part in parts {
                assert!(about.text.contains(part.as_str()), "{question}: {part}");
            }
            assert!(is_right(truth, question, &answer), "{question}: {answer}");
        }
    }

    #[test]
    fn a_part_is_taken_from_first_to_last() {
        let all = read(None).unwrap();
        let some = choose(all.clone(), None, Some(10));
        assert_eq!(some.len(), 10);
        assert_eq!(some[9].id, all[all.len() - 1].id);
        assert_eq!(choose(all.clone(), None, Some(9_999)).len(), all.len());
        assert!(choose(all, Some(500), None).iter().all(|it| O200k.count(&it.about.text) <= 500));
    }

    #[test]
    fn what_is_wrong_with_a_set_is_said() {
        let text = r#"{"name":"a","text":"x 7"}"#;
        for (set, what) in [
            ("[", "not JSON"),
            ("[]", "no list named texts"),
            (r#"{"texts":[{}]}"#, "text 1: text is not a string"),
            (r#"{"texts":[TEXT],"questions":[]}"#, "no list named questions"),
            (
                r#"{"texts":[TEXT],"questions":[{"text":"b","question":"?","answer":"7"}]}"#,
                "question 1: there is no text named \"b\"",
            ),
            (
                r#"{"texts":[TEXT],"questions":[{"text":"a","question":"?","answer":[]}]}"#,
                "question 1: answer is empty",
            ),
            (
                r#"{"texts":[TEXT],"questions":[{"text":"a","question":"?","kind":"number","answer":"x"}]}"#,
                "answer is not a number",
            ),
            (
                r#"{"texts":[TEXT],"questions":[{"text":"a","question":"?","kind":"set","answer":"x"}]}"#,
                "answer is not a list",
            ),
            (
                r#"{"texts":[TEXT],"questions":[{"text":"a","question":"?","kind":"guess","answer":"x"}]}"#,
                "unknown kind \"guess\"; use exact",
            ),
        ] {
            let fault = parse(&set.replace("TEXT", text)).unwrap_err();
            assert!(fault.contains(what), "{fault}");
        }
        let one = r#"{"texts":[TEXT],"questions":[{"text":"a","question":"?","kind":"number","answer":7}]}"#;
        let one = parse(&one.replace("TEXT", text)).unwrap();
        assert_eq!((&one[0].truth, &*one[0].about.tool), (&Truth::Number("7".to_owned()), "bash"));
    }
}
