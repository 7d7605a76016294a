//! Writes a JSON array of flat objects as a table below a line with the names and types of its columns.
//!
//! Cells preserve the difference between values: an empty cell is a missing key, `null` is null, and `""` is the empty
//! string. The note describes white space and escapes in the words of `Layout`.

use tersely_codec::json::{self, Layout};
use tersely_codec::{Text, Value};

use crate::plan::{Loss, Mode};
use crate::room::Room;
use crate::stage::{Edit, Scene, Stage};
use crate::view::TextView;

/// A text that is an array of objects, none of which contains arrays or objects.
pub(crate) struct Schema;

/// The minimum length of a text in bytes; shorter texts are not worth a table.
const MIN_BYTES: usize = 128;

/// The minimum number of items in a table.
const MIN_ITEMS: usize = 2;

impl Stage for Schema {
    fn name(&self) -> &'static str {
        "schema"
    }

    fn mode(&self) -> Mode {
        Mode::Aggressive
    }

    fn apply(&self, _: Scene<'_>, text: &TextView<'_>) -> Option<Edit> {
        if text.len() < MIN_BYTES || !text.starts_with('[') {
            return None;
        }
        let value = json::decode(text).ok()?;
        let note = Layout::of(text, &value)?.to_string();
        Some(Edit { text: write(&value)?, loss: Loss::None, note })
    }

    fn restore(&self, room: Room, note: &str, text: &str) -> Option<String> {
        let layout: Layout = note.parse().ok()?;
        layout.write_within(room.bytes(), &read(room, text)?)
    }
}

/// A column: its name and type.
struct Column<'a> {
    name: &'a Text<'a>,
    kind: Option<Kind>,
    nullable: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Bool,
    Int,
    Float,
    String,
}

impl Kind {
    fn of(value: &Value<'_>) -> Option<Self> {
        match value {
            Value::Bool(_) => Some(Self::Bool),
            Value::Number(number) if number.contains(['.', 'e', 'E']) => Some(Self::Float),
            Value::Number(_) => Some(Self::Int),
            Value::String(_) => Some(Self::String),
            _ => None,
        }
    }

    /// The type of a column that contains values of both types, if there is one.
    fn with(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::Int | Self::Float, Self::Int | Self::Float) if self != other => Some(Self::Float),
            _ => (self == other).then_some(self),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Float => "float",
            Self::String => "string",
        }
    }
}

/// Writes an array as a table; `None` when the value does not fit into a table.
fn write(value: &Value<'_>) -> Option<String> {
    let Value::Array(items) = value else { return None };
    if items.len() < MIN_ITEMS {
        return None;
    }
    let columns = columns(items)?;
    let mut out = format!("[{}]{{", items.len());
    for (at, column) in columns.iter().enumerate() {
        out.push_str(if at > 0 { "," } else { "" });
        push_name(&mut out, column.name);
        out.extend([":", column.kind.map_or("null", Kind::name)]);
        out.push_str(if column.nullable && column.kind.is_some() { "?" } else { "" });
    }
    out.push('}');
    for item in items {
        out.push('\n');
        push_row(&mut out, &columns, item)?;
    }
    Some(out)
}

