//! Adds up the token usage of a response's rounds, under the provider's own names.

use std::collections::HashSet;

use serde_json::{Map, Number, Value};
use tersely_json::{BytePatch, JsonNode, string};

/// The provider's token counts, across all rounds of a response.
#[derive(Debug, Default)]
pub(crate) struct UsageTally {
    /// The sums of the finished rounds.
    past: Map<String, Value>,
    /// The counts of the current round.
    round: Map<String, Value>,
}

impl UsageTally {
    /// An empty tally. Counts that a usage object lacks are added to it in the order of `names`.
    pub(crate) fn of<const N: usize>(names: [&str; N]) -> Self {
        Self {
            past: names.into_iter().map(|name| (name.to_owned(), Value::Null)).collect(),
            round: Map::new(),
        }
    }

    /// Records the counts in `usage`, and keeps all other counts. Providers repeat their counts within a round.
    pub(crate) fn record(&mut self, usage: &JsonNode<'_>) {
        if let Ok(said) = serde_json::from_slice(usage.bytes()) {
            merge(&mut self.round, said, |_, said| said.clone());
        }
    }

    /// Ends the round.
    pub(crate) fn end_round(&mut self) {
        let round = std::mem::take(&mut self.round);
        merge(&mut self.past, round, plus);
    }

