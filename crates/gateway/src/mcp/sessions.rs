//! The sessions with one started server.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::mcp::stdio_server::StdioSession;

/// The maximum number of sessions per server.
const MAX_SESSIONS: usize = 1024;

/// The sessions with one server, by id.
#[derive(Default)]
pub(super) struct StdioSessions(Mutex<HashMap<String, Arc<StdioSession>>>);

impl StdioSessions {
    /// The session with this id.
    pub(super) fn get(&self, name: &str) -> Option<Arc<StdioSession>> {
        self.all().get(name).filter(|session| !session.is_over(Duration::MAX)).cloned()
    }

    /// True if another session can be added.
    pub(super) fn has_room(&self) -> bool {
        self.all().len() < MAX_SESSIONS
    }

    /// Adds a session.
    pub(super) fn add(&self, name: String, session: Arc<StdioSession>) {
        self.all().insert(name, session);
    }

    /// Removes a session.
    pub(super) fn remove(&self, name: &str) -> Option<Arc<StdioSession>> {
        self.all().remove(name)
    }

    /// Ends the sessions that had no message for the duration `idle`, and removes the sessions that have ended.
    pub(super) fn sweep(&self, idle: Duration) {
        for (_, session) in self.all().extract_if(|_, session| session.is_over(idle)) {
            session.end();
        }
    }

    /// All current sessions.
    pub(super) fn each(&self) -> Vec<Arc<StdioSession>> {
        self.all().values().cloned().collect()
    }

    fn all(&self) -> MutexGuard<'_, HashMap<String, Arc<StdioSession>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
