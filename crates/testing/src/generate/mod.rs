//! Generates JSON texts that are hard for encoders, determined by choices.
//!
//! Choices come from a seed in property tests and from the fuzzer's bytes in fuzz targets. Choice 0 is always the plain
//! one, so that a text ends soon after its bytes do. Strings here are JSON-escaped.

mod words;

use words::{BEGINNINGS, KEYS, LITERALS, LOOKALIKES, NUMBERS, PIECES, WORDS};

/// A source of choices.
pub trait Choices {
    /// A number below `n`, which is at most 256 where choices are bytes.
    fn pick(&mut self, n: usize) -> usize;
}

/// A seed for `SplitMix64`.
impl Choices for u64 {
    fn pick(&mut self, n: usize) -> usize {
        *self = self.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = (*self ^ (*self >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((mixed ^ (mixed >> 31)) >> 33).unwrap_or_default() % n
    }
}

/// The fuzzer's bytes, one for each choice; 0 when none is left.
impl Choices for &[u8] {
    fn pick(&mut self, n: usize) -> usize {
        let Some((&first, rest)) = self.split_first() else { return 0 };
        *self = rest;
        usize::from(first) % n
    }
}

/// One JSON document, most often a list of records and most often under 2 KB.
#[must_use]
pub fn document(choices: &mut impl Choices) -> String {
    let (comma, colon) = LAYOUTS[choices.pick(LAYOUTS.len())];
    Maker { choices, comma, colon, spent: 0 }.root()
}

/// The signs after a value and after a key.
const LAYOUTS: [(&str, &str); 5] = [(",", ":"), (",", ":"), (",", ":"), (", ", ": "), (" ,\r\n\t", " :\n")];

/// Characters after which only scalars are added.
const MAX_NESTED_CHARS: usize = 800;

const COUNTS: [usize; 12] = [3, 4, 5, 6, 3, 4, 8, 2, 1, 0, 13, 3];

/// A field of a list's records.
struct Column {
    key: String,
    recipe: Recipe,
}

/// How the values of a column are generated.
enum Recipe {
    Scalar,
    Word,
    Count,
    Same(String),
    /// The first value in most rows, the second in the others.
    Either(String, String),
    Begins(&'static str),
    /// Literals, each with the key of the value after it, and a literal at the end.
    Template(Vec<(&'static str, String)>, &'static str),
    Scalars,
    Record(Vec<Column>),
    /// A record in most rows, and in the others something else.
    Maybe(Vec<Column>),
    Records(Shape),
    Any,
}

/// What the records of a list have in common.
struct Shape {
    columns: Vec<Column>,
    flaw: Flaw,
}

/// What keeps a list from being uniform.
#[derive(Clone, Copy, PartialEq)]
enum Flaw {
    None,
    /// Fields are missing here and there.
    Ragged,
    /// Most fields are missing.
    Sparse,
    /// Some values are not what the column says.
    Noisy,
    /// Some records have another key order.
    Unordered,
    /// Some records have a key twice.
    Repeated,
    /// Some rows are not records, or are empty.
    Mixed,
}

const FLAWS: [Flaw; 11] = {
    use Flaw::{Mixed, Noisy, None, Ragged, Repeated, Sparse, Unordered};
    [None, None, None, None, Ragged, Ragged, Sparse, Noisy, Unordered, Repeated, Mixed]
};

/// The keys and contents of a row's values so far, after those of the rows around it.
type RowValues = Vec<(String, String)>;

struct Maker<'c, C> {
    choices: &'c mut C,
    comma: &'static str,
    colon: &'static str,
    spent: usize,
}

impl<C: Choices> Maker<'_, C> {
    fn root(&mut self) -> String {
        match self.pick(12) {
            0 => self.scalar(),
            1 => self.value(4),
            2 | 3 => self.map(2),
            4 | 5 => self.object(3),
            6 if self.chance(4) => self.deep(),
            _ => self.records(2),
        }
    }

    fn pick(&mut self, n: usize) -> usize {
        self.choices.pick(n)
    }

    /// True once in `n` times.
    fn chance(&mut self, n: usize) -> bool {
        self.pick(n) == n - 1
    }

    fn one<T: Copy>(&mut self, table: &[T]) -> T {
        table[self.pick(table.len())]
    }

    fn value(&mut self, depth: usize) -> String {
        if depth == 0 || self.spent > MAX_NESTED_CHARS {
            return self.scalar();
        }
        match self.pick(9) {
            0..=3 => self.scalar(),
            4 => self.array(depth - 1),
            5 | 6 => self.object(depth - 1),
            7 => self.map(depth - 1),
            _ => self.records(depth - 1),
        }
    }

    fn scalar(&mut self) -> String {
        match self.pick(8) {
            0 => self.one(&["null", "true", "false"]).into(),
            1 | 2 => self.one(&NUMBERS).into(),
            _ => quote(&self.string()),
        }
    }

    /// The content of a string.
    fn string(&mut self) -> String {
        match self.pick(6) {
            0 | 1 => self.word(),
            2 => self.one(&LOOKALIKES).into(),
            3 => self.one(&WORDS).to_owned() + self.one(&PIECES) + self.one(&WORDS),
            4 => self.one(&PIECES).into(),
            _ => self.one(&PIECES).to_owned() + self.one(&PIECES) + self.one(&WORDS) + self.one(&PIECES),
        }
    }

    fn word(&mut self) -> String {
        let word = self.one(&WORDS).to_owned();
        if self.chance(2) { word + self.one(&NUMBERS) } else { word }
    }

    fn key(&mut self) -> String {
        match self.pick(8) {
            0..=4 => self.one(&KEYS[..15]).into(),
            5 | 6 => self.one(&KEYS).into(),
            _ => self.one(&KEYS).to_owned() + self.one(&PIECES),
        }
    }

    fn array(&mut self, depth: usize) -> String {
        let count = self.one(&COUNTS);
        let items: Vec<_> = (0..count).map(|_| self.value(depth)).collect();
        self.spent += items.iter().map(|item| content(item).len() + 1).sum::<usize>();
        self.enclose('[', &items, ']')
    }

    fn object(&mut self, depth: usize) -> String {
        let count = self.pick(6);
        let members: Vec<_> = (0..count).map(|_| (self.key(), self.value(depth))).collect();
        self.members(&members)
    }

    /// An object of records.
    fn map(&mut self, depth: usize) -> String {
        let shape = self.shape(depth, &mut Vec::new());
        let rows = self.rows(&shape, depth, &RowValues::new());
        let members: Vec<_> = rows.into_iter().map(|row| (self.key() + self.one(&WORDS), row)).collect();
        self.members(&members)
    }

    fn records(&mut self, depth: usize) -> String {
        let shape = self.shape(depth, &mut Vec::new());
        let rows = self.rows(&shape, depth, &RowValues::new());
        self.enclose('[', &rows, ']')
    }

    /// A document of about the maximum depth.
    fn deep(&mut self) -> String {
        let levels = self.one(&[128, 127, 64, 16]);
        let ends: Vec<_> =
            (0..levels).map(|_| self.one(&[("[", "]"), ("{\"a\":", "}"), ("[1,", "]")])).collect();
        let open: String = ends.iter().map(|(open, _)| *open).collect();
        let close: String = ends.iter().rev().map(|(_, close)| *close).collect();
        open + &self.scalar() + &close
    }

    /// The fields of a list's records; templates may use the values of `keys`.
    fn shape(&mut self, depth: usize, keys: &mut Vec<String>) -> Shape {
        Shape { columns: self.columns(depth, keys), flaw: self.one(&FLAWS) }
    }

    fn columns(&mut self, depth: usize, keys: &mut Vec<String>) -> Vec<Column> {
        let mut columns: Vec<Column> = Vec::new();
        for number in 0..=self.one(&[3, 1, 2, 4, 5, 0, 6, 12]) {
            let mut key = self.key();
            if columns.iter().any(|column| column.key == key) && !self.chance(16) {
                key.push_str(&number.to_string());
            }
            let recipe = self.recipe(depth, keys);
            keys.push(key.clone());
            columns.push(Column { key, recipe });
        }
        if self.chance(6) {
            columns.sort_by(|one, other| one.key.cmp(&other.key));
        }
        columns
    }

    fn recipe(&mut self, depth: usize, keys: &mut Vec<String>) -> Recipe {
        match self.pick(16) {
            2 => Recipe::Count,
            3 => Recipe::Scalar,
            4 => Recipe::Same(self.value(1)),
            5 => Recipe::Either(self.scalar(), self.scalar()),
            6 => Recipe::Begins(self.one(&BEGINNINGS)),
            7..=9 if !keys.is_empty() => self.template(keys),
            10 => Recipe::Scalars,
            11 if depth > 0 => Recipe::Record(self.columns(depth - 1, keys)),
            12 | 13 if depth > 0 => Recipe::Maybe(self.columns(depth - 1, keys)),
            14 if depth > 0 => Recipe::Records(self.shape(depth - 1, keys)),
            15 => Recipe::Any,
            _ => Recipe::Word,
        }
    }

    /// A template of one or two values of the same row.
    fn template(&mut self, keys: &[String]) -> Recipe {
        let holes = 1 + self.pick(2);
        let parts =
            (0..holes).map(|_| (self.one(&LITERALS), keys[self.pick(keys.len().min(256))].clone())).collect();
        Recipe::Template(parts, self.one(&LITERALS))
    }

    fn rows(&mut self, shape: &Shape, depth: usize, around: &RowValues) -> Vec<String> {
        let count = match self.spent {
            0..MAX_NESTED_CHARS if around.is_empty() => self.one(&COUNTS),
            0..MAX_NESTED_CHARS => self.pick(4),
            _ => 0,
        };
        (0..count).map(|_| self.row(shape, depth, around)).collect()
    }

    fn row(&mut self, shape: &Shape, depth: usize, around: &RowValues) -> String {
        let flawed = self.chance(3);
        if flawed && shape.flaw == Flaw::Mixed {
            return if self.chance(2) { "{}".into() } else { self.value(1) };
        }
        let mut members = self.record(&shape.columns, (depth, shape.flaw), &mut around.clone());
        match shape.flaw {
            Flaw::Unordered if flawed => members.reverse(),
            Flaw::Repeated if flawed => members.extend(members.first().cloned()),
            _ => {}
        }
        self.members(&members)
    }

    fn record(
        &mut self,
        columns: &[Column],
        (depth, flaw): (usize, Flaw),
        seen: &mut RowValues,
    ) -> Vec<(String, String)> {
        let mut members = Vec::new();
        for column in columns {
            let flawed = self.chance(6);
            let cell = match flaw {
                Flaw::Ragged if flawed => None,
                Flaw::Sparse if self.pick(3) > 0 => None,
                Flaw::Noisy if flawed => Some(self.value(1)),
                _ => self.cell(&column.recipe, depth, seen),
            };
            if let Some(cell) = cell {
                seen.push((column.key.clone(), content(&cell).into()));
                members.push((column.key.clone(), cell));
            }
        }
        members
    }

    fn cell(&mut self, recipe: &Recipe, depth: usize, seen: &mut RowValues) -> Option<String> {
        Some(match recipe {
            Recipe::Scalar => self.scalar(),
            Recipe::Word => quote(&self.word()),
            Recipe::Count => self.one(&["1", "2", "7", "31"]).to_owned() + &seen.len().to_string(),
            Recipe::Same(value) => value.clone(),
            Recipe::Either(usual, other) => if self.chance(5) { other } else { usual }.clone(),
            Recipe::Begins(beginning) => quote(&(beginning.to_string() + &self.string())),
            Recipe::Template(parts, end) => quote(&(fill_template(parts, seen) + end)),
            Recipe::Scalars => {
                let items: Vec<_> = (0..self.pick(4)).map(|_| self.scalar()).collect();
                self.enclose('[', &items, ']')
            }
            Recipe::Record(columns) => self.nested_record(columns, depth, seen),
            Recipe::Maybe(columns) => match self.pick(8) {
                0..=3 => self.nested_record(columns, depth, seen),
                4 => "null".into(),
                5 => "{}".into(),
                6 => self.value(1),
                _ => return None,
            },
            Recipe::Records(shape) => {
                let rows = self.rows(shape, depth.saturating_sub(1), seen);
                self.enclose('[', &rows, ']')
            }
            Recipe::Any => self.value(depth),
        })
    }

    fn nested_record(&mut self, columns: &[Column], depth: usize, seen: &mut RowValues) -> String {
        let members = self.record(columns, (depth.saturating_sub(1), Flaw::None), seen);
        self.members(&members)
    }

    fn members(&mut self, members: &[(String, String)]) -> String {
        let colon = self.colon;
        self.spent += members.iter().map(|(key, value)| key.len() + content(value).len() + 4).sum::<usize>();
        let members: Vec<_> = members.iter().map(|(key, value)| quote(key) + colon + value).collect();
        self.enclose('{', &members, '}')
    }

    fn enclose(&self, open: char, items: &[String], close: char) -> String {
        format!("{open}{}{close}", items.join(self.comma))
    }
}

fn quote(content: &str) -> String {
    format!("\"{content}\"")
}

/// The part of `cell` that can be inside a string.
fn content(cell: &str) -> &str {
    match cell.strip_prefix('"') {
        Some(rest) => rest.strip_suffix('"').unwrap_or_default(),
        None if cell.starts_with(['{', '[']) => "",
        None => cell,
    }
}

fn fill_template(parts: &[(&str, String)], seen: &RowValues) -> String {
    let value = |key| seen.iter().rev().find(|(seen, _)| seen == key).map_or("", |(_, content)| content);
    parts.iter().map(|(literal, key)| literal.to_string() + value(key)).collect()
}
