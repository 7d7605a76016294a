//! The paths of the dashboard.

/// A path of the dashboard.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum DashboardPath {
    /// Redirects to the page.
    Home,
    /// The page.
    Page,
    /// The figures that the page shows.
    Stats,
    /// The figures as a stream.
    Live,
    /// The turns of one conversation.
    Session(u64),
    /// Logs in with the token.
    Login,
    /// Logs out.
    Logout,
    /// The playground.
    Play,
}

impl DashboardPath {
    /// Parses a path; `None` if it is not a path of the dashboard.
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
