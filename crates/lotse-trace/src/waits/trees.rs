//! Waits between members of collectives with a root, beyond those that the semantics require.
//!
//! Libraries send data along a tree: an inner node waits for its children in a reduction, and for its parent in a
//! broadcast. The tree is not recorded, but the times show it: a member waited for another one if its call ends soon after
//! the arrival of the other, and if it never ends before that arrival in other rounds. If there are only one or two rounds,
//! the call must end immediately after the arrival, which is unlikely by chance.
//!
//! ```text
//! rank 0 (root)  ──┤Reduce──────────────────────├──
//! rank 1         ──┤Reduce▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒───├────     an inner node: waits for rank 3
//! rank 2         ──┤Reduce├──                            a leaf: does not wait
//! rank 3         ── compute ───────────────┤Reduce├──
//! ```

use hashbrown::HashMap;
use lotse_model::id::{CommunicatorId, LocationId};
use lotse_model::trace::{CollectiveOp, Ticks};

use super::gathered::{Arrival, arrival};
use crate::matching::Collective;
use crate::retime::CollectiveShape;
use crate::store::{CallRef, OpRef, Trace};

/// Clocks may differ: a call may seem to end before another member arrives, by less than this fraction (1 / `UNSURE`) of the
/// call's time.
const UNSURE: Ticks = 4;
/// The number of last arrivals that are considered.
const MOST_CANDIDATES: usize = 4;
/// Minimum number of rounds that show a wait: one can be chance.
const FEWEST_SHOWN: u32 = 3;
/// With fewer rounds: at most this fraction (1 / `AT_ONCE`) of the wait may pass until the call ends.
const AT_ONCE: Ticks = 8;
/// And another member's call must last at most this fraction (1 / `FAR_SHORTER`) of the wait: the call itself is short.
const FAR_SHORTER: Ticks = 16;
/// Minimum number of rounds that show a wait for each round that contradicts it.
const SHOWN_PER_AGAINST: u32 = 4;

/// The waits by record of the waiting member.
#[derive(Debug, Default)]
pub struct Trees(HashMap<OpRef, Below>);

/// The wait of a member for another one in the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Below {
    /// The time from which it waited only for the other member.
    pub from: Ticks,
    pub until: Ticks,
    /// The member it waited for.
    pub other: LocationId,
}

impl Trees {
    /// The wait of a member.
    pub fn waited(&self, op: OpRef) -> Option<Below> {
        self.0.get(&op).copied()
    }
}

/// Collectives that use the same tree: communicator, operation and root.
type RootedKind = (CommunicatorId, CollectiveOp, LocationId);
/// The waiting and the awaited member of a kind of collective.
type WaitingPair = (RootedKind, LocationId, LocationId);

#[derive(Debug, Clone, Copy, Default)]
struct PairCounts {
    shown: u32,
    /// How many of these ended immediately.
    sharp: u32,
    against: u32,
}

impl PairCounts {
    /// Whether there is enough evidence for a wait in this number of rounds.
    fn suffice(self, rounds: u32) -> bool {
        let often = self.shown >= FEWEST_SHOWN.max(SHOWN_PER_AGAINST * self.against);
        let few_but_sharp = rounds < FEWEST_SHOWN && self.against == 0 && self.sharp == self.shown;
        often || few_but_sharp
    }
}

/// A member's call in one round.
#[derive(Clone, Copy)]
struct MemberCall {
    op: OpRef,
    call: CallRef,
    arrived: Arrival,
}

/// Finds the waits along trees: collects candidates from all collectives, counts the rounds that contradict them, and keeps
/// those with enough evidence.
pub(super) fn learn(trace: &Trace) -> Trees {
    let mut counts: HashMap<WaitingPair, PairCounts> = HashMap::new();
    let mut found: Vec<(OpRef, WaitingPair, Below)> = Vec::new();
    let mut partners: HashMap<(RootedKind, LocationId), Vec<LocationId>> = HashMap::new();
    let mut rounds: HashMap<RootedKind, u32> = HashMap::new();
    for (kind, collective) in rooted(trace) {
        *rounds.entry(kind).or_default() += 1;
        let members = members(trace, collective);
        let root = members.iter().find(|member| member.op.location == kind.2).map(|member| member.arrived.at);
        for member in &members {
            for below in candidates(trace, (collective, root), &members, member) {
                let pair = (kind, member.op.location, below.other);
                let entry = counts.entry(pair).or_default();
                if entry.shown == 0 {
                    partners.entry((kind, member.op.location)).or_default().push(below.other);
                }
                entry.shown += 1;
                entry.sharp += u32::from(is_sharp(trace, &members, member, &below));
                found.push((member.op, pair, below));
            }
        }
    }
    if !found.is_empty() {
        count_against(trace, &partners, &mut counts);
    }
    let holds = |pair: &WaitingPair| counts[pair].suffice(rounds[&pair.0]);
    // Of several candidates of a member the last to arrive comes first.
    let mut trees = HashMap::new();
    for (op, pair, below) in found {
        if holds(&pair) {
            trees.entry(op).or_insert(below);
        }
    }
    Trees(trees)
}

