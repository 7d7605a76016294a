//! Simulates traffic with and without an effect: the interval must contain the truth at every look, in the promised
//! share of runs, and must not claim an effect where there is none.
//!
//! `TERSELY_LOOKS=1000 cargo test --release --package tersely-proof --test coverage -- --nocapture` makes the record.

#![expect(clippy::unwrap_used, reason = "tests fail loudly")]

use std::f64::consts::{SQRT_2, TAU};

use tersely_account::HoldoutShare;
use tersely_proof::{BURN_IN, Bets, Comparison, LEVEL, SessionValue, ValueScale, compare, threshold};

/// Runs of each scenario.
const RUNS: u64 = 1_000;

/// Simulated session costs: lognormal, with a median of 40 cents and a tail like that of agent sessions.
#[derive(Clone, Copy)]
struct Traffic {
    name: &'static str,
    share: &'static str,
    /// The standard deviation of the log cost.
    tail: f64,
    /// The cost of a treated session as a fraction of its cost untreated.
    effect: f64,
    sessions: usize,
}

const TRAFFIC: [Traffic; 8] = [
    Traffic { name: "none", share: "5%", tail: 1.2, effect: 1.0, sessions: 2_000 },
    Traffic { name: "none", share: "50%", tail: 1.2, effect: 1.0, sessions: 1_000 },
    Traffic { name: "none, heavy", share: "5%", tail: 2.0, effect: 1.0, sessions: 2_000 },
    Traffic { name: "none, heavy", share: "50%", tail: 2.0, effect: 1.0, sessions: 1_000 },
    Traffic { name: "a third less", share: "5%", tail: 1.2, effect: 0.67, sessions: 2_000 },
    Traffic { name: "a third less", share: "50%", tail: 1.2, effect: 0.67, sessions: 1_000 },
    Traffic { name: "a tenth more", share: "5%", tail: 1.2, effect: 1.1, sessions: 2_000 },
    Traffic { name: "a tenth more", share: "50%", tail: 1.2, effect: 1.1, sessions: 1_000 },
];

const MEDIAN: f64 = 0.4;

/// A pseudo-random generator with the same output on every platform: splitmix64.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^= word >> 31;
        (f64::from(u32::try_from(word >> 32).unwrap()) + 0.5) / 4_294_967_296.0
    }

    fn normal(&mut self) -> f64 {
        let (size, turn) = (self.roll(), self.roll());
        (-2.0 * size.ln()).sqrt() * (TAU * turn).cos()
    }
}

impl Traffic {
    fn share(&self) -> HoldoutShare {
        self.share.parse().unwrap()
    }

    fn run(&self, seed: u64) -> Vec<SessionValue> {
        let mut dice = Dice(seed.wrapping_mul(0x1234_5678_9abc_def1));
        let share = self.share().part();
        let session = |_| {
            let is_held = dice.roll() < share;
            let cost = MEDIAN * (self.tail * dice.normal()).exp();
            SessionValue { is_held, value: if is_held { cost } else { cost * self.effect } }
        };
        (0..self.sessions).map(session).collect()
    }

    /// The true mean of the capped costs, as a fraction of the cap.
    fn capped(&self, effect: f64, cap: f64) -> f64 {
        let (center, tail) = ((MEDIAN * effect).ln(), self.tail);
        let far = (cap.ln() - center) / tail;
        let below = (center + tail * tail / 2.0).exp() * normal_below(far - tail);
        (below + cap * (1.0 - normal_below(far))) / cap
    }

    /// The true mean on the ratio scale: 0 at a thousandth of the cap, 1 at the cap.
    fn logarithmic(&self, effect: f64, cap: f64) -> f64 {
        let (way, center) = (1e3_f64.ln(), (MEDIAN * effect / cap).ln());
        let [low, high] = [-way, 0.0].map(|end| (end - center) / self.tail);
        let density = |value: f64| (-value * value / 2.0).exp() / TAU.sqrt();
        let inner =
            center * (normal_below(high) - normal_below(low)) + self.tail * (density(low) - density(high));
        (inner - way * normal_below(low)) / way + 1.0
    }
}

