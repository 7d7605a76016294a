//! Reads the facts, which are the lines above a list's records.

use std::collections::HashMap;

use super::rows::HeaderColumn;
use super::{flow, rest_of_line, words};
use crate::error::ReadFault;
use crate::scan::TextScan;
use crate::terse::path;
use crate::terse::style::ListStyle;
use crate::terse::template::{self, MAX_PARTS, TemplatePart};
use crate::{MAX_DEPTH, Text, Value};

/// The facts about the records at one path.
#[derive(Default)]
pub(super) struct Facts<'a> {
    pub(super) order: Option<FieldOrder<'a>>,
    pub(super) same: Vec<(Text<'a>, Value<'a>)>,
    /// Default values, for records that do not contain the field.
    pub(super) usual: Vec<(Text<'a>, Value<'a>)>,
    pub(super) made: Vec<(Text<'a>, Vec<TemplatePart<'a>>)>,
    /// Default templates, for records that do not contain the field.
    pub(super) mostly: Vec<(Text<'a>, Vec<TemplatePart<'a>>)>,
    pub(super) begins: Vec<(Text<'a>, &'a str)>,
    /// The facts about the records inside each field.
    pub(super) below: Vec<(Text<'a>, Facts<'a>)>,
    /// True once a record has been found at this path.
    pub(super) met: bool,
}

/// The maximum number of facts for one path, because each fact is compared with each field of each record.
const MAX_FACTS: usize = 1024;

/// The order of a record's fields.
pub(super) enum FieldOrder<'a> {
    Alphabetical,
    /// The position of each field.
    Named(HashMap<Text<'a>, usize>),
}

impl<'a> Facts<'a> {
    /// Reads all facts of a list.
    pub(super) fn read(scan: &mut TextScan<'a>, style: ListStyle) -> Result<Self, ReadFault> {
        let mut facts = Self::default();
        loop {
            let start = scan.at();
            let known = facts.line(scan, style)?;
            if !known {
                scan.go(start);
                return Ok(facts);
            }
        }
    }

    /// Reads one fact; false when the line is not a fact.
    fn line(&mut self, scan: &mut TextScan<'a>, style: ListStyle) -> Result<bool, ReadFault> {
        if scan.eat_word(style.each()) {
            if scan.eat_word(words::HAVING) {
                path::read(scan)?;
            }
            return self.constants(scan, |facts| &mut facts.same).map(|()| true);
        }
        if scan.eat_word(words::UNLESS) {
            return self.unless(scan).map(|()| true);
        }
        if is_fields(scan.rest()) {
            return self.fields(scan).map(|()| true);
        }
        let Ok(steps) = path::read(scan) else { return Ok(false) };
        if scan.eat_word(words::MADE) {
            let parts = parts(scan)?;
            let (facts, key) = self.reach(scan, steps)?;
            facts.made.push((key, parts));
            return Ok(true);
        }
        if scan.eat_word(words::BEGINS) {
            let text = open_text(scan)?;
            let (facts, key) = self.reach(scan, steps)?;
            facts.begins.push((key, text));
            return Ok(true);
        }
        Ok(false)
    }

    /// Reads a default, which applies to the records that do not contain the field.
    fn unless(&mut self, scan: &mut TextScan<'a>) -> Result<(), ReadFault> {
        if !scan.eat_word(words::NEXT) {
            return self.constants(scan, |facts| &mut facts.usual);
        }
        if scan.eat_word(words::WHERE) {
            path::read(scan)?;
            return self.constants(scan, |facts| &mut facts.usual);
        }
        let steps = path::read(scan)?;
        if !scan.eat_word(words::MADE) {
            return scan.fail("' = '");
        }
        let parts = parts(scan)?;
        let (facts, key) = self.reach(scan, steps)?;
        facts.mostly.push((key, parts));
        Ok(())
    }

    /// Reads values with their paths into the list of facts that `part` selects.
    fn constants(
        &mut self,
        scan: &mut TextScan<'a>,
        part: impl Fn(&mut Self) -> &mut Vec<(Text<'a>, Value<'a>)>,
    ) -> Result<(), ReadFault> {
        if !scan.eat_word(": ") {
            return scan.fail("': '");
        }
        loop {
            let steps = path::read(scan)?;
            if !scan.eat(b'=') {
                return scan.fail("'='");
            }
            let value = flow::value(scan, MAX_DEPTH)?;
            let (facts, key) = self.reach(scan, steps)?;
            part(facts).push((key, value));
            if scan.eat(b'\n') {
                return Ok(());
            }
            if !scan.eat_word(words::NEXT) {
                return scan.fail("', ' or the end of the line");
            }
        }
    }

    fn fields(&mut self, scan: &mut TextScan<'a>) -> Result<(), ReadFault> {
        scan.eat_word(words::FIELDS);
        let mut steps = Vec::new();
        if scan.eat_word(words::OF) {
            steps = path::read(scan)?;
        }
        if !scan.eat_word(": ") {
            return scan.fail("': '");
        }
        let order = order(scan)?;
        let facts = self.descend(scan, steps)?;
        if facts.order.replace(order).is_some() {
            return scan.fail("one order of fields");
        }
        Ok(())
    }

