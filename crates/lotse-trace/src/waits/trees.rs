//! Who waits for whom inside collectives that have a root, beyond what their meaning demands.
//!
//! Libraries pass data on along a tree: a member that is neither the root nor a leaf waits for those below it, and below
//! another it waits for the one above. No record tells the tree, but the run shows it: a call that ends soon after
//! another member came, and never before that one came in any other round, waited for it. A program may make a call only
//! once or twice: then it must end at once after the other came, which is hardly chance.
//!
//! ```text
//! rank 0 (root)  ──┤Reduce──────────────────────├──
//! rank 1         ──┤Reduce▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒───├────     passes on what rank 3 sends
//! rank 2         ──┤Reduce├──                            a leaf: it waits for nobody
//! rank 3         ── compute ───────────────┤Reduce├──
//! ```

use hashbrown::HashMap;
use lotse_model::id::{CommunicatorId, LocationId};
use lotse_model::trace::{CollectiveOp, Ticks};

use super::gathered::{Arrival, arrival};
use crate::matching::Collective;
use crate::retime::Shape;
use crate::store::{CallRef, OpRef, Trace};

/// Clocks may differ: a call may seem to end before another member came, by so small a part of its time.
const UNSURE: Ticks = 4;
/// How many that came last are looked at.
const MOST_CANDIDATES: usize = 4;
/// How many rounds must show a wait: one can be chance.
const FEWEST_SHOWN: u32 = 3;
/// Where there are fewer rounds: at most one part in so many of the wait may pass until the call ends.
const AT_ONCE: Ticks = 8;
/// And another member must have been inside for at most one part in so many of it: the call by itself is short.
const FAR_SHORTER: Ticks = 16;
/// How many rounds must show a wait for each that speaks against it.
const SHOWN_PER_AGAINST: u32 = 4;

/// The waits that were found, by the record of the member that waits.
#[derive(Debug, Default)]
pub struct Trees(HashMap<OpRef, Below>);

/// What a member waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Below {
    /// From when the other was all that it waited for.
    pub from: Ticks,
    /// Until when.
    pub until: Ticks,
    /// Who came then.
    pub other: LocationId,
}

impl Trees {
    /// What a member waited for.
    pub fn waited(&self, op: OpRef) -> Option<Below> {
        self.0.get(&op).copied()
    }
}

/// Calls that belong together: what, whose, with which root.
type Kind = (CommunicatorId, CollectiveOp, LocationId);
/// Who waits for whom in calls of a kind.
type Pair = (Kind, LocationId, LocationId);

#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    shown: u32,
    /// How many of these ended at once.
    sharp: u32,
    against: u32,
}

impl Counts {
    /// Whether so many rounds show enough that the one waits for the other.
    fn suffice(self, rounds: u32) -> bool {
        let often = self.shown >= FEWEST_SHOWN.max(SHOWN_PER_AGAINST * self.against);
        let few_but_sharp = rounds < FEWEST_SHOWN && self.against == 0 && self.sharp == self.shown;
        often || few_but_sharp
    }
}

/// A member's call in one round.
#[derive(Clone, Copy)]
struct Seat {
    op: OpRef,
    call: CallRef,
    came: Arrival,
}

/// Learns from all rounds who waits for whom.
pub(super) fn learn(trace: &Trace) -> Trees {
    let mut counts: HashMap<Pair, Counts> = HashMap::new();
    let mut found: Vec<(OpRef, Pair, Below)> = Vec::new();
    let mut partners: HashMap<(Kind, LocationId), Vec<LocationId>> = HashMap::new();
    let mut rounds: HashMap<Kind, u32> = HashMap::new();
    for (kind, collective) in rooted(trace) {
        *rounds.entry(kind).or_default() += 1;
        let seats = seats(trace, collective);
        let root = seats.iter().find(|seat| seat.op.location == kind.2).map(|seat| seat.came.at);
        for seat in &seats {
            for below in shown(trace, (collective, root), &seats, seat) {
                let pair = (kind, seat.op.location, below.other);
                let entry = counts.entry(pair).or_default();
                if entry.shown == 0 {
                    partners.entry((kind, seat.op.location)).or_default().push(below.other);
                }
                entry.shown += 1;
                entry.sharp += u32::from(is_sharp(trace, &seats, seat, &below));
                found.push((seat.op, pair, below));
            }
        }
    }
    if !found.is_empty() {
        count_against(trace, &partners, &mut counts);
    }
    let holds = |pair: &Pair| counts[pair].suffice(rounds[&pair.0]);
    // Of those that a member may have waited for, the last to come comes first.
    let mut trees = HashMap::new();
    for (op, pair, below) in found {
        if holds(&pair) {
            trees.entry(op).or_insert(below);
        }
    }
    Trees(trees)
}

