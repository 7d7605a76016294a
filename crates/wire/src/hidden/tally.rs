//! Adds up what the rounds of a response cost, in the provider's own words.

use serde_json::{Map, Number, Value};

use crate::hidden::watch::Usage;

/// The sum of what providers of one shape say they counted.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    sum: Map<String, Value>,
}

impl Tally {
    /// True when nothing was said yet.
    pub(crate) fn is_empty(&self) -> bool {
        self.sum.is_empty()
    }

    /// Counts one more.
    pub(crate) fn count(&mut self, more: &Map<String, Value>) {
        add(&mut self.sum, more);
    }

    /// The sum with one more, as JSON.
    pub(crate) fn with(&self, more: &Map<String, Value>) -> String {
        let mut sum = self.sum.clone();
        add(&mut sum, more);
        Value::Object(sum).to_string()
    }

    /// The sum as JSON.
    pub(crate) fn text(&self) -> String {
        Value::Object(self.sum.clone()).to_string()
    }

    /// The sum in our words: `read` and `wrote` name what the model read, from the cache too, and wrote.
    pub(crate) fn usage(&self, read: &str, wrote: &str) -> Usage {
        let number = |value: Option<&Value>| value.and_then(Value::as_u64);
        let details = self.sum.get(&format!("{read}_details")).and_then(|it| it.get("cached_tokens"));
        let cached =
            number(details).or_else(|| number(self.sum.get("prompt_cache_hit_tokens"))).unwrap_or_default();
        let input = number(self.sum.get(read)).unwrap_or_default().saturating_sub(cached);
        let output = number(self.sum.get(wrote)).unwrap_or_default();
        Usage { input, cached, written: 0, output }
    }
}

/// Adds number to number, by name; of anything else the latest stays.
fn add(sum: &mut Map<String, Value>, more: &Map<String, Value>) {
    for (name, value) in more {
        match (sum.get_mut(name), value) {
            (Some(Value::Number(now)), Value::Number(more)) => *now = plus(now, more),
            (Some(Value::Object(now)), Value::Object(more)) => add(now, more),
            (Some(Value::Number(_) | Value::Object(_)), Value::Null) => {}
            _ => drop(sum.insert(name.clone(), value.clone())),
        }
    }
}

fn plus(left: &Number, right: &Number) -> Number {
    let whole = left.as_u64().zip(right.as_u64()).and_then(|(left, right)| left.checked_add(right));
    let broken =
        || left.as_f64().zip(right.as_f64()).and_then(|(left, right)| Number::from_f64(left + right));
    whole.map(Number::from).or_else(broken).unwrap_or_else(|| right.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rounds: &[&str], expected: &str, usage: Usage) {
        let mut tally = Tally::default();
        for round in rounds {
            tally.count(&serde_json::from_str(round).unwrap());
        }
        assert_eq!(tally.text(), expected);
        assert_eq!(tally.usage("prompt_tokens", "completion_tokens"), usage);
    }

    #[test]
    fn numbers_are_added_at_any_depth() {
        check(
            &[
                r#"{"prompt_tokens":10,"completion_tokens":2,"cost":0.5,"prompt_tokens_details":{"cached_tokens":4}}"#,
                r#"{"prompt_tokens":20,"completion_tokens":3,"cost":0.25,"prompt_tokens_details":{"cached_tokens":9},"x":null}"#,
            ],
            r#"{"prompt_tokens":30,"completion_tokens":5,"cost":0.75,"prompt_tokens_details":{"cached_tokens":13},"x":null}"#,
            Usage { input: 17, cached: 13, written: 0, output: 5 },
        );
    }

    #[test]
    fn what_is_missing_counts_nothing() {
        check(&[], "{}", Usage::default());
        check(
            &[r#"{"prompt_tokens":9,"prompt_tokens_details":null,"prompt_cache_hit_tokens":4}"#],
            r#"{"prompt_tokens":9,"prompt_tokens_details":null,"prompt_cache_hit_tokens":4}"#,
            Usage { input: 5, cached: 4, written: 0, output: 0 },
        );
    }
}
