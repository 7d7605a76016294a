//! Whether the descriptions of tools are minified.

/// What is done with the descriptions of tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SchemaMode {
    /// Nothing.
    #[default]
    Disabled,
    /// White space that says nothing goes.
    Minify,
}
