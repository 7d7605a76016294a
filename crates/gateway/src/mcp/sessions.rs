//! The sessions with one server.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::mcp::stdio_server::StdioSession;

/// How many sessions one server may have at a time.
const MAX_SESSIONS: usize = 1024;

/// The sessions with one server, by name.
#[derive(Default)]
pub(super) struct StdioSessions(Mutex<HashMap<String, Arc<StdioSession>>>);

impl StdioSessions {
    /// The session of this name.
    pub(super) fn get(&self, name: &str) -> Option<Arc<StdioSession>> {
        self.all().get(name).filter(|session| !session.is_over(Duration::MAX)).cloned()
    }

    /// True when there is room for one more.
    pub(super) fn has_room(&self) -> bool {
        self.all().len() < MAX_SESSIONS
    }

    /// Adds one.
    pub(super) fn add(&self, name: String, session: Arc<StdioSession>) {
        self.all().insert(name, session);
    }

    /// Takes one out.
    pub(super) fn remove(&self, name: &str) -> Option<Arc<StdioSession>> {
        self.all().remove(name)
    }

    /// Ends those in which nobody has spoken for so long, and forgets those that have ended.
    pub(super) fn sweep(&self, idle: Duration) {
        for (_, session) in self.all().extract_if(|_, session| session.is_over(idle)) {
            session.end();
        }
    }

    /// What there is now.
    pub(super) fn each(&self) -> Vec<Arc<StdioSession>> {
        self.all().values().cloned().collect()
    }

    fn all(&self) -> MutexGuard<'_, HashMap<String, Arc<StdioSession>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