/// Collectives whose meaning does not make every member wait for every other.
fn rooted(trace: &Trace) -> impl Iterator<Item = (Kind, &Collective)> {
    let has_root =
        |it: &&Collective| !it.one_sided && matches!(Shape::of(it.op), Shape::AllToOne | Shape::OneToAll);
    let kind = |it: &Collective| Some((it.communicator, it.op, it.root?));
    trace.links.collectives.iter().filter(has_root).filter_map(move |it| Some((kind(it)?, it)))
}

/// The members in the order in which they came.
fn seats(trace: &Trace, collective: &Collective) -> Vec<Seat> {
    let seat = |&op: &OpRef| arrival(trace, op).map(|(call, came)| Seat { op, call, came });
    let mut seats: Vec<Seat> = collective.members.iter().filter_map(seat).collect();
    seats.sort_by_key(|seat| (seat.came.at, seat.op));
    seats
}

/// What a member may have waited for, the last to come first: the call ended soon after it came.
fn shown(
    trace: &Trace,
    (collective, root): (&Collective, Option<Ticks>),
    seats: &[Seat],
    seat: &Seat,
) -> Vec<Below> {
    let Some(from) = alone_from(trace, collective, root, seat) else { return Vec::new() };
    let exit = trace.exit(seat.call);
    let before_exit = seats.partition_point(|other| other.came.at <= exit);
    let came = |other: &Seat| (other.op != seat.op).then_some(other.came);
    let before = seats[..before_exit].iter().rev().filter_map(came).take(MOST_CANDIDATES);
    let after = seats[before_exit..].iter().find_map(came);
    let soon = |it: &Arrival| it.at > from && exit - it.at < it.at - from;
    let almost = |it: &Arrival| exit > from && UNSURE * (it.at - exit) < exit - from;
    let candidates = after.filter(almost).into_iter().chain(before.take_while(soon));
    candidates
        .map(|other| Below { from, until: other.at.min(exit.saturating_sub(1)), other: other.location })
        .collect()
}

/// Whether a call ended at once after the other came, and another member shows that it is short by itself.
fn is_sharp(trace: &Trace, seats: &[Seat], seat: &Seat, below: &Below) -> bool {
    let waited = below.until - below.from;
    let inside = |other: &Seat| trace.exit(other.call) - trace.enter(other.call);
    let is_short = |other: &Seat| FAR_SHORTER * inside(other) <= waited;
    AT_ONCE * (trace.exit(seat.call) - below.until) <= waited
        && seats.iter().any(|other| other.op != seat.op && is_short(other))
}

/// From when a member waits for nobody but those that the tree makes it wait for.
fn alone_from(trace: &Trace, collective: &Collective, root: Option<Ticks>, seat: &Seat) -> Option<Ticks> {
    let enter = trace.enter(seat.call);
    let is_root = collective.root == Some(seat.op.location);
    match Shape::of(collective.op) {
        Shape::AllToOne if is_root => None,
        Shape::OneToAll if !is_root => Some(enter.max(root?)),
        _ => Some(enter),
    }
}

/// Counts the rounds in which a member left before the other came.
fn count_against(
    trace: &Trace,
    partners: &HashMap<(Kind, LocationId), Vec<LocationId>>,
    counts: &mut HashMap<Pair, Counts>,
) {
    for (kind, collective) in rooted(trace) {
        let came: HashMap<LocationId, Seat> =
            seats(trace, collective).into_iter().map(|seat| (seat.op.location, seat)).collect();
        for (location, seat) in &came {
            for other in partners.get(&(kind, *location)).into_iter().flatten() {
                let (enter, exit) = (trace.enter(seat.call), trace.exit(seat.call));
                let clearly = |it: &Seat| it.came.at.saturating_sub(exit) > exit - enter;
                let left_before = came.get(other).is_some_and(clearly);
                if left_before && let Some(counts) = counts.get_mut(&(kind, *location, *other)) {
                    counts.against += 1;
                }
            }
        }
    }
}
