//! Measures clearings over all transcripts, by client, by price and by the share of cold pauses, and prints them.

use std::collections::BTreeMap;

use tersely_core::Mode;
use tersely_terminal::fault::CommandFault;
use tersely_terminal::share::Share;
use tersely_terminal::{progress, table};

use super::replay::{ClearReplay, clear_at_pauses, send_whole};
use crate::conversations::transcript::Transcript;

/// Every pause, every second and every fourth is cold.
const SHARES: [usize; 3] = [1, 2, 4];

/// The share that the table by client is of: every second pause.
const USUAL: usize = 1;

/// Prices of cache reads and writes, in thousandths of plain input; the first are the model's own.
const PRICES: [(&str, Option<[u64; 2]>); 6] = [
    ("the model's own", None),
    ("read 0.10, write 1.25", Some([100, 1_250])),
    ("read 0.10, write 2", Some([100, 2_000])),
    ("read 0.05, write 1.25", Some([50, 1_250])),
    ("read 0.025, write 1.25", Some([25, 1_250])),
    ("read 0.10, write 1", Some([100, 1_000])),
];

/// The replays of a transcript in each way.
type Ways = [ClearReplay; 3];

/// A transcript, and its replays by price and share of cold pauses.
struct ClearRow {
    name: String,
    client: &'static str,
    cells: Vec<Ways>,
}

/// The score of all transcripts.
pub(crate) struct ClearScore(Vec<ClearRow>);

