//! Chooses the sessions that are held out for comparison.

use crate::arm::Arm;
use crate::share::{ALL, HoldoutShare};

/// Which sessions are held out.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Holdout {
    /// The share of sessions that is held out; at 0 there is no trial.
    pub share: HoldoutShare,
    /// A salt for the choice: gateways with the same salt hold out the same sessions.
    pub salt: String,
}

impl Holdout {
    /// The arm of a session. It depends only on these settings and the session, so it is the same in every request of
    /// the session and on every gateway with these settings.
    #[must_use]
    pub fn arm(&self, session: u64) -> Arm {
        match self.share.in_millionths() {
            0 => Arm::Applied,
            share if place(&self.salt, session) < share => Arm::HeldOut(self.share),
            _ => Arm::Treated(self.share),
        }
    }

    /// The arm of a session in a trial of clearing, which half of the sessions get.
    #[must_use]
    pub fn clearing_arm(&self, session: u64) -> Arm {
        let half = HoldoutShare::HALF;
        if place(&self.salt, session) < half.in_millionths() {
            Arm::Uncleared(half)
        } else {
            Arm::Cleared(half)
        }
    }
}

/// Where a session stands among all sessions, in millionths.
fn place(salt: &str, session: u64) -> u32 {
    let place = (u128::from(hash(salt.as_bytes(), session)) * u128::from(ALL)) >> 64;
    u32::try_from(place).unwrap_or(ALL)
}

/// A hash that is the same in every release: FNV-1a with a final mix, so that every bit depends on the whole input.
fn hash(salt: &[u8], session: u64) -> u64 {
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    let bytes = salt.iter().copied().chain([0xff]).chain(session.to_le_bytes());
    let mut hash =
        bytes.fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME));
    for factor in [0xff51_afd7_ed55_8ccd, 0xc4ce_b9fe_1a85_ec53_u64] {
        hash = (hash ^ (hash >> 33)).wrapping_mul(factor);
    }
    hash ^ (hash >> 33)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holdout(share: &str, salt: &str) -> Holdout {
        Holdout { share: share.parse().unwrap(), salt: salt.to_owned() }
    }

    /// Of 100,000 sessions the right share is held out, within four standard deviations, whatever their ids look like.
    #[test]
    fn a_share_is_held_out() {
        for (share, salt, step) in
            [("5%", "", 1_u64), ("50%", "a", 1 << 32), ("0.5%", "b", 0x9e37_79b9_7f4a_7c15)]
        {
            let holdout = holdout(share, salt);
            let held = (0..100_000_u64)
                .filter(|at| holdout.arm(at.wrapping_mul(step)) == Arm::HeldOut(holdout.share))
                .count();
            let part = holdout.share.part();
            let expected = part * 1e5;
            let most = 4.0 * (expected * (1.0 - part)).sqrt();
            assert!((f64::from(u32::try_from(held).unwrap()) - expected).abs() < most, "{share}: {held}");
        }
        assert_eq!(holdout("0", "").arm(1), Arm::Applied);
    }

    #[test]
    fn half_of_the_sessions_are_cleared_and_each_stays_in_its_half() {
        let holdout = holdout("0", "a");
        let cleared = |at: u64| matches!(holdout.clearing_arm(at), Arm::Cleared(HoldoutShare::HALF));
        let count = (0..10_000).filter(|at| cleared(*at)).count();
        assert!((4_800..5_200).contains(&count), "{count}");
        assert!((0..100).all(|at| cleared(at) == cleared(at)));
    }

    /// Sessions held out at a small share are held out at a larger one; another salt holds out different sessions.
    #[test]
    fn shares_nest_and_salts_differ() {
        let held =
            |holdout: Holdout| (0..2_000).filter(move |at| holdout.arm(*at) == Arm::HeldOut(holdout.share));
        let small: Vec<u64> = held(holdout("5%", "a")).collect();
        let large: Vec<u64> = held(holdout("20%", "a")).collect();
        assert!(small.iter().all(|it| large.contains(it)));
        assert_ne!(small, held(holdout("5%", "b")).collect::<Vec<_>>());
    }

    /// A release with a different choice would break every running trial.
    #[test]
    fn the_choice_is_the_same_in_every_release() {
        let held: Vec<u64> = (0..60).filter(|at| !holdout("10%", "salt").arm(*at).is_applied()).collect();
        assert_eq!(held, [7, 21, 26, 31, 33, 38, 45, 55]);
    }
}
