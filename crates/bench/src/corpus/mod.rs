//! `tersely-bench DIR`: what every family of tool results saves in each mode, and whether questions stay answerable.

mod foreign;
mod sight;

use std::collections::BTreeMap;
use std::ops::AddAssign;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use tersely_core::{Call, Loss, Mode, O200k, Outcome, Plan, Tokens, compress, lost_errors, restore};
use tersely_terminal::fault::{CommandFault, NO, Stop};
use tersely_terminal::share::Share;
use tersely_terminal::{input, output, progress, table};

use self::foreign::{ForeignCount, VOCABULARIES};
use self::sight::{Needles, Sight, questions};
use crate::files::{files, folders, name};

/// The columns: exact only, standard, aggressive.
const WAYS: [(&str, Mode, Loss); 3] = [
    ("exact", Mode::Standard, Loss::None),
    ("standard", Mode::Standard, Loss::Detail),
    ("aggressive", Mode::Aggressive, Loss::Detail),
];

/// The way that is measured most.
const STANDARD: usize = 1;

const HINT: &str = "name the directory that holds outputs/, for example: tersely-bench corpus";

/// Families whose lines with errors must all be seen.
const TELLING: [&str; 4] = ["build", "ci", "logs", "traces"];

/// Which corpus to measure.
#[derive(Debug, clap::Args)]
pub(crate) struct CorpusArgs {
    /// The corpus
    pub dir: Option<PathBuf>,
    /// Print a JSON object
    #[arg(long)]
    pub json: bool,
}

/// Measures the corpus that was named; the answer is no when a law is broken.
pub(crate) fn run(args: &CorpusArgs) -> Result<ExitCode, Stop> {
    let dir = args.dir.as_deref().ok_or_else(|| CommandFault::unable("no corpus was named", HINT))?;
    let families = measure(dir)?;
    let total = families.values().fold(FamilyScore::default(), |mut total, row| {
        total += row;
        total
    });
    let text = if args.json { scripts(&families, &total) } else { page(&families, &total) };
    output::result(&text)?;
    Ok(if total.broken.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(NO) })
}

/// What a family's files came to.
#[derive(Debug, Default, Clone)]
struct FamilyScore {
    files: usize,
    bytes: usize,
    sent: usize,
    /// Tokens each way.
    tokens: [usize; 3],
    questions: usize,
    /// Questions that can be answered, each way.
    sight: [Sight; 3],
    /// Lines with errors that the standard way does not show.
    errors: usize,
    /// What it costs in other vocabularies, the standard way.
    foreign: [ForeignCount; VOCABULARIES.len()],
    /// Time that the standard way took.
    time: Duration,
    /// The longest that it took for a file.
    slowest: Duration,
    /// The files that cost more than they came with, or did not come back.
    broken: Vec<String>,
}

impl AddAssign<&Self> for FamilyScore {
    fn add_assign(&mut self, other: &Self) {
        self.files += other.files;
        self.bytes += other.bytes;
        self.sent += other.sent;
        self.questions += other.questions;
        self.errors += other.errors;
        self.time += other.time;
        self.slowest = self.slowest.max(other.slowest);
        for way in 0..WAYS.len() {
            self.tokens[way] += other.tokens[way];
            self.sight[way] += other.sight[way];
        }
        for (own, other) in self.foreign.iter_mut().zip(&other.foreign) {
            *own += other;
        }
        self.broken.extend_from_slice(&other.broken);
    }
}