/// The columns of all items, in the order of their keys.
fn columns<'a>(items: &'a [Value<'a>]) -> Option<Vec<Column<'a>>> {
    let widest = items.iter().filter_map(members).max_by_key(|members| members.len())?;
    let mut columns: Vec<Column<'a>> =
        widest.iter().map(|(name, _)| Column { name, kind: None, nullable: false }).collect();
    for item in items {
        let mut at = 0;
        for (name, value) in members(item)? {
            // A key that is out of order, repeated, or missing in the widest item has no column; then there is no
            // table.
            at += columns.get(at..)?.iter().position(|column| column.name == name)?;
            let column = &mut columns[at];
            match (value, Kind::of(value)) {
                (Value::Null, _) => column.nullable = true,
                (_, Some(kind)) => {
                    column.kind = Some(column.kind.map_or(Some(kind), |known| known.with(kind))?);
                }
                _ => return None,
            }
            at += 1;
        }
    }
    (!columns.is_empty()).then_some(columns)
}

fn members<'a>(item: &'a Value<'a>) -> Option<&'a [(Text<'a>, Value<'a>)]> {
    match item {
        Value::Object(members) => Some(members),
        _ => None,
    }
}

/// Characters that require quotes around a column name.
const SIGNS: [char; 9] = [',', ':', '{', '}', '"', '\\', ' ', '[', ']'];

fn push_name(out: &mut String, name: &Text<'_>) {
    let quote = if name.as_str().is_empty() || name.as_str().contains(SIGNS) { "\"" } else { "" };
    out.extend([quote, name.as_str(), quote]);
}

fn push_row(out: &mut String, columns: &[Column<'_>], item: &Value<'_>) -> Option<()> {
    let mut members = members(item)?.iter().peekable();
    for (at, column) in columns.iter().enumerate() {
        out.push_str(if at > 0 { "," } else { "" });
        if let Some((_, value)) = members.next_if(|(name, _)| name == column.name) {
            push_cell(out, value)?;
        }
    }
    Some(())
}

fn push_cell(out: &mut String, value: &Value<'_>) -> Option<()> {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(is) => out.push_str(if *is { "true" } else { "false" }),
        Value::Number(number) => out.push_str(number),
        Value::String(text) => {
            let value = text.value()?;
            if value.contains(char::is_control) {
                return None;
            }
            if value.is_empty() || value == "null" || value.contains([',', '"']) {
                out.extend(["\"", &value.replace('"', "\"\""), "\""]);
            } else {
                out.push_str(&value);
            }
        }
        _ => return None,
    }
    Some(())
}

/// Parses a table into the array that it was written from.
fn read(room: Room, text: &str) -> Option<Value<'static>> {
    let (count, rest) = text.strip_prefix('[')?.split_once("]{")?;
    let (columns, rest) = heads(rest)?;
    // Every restored object repeats every column name.
    let names: usize = columns.iter().map(|(name, _)| name.as_str().len() + 1).sum();
    room.fits(names.checked_mul(rest.matches('\n').count())?)?;
    let items: Vec<_> =
        rest.strip_prefix('\n')?.split('\n').map(|line| row(&columns, line)).collect::<Option<_>>()?;
    (items.len().to_string() == count).then_some(Value::Array(items))
}

type Head = (Text<'static>, Option<Kind>);

/// Parses the columns that a table declares. Returns them, and the text after them.
fn heads(text: &str) -> Option<(Vec<Head>, &str)> {
    let mut rest = text;
    let mut columns = Vec::new();
    loop {
        let (name, after) = name(rest)?;
        let end = after.find([',', '}'])?;
        let word = after[..end].trim_end_matches('?');
        let kinds = [Kind::Bool, Kind::Int, Kind::Float, Kind::String];
        let kind = kinds.into_iter().find(|kind| kind.name() == word);
        columns.push((name, kind));
        rest = &after[end + 1..];
        if after[end..].starts_with('}') {
            return Some((columns, rest));
        }
    }
}

/// Parses a column's name. Returns it, and the text after its colon.
fn name(text: &str) -> Option<(Text<'static>, &str)> {
    let Some(quoted) = text.strip_prefix('"') else {
        let (name, rest) = text.split_once(':')?;
        return Some((Text::spelled_as(name)?.into_owned(), rest));
    };
    let mut escaped = false;
    let end = quoted.bytes().position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    })?;
    Some((Text::spelled_as(&quoted[..end])?.into_owned(), quoted[end + 1..].strip_prefix(':')?))
}

fn row(columns: &[Head], line: &str) -> Option<Value<'static>> {
    let mut rest = line;
    let mut members = Vec::with_capacity(columns.len());
    for (at, (name, kind)) in columns.iter().enumerate() {
        if at > 0 {
            rest = rest.strip_prefix(',')?;
        }
        let (value, after) = cell(*kind, rest)?;
        members.extend(value.map(|value| (name.clone(), value)));
        rest = after;
    }
    rest.is_empty().then_some(Value::Object(members))
}

