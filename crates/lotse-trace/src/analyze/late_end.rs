//! A process that ends late: nobody waits for it, but the run lasts as long as it does.

use lotse_model::id::LocationId;
use lotse_model::trace::Ticks;

use crate::answer::LateEndAnswer;
use crate::focus::end_of_work;
use crate::store::Trace;

/// A late end is reported only if the idle time before it exceeds this share of the time of all processes.
const LEAST: f64 = 0.05;

/// The process that ends last, where the others end much earlier: idle time is summed from each process's end to the last.
pub(super) fn late_end(trace: &Trace) -> Option<LateEndAnswer> {
    // Where a recording broke off, its end is not the end of the process.
    if !trace.incomplete.is_empty() {
        return None;
    }
    let end = |threads: &Vec<LocationId>| {
        let ends = threads.iter().map(|&it| (end_of_work(trace, it), it));
        ends.max_by_key(|&(at, it)| (at, std::cmp::Reverse(it)))
    };
    let ends: Vec<(Ticks, LocationId)> =
        trace.processes().iter().filter_map(|(_, threads)| end(threads)).collect();
    let &(last, location) = ends.iter().max_by_key(|&&(at, it)| (at, std::cmp::Reverse(it)))?;
    let first = ends.iter().map(|&(at, _)| at).min()?;
    let idle: f64 = ends.iter().map(|&(at, _)| (last - at) as f64).sum();
    let total = (last - trace.first_tick()) as f64 * ends.len() as f64;
    let answer = || LateEndAnswer {
        location: location.0,
        who: trace.process_label(trace.location(location).process),
        seconds: trace.seconds(last - first),
        idle: idle / trace.definitions.clock.resolution as f64,
    };
    (idle > LEAST * total).then(answer)
}

#[cfg(test)]
mod tests {
    use super::late_end;
    use crate::fixture::Script;

    fn late(ends: [u64; 3]) -> Option<(u32, f64, f64)> {
        let mut script = Script::processes(3);
        ends.iter().enumerate().for_each(|(rank, &end)| {
            script.call(rank, 0, end, "work").call(rank, end, 1000, "MPI_Finalize");
        });
        late_end(&script.trace()).map(|it| (it.location, it.seconds, it.idle))
    }

    /// The others wait in MPI_Finalize: entering it is the end of their work.
    #[test]
    fn the_last_to_end_is_named_where_the_others_are_done_much_earlier() {
        assert_eq!(late([500, 400, 990]), Some((2, 0.59, 0.49 + 0.59)));
        assert_eq!(late([980, 970, 990]), None);
    }
}
