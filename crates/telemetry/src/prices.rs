//! Parses a price file.

use std::fmt;

use tersely_account::{Price, PriceTable, TokenRates, per_million};
use toml::{Table, Value};

/// Version of the file format.
const VERSION: i64 = 1;

/// The highest price accepted, in dollars per million tokens.
const MAX_DOLLARS: f64 = 1e6;

/// What is wrong with a price file.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct PriceFault(String);

impl fmt::Display for PriceFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Parses prices from TOML; they take precedence over the built-in ones.
///
/// # Errors
/// When the text is not a valid price file.
pub fn read_prices(text: &str) -> Result<PriceTable, PriceFault> {
    let table: Table =
        text.parse().map_err(|error: toml::de::Error| PriceFault(error.message().to_owned()))?;
    if table.get("version").and_then(Value::as_integer) != Some(VERSION) {
        return Err(PriceFault(format!("version must be {VERSION}")));
    }
    let rows = table.get("price").and_then(Value::as_array);
    let rows = rows.ok_or_else(|| PriceFault("the list `price` is missing".to_owned()))?;
    let prices = rows
        .iter()
        .enumerate()
        .map(|(at, row)| read_row(row).map_err(|what| PriceFault(format!("price {}: {what}", at + 1))));
    Ok(PriceTable::with(prices.collect::<Result<_, _>>()?))
}

/// Parses one row: a pattern of model names, and its price.
fn read_row(row: &Value) -> Result<(String, Price), String> {
    let pattern = row.get("model").and_then(Value::as_str).ok_or("model is missing")?.to_owned();
    let price = |name: &str| row.get(name).map(|value| rate(name, value)).transpose();
    let input = price("input")?.ok_or("input is missing")?;
    let cache_write = price("cache_write")?.unwrap_or(input);
    let output = price("output")?.ok_or("output is missing")?;
    let rates = TokenRates {
        input,
        cache_read: price("cache_read")?.unwrap_or(input),
        cache_write,
        cache_write_hour: price("cache_write_hour")?.unwrap_or(cache_write),
        output,
        reasoning: output,
    };
    Ok((pattern, Price::flat(rates)))
}

/// Parses a price in dollars per million tokens, to six decimals.
fn rate(name: &str, value: &Value) -> Result<u64, String> {
    let price = value.as_float().or_else(|| i32::try_from(value.as_integer()?).ok().map(f64::from));
    let price = price.filter(|price| (0.0..=MAX_DOLLARS).contains(price));
    let rate = price.and_then(|price| per_million(&format!("{price:.6}")));
    rate.ok_or_else(|| format!("{name} is not a price in dollars per million tokens"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_prices_come_first() {
        let own = "version = 1\nprice = [\n{ model = \"mine*\", input = 1, output = 2.5 },\n\
                   { model = \"*claude-opus-4-5*\", input = 7, output = 8, cache_write = 9, cache_write_hour = 10 }]";
        let table = read_prices(own).unwrap();
        let rates = |model| *table.of(model).unwrap().rates(0);
        let mine = rates("mine-small");
        assert_eq!([mine.input, mine.cache_read, mine.cache_write], [1_000_000_000_000; 3]);
        assert_eq!(mine.output, 2_500_000_000_000);
        let opus = rates("claude-opus-4-5");
        assert_eq!(
            [opus.input, opus.cache_write, opus.cache_write_hour],
            [7, 9, 10].map(|it| it * 1_000_000_000_000)
        );
        assert_eq!(table.of("gpt-5"), PriceTable::known().of("gpt-5"));
    }

    #[test]
    fn what_is_no_table_is_refused() {
        for (text, why) in [
            ("x", "expected"),
            ("", "version must be 1"),
            ("version = 2", "version must be 1"),
            ("version = 1", "the list `price` is missing"),
            ("version = 1\nprice = [{ input = 1, output = 2 }]", "price 1: model is missing"),
            ("version = 1\nprice = [{ model = \"m\", output = 2 }]", "price 1: input is missing"),
            ("version = 1\nprice = [{ model = \"m\", input = 1 }]", "price 1: output is missing"),
            (
                "version = 1\nprice = [{ model = \"m\", input = -1, output = 1 }]",
                "price 1: input is not a price",
            ),
            (
                "version = 1\nprice = [{ model = \"m\", input = \"x\", output = 1 }]",
                "price 1: input is not a price",
            ),
        ] {
            let fault = read_prices(text).unwrap_err().to_string();
            assert!(fault.contains(why), "{text}: {fault}");
        }
    }
}