    /// Takes the order of the fields from the header, if no line states the order and records omit fields.
    pub(super) fn adopt(&mut self, columns: &[HeaderColumn<'a>]) {
        if self.order.is_none() && !(self.usual.is_empty() && self.mostly.is_empty()) {
            let same = self.same.iter().map(|(key, _)| key);
            let made = self.made.iter().map(|(key, _)| key);
            let implied = self.below.iter().map(|(key, _)| key);
            let keys = same.chain(columns.iter().map(|column| &column.key)).chain(made).chain(implied);
            let mut places = HashMap::new();
            for key in keys {
                let next = places.len();
                places.entry(key.clone()).or_insert(next);
            }
            self.order = Some(FieldOrder::Named(places));
        }
        for (key, facts) in &mut self.below {
            let mut inside = columns.iter().filter(|column| column.key == *key).map(HeaderColumn::inside);
            if let Some(columns) = inside.find(|columns| !columns.is_empty()) {
                facts.adopt(columns);
            }
        }
    }

    /// The facts about the records that contain the field at `steps`, and the key of this field.
    fn reach(
        &mut self,
        scan: &TextScan<'a>,
        mut steps: Vec<Text<'a>>,
    ) -> Result<(&mut Self, Text<'a>), ReadFault> {
        let Some(key) = steps.pop() else { return scan.fail("a field's name") };
        let facts = self.descend(scan, steps)?;
        if facts.count() >= MAX_FACTS {
            return scan.fail("fewer facts");
        }
        if facts.speaks_of(&key) {
            return scan.fail("one fact for each field");
        }
        Ok((facts, key))
    }

    /// The facts about the records at the path `steps`.
    fn descend(&mut self, scan: &TextScan<'a>, steps: Vec<Text<'a>>) -> Result<&mut Self, ReadFault> {
        if steps.len() >= MAX_DEPTH {
            return scan.fail("fewer levels");
        }
        steps.into_iter().try_fold(self, |facts, key| facts.step(scan, key))
    }

    fn step(&mut self, scan: &TextScan<'a>, key: Text<'a>) -> Result<&mut Self, ReadFault> {
        let found = self.below.iter().position(|(known, _)| *known == key);
        if found.is_none() && self.count() >= MAX_FACTS {
            return scan.fail("fewer facts");
        }
        let at = found.unwrap_or_else(|| {
            self.below.push((key, Self::default()));
            self.below.len() - 1
        });
        Ok(&mut self.below[at].1)
    }

    /// True when there already is a fact about the field `key`.
    fn speaks_of(&self, key: &Text<'a>) -> bool {
        let constants = self.same.iter().chain(&self.usual).map(|(known, _)| known);
        let made = self.made.iter().chain(&self.mostly).map(|(known, _)| known);
        let begins = self.begins.iter().map(|(known, _)| known);
        constants.chain(made).chain(begins).any(|known| known == key)
    }

    /// The number of facts about the records at this path.
    fn count(&self) -> usize {
        let constants = self.same.len() + self.usual.len() + self.begins.len();
        constants + self.made.len() + self.mostly.len() + self.below.len()
    }
}

/// True for `fields: …` and `fields of …`, but not for a record whose key is `fields`.
fn is_fields(rest: &str) -> bool {
    const EACH: &str = "each begins with ";
    rest.strip_prefix(words::FIELDS).is_some_and(|rest| {
        let named = rest.strip_prefix(": ");
        rest.starts_with(words::OF)
            || named.is_some_and(|rest| !rest.starts_with('{') && !rest.starts_with(EACH))
    })
}

fn order<'a>(scan: &mut TextScan<'a>) -> Result<FieldOrder<'a>, ReadFault> {
    let start = scan.at();
    if scan.eat_word(words::ALPHABETICAL) && scan.eat(b'\n') {
        return Ok(FieldOrder::Alphabetical);
    }
    scan.go(start);
    let mut places = HashMap::new();
    loop {
        if places.insert(flow::key(scan)?, places.len()).is_some() {
            return scan.fail("each field once");
        }
        if scan.eat(b'\n') {
            return Ok(FieldOrder::Named(places));
        }
        if !scan.eat(b',') {
            return scan.fail("',' or the end of the line");
        }
    }
}

/// Reads the parts of a template, up to the end of the line.
fn parts<'a>(scan: &mut TextScan<'a>) -> Result<Vec<TemplatePart<'a>>, ReadFault> {
    let parts = template::parse(open_text(scan)?);
    if parts.len() > MAX_PARTS {
        return scan.fail("a template of at most 64 parts");
    }
    Ok(parts)
}

/// Reads a text that extends to the end of its line, or is in quotes.
fn open_text<'a>(scan: &mut TextScan<'a>) -> Result<&'a str, ReadFault> {
    let start = scan.at();
    let line = rest_of_line(scan)?;
    let quoted = line.strip_prefix('"').and_then(|line| line.strip_suffix('"'));
    let sound = match quoted {
        Some(inside) => TextScan::new(line).string().is_ok_and(|text| text.as_str() == inside),
        None => !line.is_empty() && !line.bytes().any(|byte| byte < b' ' || byte == b'"' || byte == b'\\'),
    };
    if !sound {
        scan.go(start);
        return scan.fail("a text, in quotes if it has any");
    }
    Ok(quoted.unwrap_or(line))
}
