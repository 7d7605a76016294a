//! The places of the board.

/// A place of the board.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum DashboardPath {
    /// What leads to the page.
    Home,
    /// The page.
    Page,
    /// The numbers behind it.
    Stats,
    /// The same, as they change.
    Live,
    /// The turns of a conversation.
    Session(u64),
    /// Where the token is given.
    Login,
    /// Where the cookie is given back.
    Logout,
    /// Where a text is tried out.
    Play,
}

impl DashboardPath {
    /// What a path asks for, if it is of the board.
    pub(crate) fn of(path: &str) -> Option<Self> {
        Some(match path {
            "/" | "/_tersely" => Self::Home,
            "/_tersely/" => Self::Page,
            "/stats" => Self::Stats,
            "/_tersely/live" => Self::Live,
            "/_tersely/login" => Self::Login,
            "/_tersely/logout" => Self::Logout,
            "/_tersely/play" => Self::Play,
            path => Self::Session(u64::from_str_radix(path.strip_prefix("/_tersely/session/")?, 16).ok()?),
        })
    }
}
