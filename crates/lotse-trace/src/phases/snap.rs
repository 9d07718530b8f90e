//! Moves a border to the time at which the fewest calls are open, so that phases end between activities and not within them.

use lotse_model::trace::Ticks;

use crate::store::Trace;

/// The time within `reach` at which the border cuts the fewest primitive calls; of equals the nearest, then the earliest.
/// Candidates are the enters and exits of calls.
pub(super) fn snap(trace: &Trace, border: Ticks, reach: Ticks) -> Ticks {
    // The first and the last phase of the run keep at least half of their length.
    let least = border.saturating_sub(reach).max(border - (border - trace.first_tick()) / 2);
    let most = border.saturating_add(reach).min(border + (trace.last_tick() - border) / 2);
    let (mut enters, mut exits) = (Vec::new(), Vec::new());
    for timeline in trace.cpu_locations().map(|location| trace.timeline(location)) {
        let spans = (0..timeline.calls.len() as u32).map(|call| (timeline.enter(call), timeline.exit(call)));
        for (enter, exit) in spans.filter(|&(enter, exit)| enter <= most && exit >= least) {
            enters.push(enter);
            exits.push(exit);
        }
    }
    enters.sort_unstable();
    exits.sort_unstable();
    let cut = |at: Ticks| {
        let entered = enters.partition_point(|&enter| enter < at);
        entered.saturating_sub(exits.partition_point(|&exit| exit <= at))
    };
    let times = enters.iter().chain(&exits).copied().filter(|at| (least..=most).contains(at));
    times.chain([border]).min_by_key(|&at| (cut(at), at.abs_diff(border), at)).unwrap_or(border)
}

#[cfg(test)]
mod tests {
    use super::snap;
    use crate::fixture::Script;

    #[test]
    fn a_border_moves_to_the_nearest_gap_between_calls() {
        let mut script = Script::processes(2);
        script.enter(0, 0, "main").barrier(0, 100, 200).barrier(0, 210, 300).leave(0, 1000, "main");
        script.enter(1, 0, "main").barrier(1, 150, 205).barrier(1, 220, 300).leave(1, 1000, "main");
        let trace = script.trace();
        assert_eq!(snap(&trace, 190, 50), 205);
        assert_eq!(snap(&trace, 190, 12), 200);
        assert_eq!(snap(&trace, 190, 5), 190);
        assert_eq!(snap(&trace, 600, 100), 600);
    }
}