/// The standard normal distribution function: Abramowitz and Stegun, 7.1.26.
fn normal_below(value: f64) -> f64 {
    let far = value.abs() / SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * far);
    let terms = [1.061_405_429, -1.453_152_027, 1.421_413_741, -0.284_496_736, 0.254_829_592];
    let erf = 1.0 - terms.iter().fold(0.0, |sum, term| (sum + term) * t) * (-far * far).exp();
    if value < 0.0 { (1.0 - erf) / 2.0 } else { f64::midpoint(1.0, erf) }
}

/// True when the true difference is disproved at any look of a run, with a look after every session. Otherwise the
/// interval contains it, because the interval contains every difference that is not disproved.
fn is_missed(traffic: &Traffic, scale: ValueScale, seed: u64) -> bool {
    let sessions = traffic.run(seed);
    let (first, rest) = sessions.split_at(BURN_IN);
    let cap = compare(ValueScale::Plain(0.0), traffic.share(), first).cap;
    let unit = |session: &SessionValue| match scale {
        ValueScale::Plain(_) => (session.value / cap).min(1.0),
        ValueScale::Ratio => (session.value / cap).clamp(1e-3, 1.0).ln() / 1e3_f64.ln() + 1.0,
    };
    let level = (first.iter().map(unit).sum::<f64>() / 20.0).clamp(0.01, 0.99);
    let [treated, held] = [traffic.effect, 1.0].map(|effect| match scale {
        ValueScale::Plain(_) => traffic.capped(effect, cap),
        ValueScale::Ratio => traffic.logarithmic(effect, cap),
    });
    let part = traffic.share().part();
    let ratio = part / (1.0 - part);
    let (high, low) = (Bets::tied(ratio, level), Bets::tied(1.0 / ratio, level));
    let (mut too_high, mut too_low) = (Bets::begin(), Bets::begin());
    rest.iter().any(|session| {
        let value = unit(session);
        if session.is_held {
            high.add_over(held, value, &mut too_high);
            low.add_under(held, value, &mut too_low);
        } else {
            high.add_under(treated, value, &mut too_high);
            low.add_over(treated, value, &mut too_low);
        }
        // A cheap test first: the average reaches the threshold only if some gambler does.
        let reach =
            |logs: &[f64]| logs.iter().any(|log| *log >= threshold()) && Bets::mean(logs) >= threshold();
        reach(&too_high) || reach(&too_low)
    })
}

/// The comparison after these sessions.
fn look(traffic: &Traffic, scale: ValueScale, sessions: &[SessionValue]) -> Comparison {
    compare(scale, traffic.share(), sessions)
}

/// When a curious user looks: at 40 sessions, and then after every increase by half.
fn looks(most: usize) -> Vec<usize> {
    let next = |at: &usize| Some(at + at / 2).filter(|at| *at < most);
    std::iter::successors(Some(40), next).chain([most]).collect()
}

/// Behaviour 20.6.
#[test]
fn the_truth_is_held_at_every_look() {
    println!("{:<14}{:>6}{:>6}{:>10}{:>8}{:>8}", "effect", "share", "tail", "sessions", "mean", "ratio");
    let allowed = (1.0 - LEVEL) * 1_000.0;
    for traffic in TRAFFIC {
        let missed = [ValueScale::Plain(0.0), ValueScale::Ratio].map(|scale| {
            let missed = (0..RUNS).filter(|seed| is_missed(&traffic, scale, *seed)).count();
            f64::from(u32::try_from(missed).unwrap())
        });
        let Traffic { name, share, tail, sessions, .. } = traffic;
        let [mean, ratio] = missed.map(|missed| missed / 10.0);
        println!("{name:<14}{share:>6}{tail:>6}{sessions:>10}{mean:>6.1} %{ratio:>6.1} %");
        assert!(missed.iter().all(|missed| *missed <= allowed), "{name} {share}: {missed:?} of {RUNS}");
    }
}

