//! A shelf of things with a count each, and tests of which two fail.

use std::cell::RefCell;
use std::collections::BTreeMap;

#[derive(Debug, Default)]
pub struct Stock {
    counts: RefCell<BTreeMap<String, u32>>,
}

#[derive(Debug, PartialEq)]
pub enum Fault {
    Unknown(String),
    Short { name: String, wanted: u32, left: u32 },
}

impl Stock {
    pub fn add(&self, name: &str, count: u32) {
        *self.counts.borrow_mut().entry(name.to_owned()).or_default() += count;
    }

    pub fn take(&self, name: &str, wanted: u32) -> Result<u32, Fault> {
        let mut counts = self.counts.borrow_mut();
        let left = counts.get_mut(name).ok_or_else(|| Fault::Unknown(name.to_owned()))?;
        if *left <= wanted {
            return Err(Fault::Short { name: name.to_owned(), wanted, left: *left });
        }
        *left -= wanted;
        Ok(*left)
    }

    /// Calls `each` with every name and its count.
    pub fn visit(&self, each: &mut dyn FnMut(&str, u32)) {
        for (name, count) in self.counts.borrow().iter() {
            each(name, *count);
        }
    }
}

/// The first three letters, for the label on the shelf.
pub fn label(name: &str) -> String {
    name[..3].to_uppercase()
}

fn restock(stock: &Stock, least: u32) {
    stock.visit(&mut |name, count| {
        println!("{} {count}", label(name));
        if count < least {
            stock.add(name, least - count);
        }
    });
}

fn main() {
    let stock = Stock::default();
    for (name, count) in [("cup", 14), ("pot", 1), ("tea", 12)] {
        stock.add(name, count);
    }
    restock(&stock, 10);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shelf() -> Stock {
        let stock = Stock::default();
        stock.add("tea", 12);
        stock.add("cup", 4);
        stock
    }

    #[test]
    fn what_is_added_can_be_taken() {
        assert_eq!(shelf().take("tea", 5), Ok(7));
    }

    #[test]
    fn the_last_can_be_taken() {
        assert_eq!(shelf().take("cup", 4), Ok(0));
    }

    #[test]
    fn unknown_things_are_named() {
        assert_eq!(shelf().take("pot", 1), Err(Fault::Unknown("pot".into())));
    }

    #[test]
    fn too_many_is_an_error() {
        let fault = Fault::Short { name: "tea".into(), wanted: 13, left: 12 };
        assert_eq!(shelf().take("tea", 13), Err(fault));
    }

    #[test]
    fn everything_is_visited() {
        let mut seen = Vec::new();
        shelf().visit(&mut |name, count| seen.push(format!("{name} {count}")));
        assert_eq!(seen, ["cup 4", "tea 12"]);
    }

    #[test]
    fn labels_are_in_capitals() {
        assert_eq!(label("teapot"), "TEA");
    }

    #[test]
    fn labels_know_accents() {
        assert_eq!(label("thé vert"), "THÉ");
    }

    #[test]
    #[should_panic(expected = "already borrowed")]
    fn nothing_is_added_during_a_visit() {
        restock(&shelf(), 10);
    }

    #[test]
    #[ignore = "takes a minute"]
    fn a_million_things() {
        let stock = Stock::default();
        (0..1_000_000).for_each(|n| stock.add(&n.to_string(), n));
    }
}
