//! Barriers inside parallel regions that the recorder did not write, by what shows them: all threads of a team go on at
//! nearly the same time, right after one of them was busy, and others had been in the region itself for long.
//!
//! ```text
//! thread 0  ┤parallel ┤work├ ······················ ┤work ├
//! thread 1  ┤parallel ┤work            ├ ·········· ┤work ├    · in the region itself, all until the same moment
//! thread 2  ┤parallel ┤work                      ├ ·┤work ├
//! ```
//!
//! It is a sign and no proof, so nothing but a caution follows from it. It is looked for only where the ends of parallel
//! regions were not recorded either.

use lotse_model::id::LocationId;
use lotse_model::trace::Ticks;

use crate::class::Class;
use crate::matching::TeamInstance;
use crate::store::{Paths, Trace};

/// How far apart threads go on, at most, as a part of the time that one of them waited.
const PART: Ticks = 20;

/// Threads that waited so, and how long together.
pub(super) fn waited(trace: &Trace) -> (u64, Ticks) {
    let (mut count, mut ticks): (u64, Ticks) = (0, 0);
    let teams = if is_asked(trace) { &trace.links.teams[..] } else { &[] };
    for team in teams {
        let threads: Vec<Vec<Stretch>> = members(trace, team).map(|it| stretches(trace, it)).collect();
        for (number, own) in threads.iter().enumerate() {
            let waits = own.iter().filter(|stretch| is_barrier(stretch, number, &threads));
            for stretch in waits {
                count += 1;
                ticks = ticks.saturating_add(stretch.to - stretch.from);
            }
        }
    }
    (count, ticks)
}

/// Whether the recorder wrote no barriers of OpenMP at all, and the store put some in.
fn is_asked(trace: &Trace) -> bool {
    let barriers =
        || trace.uses.iter().flatten().filter(|it| trace.class_of(it.path) == Class::OpenMpBarrier);
    barriers().next().is_some() && barriers().all(|used| trace.is_team_end_path(used.path))
}

/// A thread's part of a team.
struct Part {
    thread: LocationId,
    from: Ticks,
    to: Ticks,
}

fn members<'t>(trace: &'t Trace, team: &'t TeamInstance) -> impl Iterator<Item = Part> + 't {
    team.begins.iter().filter_map(|&begin| {
        let thread = begin.location;
        let end = team.ends.iter().find(|end| end.location == thread)?;
        Some(Part { thread, from: trace.op(begin).at, to: trace.op(*end).at })
    })
}

/// A time in the parallel region itself, before something in it is called.
struct Stretch {
    from: Ticks,
    to: Ticks,
}

/// All of a thread in their order.
fn stretches(trace: &Trace, part: Part) -> Vec<Stretch> {
    let timeline = trace.timeline(part.thread);
    let first = timeline.at.partition_point(|&at| at < part.from);
    let end = timeline.at.partition_point(|&at| at <= part.to);
    let entered = timeline.path[first..end].iter().find(|&&path| path != Paths::ROOT);
    let Some(&region) = entered else { return Vec::new() };
    let calls = |step: &usize| {
        timeline.path[*step] == region && trace.paths.parent(timeline.path[step + 1]) == region
    };
    let steps = (first..end.saturating_sub(1)).filter(calls);
    steps.map(|step| Stretch { from: timeline.at[step], to: timeline.at[step + 1] }).collect()
}

/// Whether all others go on with a thread, and one of them had just come.
fn is_barrier(waiting: &Stretch, number: usize, threads: &[Vec<Stretch>]) -> bool {
    let near = (waiting.to - waiting.from) / PART;
    let mut has_last = false;
    for (_, other) in threads.iter().enumerate().filter(|(other, _)| *other != number) {
        let at = other.partition_point(|stretch| stretch.to + near < waiting.to);
        let Some(with) = other.get(at).filter(|stretch| stretch.to <= waiting.to + near) else {
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

    /// Three threads work until 200, 400 and 600 and go on at the given times, work until 1000 and are joined.
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
    fn all_go_on_when_the_last_has_come() {
        assert_eq!(waited(&script([605, 603, 604]).trace()), (2, 405 + 203));
    }

    #[test]
    fn threads_on_their_own_ways_wait_for_nobody() {
        assert_eq!(waited(&script([500, 700, 604]).trace()), (0, 0), "at different times");
        assert_eq!(waited(&script([800, 800, 800]).trace()), (0, 0), "nobody has just come");
    }
}