/// Runs that claim an effect at some look, runs whose claim is wrong, and the sessions after which half of the runs
/// claim one.
fn claims(traffic: &Traffic, scale: ValueScale, runs: u64) -> (u64, u64, Option<usize>) {
    let (mut claimed, mut wrong) = (Vec::new(), 0);
    for seed in 0..runs {
        let sessions = traffic.run(seed + 10_000);
        let clear = looks(traffic.sessions).into_iter().find_map(|count| {
            let gap = look(traffic, scale, &sessions[..count]).gap?;
            gap.is_clear().then_some((count, gap.difference < 0.0))
        });
        if let Some((count, is_less)) = clear {
            claimed.push(count);
            wrong += u64::from(traffic.effect >= 1.0 && is_less || traffic.effect <= 1.0 && !is_less);
        }
    }
    claimed.sort_unstable();
    let half = usize::try_from(runs / 2).unwrap();
    (claimed.len() as u64, wrong, claimed.get(half).copied())
}

#[test]
fn nothing_is_claimed_where_nothing_is() {
    let runs = std::env::var("TERSELY_LOOKS").map_or(10, |runs| runs.parse().expect("a number of runs"));
    println!(
        "{:<14}{:>6}{:>6}{:>8}{:>10}{:>8}{:>14}",
        "effect", "share", "tail", "scale", "claimed", "wrong", "half after"
    );
    for traffic in TRAFFIC {
        for (name, scale) in [("mean", ValueScale::Plain(0.0)), ("ratio", ValueScale::Ratio)] {
            let (claimed, wrong, half) = claims(&traffic, scale, runs);
            let after = half.map_or_else(|| "–".to_owned(), |count| format!("{count} sessions"));
            let Traffic { name: effect, share, tail, .. } = traffic;
            println!("{effect:<14}{share:>6}{tail:>6}{name:>8}{claimed:>6}/{runs:<4}{wrong:>7}{after:>14}");
            assert!(wrong * 10 <= runs, "{effect} {share} {name}: {wrong} of {runs}");
        }
    }
}

/// The estimate of further sessions is within a factor of two of the real number, in at least half of the runs that
/// reach a clear difference.
#[test]
fn how_many_more_it_takes_is_about_right() {
    let traffic = Traffic { sessions: 3_000, ..TRAFFIC[5] };
    let (mut close, mut all) = (0, 0);
    for seed in 0..12 {
        let sessions = traffic.run(seed + 20_000);
        let early = look(&traffic, ValueScale::Plain(0.0), &sessions[..300]);
        let Some(more) = early.more else { continue };
        let Some(took) = looks(3_000).into_iter().find(|count| {
            look(&traffic, ValueScale::Plain(0.0), &sessions[..*count]).gap.is_some_and(|gap| gap.is_clear())
        }) else {
            continue;
        };
        let said = usize::try_from(more).unwrap() + 300;
        println!("said {said}, took {took}");
        all += 1;
        close += usize::from(said < took * 2 && took < said * 2);
    }
    assert!(all >= 6 && close * 2 >= all, "{close} of {all}");
}

/// Large samples are rounded before betting, which may only widen the interval.
#[test]
fn gathering_only_widens_the_band() {
    let traffic = TRAFFIC[5];
    let few = Traffic { sessions: 2_000, ..traffic }.run(1);
    let units = |is_held: bool| {
        few.iter().filter(|it| it.is_held == is_held).map(|it| (it.value / 8.0).min(1.0)).collect::<Vec<_>>()
    };
    let (treated, held) = (units(false), units(true));
    let exact = tersely_proof::gap(&treated, &held, 1.0, 0.1);
    // Three copies of each value exceed the limit, so they are rounded.
    let three = |values: &[f64]| [values, values, values].concat();
    let many = tersely_proof::gap(&three(&treated), &three(&held), 1.0, 0.1);
    assert!(exact.low < many.low && many.high < exact.high, "{exact:?} {many:?}");
    let rounded = tersely_proof::gap(&three(&treated)[..2_048], &three(&held)[..2_048], 1.0, 0.1);
    let gathered = tersely_proof::gap(&three(&treated)[..2_049], &three(&held)[..2_049], 1.0, 0.1);
    assert!(
        gathered.low <= rounded.low + 1e-4 && rounded.high <= gathered.high + 1e-4,
        "{rounded:?} {gathered:?}"
    );
}
