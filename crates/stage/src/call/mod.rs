//! Describes the tool call that produced a result.

mod carrier;
mod code;
mod extent;
mod family;
mod file;
mod instruction;
mod origin;
mod printing;
mod screen;
mod shell;
mod string_literal;
mod tool;

pub use family::Family;
pub use origin::Origin;
pub use tool::ToolKind;

/// A tool call. Parts of it may be unknown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Call<'a> {
    /// The call's id; empty when the call has none.
    pub id: &'a str,
    /// The tool's name as the client sends it; empty when unknown.
    pub tool: &'a str,
    /// The command line that the tool ran, or the path or pattern that it was given.
    pub command: Option<&'a str>,
    /// True when the arguments ask for only part of a file.
    pub is_part: bool,
}

impl Call<'_> {
    /// What the tool does, whatever the client calls it.
    #[must_use]
    pub fn tool_kind(&self) -> ToolKind {
        ToolKind::by_name(self.tool)
    }

    /// True when `text`, the result of the call, must stay unchanged because it shows a file that an agent may edit.
    ///
    /// This is always true for the result of a client's own read tool, since the client may refer to it later. For
    /// tools that may print any file, text that looks like source code counts too, unless the call shows data, changes
    /// or an edit. An empty `text` means that the text is unknown; then the call alone decides.
    #[must_use]
    pub fn is_verbatim(&self, text: &str) -> bool {
        self.tool_kind() == ToolKind::Read
            || match self.origin(text) {
                Origin::File => true,
                Origin::Other | Origin::Search => self.may_print_code() && code::is_code(text),
                Origin::Data | Origin::Change | Origin::Edit => false,
            }
    }

    /// True for tools that may print any file.
    fn may_print_code(&self) -> bool {
        matches!(self.tool_kind(), ToolKind::Bash | ToolKind::Generic)
    }

    /// True when the result is meant to be followed: a person's answer, or instructions.
    #[must_use]
    pub fn is_instruction(&self) -> bool {
        instruction::is_instruction(self.tool)
    }

    /// True when the command line shows the output of a command for which `fits` returns true. `fits` receives the
    /// command without assignments, prefixes such as `sudo`, and its directory.
    #[must_use]
    pub fn prints(&self, fits: impl Fn(&str) -> bool) -> bool {
        let is_line = matches!(self.tool_kind(), ToolKind::Bash | ToolKind::Generic);
        is_line
            && self.command.is_some_and(|line| printing::commands(line).iter().any(|command| fits(command)))
    }

    /// True when the result shows a terminal screen, which agents capture again and again.
    #[must_use]
    pub fn shows_screen(&self) -> bool {
        screen::is_shown(self)
    }

    /// Where `text`, the result of the call, comes from.
    #[must_use]
    pub fn origin(&self, text: &str) -> Origin {
        Origin::of(*self, text)
    }

    /// The family of the command that printed the result.
    ///
    /// For a tool that reads or searches files itself, the command is a path or a pattern, so the tool determines the
    /// family.
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
