//! Whether the descriptions of tools are minified.

/// How tool descriptions are rewritten.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SchemaMode {
    /// Not at all.
    #[default]
    Disabled,
    /// Superfluous white space is removed.
    Minify,
}