/// Parses the cell at the start of `text`. Returns its value, if it has one, and the text after it.
fn cell(kind: Option<Kind>, text: &str) -> Option<(Option<Value<'static>>, &str)> {
    if let Some(quoted) = text.strip_prefix('"') {
        let (value, rest) = unquote(quoted)?;
        return Some((Some(string(&value)), rest));
    }
    let (word, rest) = text.split_at(text.find(',').unwrap_or(text.len()));
    let value = match (word, kind) {
        ("", _) => None,
        ("null", _) => Some(Value::Null),
        (_, Some(Kind::Bool)) => Some(Value::Bool(word == "true")),
        (_, Some(Kind::Int | Kind::Float)) => Some(Value::Number(word.to_owned().into())),
        (_, Some(Kind::String)) => Some(string(word)),
        (_, None) => return None,
    };
    Some((value, rest))
}

fn string(value: &str) -> Value<'static> {
    Value::String(Text::of(value).into_owned())
}

/// Parses a quoted cell up to its closing quote. Returns its value, and the text after the quote.
fn unquote(text: &str) -> Option<(String, &str)> {
    let mut out = String::new();
    let mut rest = text;
    loop {
        let (part, after) = rest.split_once('"')?;
        out.push_str(part);
        let Some(more) = after.strip_prefix('"') else { return Some((out, after)) };
        out.push('"');
        rest = more;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proof;

    /// Checks that `items` are written as the line `first` above `rows`, and that they can be restored.
    fn check(items: &str, first: &str, rows: &str) {
        let text = format!("[{items}]");
        let value = json::decode(&text).unwrap();
        let written = write(&value).unwrap();
        assert_eq!(written, format!("{first}\n{rows}"));
        assert_eq!(
            read(Room::of(&written), &written).map(|value| json::encode(&value)),
            Some(json::encode(&value))
        );
    }

    /// Behaviour 1.20.
    #[test]
    fn columns_have_names_and_types() {
        check(
            r#"{"id":1,"ok":true,"x":1.50,"s":"a, \"b\"","n":null},{"id":2,"ok":null,"x":2,"s":"","n":null}"#,
            "[2]{id:int,ok:bool?,x:float,s:string,n:null}",
            "1,true,1.50,\"a, \"\"b\"\"\",null\n2,null,2,\"\",null",
        );
    }

    /// Behaviour 17.7.
    #[test]
    fn missing_is_not_null() {
        check(
            r#"{"x,y:int":1,"p}":"null","":"é","q\"":-0},{"p}":null,"q\"":12345678901234567890123},{"x,y:int":2}"#,
            r#"[3]{"x,y:int":int,"p}":string?,"":string,"q\"":int}"#,
            "1,\"null\",é,-0\n,null,,12345678901234567890123\n2,,,",
        );
    }

    #[test]
    fn the_layout_comes_back() {
        let items: Vec<String> =
            (0..9).map(|n| format!("  {{\n    \"id\": {n},\n    \"name\": \"n{n}\"\n  }}")).collect();
        let text = format!("[\n{}\n]\n", items.join(",\n"));
        let edit = proof::apply(&Schema, &text).unwrap();
        assert_eq!(proof::back(&Schema, &edit).as_deref(), Some(&*text));
    }

    /// Behaviour 1.21 and 1.22.
    #[test]
    fn what_is_no_table_is_left_alone() {
        let long = "x".repeat(200);
        for items in [
            format!(r#"{{"a":"{long}"}}"#),
            format!(r#"{{"a":"{long}"}},{{"a":1}}"#),
            format!(r#"{{"a":"{long}"}},{{"a":[1]}}"#),
            format!(r#"{{"a":"{long}"}},7"#),
            format!(r#"{{"a":"{long}","b":"y"}},{{"b":"z","a":"y"}}"#),
            format!(r#"{{"a":"{long}\n"}},{{"a":"z"}}"#),
            "{},{}".to_owned(),
        ] {
            let text = format!("[{items}]");
            assert_eq!(proof::apply(&Schema, &text), None, "{items}");
        }
        proof::read_foreign(&Schema);
        assert_eq!(proof::apply(&Schema, r#"[{"a":1},{"a":2}]"#), None);
    }
}
