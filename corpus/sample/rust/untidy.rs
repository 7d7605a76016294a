//! Works, but the linter has something to say about most of it.

use std::collections::HashMap;
use std::rc::Rc;

pub struct Cart {
    pub items: Vec<Box<String>>,
    pub counts: HashMap<String, Rc<String>>,
}

impl Cart {
    pub fn new() -> Self {
        let mut cart = Cart { items: Vec::new(), counts: HashMap::new() };
        cart.items = Vec::new();
        return cart;
    }

    pub fn len(&self) -> usize {
        self.items.len()
    }

    pub fn total(&self, prices: &Vec<u32>) -> u32 {
        let mut sum = 0;
        for i in 0..prices.len() {
            sum = sum + prices[i];
        }
        sum
    }

    pub fn has(&self, name: &String) -> bool {
        if self.items.iter().filter(|item| item.as_str() == name.as_str()).next().is_some() == true {
            true
        } else {
            false
        }
    }

    pub fn describe(&self) -> String {
        match self.len() {
            0 => "empty".to_string(),
            _ => match self.items.get(0) {
                Some(first) => format!("{}", first.clone()),
                None => String::from(""),
            },
        }
    }
}

fn main() {
    let mut cart = Cart::new();
    cart.items.push(Box::new("tea".to_string()));
    let unused = 3;
    let prices = vec![450, 1290];
    println!("{} {} {} {}", cart.len(), cart.total(&prices), cart.has(&"tea".to_string()), cart.describe());
    let text = cart.items.iter().map(|item| item.to_string()).collect::<Vec<_>>().join("");
    if text.len() >= 1 {
        println!("{}", text.chars().filter(|c| c.is_alphabetic() == true).count() as usize);
    }
}
