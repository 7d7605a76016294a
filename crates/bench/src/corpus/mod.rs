//! `tersely-bench DIR`: measures how much each family of tool results saves in each mode, and which questions can still
//! be answered.

mod calls;
mod foreign;
mod page;
mod score;
mod sight;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use tersely_core::Call;
use tersely_terminal::fault::{CommandFault, NO, Stop};
use tersely_terminal::{input, output, progress};

use self::calls::recorded;
use self::score::{CorpusFile, FamilyScore};
use self::sight::questions;
use crate::files::{files, folders, name};

const HINT: &str = "name the directory that holds outputs/, for example: tersely-bench corpus";

/// Which corpus to measure.
#[derive(Debug, clap::Args)]
pub(crate) struct CorpusArgs {
    /// The corpus
    pub dir: Option<PathBuf>,
    /// Print a JSON object
    #[arg(long)]
    pub json: bool,
    /// List what each file costs, and the stages that changed it
    #[arg(long)]
    pub files: bool,
}

/// Measures a corpus. The exit code reports failure if a law is broken.
pub(crate) fn run(args: &CorpusArgs) -> Result<ExitCode, Stop> {
    let dir = args.dir.as_deref().ok_or_else(|| CommandFault::unable("no corpus was named", HINT))?;
    let score = measure(dir)?;
    let text = match (args.json, args.files) {
        (true, _) => page::scripts(&score),
        (false, true) => page::listing(&score),
        (false, false) => page::page(&score),
    };
    output::result(&text)?;
    Ok(if score.broken().next().is_none() { ExitCode::SUCCESS } else { ExitCode::from(NO) })
}

/// The score of a corpus.
#[derive(Debug, Default)]
struct CorpusScore {
    /// The scores by family. Each result is measured with its call.
    families: BTreeMap<String, FamilyScore>,
    /// The scores by path. Each result is measured with its call.
    files: BTreeMap<String, FamilyScore>,
    total: FamilyScore,
    /// The total without the files that an agent may edit, which stay unchanged.
    unedited: FamilyScore,
    /// That total, split in two by a hash of the path. A filter that was tuned on some files saves more in their half.
    halves: [FamilyScore; 2],
    /// The total, measured without tool and command.
    bare: FamilyScore,
}

impl CorpusScore {
    /// The files that break a law, with or without their calls.
    fn broken(&self) -> impl Iterator<Item = String> {
        let bare = self.bare.broken.iter().map(|file| format!("{file}, without its call"));
        self.total.broken.iter().cloned().chain(bare)
    }

    fn add(&mut self, call: Call<'_>, file: &CorpusFile<'_>) {
        let row = FamilyScore::of(call, file);
        self.bare +=
            &if call == Call::default() { row.clone() } else { FamilyScore::of(Call::default(), file) };
        if !call.is_verbatim(file.text) {
            self.unedited += &row;
            self.halves[half(file.path)] += &row;
        }
        self.total += &row;
        *self.families.entry(file.family.to_owned()).or_default() += &row;
        self.files.insert(file.path.to_owned(), row);
    }
}

/// The half that a path belongs to: one bit of its FNV-1a hash.
fn half(path: &str) -> usize {
    let stir = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
    usize::from(path.bytes().fold(0xCBF2_9CE4_8422_2325, stir) >> 32 & 1 == 1)
}

fn measure(dir: &Path) -> Result<CorpusScore, CommandFault> {
    let (questions, calls) = (questions(dir), recorded(dir));
    let found: Vec<(String, PathBuf)> = folders(&dir.join("outputs"))
        .into_iter()
        .flat_map(|folder| files(&folder).into_iter().map(move |file| (name(&folder), file)))
        .collect();
    if found.is_empty() {
        return Err(empty(dir));
    }
    let bar = progress::counting("compressing", found.len());
    let mut score = CorpusScore::default();
    for (family, file) in &found {
        let path = format!("outputs/{family}/{}", name(file));
        let text = input::read(Some(file))?.text;
        let asked = questions.get(&path).map_or(&[][..], Vec::as_slice);
        let call = calls.get(&path).map_or(Call::default(), |it| it.call());
        score.add(call, &CorpusFile { family, path: &path, text: &text, asked });
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(score)
}

fn empty(dir: &Path) -> CommandFault {
    CommandFault::unable(format!("{}: no files in outputs/FAMILY/", dir.display()), HINT)
}