/// The collectives with a root, in which not every member waits for every other.
fn rooted(trace: &Trace) -> impl Iterator<Item = (RootedKind, &Collective)> {
    let has_root = |it: &&Collective| {
        !it.one_sided
            && matches!(
                CollectiveShape::from_op(it.op),
                CollectiveShape::AllToOne | CollectiveShape::OneToAll
            )
    };
    let kind = |it: &Collective| Some((it.communicator, it.op, it.root?));
    trace.links.collectives.iter().filter(has_root).filter_map(move |it| Some((kind(it)?, it)))
}

/// The members in the order of their arrivals.
fn members(trace: &Trace, collective: &Collective) -> Vec<MemberCall> {
    let member = |&op: &OpRef| arrival(trace, op).map(|(call, arrived)| MemberCall { op, call, arrived });
    let mut members: Vec<MemberCall> = collective.members.iter().filter_map(member).collect();
    members.sort_by_key(|member| (member.arrived.at, member.op));
    members
}

/// The members that a member may have waited for, the last to arrive first: its call ended soon after their arrival.
fn candidates(
    trace: &Trace,
    (collective, root): (&Collective, Option<Ticks>),
    members: &[MemberCall],
    member: &MemberCall,
) -> Vec<Below> {
    let Some(from) = wait_begin(trace, collective, root, member) else { return Vec::new() };
    let exit = trace.exit(member.call);
    let before_exit = members.partition_point(|other| other.arrived.at <= exit);
    let arrived = |other: &MemberCall| (other.op != member.op).then_some(other.arrived);
    let before = members[..before_exit].iter().rev().filter_map(arrived).take(MOST_CANDIDATES);
    let after = members[before_exit..].iter().find_map(arrived);
    let soon = |it: &Arrival| it.at > from && exit - it.at < it.at - from;
    let almost = |it: &Arrival| exit > from && UNSURE * (it.at - exit) < exit - from;
    let candidates = after.filter(almost).into_iter().chain(before.take_while(soon));
    candidates
        .map(|other| Below { from, until: other.at.min(exit.saturating_sub(1)), other: other.location })
        .collect()
}

/// Whether a call ended immediately after the arrival of the other, and another member shows that the call itself is short.
fn is_sharp(trace: &Trace, members: &[MemberCall], member: &MemberCall, below: &Below) -> bool {
    let waited = below.until - below.from;
    let inside = |other: &MemberCall| trace.exit(other.call) - trace.enter(other.call);
    let is_short = |other: &MemberCall| FAR_SHORTER * inside(other) <= waited;
    AT_ONCE * (trace.exit(member.call) - below.until) <= waited
        && members.iter().any(|other| other.op != member.op && is_short(other))
}

/// The time from which a member waits only because of the tree; none for the root of a reduction, which waits for all.
fn wait_begin(
    trace: &Trace,
    collective: &Collective,
    root: Option<Ticks>,
    member: &MemberCall,
) -> Option<Ticks> {
    let enter = trace.enter(member.call);
    let is_root = collective.root == Some(member.op.location);
    match CollectiveShape::from_op(collective.op) {
        CollectiveShape::AllToOne if is_root => None,
        CollectiveShape::OneToAll if !is_root => Some(enter.max(root?)),
        _ => Some(enter),
    }
}

/// Counts the rounds in which a member left before the other arrived.
fn count_against(
    trace: &Trace,
    partners: &HashMap<(RootedKind, LocationId), Vec<LocationId>>,
    counts: &mut HashMap<WaitingPair, PairCounts>,
) {
    for (kind, collective) in rooted(trace) {
        let arrived: HashMap<LocationId, MemberCall> =
            members(trace, collective).into_iter().map(|member| (member.op.location, member)).collect();
        for (location, member) in &arrived {
            for other in partners.get(&(kind, *location)).into_iter().flatten() {
                let (enter, exit) = (trace.enter(member.call), trace.exit(member.call));
                let clearly = |it: &MemberCall| it.arrived.at.saturating_sub(exit) > exit - enter;
                let left_before = arrived.get(other).is_some_and(clearly);
                if left_before && let Some(counts) = counts.get_mut(&(kind, *location, *other)) {
                    counts.against += 1;
                }
            }
        }
    }
}