/// Replays all transcripts.
pub(crate) fn measure(transcripts: &[Transcript]) -> Result<ClearScore, CommandFault> {
    let bar = progress::counting("replaying", transcripts.len());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut rows = Vec::new();
    for chunk in transcripts.chunks(cores) {
        let done: Vec<_> = std::thread::scope(|scope| {
            let running: Vec<_> = chunk.iter().map(|it| scope.spawn(move || row(it))).collect();
            running.into_iter().map(std::thread::ScopedJoinHandle::join).collect()
        });
        for row in done {
            let halfway = || CommandFault::unable("a replay stopped halfway".to_owned(), "please report it");
            rows.push(row.map_err(|_| halfway())??);
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    Ok(ClearScore(rows))
}

fn row(transcript: &Transcript) -> Result<ClearRow, CommandFault> {
    let [direct, standard] =
        [send_whole(transcript, Mode::Disabled)?, send_whole(transcript, Mode::Standard)?];
    let mut cells = Vec::new();
    for (at, (_, prices)) in PRICES.iter().enumerate() {
        let price = prices.map_or_else(|| transcript.price.clone(), |prices| transcript.price.with(prices));
        for (share, nth) in SHARES.into_iter().enumerate() {
            // What never pauses is never cleared.
            let way = if direct.has_pause() {
                clear_at_pauses(transcript, &price, nth, at == 0 && share == USUAL)?
            } else {
                standard.bill(&price, nth)
            };
            cells.push([direct.bill(&price, nth), standard.bill(&price, nth), way]);
        }
    }
    Ok(ClearRow { name: transcript.name.clone(), client: transcript.client, cells })
}

impl ClearScore {
    /// A page with a maximum width of 100 columns.
    pub(crate) fn text(&self) -> String {
        [self.clients(), self.prices(), self.laws()].join("\n\n")
    }

    /// The usual cell of each row.
    fn usual(&self) -> impl Iterator<Item = (&ClearRow, &Ways)> {
        self.0.iter().map(|row| (row, &row.cells[USUAL]))
    }

    fn clients(&self) -> String {
        let head = [
            "client",
            "transcripts",
            "cold",
            "clearings",
            "results",
            "direct",
            "standard",
            "cleared",
            "peak",
            "cleared",
        ];
        let mut groups: BTreeMap<&str, Vec<&Ways>> = BTreeMap::new();
        for (row, ways) in self.usual() {
            groups.entry(row.client).or_default().push(ways);
        }
        let all: Vec<_> = self.usual().map(|(_, ways)| ways).collect();
        let mut rows = vec![head.map(str::to_owned).to_vec()];
        rows.extend(groups.into_iter().chain([("all", all)]).map(|(client, ways)| cells(client, &ways)));
        table::align("lrrrrrrrrr", &rows)
            + "\n\nEvery second pause of a person is longer than the cache lives. Cold: such pauses; clearings: those at"
            + "\nwhich results were cleared; results: how many. Direct: the input's bill in thousands of plain tokens; then"
            + "\nthe percent saved, one cleared result in ten fetched back. Peak: the longest requests, shorter by."
    }

    fn prices(&self) -> String {
        let head = ["prices of the cache", "every pause cold", "", "every second", "", "every fourth", ""];
        let mut rows = vec![head.map(str::to_owned).to_vec()];
        for (at, (name, _)) in PRICES.iter().enumerate() {
            let mut line = vec![(*name).to_owned()];
            for share in 0..SHARES.len() {
                let cell = at * SHARES.len() + share;
                let bill = |way: usize| self.0.iter().map(|row| row.cells[cell][way].bill).sum::<usize>();
                line.extend([1, 2].map(|way| percent(bill(0), bill(way))));
            }
            rows.push(line);
        }
        table::align("lrrrrrr", &rows)
            + "\n\nThe percent saved of the input's bill: in standard mode, and cleared."
    }

    fn laws(&self) -> String {
        let all = self.usual().map(|(_, ways)| ways[2].recall.all());
        let [shown, found] = all.fold([0, 0], |[a, b], [c, d]| [a + c, b + d]);
        let said: usize = self.usual().map(|(_, ways)| ways[2].recall.said).sum();
        let mut lines = vec![
            match shown {
                0 => "names in calls after a clearing: none".to_owned(),
                _ => format!(
                    "names in calls after a clearing, of {shown}: in sight {}",
                    Share::saved(shown, shown - found - said)
                ),
            },
            format!(
                "edits after a clearing whose quotes a result showed: {}; in sight {}",
                self.quote_count(),
                self.quote_count() - self.unquotable().len()
            ),
            format!("transcripts dearer than in standard mode (law: 0)     {}", self.dearer().len()),
            format!("changes without a clearing (law: 0)                   {}", self.changed()),
        ];
        lines.extend(self.dearer());
        for (row, ways) in self.usual() {
            let misses = ways[2].recall.misses.iter();
            lines.extend(misses.map(|(call, tool, fact)| {
                format!("missed: {} call {call}, {tool}: {}", row.name, fact.word)
            }));
        }
        lines.extend(self.unquotable());
        lines.join("\n")
    }

    /// The number of edits after a clearing whose quotes a result showed.
    fn quote_count(&self) -> usize {
        self.usual().map(|(_, ways)| ways[2].quotes.shown).sum()
    }

    /// The edits whose quotes are out of sight.
    fn unquotable(&self) -> Vec<String> {
        let misses =
            self.usual().flat_map(|(row, ways)| ways[2].quotes.misses.iter().map(move |it| (row, it)));
        misses.map(|(row, line)| format!("out of sight: {}, an edit that quotes: {line}", row.name)).collect()
    }

    /// The transcripts that cost more than in standard mode, at some price.
    fn dearer(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for row in &self.0 {
            for (at, ways) in row.cells.iter().enumerate().filter(|(_, ways)| ways[2].bill > ways[1].bill) {
                let (price, share) = (PRICES[at / SHARES.len()].0, SHARES[at % SHARES.len()]);
                lines.push(format!(
                    "  {}: {} for {}, {price}, 1 in {share} cold, {} results",
                    row.name, ways[2].bill, ways[1].bill, ways[2].results
                ));
            }
        }
        lines
    }

    fn changed(&self) -> usize {
        let ways = self.0.iter().flat_map(|row| &row.cells).flatten();
        ways.map(|way| way.changed).sum()
    }

    /// True if no law is broken.
    pub(crate) fn is_lawful(&self) -> bool {
        self.dearer().is_empty() && self.changed() == 0
    }
}

fn cells(client: &str, rows: &[&Ways]) -> Vec<String> {
    let sum = |of: &dyn Fn(&ClearReplay) -> usize, way: usize| {
        rows.iter().map(|ways| of(&ways[way])).sum::<usize>()
    };
    let bill = |way| sum(&|it| it.bill, way);
    let peak = |way| sum(&|it| usize::try_from(it.peak).unwrap_or_default(), way);
    let count = |of: &dyn Fn(&ClearReplay) -> usize| sum(of, 2).to_string();
    vec![
        client.to_owned(),
        rows.len().to_string(),
        count(&|it| it.cold),
        count(&|it| it.clearings),
        count(&|it| it.results),
        (bill(0) / 100_000).to_string(),
        percent(bill(0), bill(1)),
        percent(bill(0), bill(2)),
        percent(peak(0), peak(1)),
        percent(peak(0), peak(2)),
    ]
}

fn percent(whole: usize, now: usize) -> String {
    format!("{:.1}", Share::saved(whole, now).percent())
}