fn measure(dir: &Path) -> Result<BTreeMap<String, FamilyScore>, CommandFault> {
    let questions = questions(dir);
    let found: Vec<(String, PathBuf)> = folders(&dir.join("outputs"))
        .into_iter()
        .flat_map(|folder| files(&folder).into_iter().map(move |file| (name(&folder), file)))
        .collect();
    if found.is_empty() {
        return Err(empty(dir));
    }
    let bar = progress::counting("compressing", found.len());
    let mut families: BTreeMap<String, FamilyScore> = BTreeMap::new();
    for (family, file) in found {
        let key = format!("outputs/{family}/{}", name(&file));
        let text = input::read(Some(&file))?.text;
        let asked = questions.get(&key).map_or(&[][..], Vec::as_slice);
        let row = score((&family, &key), &text, asked);
        *families.entry(family).or_default() += &row;
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(families)
}

/// One file, each way.
fn score((family, key): (&str, &str), text: &str, asked: &[Needles]) -> FamilyScore {
    let sent = O200k.count(text);
    let mut row =
        FamilyScore { files: 1, bytes: text.len(), sent, questions: asked.len(), ..FamilyScore::default() };
    for (way, (name, mode, loss)) in WAYS.into_iter().enumerate() {
        let plan = Plan { mode, loss, ..Plan::default() };
        let start = Instant::now();
        let outcome = compress(&plan, &O200k, Call::default(), text);
        let time = start.elapsed();
        row.tokens[way] = O200k.count(&outcome.text);
        row.sight[way] = Sight::of(&outcome, asked);
        if row.tokens[way] > sent || !is_exact(&outcome, text) {
            row.broken.push(format!("{key} ({name})"));
        }
        if way == STANDARD {
            (row.time, row.slowest) = (time, time);
            row.foreign = ForeignCount::all(text, &outcome.text);
            row.errors = if TELLING.contains(&family) { errors_lost(&outcome, text) } else { 0 };
        }
    }
    row
}

/// True unless an outcome that claims to be exact is not. Where secrets were masked, the text they stood in is gone.
fn is_exact(outcome: &Outcome<'_>, text: &str) -> bool {
    outcome.ledger.loss() != Loss::None
        || outcome.redacted > 0
        || restore(&outcome.text).as_deref() == Some(text)
}

/// How many lines with errors a reader does not see, colours and secrets aside.
fn errors_lost(outcome: &Outcome<'_>, text: &str) -> usize {
    let plain = Plan { mode: Mode::Safe, loss: Loss::Form, ..Plan::default() };
    let before = compress(&plain, &O200k, Call::default(), text);
    lost_errors(&before.text, &restore(&outcome.text).unwrap_or_default()).count()
}

fn page(families: &BTreeMap<String, FamilyScore>, total: &FamilyScore) -> String {
    let head =
        ["family", "files", "as sent", "exact", "", "standard", "", "aggressive", "", "in sight", "MB/s"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    rows.extend(families.iter().map(|(name, row)| cells(name, row)));
    rows.push(cells("total", total));
    let broken: Vec<String> = total.broken.iter().map(|file| format!("\nbroken: {file}")).collect();
    table::align("lrrrrrrrrlr", &rows)
        + "\n\nTokens by o200k, and the percent saved. In sight: questions whose answers the text shows or its"
        + "\nlines spell out; exact/standard/aggressive/asked. MB/s: standard, one thread."
        + &summary(total)
        + &broken.concat()
}

/// What the table has no column for.
fn summary(total: &FamilyScore) -> String {
    let FamilyScore { questions, errors, .. } = total;
    let [exact, standard, _] = &total.sight;
    let lines = VOCABULARIES.iter().zip(&total.foreign).map(|((name, _), count)| count.line(name));
    let foreign = lines.map(|line| format!("\n{line}")).collect::<Vec<_>>().concat();
    format!(
        "\n\nanswers to the letter           {} exact, {} standard, of {questions}\
         \nanswers after asking for more   {} of {questions}\
         \nerror lines out of sight        {errors} (law: 0)\
         \nslowest file                    {:.1} ms{foreign}",
        exact.letter,
        standard.letter,
        standard.expanded,
        total.slowest.as_secs_f64() * 1e3,
    )
}

fn cells(name: &str, row: &FamilyScore) -> Vec<String> {
    let mut cells = vec![name.to_owned(), row.files.to_string(), row.sent.to_string()];
    for tokens in row.tokens {
        let saved = Share::saved(row.sent, tokens).percent();
        cells.extend([tokens.to_string(), format!("{saved:.1}")]);
    }
    let [exact, standard, aggressive] = &row.sight;
    cells.push(format!("{}/{}/{}/{}", exact.read, standard.read, aggressive.read, row.questions));
    cells.push(format!("{:.1}", row.pace()));
    cells
}

impl FamilyScore {
    /// Megabytes a second.
    fn pace(&self) -> f64 {
        let micros = self.time.as_micros().max(1);
        u32::try_from(self.bytes).map_or(0.0, f64::from)
            / u32::try_from(micros).map_or(f64::INFINITY, f64::from)
    }

    fn json(&self) -> Value {
        let mut object = Map::new();
        object.insert("files".into(), json!(self.files));
        object.insert("sent".into(), json!(self.sent));
        for (way, (name, ..)) in WAYS.into_iter().enumerate() {
            let saved = Share::saved(self.sent, self.tokens[way]).percent();
            let Sight { read, letter, expanded } = self.sight[way];
            let tokens = self.tokens[way];
            let value = json!({
                "tokens": tokens, "saved": saved, "in_sight": read, "to_the_letter": letter, "expanded": expanded
            });
            object.insert(name.into(), value);
        }
        object.insert("questions".into(), json!(self.questions));
        object.insert("errors_out_of_sight".into(), json!(self.errors));
        object.insert("slowest_ms".into(), json!(self.slowest.as_secs_f64() * 1e3));
        for ((name, _), count) in VOCABULARIES.iter().zip(&self.foreign) {
            object.insert((*name).into(), count.json());
        }
        object.insert("megabytes_per_second".into(), json!(self.pace()));
        Value::Object(object)
    }
}

fn scripts(families: &BTreeMap<String, FamilyScore>, total: &FamilyScore) -> String {
    let families: Map<String, Value> =
        families.iter().map(|(name, row)| (name.clone(), row.json())).collect();
    json!({ "families": families, "total": total.json(), "broken": total.broken }).to_string()
}

fn empty(dir: &Path) -> CommandFault {
    CommandFault::unable(format!("{}: no files in outputs/FAMILY/", dir.display()), HINT)
}
