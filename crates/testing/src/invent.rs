//! Invents texts of unknown kinds: each seed chooses words, fields, separators and shapes of lines.
//!
//! The texts resemble program output: a few shapes of lines in which some fields vary, records of several lines, JSON
//! on one line or several, and unique lines between them. Nothing here knows how texts are compressed.

use std::fmt::Write as _;

use crate::generate::Choices;

/// A text of this many records, determined by the seed.
#[must_use]
pub fn invent(records: usize, seed: u64) -> String {
    let mut seed = seed;
    let kind = Kind::new(&mut seed);
    let (clock, count) = (1_700_000_000 + seed.pick(90_000_000), seed.pick(100_000));
    let mut writer = Writer { seed, words: &kind.words, clock, count, out: String::new() };
    let mut shape = &kind.shapes[0];
    for _ in 0..records {
        if writer.seed.pick(kind.odd) == 0 {
            writer.odd_line();
        }
        if writer.seed.pick(10) < kind.restless {
            shape = &kind.shapes[writer.seed.pick(kind.shapes.len())];
        }
        writer.shape(shape);
    }
    writer.out
}

/// What all lines of a text have in common.
struct Kind {
    words: Vec<String>,
    shapes: Vec<Shape>,
    /// One line in this many is unique.
    odd: usize,
    /// Of ten lines, how many may have another shape than the previous one.
    restless: usize,
}

enum Shape {
    Lines(Vec<Vec<Piece>>),
    Json { members: Vec<(String, Field)>, layout: JsonLayout },
}

#[derive(Clone, Copy)]
enum JsonLayout {
    Compact,
    Spaced,
    Lines,
}

enum Piece {
    Same(String),
    Value(Field),
}

/// How the values of a field are generated.
enum Field {
    /// A counter.
    Count,
    Number(usize),
    /// A decimal with two places and a unit.
    Fraction(usize, &'static str),
    /// One of a few words.
    Choice(Vec<String>),
    /// Any word.
    Word,
    /// This many hexadecimal digits.
    Id(usize),
    Time(&'static str),
    /// Words joined by this.
    Path(&'static str),
    Address,
}

const SYLLABLES: [&str; 32] = [
    "ka", "ren", "to", "mil", "va", "su", "dor", "pex", "li", "gan", "ho", "tri", "be", "lun", "fas", "qui",
    "ze", "mor", "ta", "nix", "ol", "ra", "vep", "sho", "ji", "crel", "un", "pa", "wex", "di", "glo", "yar",
];

const SEPARATORS: [&str; 12] = [" ", ",", "\t", " | ", ";", "::", " - ", " ~ ", "  ", "/", " # ", ", "];

const EQUALS: [&str; 5] = ["=", ":", ": ", "->", " := "];

const BRACKETS: [(&str, &str); 5] = [("[", "]"), ("(", ")"), ("<", ">"), ("\"", "\""), ("{", "}")];

const UNITS: [&str; 5] = ["ms", "", " kB", "%", "s"];

const TIMES: [&str; 4] = ["date", "clock", "number", "month"];

impl Kind {
    fn new(seed: &mut u64) -> Self {
        let words: Vec<String> = (0..40 + seed.pick(120)).map(|_| word(seed)).collect();
        let shapes = (0..=seed.pick(4)).map(|_| shape(seed, &words)).collect();
        Self { words, shapes, odd: 8 + seed.pick(60), restless: 1 + seed.pick(9) }
    }
}

fn word(seed: &mut u64) -> String {
    (0..=seed.pick(3)).map(|_| SYLLABLES[seed.pick(SYLLABLES.len())]).collect()
}

fn any<'w>(seed: &mut u64, words: &'w [String]) -> &'w str {
    &words[seed.pick(words.len())]
}

fn shape(seed: &mut u64, words: &[String]) -> Shape {
    match seed.pick(6) {
        0 => {
            let members =
                (0..3 + seed.pick(6)).map(|_| (any(seed, words).to_owned(), field(seed, words))).collect();
            let layout = [JsonLayout::Compact, JsonLayout::Spaced, JsonLayout::Lines][seed.pick(3)];
            Shape::Json { members, layout }
        }
        1 => Shape::Lines((0..2 + seed.pick(5)).map(|at| block_line(seed, words, at)).collect()),
        _ => Shape::Lines(vec![line(seed, words)]),
    }
}

/// A line of a record of several lines; those after the first are indented.
fn block_line(seed: &mut u64, words: &[String], at: usize) -> Vec<Piece> {
    let indent = if at == 0 { "" } else { ["  ", "\t", "    "][seed.pick(3)] };
    let mut pieces = vec![Piece::Same(indent.to_owned())];
    if seed.pick(3) == 0 {
        pieces.push(Piece::Same(prose(seed, words, 6)));
    } else {
        pieces.extend(line(seed, words));
    }
    pieces
}

fn line(seed: &mut u64, words: &[String]) -> Vec<Piece> {
    let separator = SEPARATORS[seed.pick(SEPARATORS.len())];
    let equals = EQUALS[seed.pick(EQUALS.len())];
    let (open, close) = BRACKETS[seed.pick(BRACKETS.len())];
    let style = seed.pick(4);
    let mut pieces = Vec::new();
    for at in 0..3 + seed.pick(6) {
        let before = if at == 0 { "" } else { separator };
        let (lead, end) = match style {
            1 => (format!("{before}{}{equals}", any(seed, words)), ""),
            2 if at > 0 => (format!(" {} ", prose(seed, words, 4)), ""),
            3 if seed.pick(2) == 0 => (format!("{before}{open}"), close),
            _ => (before.to_owned(), ""),
        };
        pieces.extend([Piece::Same(lead), Piece::Value(field(seed, words)), Piece::Same(end.to_owned())]);
    }
    pieces
}

fn prose(seed: &mut u64, words: &[String], max_words: usize) -> String {
    let chosen: Vec<&str> = (0..=seed.pick(max_words)).map(|_| any(seed, words)).collect();
    chosen.join(" ")
}

fn field(seed: &mut u64, words: &[String]) -> Field {
    match seed.pick(10) {
        0 => Field::Count,
        1 => Field::Number([10, 100, 1_000, 10_000, 100_000, 1_000_000][seed.pick(6)]),
        2 => Field::Fraction(10 + seed.pick(1_000), UNITS[seed.pick(UNITS.len())]),
        3 | 4 => Field::Choice((0..2 + seed.pick(5)).map(|_| prose(seed, words, 1)).collect()),
        5 => Field::Choice((0..2 + seed.pick(8)).map(|_| prose(seed, words, 6)).collect()),
        6 => Field::Word,
        7 if seed.pick(2) == 0 => Field::Address,
        7 => Field::Id(6 + seed.pick(27)),
        8 => Field::Time(TIMES[seed.pick(TIMES.len())]),
        _ => Field::Path(["/", ".", "\\"][seed.pick(3)]),
    }
}

/// Writes a text.
struct Writer<'k> {
    seed: u64,
    words: &'k [String],
    clock: usize,
    count: usize,
    out: String,
}

