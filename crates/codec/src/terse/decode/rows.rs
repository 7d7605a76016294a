//! Reads a header and the rows below it.

use std::collections::HashSet;

use super::{flow, words};
use crate::error::ReadFault;
use crate::scan::TextScan;
use crate::terse::style::ListStyle;
use crate::{MAX_DEPTH, Text, Value};

/// One column of a header.
pub(super) struct HeaderColumn<'a> {
    pub(super) key: Text<'a>,
    holds: Holds<'a>,
}

/// The kind of the cells in a column.
enum Holds<'a> {
    /// A value.
    Value,
    /// The cells of one record.
    Record(Vec<HeaderColumn<'a>>),
    /// A value, or a list whose records are in parentheses.
    List(Vec<HeaderColumn<'a>>),
}

impl<'a> HeaderColumn<'a> {
    /// The columns of the records inside this column.
    pub(super) fn inside(&self) -> &[HeaderColumn<'a>] {
        match &self.holds {
            Holds::Value => &[],
            Holds::Record(columns) | Holds::List(columns) => columns,
        }
    }
}

/// Reads a header and its line break.
pub(super) fn header<'a>(
    scan: &mut TextScan<'a>,
    style: ListStyle,
) -> Result<Vec<HeaderColumn<'a>>, ReadFault> {
    if style.is_keyed() && !scan.eat_word(words::KEY) {
        return scan.fail("'key: ' and a header");
    }
    let columns = columns(scan, MAX_DEPTH)?;
    if !scan.eat(b'\n') {
        return scan.fail("',' or the end of the header");
    }
    Ok(columns)
}

fn columns<'a>(scan: &mut TextScan<'a>, groups: usize) -> Result<Vec<HeaderColumn<'a>>, ReadFault> {
    let mut columns: Vec<HeaderColumn<'a>> = Vec::new();
    let mut keys = HashSet::new();
    loop {
        let key = flow::key(scan)?;
        let again = columns.last().is_some_and(|column| column.key == key);
        if !keys.insert(key.clone()) && !again {
            return scan.fail("each field once");
        }
        columns.push(column(scan, key, groups)?);
        if !scan.eat(b',') {
            return Ok(columns);
        }
    }
}

fn column<'a>(scan: &mut TextScan<'a>, key: Text<'a>, groups: usize) -> Result<HeaderColumn<'a>, ReadFault> {
    let Some(open @ (b'{' | b'[')) = scan.peek() else {
        return Ok(HeaderColumn { key, holds: Holds::Value });
    };
    if groups == 0 {
        return scan.fail("fewer levels");
    }
    scan.eat(open);
    let inside = columns(scan, groups - 1)?;
    let (close, name) = if open == b'{' { (b'}', "',' or '}'") } else { (b']', "',' or ']'") };
    if !scan.eat(close) {
        return scan.fail(name);
    }
    let holds = if open == b'{' { Holds::Record(inside) } else { Holds::List(inside) };
    Ok(HeaderColumn { key, holds })
}

/// Reads the cells of one row.
pub(super) fn row<'a>(
    scan: &mut TextScan<'a>,
    columns: &[HeaderColumn<'a>],
    levels: usize,
) -> Result<Vec<(Text<'a>, Value<'a>)>, ReadFault> {
    let mut row = Row { scan, first: true, ended: false, cells: 0 };
    let members = row.members(columns, levels)?;
    if row.scan.peek() == Some(b',') {
        return row.scan.fail("the end of the row");
    }
    if row.cells == 0 {
        return row.scan.fail("a cell");
    }
    Ok(members)
}

/// The state while the cells of a row are read.
struct Row<'s, 'a> {
    scan: &'s mut TextScan<'a>,
    first: bool,
    /// True after the last cell of the row: all further columns are empty.
    ended: bool,
    cells: usize,
}

impl<'a> Row<'_, 'a> {
    fn members(
        &mut self,
        columns: &[HeaderColumn<'a>],
        levels: usize,
    ) -> Result<Vec<(Text<'a>, Value<'a>)>, ReadFault> {
        let mut members: Vec<(Text<'a>, Value<'a>)> = Vec::with_capacity(columns.len());
        for column in columns {
            if self.ended {
                break;
            }
            let value = match &column.holds {
                Holds::Record(inside) => {
                    let inside = self.members(inside, levels.saturating_sub(1))?;
                    (!inside.is_empty()).then_some(Value::Object(inside))
                }
                Holds::Value => self.cell(|scan| flow::value(scan, levels))?,
                Holds::List(inside) => self.cell(|scan| list(scan, inside, levels))?,
            };
            if let Some(value) = value {
                if members.last().is_some_and(|(key, _)| *key == column.key) {
                    return self.scan.fail("one value for each field");
                }
                members.push((column.key.clone(), value));
            }
        }
        Ok(members)
    }

    /// Reads the next cell; `None` when the cell is empty.
    fn cell(
        &mut self,
        read: impl FnOnce(&mut TextScan<'a>) -> Result<Value<'a>, ReadFault>,
    ) -> Result<Option<Value<'a>>, ReadFault> {
        if !self.first && !self.scan.eat(b',') {
            self.ended = true;
            return Ok(None);
        }
        self.first = false;
        match self.scan.peek() {
            Some(b',') => Ok(None),
            None | Some(b'\n' | b')') => self.scan.fail("a cell"),
            _ => {
                self.cells += 1;
                read(self.scan).map(Some)
            }
        }
    }
}

/// Reads a cell in a column of lists.
fn list<'a>(
    scan: &mut TextScan<'a>,
    columns: &[HeaderColumn<'a>],
    levels: usize,
) -> Result<Value<'a>, ReadFault> {
    if scan.peek() != Some(b'[') {
        return flow::value(scan, levels);
    }
    if levels < 2 {
        return scan.fail("fewer levels");
    }
    let mut items = Vec::new();
    scan.eat(b'[');
    if scan.eat(b']') {
        return Ok(Value::Array(items));
    }
    loop {
        if scan.eat(b'(') {
            items.push(Value::Object(row(scan, columns, levels - 2)?));
            if !scan.eat(b')') {
                return scan.fail("',' or ')'");
            }
        } else {
            items.push(flow::value(scan, levels - 1)?);
        }
        if scan.eat(b']') {
            return Ok(Value::Array(items));
        }
        if !scan.eat(b',') {
            return scan.fail("',' or ']'");
        }
    }
}
