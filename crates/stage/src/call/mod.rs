//! The tool call that a result answers.

mod carrier;
mod code;
mod extent;
mod family;
mod file;
mod origin;
mod printed;
mod quoted;
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

    /// True when `text`, which answered the call, must stay as it is: it is a file that an agent may edit.
    ///
    /// What a client's own tool reads is, whatever the file: the client may ask for what was read. Where no command tells,
    /// what looks like source is. The empty text stands for one that is not known: then the call alone decides.
    #[must_use]
    pub fn is_verbatim(&self, text: &str) -> bool {
        self.tool_kind() == ToolKind::Read
            || match self.origin(text) {
                Origin::File => true,
                Origin::Other | Origin::Search => self.may_print_code() && code::is_code(text),
                Origin::Data | Origin::Change | Origin::Edit => false,
            }
    }

    /// True for tools that may show anything.
    fn may_print_code(&self) -> bool {
        matches!(self.tool_kind(), ToolKind::Bash | ToolKind::Generic)
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
