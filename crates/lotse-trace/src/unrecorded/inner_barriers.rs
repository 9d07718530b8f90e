//! Detects unrecorded barriers inside parallel regions: all threads of a team continue at nearly the same time, right after
//! one of them was busy, while others had been in the region itself for long.
//!
//! ```text
//! thread 0  ┤parallel ┤work├ ······················ ┤work ├
//! thread 1  ┤parallel ┤work            ├ ·········· ┤work ├    · in the region itself, all until the same time
//! thread 2  ┤parallel ┤work                      ├ ·┤work ├
//! ```
//!
//! This is an indication and no proof, so only a caution follows from it. It is searched for only if the barriers at the ends
//! of parallel regions were not recorded either.

use lotse_model::id::LocationId;
use lotse_model::trace::Ticks;

use crate::class::Class;
use crate::matching::TeamInstance;
use crate::store::{Paths, Trace};

/// Threads continue within 1/20 of the time that one of them waited.
const TOLERANCE: Ticks = 20;

/// The number of such waits, and their total time.
pub(super) fn waited(trace: &Trace) -> (u64, Ticks) {
    let (mut count, mut ticks): (u64, Ticks) = (0, 0);
    let teams = if barriers_are_missing(trace) { &trace.links.teams[..] } else { &[] };
    for team in teams {
        let threads: Vec<Vec<OwnTime>> = members(trace, team).map(|it| own_times(trace, it)).collect();
        for (number, own) in threads.iter().enumerate() {
            let waits = own.iter().filter(|own_time| is_barrier(own_time, number, &threads));
            for own_time in waits {
                count += 1;
                ticks = ticks.saturating_add(own_time.to - own_time.from);
            }
        }
    }
    (count, ticks)
}

/// Whether all OpenMP barriers of the trace were inserted by the store, and none was recorded.
fn barriers_are_missing(trace: &Trace) -> bool {
    let barriers =
        || trace.uses.iter().flatten().filter(|it| trace.class_of(it.path) == Class::OpenMpBarrier);
    barriers().next().is_some() && barriers().all(|used| trace.is_team_end_path(used.path))
}

/// A thread of a team, and the time of its part in it.
struct TeamMember {
    thread: LocationId,
    from: Ticks,
    to: Ticks,
}

fn members<'t>(trace: &'t Trace, team: &'t TeamInstance) -> impl Iterator<Item = TeamMember> + 't {
    team.begins.iter().filter_map(|&begin| {
        let thread = begin.location;
        let end = team.ends.iter().find(|end| end.location == thread)?;
        Some(TeamMember { thread, from: trace.op(begin).at, to: trace.op(*end).at })
    })
}

/// An interval of exclusive time in the parallel region, before a call.
struct OwnTime {
    from: Ticks,
    to: Ticks,
}

/// All such intervals of a thread, in the order of time.
fn own_times(trace: &Trace, member: TeamMember) -> Vec<OwnTime> {
    let timeline = trace.timeline(member.thread);
    let first = timeline.at.partition_point(|&at| at < member.from);
    let end = timeline.at.partition_point(|&at| at <= member.to);
    let entered = timeline.path[first..end].iter().find(|&&path| path != Paths::ROOT);
    let Some(&region) = entered else { return Vec::new() };
    let calls = |step: &usize| {
        timeline.path[*step] == region && trace.paths.parent(timeline.path[step + 1]) == region
    };
    let steps = (first..end.saturating_sub(1)).filter(calls);
    steps.map(|step| OwnTime { from: timeline.at[step], to: timeline.at[step + 1] }).collect()
}

/// Whether all other threads continue together with a waiting one, and one of them has just arrived.
fn is_barrier(waiting: &OwnTime, number: usize, threads: &[Vec<OwnTime>]) -> bool {
    let near = (waiting.to - waiting.from) / TOLERANCE;
    let mut has_last = false;
    for (_, other) in threads.iter().enumerate().filter(|(other, _)| *other != number) {
        let at = other.partition_point(|own_time| own_time.to + near < waiting.to);
        let Some(with) = other.get(at).filter(|own_time| own_time.to <= waiting.to + near) else {
            return false;
        };
        has_last |= with.to - with.from <= near;
    }
    has_last && near > 0
}

#[cfg(test)]
mod tests {
    use super::waited;
    use crate::fixture::Script;

    /// Three threads work until 200, 400 and 600, continue at the given times, work until 1000 and are joined.
    fn script(resumed: [u64; 3]) -> Script {
        let mut script = Script::threads(3);
        script.fork(0, 0, 3);
        for (thread, (worked, resumed)) in [200, 400, 600].into_iter().zip(resumed).enumerate() {
            script.team_begin(thread, 1, 1).enter(thread, 2, "OpenMP Parallel");
            script.call(thread, 3, worked, "work").call(thread, resumed, 1000, "work");
            script.team_end(thread, 1001, 1).leave(thread, 1002, "OpenMP Parallel");
        }
        script.join(0, 1010);
        script
    }

    #[test]
    fn all_threads_continue_when_the_last_has_arrived() {
        assert_eq!(waited(&script([605, 603, 604]).trace()), (2, 405 + 203));
    }

    #[test]
    fn independent_threads_do_not_wait() {
        assert_eq!(waited(&script([500, 700, 604]).trace()), (0, 0), "at different times");
        assert_eq!(waited(&script([800, 800, 800]).trace()), (0, 0), "nobody has just come");
    }
}