    /// Writes the sums into the member `name` of `object`; other members stay unchanged.
    pub(crate) fn write(&self, name: &str, object: &JsonNode<'_>, patch: &mut BytePatch) {
        let sum = self.sum();
        let said = || format!("{{{}}}", members(sum.iter().filter(|(_, sum)| !sum.is_null())));
        match object.get(name) {
            Some(usage) if usage.bytes() == b"null" && sum.values().any(is_counted) => {
                patch.put(usage.span, said());
            }
            Some(usage) => self.update(&usage, patch),
            None if sum.is_empty() => {}
            None => patch.add(object, format!(r#""{name}":{}"#, said()).as_bytes()),
        }
    }

    /// Writes the sums into `usage`, if it is an object; other members stay unchanged.
    pub(crate) fn update(&self, usage: &JsonNode<'_>, patch: &mut BytePatch) {
        if usage.is_object() {
            update(&self.sum(), usage, patch);
        }
    }

    fn sum(&self) -> Map<String, Value> {
        let mut sum = self.past.clone();
        merge(&mut sum, self.round.clone(), plus);
        sum
    }
}

/// Merges `said` into `now`, member by member. `numbers` combines two numbers; any other value is replaced.
fn merge(now: &mut Map<String, Value>, said: Map<String, Value>, numbers: fn(&Number, &Number) -> Number) {
    for (name, said) in said {
        match (now.get_mut(&name), said) {
            (Some(Value::Number(now)), Value::Number(said)) => *now = numbers(now, &said),
            (Some(Value::Object(now)), Value::Object(said)) => merge(now, said, numbers),
            (Some(Value::Number(_) | Value::Object(_)), Value::Null) => {}
            (_, said) => drop(now.insert(name, said)),
        }
    }
}

fn plus(left: &Number, right: &Number) -> Number {
    let whole = left.as_u64().zip(right.as_u64()).map(|(left, right)| left.saturating_add(right));
    let broken =
        || left.as_f64().zip(right.as_f64()).and_then(|(left, right)| Number::from_f64(left + right));
    whole.map(Number::from).or_else(broken).unwrap_or_else(|| right.clone())
}

/// Replaces each count by its sum, and appends the sums of missing counts.
fn update(sums: &Map<String, Value>, usage: &JsonNode<'_>, patch: &mut BytePatch) {
    let mut said = HashSet::new();
    for (name, value) in usage.members() {
        match sums.get(&name) {
            Some(Value::Object(sums)) if value.is_object() => update(sums, &value, patch),
            Some(sum) if is_counted(sum) || is_number(&value) => put(sum, &value, patch),
            _ => {}
        }
        said.insert(name);
    }
    let missing = sums.iter().filter(|(name, sum)| !said.contains(*name) && is_counted(sum));
    patch.add(usage, members(missing).as_bytes());
}

/// Writes the sum, unless the value already equals it: then its spelling is kept.
fn put(sum: &Value, value: &JsonNode<'_>, patch: &mut BytePatch) {
    if serde_json::from_slice::<Value>(value.bytes()).ok().as_ref() != Some(sum) {
        patch.put(value.span.clone(), sum.to_string());
    }
}

fn is_number(value: &JsonNode<'_>) -> bool {
    serde_json::from_slice::<Number>(value.bytes()).is_ok()
}

fn members<'v>(sums: impl Iterator<Item = (&'v String, &'v Value)>) -> String {
    sums.map(|(name, sum)| format!("{}:{sum}", string::quote(name))).collect::<Vec<_>>().join(",")
}

/// True for a positive number, and for an object that contains one.
fn is_counted(sum: &Value) -> bool {
    match sum {
        Value::Number(sum) => sum.as_f64() > Some(0.0),
        Value::Object(sums) => sums.values().any(is_counted),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Builds a tally of these rounds; each round has one usage object.
    fn tally(names: &[&str], rounds: &[&str]) -> UsageTally {
        let mut tally = UsageTally::default();
        tally.past.extend(names.iter().map(|name| ((*name).to_owned(), Value::Null)));
        for round in rounds {
            tally.record(&JsonNode::object(round.as_bytes()).unwrap());
            tally.end_round();
        }
        tally
    }

    /// The sum at this JSON pointer.
    fn count(tally: &UsageTally, pointer: &str) -> Option<u64> {
        Value::Object(tally.sum()).pointer(pointer).and_then(Value::as_u64)
    }

    fn check(tally: &UsageTally, body: &str, expected: &str) {
        let (top, mut patch) = (JsonNode::object(body.as_bytes()).unwrap(), BytePatch::default());
        tally.write("usage", &top, &mut patch);
        assert_eq!(String::from_utf8_lossy(&patch.apply(body.as_bytes())), expected);
    }

    #[test]
    fn counts_are_said_where_they_belong() {
        let tally = tally(&["in", "out", "kept"], &[r#"{"out":7,"in":5}"#]);
        check(&tally, r#"{"usage":{"in":1,"x":2,"out":3}}"#, r#"{"usage":{"in":5,"x":2,"out":7}}"#);
        check(&tally, r#"{"usage":{"in":null,"kept":null}}"#, r#"{"usage":{"in":5,"kept":null,"out":7}}"#);
        check(&tally, "{}", r#"{"usage":{"in":5,"out":7}}"#);
        check(&tally, r#"{"usage":null}"#, r#"{"usage":{"in":5,"out":7}}"#);
        check(&tally, r#"{"usage":"?"}"#, r#"{"usage":"?"}"#);
    }

    #[test]
    fn where_nothing_is_counted_nothing_is_said() {
        check(&UsageTally::default(), "{}", "{}");
        check(&UsageTally::default(), r#"{"usage":null}"#, r#"{"usage":null}"#);
        check(&UsageTally::of(["in"]), r#"{"usage":null}"#, r#"{"usage":null}"#);
        check(&UsageTally::of(["in"]), r#"{"usage":{"in":null}}"#, r#"{"usage":{"in":null}}"#);
    }

    #[test]
    fn what_is_not_said_stays() {
        let mut tally = tally(&[], &[r#"{"in":1,"out":1}"#]);
        tally.record(&JsonNode::object(br#"{"in":3,"out":1}"#).unwrap());
        tally.record(&JsonNode::object(br#"{"out":9,"in":null}"#).unwrap());
        assert_eq!(["/in", "/out", "/x"].map(|pointer| count(&tally, pointer)), [Some(4), Some(10), None]);
    }

    #[test]
    fn numbers_are_added_at_any_depth() {
        let rounds = [
            r#"{"in":10,"cost":0.5,"details":{"cached":4,"none":0},"tier":"x"}"#,
            r#"{"in":20,"cost":0.25,"details":{"cached":9},"list":[1],"x":null}"#,
        ];
        let tally = tally(&[], &rounds);
        check(
            &tally,
            r#"{"usage":{"details" : {"cached":9},"list":[1],"cost":0.25}}"#,
            r#"{"usage":{"details" : {"cached":13},"list":[1],"cost":0.75,"in":30}}"#,
        );
        check(
            &tally,
            r#"{"usage":{"details":null}}"#,
            r#"{"usage":{"details":{"cached":13,"none":0},"in":30,"cost":0.75}}"#,
        );
        check(
            &tally,
            "{}",
            r#"{"usage":{"in":30,"cost":0.75,"details":{"cached":13,"none":0},"tier":"x","list":[1]}}"#,
        );
    }

    #[test]
    fn a_count_that_is_right_keeps_its_spelling() {
        let tally = tally(&[], &[r#"{"cost":1.50,"in":2e0}"#]);
        check(&tally, r#"{"usage":{"cost":1.50,"in":2e0}}"#, r#"{"usage":{"cost":1.50,"in":2e0}}"#);
    }

    #[test]
    fn sums_end_where_numbers_do() {
        let most = format!(r#"{{"in":{}}}"#, u64::MAX);
        assert_eq!(count(&tally(&[], &[&most, &most]), "/in"), Some(u64::MAX));
    }
}
