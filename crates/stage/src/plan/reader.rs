//! Who reads what is sent.

/// The two readers that notations were tried on, the weaker first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Reader {
    /// A small model, such as people run at home: it is given what one of 1.5 billion parameters read well.
    Small,
    /// A model of a large provider: it is given every form.
    #[default]
    Strong,
}
