//! Places at a door that nobody can keep others from: when all are taken, the oldest is given up for the newest.

use std::collections::VecDeque;

use tokio::sync::oneshot::{Receiver, Sender, channel};

/// The places that are taken, the oldest first.
pub(crate) struct Seats {
    most: usize,
    taken: VecDeque<Sender<()>>,
}

/// A place. Whoever drops it leaves it.
pub(crate) struct Seat(Receiver<()>);

impl Seats {
    /// So many places.
    pub(crate) fn new(most: usize) -> Self {
        Self { most, taken: VecDeque::new() }
    }

    /// Takes a place.
    pub(crate) fn take(&mut self) -> Seat {
        if self.taken.len() >= self.most {
            self.taken.retain(|seat| !seat.is_closed());
        }
        if self.taken.len() >= self.most {
            self.taken.pop_front();
        }
        let (taken, seat) = channel();
        self.taken.push_back(taken);
        Seat(seat)
    }
}

impl Seat {
    /// Waits until it is wanted for somebody else.
    pub(crate) async fn lost(self) {
        // Nothing is ever sent: the other end goes.
        let _ = self.0.await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Behaviour 15.6.
    #[tokio::test]
    async fn the_oldest_goes_when_there_is_no_place_left() {
        let mut seats = Seats::new(2);
        let (first, second) = (seats.take(), seats.take());
        drop(second);
        let third = seats.take();
        assert_eq!(seats.taken.iter().filter(|seat| !seat.is_closed()).count(), 2, "one had left");
        let fourth = seats.take();
        first.lost().await;
        assert!(seats.taken.iter().all(|seat| !seat.is_closed()));
        drop((third, fourth));
    }
}
