//! Splits a log into steps, and strips the prefixes of its lines.

/// A step and its lines, from which job, step and time are removed.
pub(super) struct CiStep<'a> {
    /// `job\tstep`, or empty if the log does not name them.
    name: &'a str,
    first: &'a str,
    last: &'a str,
    /// The number of lines with a time.
    pub(super) times: usize,
    /// The lines of the step.
    pub(super) lines: Vec<StepLine<'a>>,
}

/// The text of a line without its prefixes, and the unmodified line.
#[derive(Clone, Copy)]
pub(super) struct StepLine<'a> {
    pub(super) text: &'a str,
    pub(super) whole: &'a str,
}

/// Logs with fewer lines are shown unchanged.
const MIN_LINES: usize = 8;

/// The number of lines inspected to recognise a log.
const SAMPLE_LINES: usize = 40;

/// The steps of a log; `None` when the text is not a log of GitHub Actions.
pub(super) fn steps(text: &str) -> Option<Vec<CiStep<'_>>> {
    text.lines().take(SAMPLE_LINES).find_map(read)?;
    let mut steps: Vec<CiStep<'_>> = Vec::new();
    let (mut count, mut named) = (0, 0);
    for line in text.split_inclusive('\n') {
        count += 1;
        match (read(line), steps.last_mut()) {
            (Some(row), Some(step)) if step.name == row.name => step.push(&row, line),
            (Some(row), _) => steps.push(CiStep::new(&row, line)),
            (None, Some(step)) => step.lines.push(StepLine { text: line, whole: line }),
            (None, None) => steps.push(CiStep {
                name: "",
                first: "",
                last: "",
                times: 0,
                lines: vec![StepLine { text: line, whole: line }],
            }),
        }
        named += usize::from(steps.last().is_some_and(|step| !step.name.is_empty()));
    }
    let times: usize = steps.iter().map(|step| step.times).sum();
    let ours = named * 2 > count || text.contains("Z ##[");
    (count >= MIN_LINES && times * 5 >= count * 4 && ours).then_some(steps)
}

/// A parsed line.
struct Row<'a> {
    name: &'a str,
    time: &'a str,
    text: &'a str,
}

/// The format of a time: `2026-02-04T07:13:56.9618663Z`.
const STAMP: &[u8; 28] = b"0000-00-00T00:00:00.0000000Z";

/// Parses the job, step, time and text of a line.
fn read(line: &str) -> Option<Row<'_>> {
    if let Some((time, text)) = stamp(line) {
        return Some(Row { name: "", time, text });
    }
    let job = line.find('\t')?;
    let step = job + 1 + line[job + 1..].find('\t')?;
    let (time, text) = stamp(&line[step + 1..])?;
    Some(Row { name: &line[..step], time, text })
}

/// The time at the start of `text`, and the text after it.
fn stamp(text: &str) -> Option<(&str, &str)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let bytes = text.as_bytes().get(..STAMP.len())?;
    let fits = |(byte, form): (&u8, &u8)| if *form == b'0' { byte.is_ascii_digit() } else { byte == form };
    if !bytes.iter().zip(STAMP).all(fits) {
        return None;
    }
    let (time, rest) = text.split_at(STAMP.len());
    let rest = match rest.strip_prefix(' ') {
        Some(rest) => rest,
        None if rest.is_empty() || rest.starts_with(['\n', '\r']) => rest,
        None => return None,
    };
    Some((time, rest))
}

impl<'a> CiStep<'a> {
    fn new(row: &Row<'a>, whole: &'a str) -> Self {
        let lines = vec![StepLine { text: row.text, whole }];
        Self { name: row.name, first: row.time, last: row.time, times: 1, lines }
    }

    fn push(&mut self, row: &Row<'a>, whole: &'a str) {
        self.last = row.time;
        self.times += 1;
        self.lines.push(StepLine { text: row.text, whole });
    }

    /// The line shown above the step: the step's name, start and duration.
    pub(super) fn heading(&self) -> String {
        let Some(start) = self.first.get(..19) else { return String::new() };
        let name = self.name.replace('\t', " / ");
        let comma = if name.is_empty() { "" } else { ", " };
        format!("[{name}{comma}{start}Z, {} s]\n", self.seconds())
    }

    fn seconds(&self) -> u32 {
        const DAY: u32 = 86_400;
        (DAY + second(self.last) - second(self.first)) % DAY
    }
}

/// The second of the day at `time`.
fn second(time: &str) -> u32 {
    let two = |at: usize| time.get(at..at + 2).and_then(|digits| digits.parse().ok()).unwrap_or(0);
    two(11) % 24 * 3600 + two(14) % 60 * 60 + two(17) % 60
}
