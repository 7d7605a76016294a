//! The raw value of a key, and parsers for switches, numbers and sizes.

/// The raw value of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Words {
    One(String),
    Many(Vec<String>),
}

impl Words {
    /// The value as a single word.
    pub fn one(&self) -> Result<&str, String> {
        match self {
            Self::One(word) => Ok(word.trim()),
            Self::Many(_) => Err("expects one value, not a list".to_owned()),
        }
    }

    /// The words of a list; a single text is split at commas.
    pub fn list(&self) -> Vec<String> {
        let words: Vec<&str> = match self {
            Self::One(text) => text.split(',').collect(),
            Self::Many(list) => list.iter().map(String::as_str).collect(),
        };
        words.into_iter().map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned).collect()
    }

    /// The number, multiplied by `factor`.
    pub fn times(&self, factor: usize) -> Result<Self, String> {
        let number = count(self.one()?)?.checked_mul(factor).ok_or("is too large")?;
        Ok(Self::One(number.to_string()))
    }
}

impl From<&str> for Words {
    fn from(text: &str) -> Self {
        Self::One(text.to_owned())
    }
}

/// Parses a switch, in the spellings that people use.
pub(crate) fn switch(word: &str) -> Result<bool, String> {
    match word.to_ascii_lowercase().as_str() {
        "true" | "on" | "yes" | "1" => Ok(true),
        "false" | "off" | "no" | "0" => Ok(false),
        _ => Err(format!("{word:?} is not true or false")),
    }
}

/// Parses a number of bytes, with or without a unit.
pub(crate) fn bytes(word: &str) -> Result<usize, String> {
    let fault = || format!("{word:?} is not a size; write 65536, 64KiB or 50MiB");
    let (digits, unit) = split(word);
    let unit: usize = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "kb" => 1_000,
        "kib" => 1 << 10,
        "mb" => 1_000_000,
        "mib" => 1 << 20,
        "gb" => 1_000_000_000,
        "gib" => 1 << 30,
        _ => return Err(fault()),
    };
    number(digits).and_then(|number| number.checked_mul(unit)).ok_or_else(fault)
}

/// Returns the number, or an error if it is zero.
pub(crate) fn positive(number: usize) -> Result<usize, String> {
    if number == 0 { Err("must be more than 0".to_owned()) } else { Ok(number) }
}

/// Parses a number.
pub(crate) fn count(word: &str) -> Result<usize, String> {
    number(word).ok_or_else(|| format!("{word:?} is not a number"))
}

/// Parses digits, with optional `_` between them.
pub(crate) fn number(digits: &str) -> Option<usize> {
    digits.replace('_', "").parse().ok().filter(|_| !digits.starts_with('+'))
}

/// Splits a word into a number and its unit.
pub(crate) fn split(word: &str) -> (&str, &str) {
    let end = word.find(|c: char| !c.is_ascii_digit() && c != '_').unwrap_or(word.len());
    (&word[..end], word[end..].trim_start())
}
