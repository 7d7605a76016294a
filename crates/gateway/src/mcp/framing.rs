//! Splits a pipe into messages, one per line; a line that is too long to be buffered is returned in parts.

use std::io;
use std::time::Duration;

use memchr::memchr;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::time::{Instant, sleep};

use crate::http::memory_budget::{BodySpace, MemoryBudget};

/// A line, or a part of a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece<'b> {
    /// A whole line with its line end, which the last line may lack.
    Line(&'b [u8]),
    /// A part of a line that is too long to be buffered; more parts follow.
    Part(&'b [u8]),
    /// The last part of a line that is too long to be buffered.
    End(&'b [u8]),
}

/// The number of bytes to read at a time.
const CHUNK_BYTES: usize = 64 << 10;

/// How often to check for free memory, and for how long.
const ROOM_POLL_INTERVAL: Duration = Duration::from_millis(20);
const ROOM_TIMEOUT: Duration = Duration::from_secs(30);

/// Splits a stream into lines.
pub(super) struct MessageLines<R> {
    from: R,
    /// The bytes that were read; the first `used` bytes have been returned already.
    held: Vec<u8>,
    used: usize,
    longest: usize,
    is_long: bool,
    /// The memory budget that lines count against, if there is one.
    room: Option<(BodySpace, MemoryBudget)>,
}

impl<R: AsyncRead + Unpin> MessageLines<R> {
    /// Splits `from` into lines; lines of up to `longest` bytes are returned whole.
    pub(super) fn new(longest: usize, from: R) -> Self {
        Self { from, held: Vec::new(), used: 0, longest, is_long: false, room: None }
    }

    /// Counts the lines against `space`. While no memory is free, reading pauses; after a timeout the line counts as too
    /// long to be buffered.
    pub(super) fn within(mut self, space: &BodySpace) -> Self {
        self.room = Some((space.clone(), space.room()));
        self
    }

    /// The next line or part of a line; `None` at the end.
    pub(super) async fn next(&mut self) -> io::Result<Option<Piece<'_>>> {
        self.held.drain(..self.used);
        self.used = 0;
        if self.held.len() <= CHUNK_BYTES {
            self.held.shrink_to(2 * CHUNK_BYTES);
        }
        let mut seen = 0;
        loop {
            if let Some(end) = memchr(b'\n', &self.held[seen..]) {
                return Ok(Some(self.take(seen + end + 1)));
            }
            seen = self.held.len();
            if self.is_long && seen > 0 || seen > self.longest || !self.wait_for_memory().await {
                self.is_long = true;
                self.used = seen;
                return Ok(Some(Piece::Part(&self.held)));
            }
            self.held.reserve(CHUNK_BYTES);
            if self.from.read_buf(&mut self.held).await? == 0 {
                return Ok((seen > 0).then(|| self.take(seen)));
            }
        }
    }

    /// Waits for free memory; returns false after a timeout.
    async fn wait_for_memory(&mut self) -> bool {
        let Some((space, held)) = &mut self.room else { return true };
        let (bytes, begun) = (self.held.len() + CHUNK_BYTES, Instant::now());
        // A short line is read even if no memory is free.
        while !space.resize(held, bytes) && bytes > 2 * CHUNK_BYTES {
            if begun.elapsed() > ROOM_TIMEOUT {
                return false;
            }
            sleep(ROOM_POLL_INTERVAL).await;
        }
        true
    }

    fn take(&mut self, end: usize) -> Piece<'_> {
        self.used = end;
        let line = &self.held[..end];
        if std::mem::take(&mut self.is_long) { Piece::End(line) } else { Piece::Line(line) }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::timeout;

    use super::*;

    async fn pieces(longest: usize, text: &str) -> Vec<String> {
        let mut lines = MessageLines::new(longest, text.as_bytes());
        let mut all = Vec::new();
        while let Some(piece) = lines.next().await.expect("a piece") {
            let (kind, bytes) = match piece {
                Piece::Line(bytes) => ("line", bytes),
                Piece::Part(bytes) => ("part", bytes),
                Piece::End(bytes) => ("end", bytes),
            };
            all.push(format!("{kind} {}", String::from_utf8_lossy(bytes)));
        }
        all
    }

    #[tokio::test]
    async fn a_line_is_whole_with_its_end() {
        assert_eq!(pieces(9, "a\r\nb\n\nc").await, ["line a\r\n", "line b\n", "line \n", "line c"]);
        assert!(pieces(9, "").await.is_empty());
    }

    #[tokio::test]
    async fn a_line_that_is_too_long_comes_in_parts() {
        let long = "x".repeat(3 * CHUNK_BYTES);
        let all = pieces(CHUNK_BYTES, &format!("a\n{long}\nb\n")).await;
        assert_eq!((&*all[0], &**all.last().expect("b")), ("line a\n", "line b\n"));
        assert!(all[1..all.len() - 2].iter().all(|piece| piece.starts_with("part x")));
        assert!(all[all.len() - 2].starts_with("end "));
        let bytes: usize = all[1..all.len() - 1].iter().map(|piece| piece.matches('x').count()).sum();
        assert_eq!(bytes, long.len());
    }
    #[tokio::test]
    async fn a_long_line_waits_for_room_and_a_short_one_does_not() {
        let space = BodySpace::new(8 * CHUNK_BYTES);
        let others = space.hold(vec![b'y'; 6 * CHUNK_BYTES]);
        let text = format!("short\n{}\nshort\n", "x".repeat(4 * CHUNK_BYTES));
        let mut lines = MessageLines::new(8 * CHUNK_BYTES, text.as_bytes()).within(&space);
        assert_eq!(lines.next().await.expect("a piece"), Some(Piece::Line(b"short\n")));
        assert!(timeout(3 * ROOM_POLL_INTERVAL, lines.next()).await.is_err());
        drop(others);
        let Some(Piece::Line(line)) = lines.next().await.expect("a piece") else { panic!("no line") };
        assert_eq!(line.len(), 4 * CHUNK_BYTES + 1);
        assert_eq!(lines.next().await.expect("a piece"), Some(Piece::Line(b"short\n")));
        drop(lines);
        assert!(space.resize(&mut space.room(), 8 * CHUNK_BYTES));
    }

    /// One message that finds no room must not end the session.
    #[tokio::test(start_paused = true)]
    async fn a_line_that_never_finds_room_comes_in_parts() {
        let space = BodySpace::new(8 * CHUNK_BYTES);
        let _others = space.hold(vec![b'y'; 6 * CHUNK_BYTES]);
        let text = format!("{}\nshort\n", "x".repeat(7 * CHUNK_BYTES));
        let mut lines = MessageLines::new(8 * CHUNK_BYTES, text.as_bytes()).within(&space);
        let mut bytes = 0;
        loop {
            match lines.next().await.expect("a piece").expect("not the end") {
                Piece::Part(part) => bytes += part.len(),
                Piece::End(part) => break bytes += part.len(),
                Piece::Line(line) => panic!("{} bytes had no room", line.len()),
            }
        }
        assert_eq!(bytes, 7 * CHUNK_BYTES + 1);
        assert_eq!(lines.next().await.expect("a piece"), Some(Piece::Line(b"short\n")));
    }
}
