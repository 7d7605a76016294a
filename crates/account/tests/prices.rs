//! Compares our costs with litellm's, whose price table ours is generated from. `prices/expect.py` made the fixtures.

#![expect(clippy::expect_used, reason = "a test fails loudly")]

use tersely_account::{Price, PriceTable, TokenUsage};

/// A short and a long request, as in `prices/expect.py`.
const SHORT: [u64; 6] = [1_000, 2_000, 500, 200, 300, 100];
const LONG: [u64; 6] = [100_000, 500_000, 50_000, 20_000, 3_000, 1_000];

fn usage([input, cache_read, cache_write, cache_write_hour, output, reasoning]: [u64; 6]) -> TokenUsage {
    TokenUsage { input, cache_read, cache_write, cache_write_hour, output, reasoning }
}

fn check(name: &str, price: &Price, counts: [u64; 6], dollars: &str) {
    let expected: f64 = dollars.parse().expect("dollars");
    let cost = price.cost(&usage(counts));
    assert!((cost.dollars() - expected).abs() <= 1e-9, "{name} {counts:?}: {} {expected}", cost.dollars());
}

/// Every model that litellm prices by token costs the same here, below and above the lengths at which its rates change.
#[test]
fn every_model_costs_what_it_costs_in_litellm() {
    let expected = include_str!("every_model.txt").lines();
    let mut count = 0;
    for ((name, price), costs) in PriceTable::models().zip(expected) {
        let price = price.expect("a price");
        let (short, long) = costs.split_once(' ').expect("two costs");
        check(&name, &price, SHORT, short);
        check(&name, &price, LONG, long);
        assert_eq!(PriceTable::known().of(&name), Some(price), "{name} is found by its name");
        count += 1;
    }
    assert_eq!(count, include_str!("every_model.txt").lines().count());
    assert!(PriceTable::models().all(|(_, price)| price.is_some()), "the lines after those can be read too");
}

#[test]
fn a_hundred_usages_cost_what_they_cost_in_litellm() {
    let lines: Vec<_> = include_str!("usages.txt").lines().collect();
    assert_eq!(lines.len(), 100);
    for line in lines {
        let mut words = line.split(' ');
        let name = words.next().expect("a model");
        let dollars = words.next_back().expect("a cost");
        let counts: Vec<u64> = words.map(|word| word.parse().expect("a count")).collect();
        let price = PriceTable::known().of(name).expect("a price");
        check(name, &price, counts.try_into().expect("six counts"), dollars);
    }
}
