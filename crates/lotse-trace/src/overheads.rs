//! The overhead of a parallel run compared with a sequential one, region by region (SCALEA).
//!
//! For a region of both runs (matched by name, primitive activities left out) and for the whole run:
//!
//! - T_s is its inclusive time in the sequential run, summed over that run's locations (there is one).
//! - p is the number of CPU locations of the parallel run; W_l the region's inclusive time on location l;
//!   T_p = max W_l. The overhead is T_o = T_p - T_s / p.
//! - Each W_l is divided into computing c_l (all that the program does by itself, sleeping included), data movement,
//!   synchronisation, control, and the recorder's time. Detected waits count as synchronisation in every class; so do
//!   barriers, locks and `MPI_Win_…` calls. The rest of point-to-point, collective and one-sided communication and of I/O
//!   is data movement. OpenMP constructs, creating and joining threads, `MPI_Init`, `MPI_Finalize` and other calls of MPI
//!   are control of parallelism.
//! - The overhead of a class is its sum over locations divided by p, minus its time in the sequential run divided by p,
//!   and at least 0.
//! - Computing in excess of T_s / p is *replicated* work up to T_s (1 - 1/p) if every location computes at least
//!   90 % of the sequential computing time; otherwise, and beyond that, it is *additional computation*.
//! - Further loss of parallelism is L = max W_l - mean W_l: some locations are absent from the region. If not all
//!   locations compute (at least a tenth of the longest), the difference between the longest and the mean computing time
//!   is moved from synchronisation to this loss, as far as there is synchronisation. The loss is *unparallelised* if one
//!   location computes, *partly parallelised* otherwise.
//! - T_i is the sum of all these classes, T_u = T_o - T_i the unidentified rest: negative if computing took less than
//!   T_s / p, for instance because of caches.
//!
//! All sums are integers, in ticks of the parallel run's clock times p; the division comes last.

use lotse_model::trace::Ticks;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::store::Trace;
use crate::waits::Waits;

mod classes;
mod profile;

use classes::OverheadSplit;
use profile::Profile;

/// The name of the whole run among regions.
pub const WHOLE_RUN: &str = "(whole run)";

/// The comparison of a parallel with a sequential run.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Overheads {
    /// CPU locations of the parallel run.
    pub locations: usize,
    /// The whole run first, then the regions of both runs, the largest overhead first.
    pub regions: Vec<RegionOverhead>,
    /// Regions of the sequential run alone.
    pub only_sequential: Vec<String>,
    /// Regions of the parallel run alone.
    pub only_parallel: Vec<String>,
}

/// The overhead of a region, in seconds.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct RegionOverhead {
    /// The name of the region.
    pub region: String,
    /// T_s: time in the sequential run.
    pub sequential: f64,
    /// T_p: the longest time of a location in the parallel run.
    pub parallel: f64,
    /// The mean time of the locations in the parallel run.
    pub parallel_mean: f64,
    /// T_s / T_p.
    pub speedup: Option<f64>,
    /// Visits in the sequential run.
    pub sequential_visits: u64,
    /// Visits in the parallel run, on all locations.
    pub parallel_visits: u64,
    /// T_o.
    pub overhead: f64,
    /// T_i, the sum of the classes.
    pub identified: f64,
    /// T_u = T_o - T_i.
    pub unidentified: f64,
    /// T_i by class.
    pub classes: Classes,
}

/// The identified overhead by class, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Classes {
    /// Moving data between processes and to files, without waiting.
    pub data_movement: f64,
    /// Waiting, barriers, locks.
    pub synchronisation: f64,
    /// Creating and managing processes and threads.
    pub control_of_parallelism: f64,
    /// Computing that the sequential run does not need.
    pub additional_computation: f64,
    /// One location computes, the others do not.
    pub unparallelised: f64,
    /// All locations do the same work.
    pub replicated: f64,
    /// Only some locations compute, or some longer than others.
    pub partly_parallelised: f64,
}

/// Compares two runs; the waits are those of the parallel one.
pub fn overheads(sequential: &Trace, parallel: &Trace, waits: &Waits) -> Overheads {
    let one = profile::profiles(sequential, &Waits::default(), resolution(parallel));
    let many = profile::profiles(parallel, waits, resolution(parallel));
    let locations = many.locations;
    let mut regions: Vec<(i128, RegionOverhead)> = Vec::new();
    for (name, parallel_profile) in many.regions.iter() {
        if let Some(sequential_profile) = one.regions.get(name) {
            regions.push(compare(parallel, name, sequential_profile, parallel_profile));
        }
    }
    regions.sort_by(|(one, a), (other, b)| {
        let is_region = |it: &RegionOverhead| it.region != WHOLE_RUN;
        (is_region(a), -one, &a.region).cmp(&(is_region(b), -other, &b.region))
    });
    let missing = |present: &profile::Profiles, absent: &profile::Profiles| -> Vec<String> {
        present.regions.keys().filter(|name| !absent.regions.contains_key(*name)).cloned().collect()
    };
    Overheads {
        locations,
        regions: regions.into_iter().map(|(_, region)| region).collect(),
        only_sequential: missing(&one, &many),
        only_parallel: missing(&many, &one),
    }
}

fn resolution(trace: &Trace) -> u64 {
    trace.definitions.clock.resolution.max(1)
}

/// Compares a region of both runs. Also gives T_o times p in ticks, by which regions are sorted.
fn compare(trace: &Trace, name: &str, one: &Profile, many: &Profile) -> (i128, RegionOverhead) {
    let count = many.by_location.len() as i128;
    let sequential = one.total();
    let longest = many.longest();
    let overhead = i128::from(longest) * count - i128::from(sequential);
    let split = OverheadSplit::new(one, many);
    let seconds = |ticks: Ticks| trace.seconds(ticks);
    let seconds_per_location = |sum: i128| sum as f64 / count.max(1) as f64 / resolution(trace) as f64;
    let answer = RegionOverhead {
        region: name.to_owned(),
        sequential: seconds(sequential),
        parallel: seconds(longest),
        parallel_mean: seconds_per_location(i128::from(many.total())),
        speedup: (longest > 0).then(|| sequential as f64 / longest as f64),
        sequential_visits: one.visits,
        parallel_visits: many.visits,
        overhead: seconds_per_location(overhead),
        identified: seconds_per_location(split.sum()),
        unidentified: seconds_per_location(overhead - split.sum()),
        classes: Classes {
            data_movement: seconds_per_location(split.data_movement),
            synchronisation: seconds_per_location(split.synchronisation),
            control_of_parallelism: seconds_per_location(split.control),
            additional_computation: seconds_per_location(split.additional),
            unparallelised: seconds_per_location(split.unparallelised),
            replicated: seconds_per_location(split.replicated),
            partly_parallelised: seconds_per_location(split.partly),
        },
    };
    (overhead, answer)
}

#[cfg(test)]
mod tests;
