//! The tool call that a result answers.

mod extent;
mod family;
mod origin;
mod printed;
mod screen;
mod shell;
mod tool;

pub use family::Family;
pub use origin::Origin;
pub use tool::ToolKind;

/// What is known of the call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Call<'a> {
    /// The call's id; empty when there is none.
    pub id: &'a str,
    /// The tool's name as the client has it; empty when it is not known.
    pub tool: &'a str,
    /// The command line that the tool ran, or the path or pattern that it was given.
    pub command: Option<&'a str>,
    /// True when its arguments ask for some lines of a file and not for all of it.
    pub is_part: bool,
}

impl Call<'_> {
    /// What the tool does, whatever the client calls it.
    #[must_use]
    pub fn tool_kind(&self) -> ToolKind {
        ToolKind::named(self.tool)
    }

    /// True when the result is the text of a file, which an agent may edit.
    #[must_use]
    pub fn reads_file(&self) -> bool {
        self.family() == Family::Read
    }

    /// True when the command line shows the output of a command that `fits`, written without assignments, prefixes such as
    /// `sudo`, and its folder.
    #[must_use]
    pub fn prints(&self, fits: impl Fn(&str) -> bool) -> bool {
        let is_line = matches!(self.tool_kind(), ToolKind::Bash | ToolKind::Generic);
        is_line
            && self.command.is_some_and(|line| printed::commands(line).iter().any(|command| fits(command)))
    }

    /// True when the result is what a terminal shows, which is looked at again and again.
    #[must_use]
    pub fn shows_screen(&self) -> bool {
        screen::is_shown(self)
    }

    /// Where `text`, which answered the call, comes from.
    #[must_use]
    pub fn origin(&self, text: &str) -> Origin {
        Origin::of(*self, text)
    }

    /// Whose output the result is.
    ///
    /// Of a tool that reads or searches by itself, the command is a path or a pattern and says nothing.
    #[must_use]
    pub fn family(&self) -> Family {
        match self.tool_kind() {
            ToolKind::Read => Family::Read,
            ToolKind::Grep => Family::Grep,
            ToolKind::Glob => Family::Fs,
            ToolKind::Edit | ToolKind::Write => Family::Generic,
            ToolKind::Bash | ToolKind::Generic => self.command.map_or(Family::Generic, Family::of),
        }
    }
}