impl Writer<'_> {
    fn shape(&mut self, shape: &Shape) {
        self.clock += self.seed.pick(30);
        self.count += 1;
        match shape {
            Shape::Lines(lines) => lines.iter().for_each(|pieces| self.line(pieces)),
            Shape::Json { members, layout } => self.json(members, *layout),
        }
    }

    fn line(&mut self, pieces: &[Piece]) {
        for piece in pieces {
            match piece {
                Piece::Same(text) => self.out.push_str(text),
                Piece::Value(field) => {
                    let value = self.value(field);
                    self.out.push_str(&value);
                }
            }
        }
        self.out.push('\n');
    }

    fn json(&mut self, members: &[(String, Field)], layout: JsonLayout) {
        let (open, comma, colon, close) = match layout {
            JsonLayout::Compact => ("{", ",", ":", "}\n"),
            JsonLayout::Spaced => ("{", ", ", ": ", "}\n"),
            JsonLayout::Lines => ("{\n  ", ",\n  ", ": ", "\n}\n"),
        };
        self.out.push_str(open);
        for (at, (key, field)) in members.iter().enumerate() {
            let value = self.value(field).replace('\\', "\\\\");
            let is_number = matches!(field, Field::Count | Field::Number(_));
            let quote = if is_number { "" } else { "\"" };
            let before = if at == 0 { "" } else { comma };
            self.out.extend([before, "\"", key, "\"", colon, quote, &value, quote]);
        }
        self.out.push_str(close);
    }

    /// A line of random words and numbers.
    fn odd_line(&mut self) {
        let said: Vec<String> = (0..2 + self.seed.pick(11))
            .map(|_| match self.seed.pick(5) {
                0 => self.seed.pick(10_000).to_string(),
                1 => word(&mut self.seed),
                _ => any(&mut self.seed, self.words).to_owned(),
            })
            .collect();
        self.out.extend([&said.join(" "), "\n"]);
    }

    fn value(&mut self, field: &Field) -> String {
        let seed = &mut self.seed;
        match field {
            Field::Count => self.count.to_string(),
            Field::Number(most) => seed.pick(*most).to_string(),
            Field::Fraction(most, unit) => format!("{}.{:02}{unit}", seed.pick(*most), seed.pick(100)),
            Field::Choice(choices) => any(seed, choices).to_owned(),
            Field::Word => any(seed, self.words).to_owned(),
            Field::Id(digits) => (0..*digits).fold(String::new(), |mut id, _| {
                let _ = write!(id, "{:x}", seed.pick(16));
                id
            }),
            Field::Time(format) => time(format, self.clock),
            Field::Path(between) => {
                let steps: Vec<&str> = (0..2 + seed.pick(4)).map(|_| any(seed, self.words)).collect();
                steps.join(between)
            }
            Field::Address => {
                format!("10.{}.{}.{}", seed.pick(4), seed.pick(256), seed.pick(256))
            }
        }
    }
}

fn time(format: &str, clock: usize) -> String {
    let (day, hour, minute, second) = (clock / 86_400, clock / 3_600 % 24, clock / 60 % 60, clock % 60);
    let (month, day) = (1 + day / 28 % 12, 1 + day % 28);
    match format {
        "date" => format!("2031-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z"),
        "clock" => format!("{hour:02}:{minute:02}:{second:02}.{:03}", clock * 7919 % 1000),
        "month" => format!("{day} {} {hour:02}.{minute:02}", SYLLABLES[month]),
        _ => clock.to_string(),
    }
}
