//! A price list that does not compile, for what the compiler says.

use std::collections::HashMap;
use std::fmt::Display;

#[derive(Debug)]
struct Item {
    name: String,
    cents: u64,
}

trait Priced {
    fn price(&self) -> u64;
    fn label(&self) -> String;
}

impl Priced for Item {
    fn price(&self) -> u64 {
        self.cents as f64 * 1.19
    }
}

fn cheapest(items: &[Item]) -> &Item {
    let mut sorted = items.to_vec();
    sorted.sort_by_key(|item| item.cents);
    &sorted[0]
}

fn names<'a>(items: &'a [Item], extra: &str) -> Vec<&'a str> {
    let mut found: Vec<&'a str> = items.iter().map(|item| item.name).collect();
    found.push(extra);
    found
}

fn print_all<T: Display>(things: Vec<T>) {
    for thing in things {
        println!("{thing}");
    }
    println!("{} in all", things.len());
}

enum State {
    Open,
    Paid { cents: u64 },
    Sent,
}

fn describe(state: State) -> &'static str {
    match state {
        State::Open => "open",
        State::Paid => "paid",
    }
}

fn main() {
    let mut list = HashMap::new();
    list.insert("tea", Item { name: "tea", cents: 450 });
    let first = list.get("tea").unwrap();
    list.insert("cup", Item { name: "cup".to_string(), cents: -1, weight: 3 });
    println!("{first:?} {}", cheapest(&[]).total());
    print_all(vec![Item { name: String::new(), cents: 1 }]);
    let count: u32 = names(&[], "x").len();
    describe(State::Paid { cents: count });
}
