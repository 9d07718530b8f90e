//! Converts results of the analyses to rows of the answer.

use std::collections::BTreeMap;

use lotse_model::id::PathId;
use lotse_model::trace::Ticks;

use crate::answer::{
    DelayCostAnswer, ImbalanceAnswer, OffsetAnswer, PathNames, PathTimeAnswer, PropagationAnswer,
};
use crate::clock::{ClockOffset, Correction};
use crate::critical::{CriticalPath, PathShare};
use crate::delay::Delays;
use crate::store::{Paths, Trace};

pub(super) fn offsets(trace: &Trace, correction: Option<&Correction>) -> Vec<OffsetAnswer> {
    let all = correction.map_or(&[][..], |correction| &correction.offsets);
    let is_doubtful = |offset: &ClockOffset| offset.messages > 0 && offset.uncertainty != Some(0);
    let wrong =
        all.iter().filter(|offset| offset.ticks != 0 || offset.drift_ppm != 0.0 || is_doubtful(offset));
    wrong
        .map(|offset| OffsetAnswer {
            location: offset.location.0,
            seconds: offset.seconds(&trace.definitions),
            drift_ppm: offset.drift_ppm,
            uncertainty: offset.uncertainty.map(|ticks| trace.seconds(ticks)),
        })
        .collect()
}

pub(super) fn delay_costs(trace: &Trace, delays: &Delays) -> Vec<DelayCostAnswer> {
    let mut names = PathNames::new(trace);
    let costs = delays.costs.iter();
    costs
        .map(|cost| DelayCostAnswer {
            location: cost.location.0,
            callpath: names.get(cost.path),
            short_term: real_seconds(trace, cost.short),
            long_term: real_seconds(trace, cost.long),
        })
        .collect()
}

pub(super) fn propagation(trace: &Trace, delays: &Delays) -> Vec<PropagationAnswer> {
    let rows = delays.propagation.iter().zip(0..);
    rows.filter(|(row, _)| row.direct + row.indirect > 0.0)
        .map(|(row, location)| PropagationAnswer {
            location,
            direct: real_seconds(trace, row.direct),
            indirect: real_seconds(trace, row.indirect),
            propagating: real_seconds(trace, row.propagating),
            terminal: real_seconds(trace, row.terminal),
        })
        .collect()
}

/// Converts ticks that are no whole number to seconds.
pub(crate) fn real_seconds(trace: &Trace, ticks: f64) -> f64 {
    ticks / trace.definitions.clock.resolution.max(1) as f64
}

pub(crate) fn path_times(trace: &Trace, rows: &[PathShare]) -> Vec<PathTimeAnswer> {
    let mut names = PathNames::new(trace);
    let rows = rows.iter().filter(|row| row.ticks > 0);
    rows.map(|row| PathTimeAnswer {
        location: row.location.0,
        callpath: names.get(row.path),
        seconds: trace.seconds(row.ticks),
    })
    .collect()
}

pub(crate) fn imbalances(trace: &Trace, path: &CriticalPath) -> Vec<ImbalanceAnswer> {
    let uneven = path.imbalance.iter().filter(|row| row.excess > 0.0);
    uneven
        .map(|row| ImbalanceAnswer {
            callpath: trace.path_name(row.path),
            seconds: real_seconds(trace, row.excess),
        })
        .collect()
}

/// The call paths with the most time on the critical path, with their names, the longest first.
pub(crate) fn longest_paths(trace: &Trace, path: &CriticalPath, most: usize) -> Vec<(PathId, String)> {
    let mut names = PathNames::new(trace);
    let mut sums: BTreeMap<String, (Ticks, PathId)> = BTreeMap::new();
    for row in path.rows.iter().filter(|row| row.ticks > 0 && row.path != Paths::ROOT) {
        sums.entry(names.get(row.path)).or_insert((0, row.path)).0 += row.ticks;
    }
    let mut sums: Vec<(String, (Ticks, PathId))> = sums.into_iter().collect();
    sums.sort_by_key(|(_, (ticks, path))| (std::cmp::Reverse(*ticks), *path));
    sums.into_iter().take(most).map(|(name, (_, path))| (path, name)).collect()
}
