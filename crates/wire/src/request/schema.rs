//! Finds the descriptions of tools, and the descriptions in their schemas.
//!
//! A schema also contains data: defaults, examples, allowed values. A property can have any name, even `description`.
//! So only the keywords that contain schemas are searched, and everything else stays unchanged.

use std::borrow::Cow;
use std::ops::Range;

use tersely_json::{JsonError, JsonScan, Splice, scan_all, string};

/// A description of a tool, or of a part of its schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolDescription<'a> {
    /// The range of the string in the body, including the quotes.
    pub span: Range<usize>,
    /// The range to remove for the whole member, including its name and its comma.
    pub member: Range<usize>,
    /// The string exactly as written in the JSON.
    pub token: &'a [u8],
}

impl<'a> ToolDescription<'a> {
    /// The decoded text of the string; `None` if the text could not be encoded again.
    #[must_use]
    pub fn text(&self) -> Option<Cow<'a, str>> {
        string::decode(self.token)
    }

    /// The edit that replaces the description by the result of `minify`; if the result is empty, the member is
    /// removed.
    pub(crate) fn edit(self, minify: impl Fn(&str) -> Option<String>) -> Option<Splice> {
        let text = self.text()?;
        let short = minify(&text);
        if short.as_deref().unwrap_or(&text).is_empty() {
            return Some((self.member, None));
        }
        short.map(|short| (self.span, Some(short)))
    }
}

/// The descriptions found so far.
pub(crate) type FoundDescriptions<'a> = Vec<ToolDescription<'a>>;

/// Finds the descriptions of a whole body with `walk`, in order.
pub(crate) fn find<'a>(
    body: &'a [u8],
    walk: impl FnOnce(&mut JsonScan<'a>, &mut FoundDescriptions<'a>) -> Result<(), JsonError>,
) -> Result<FoundDescriptions<'a>, JsonError> {
    let mut found = scan_all(body, walk)?;
    found.sort_by_key(|description| description.span.start);
    Ok(found)
}

/// Reads the tool at the current position; its schemas are in the members `names`.
pub(crate) fn tool<'a>(
    names: &[&str],
    scan: &mut JsonScan<'a>,
    found: &mut FoundDescriptions<'a>,
) -> Result<(), JsonError> {
    walk_object(scan, found, |scan, found, key| {
        if names.iter().any(|name| name.as_bytes() == key) {
            return schema(scan, found);
        }
        scan.skip().map(drop)
    })
}

/// Reads the JSON Schema at the current position, and the schemas in it.
pub(crate) fn schema<'a>(
    scan: &mut JsonScan<'a>,
    found: &mut FoundDescriptions<'a>,
) -> Result<(), JsonError> {
    within(MAX_DEPTH, scan, found)
}

/// Reads the object at the current position: records its description, and passes every other member to `each`, which
/// must consume it.
pub(crate) fn walk_object<'a>(
    scan: &mut JsonScan<'a>,
    found: &mut FoundDescriptions<'a>,
    mut each: impl FnMut(&mut JsonScan<'a>, &mut FoundDescriptions<'a>, &[u8]) -> Result<(), JsonError>,
) -> Result<(), JsonError> {
    let mut own: Option<Member> = None;
    let mut before = None;
    scan.members(|scan, key| {
        let start = scan.name_start();
        if let Some(own) = &mut own {
            own.next.get_or_insert(start);
        }
        if key == b"description" {
            let value = scan.skip()?;
            scan.once(&mut own, Member { start, value, before, next: None })?;
        } else {
            each(scan, found, key)?;
        }
        before = Some(scan.at());
        Ok(())
    })?;
    found.extend(own.and_then(|own| own.description(scan.body())));
    Ok(())
}

/// The maximum depth of nested schemas that are searched.
const MAX_DEPTH: usize = 32;

/// Keywords that contain a schema or an array of schemas. Google accepts names in camel case and in snake case.
const SCHEMAS: [&str; 19] = [
    "items",
    "anyOf",
    "any_of",
    "oneOf",
    "allOf",
    "additionalProperties",
    "additional_properties",
    "not",
    "if",
    "then",
    "else",
    "prefixItems",
    "prefix_items",
    "additionalItems",
    "contains",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
    "contentSchema",
];

/// Keywords that contain schemas under arbitrary names.
const NAMED: [&str; 7] =
    ["properties", "$defs", "definitions", "defs", "patternProperties", "dependentSchemas", "dependencies"];

fn within<'a>(
    levels: usize,
    scan: &mut JsonScan<'a>,
    found: &mut FoundDescriptions<'a>,
) -> Result<(), JsonError> {
    walk_object(scan, found, |scan, found, key| {
        let is_of = |names: &[&str]| names.iter().any(|name| name.as_bytes() == key);
        let Some(levels) = levels.checked_sub(1) else { return scan.skip().map(drop) };
        if is_of(&SCHEMAS) {
            return scan.items(|scan| within(levels, scan, found));
        }
        if is_of(&NAMED) && scan.peek() == Some(b'{') {
            return scan.members(|scan, _| within(levels, scan, found));
        }
        scan.skip().map(drop)
    })
}

/// A description, and its position among the members of its object.
struct Member {
    /// The position where the member's name begins.
    start: usize,
    /// The range of the member's value.
    value: Range<usize>,
    /// The position where the previous member ends.
    before: Option<usize>,
    /// The position where the next member begins.
    next: Option<usize>,
}

impl Member {
    fn description(self, body: &[u8]) -> Option<ToolDescription<'_>> {
        let Self { start, value: span, before, next } = self;
        let token = &body[span.clone()];
        let member = match (next, before) {
            (Some(next), _) => start..next,
            (None, Some(before)) => before..span.end,
            (None, None) => start..span.end,
        };
        (token.first() == Some(&b'"')).then_some(ToolDescription { span, member, token })
    }
}
