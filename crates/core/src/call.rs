//! The tool call that a result answers.

/// What is known of the call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Call<'a> {
    /// The call's id; empty when there is none.
    pub id: &'a str,
    /// The tool's name as the client has it; empty when it is not known.
    pub tool: &'a str,
    /// The command line that the tool ran, if it ran one.
    pub command: Option<&'a str>,
}
