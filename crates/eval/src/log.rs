//! The log file of a run: a line of settings, then a line for each answer, so that an interrupted run can continue.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tersely_account::TokenUsage;
use tersely_terminal::fault::CommandFault;

use crate::arm::EvalArm;
use crate::ask::{EvalAnswer, ScoredReply};

/// The version of the file format.
const VERSION: u64 = 1;

/// The maximum size of a log file, in bytes.
const MAX_FILE_BYTES: u64 = 256 << 20;

/// The log of a run.
pub(super) struct RunLog {
    file: File,
    path: PathBuf,
    /// The name of the run.
    pub(super) run: String,
    /// The answers so far. If there are several for one question and arm, the last one counts.
    pub(super) answers: BTreeMap<(String, EvalArm), EvalAnswer>,
    /// The number of lines that could not be read.
    pub(super) torn: usize,
}

impl RunLog {
    /// Opens the log of a run with these settings, or starts a new log with this name.
    pub(super) fn open(path: &Path, settings: &Value, run: &str) -> Result<Self, CommandFault> {
        let fault = |what: String| {
            CommandFault::unable(format!("{}: {what}", path.display()), "name another file with --out")
        };
        let unable = |error: io::Error| fault(error.to_string());
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path).map_err(unable)?;
        if file.try_lock().is_err() {
            return Err(fault("another run is writing to it".to_owned()));
        }
        if file.metadata().map_err(unable)?.len() > MAX_FILE_BYTES {
            return Err(fault("too large to be the log of an eval run".to_owned()));
        }
        let mut bytes = Vec::new();
        file.rewind().and_then(|()| file.read_to_end(&mut bytes)).map_err(unable)?;
        let text = String::from_utf8_lossy(&bytes);
        let mut log =
            Self { file, path: path.to_owned(), run: run.to_owned(), answers: BTreeMap::new(), torn: 0 };
        // If the first line is incomplete, no question has been asked yet.
        if !text.contains('\n') {
            log.file.set_len(0).map_err(unable)?;
            log.line(&json!({ "tersely_eval": VERSION, "run": run, "settings": settings }))?;
            return Ok(log);
        }
        let mut lines = text.lines();
        log.run = run_name(lines.next().unwrap_or_default(), settings).map_err(fault)?;
        for line in lines.filter(|line| !line.trim().is_empty()) {
            match read(line) {
                Some(answer) => drop(log.answers.insert((answer.id.clone(), answer.arm), answer)),
                None => log.torn += 1,
            }
        }
        if !text.ends_with('\n') {
            log.file.write_all(b"\n").map_err(unable)?;
        }
        Ok(log)
    }

    /// True when a question has been answered in an arm. If it failed, it is asked again.
    pub(super) fn knows(&self, id: &str, arm: EvalArm) -> bool {
        self.answers.get(&(id.to_owned(), arm)).is_some_and(|answer| answer.heard.is_ok())
    }

    /// Appends an answer.
    pub(super) fn add(&mut self, answer: EvalAnswer) -> Result<(), CommandFault> {
        self.line(&to_json(&answer))?;
        self.answers.insert((answer.id.clone(), answer.arm), answer);
        Ok(())
    }

    fn line(&mut self, line: &Value) -> Result<(), CommandFault> {
        let written = self.file.write_all(format!("{line}\n").as_bytes());
        written.map_err(|error| {
            let message = format!("cannot write {}: {error}", self.path.display());
            CommandFault::unable(message, "free some disk space, then run the command again to resume")
        })
    }
}

/// The name of the run, from the first line of its log. Returns an error if the settings differ.
fn run_name(line: &str, settings: &Value) -> Result<String, String> {
    let head: Value = serde_json::from_str(line).unwrap_or_default();
    let Some(run) = head["run"].as_str().filter(|_| head["tersely_eval"] == VERSION) else {
        return Err("not the log of an eval run".to_owned());
    };
    let (theirs, ours) = (&head["settings"], settings);
    let names = ours.as_object().into_iter().flatten().map(|(name, _)| name);
    let other: Vec<_> = names
        .filter(|name| theirs[name.as_str()] != ours[name.as_str()])
        .map(|name| format!("{name} was {} and is now {}", theirs[name.as_str()], ours[name.as_str()]))
        .collect();
    if other.is_empty() {
        return Ok(run.to_owned());
    }
    Err(format!("recorded with different settings: {}", other.join("; ")))
}

fn to_json(answer: &EvalAnswer) -> Value {
    let (id, arm) = (&answer.id, answer.arm.name());
    match &answer.heard {
        Err(why) => json!({ "question": id, "arm": arm, "failed": why }),
        Ok(it) => json!({
            "question": id, "arm": arm, "right": it.is_right, "reply": it.text, "rounds": it.rounds, "fetched": it.fetched,
            "input": it.tokens.input, "cache_read": it.tokens.cache_read, "cache_write": it.tokens.cache_write,
            "output": it.tokens.output, "reasoning": it.tokens.reasoning, "ours": it.ours, "millis": it.millis,
        }),
    }
}

fn read(line: &str) -> Option<EvalAnswer> {
    let line: Value = serde_json::from_str(line).ok()?;
    let (id, arm) = (line["question"].as_str()?.to_owned(), EvalArm::by_name(line["arm"].as_str()?)?);
    if let Some(why) = line["failed"].as_str() {
        return Some(EvalAnswer { id, arm, heard: Err(why.to_owned()) });
    }
    let count = |name: &str| line[name].as_u64();
    let small = |name: &str| usize::try_from(count(name)?).ok();
    let tokens = TokenUsage {
        input: count("input")?,
        cache_read: count("cache_read")?,
        cache_write: count("cache_write")?,
        cache_write_hour: 0,
        output: count("output")?,
        reasoning: count("reasoning")?,
    };
    let heard = ScoredReply {
        is_right: line["right"].as_bool()?,
        text: line["reply"].as_str()?.to_owned(),
        rounds: small("rounds")?,
        fetched: small("fetched")?,
        tokens,
        ours: small("ours")?,
        millis: count("millis")?,
    };
    Some(EvalAnswer { id, arm, heard: Ok(heard) })
}
