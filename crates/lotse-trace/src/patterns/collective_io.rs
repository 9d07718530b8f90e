//! Waiting in collective input and output.

use lotse_model::Rule;

use super::{PRIOR, Pattern, Search};
use crate::class::{Class, RegionClass};
use crate::metric::{Bound, Metric};
use crate::store::CallRef;
use crate::waits::{Scene, WaitCollector};

pub(super) const PATTERN: Pattern =
    Pattern { rule: &RULE, metrics: &[&COLLECTIVE_IO], search: Search::Meetings(is_collective_io, search) };

/// Waiting for others in collective input and output.
static COLLECTIVE_IO: Metric =
    Metric::wait("collective_io", "wait in collective I/O", Class::Io, Bound::Upper);

static RULE: Rule = Rule {
    id: "collective_io",
    version: 1,
    title: "wait in collective I/O: processes wait for each other in collective input and output",
    meaning: "Files are opened, closed and resized by all together, and MPI_File_read_all, MPI_File_write_all and their \
              like gather the data of all before they touch the file. Processes that come early wait for the last.",
    computation: "min(max E_i, X) - E over the calls that belong together: by their collective record; where the \
                  recorder wrote none, the n-th calls of the same name at all processes that make such calls, if they \
                  make equally many. An upper bound: \
                  which processes exchange data is up to the library.",
    picture: "rank 0  ── compute ──┤File_write_all▒▒▒▒▒▒──────├
rank 1  ── compute ────────────────┤File_write_all├
                                   ↑max E",
    example: "MPI_File_write_all entered at 1.0 and 1.2 s, left at 1.5 s: the first waits 0.2 s.",
    advice: "Spread the work before the call evenly. Where the data of a process are large and in one piece, write them \
             alone (MPI_File_write_at), or begin early and end late (MPI_File_iwrite_all).",
    thresholds: &[],
    prior: PRIOR,
    references: &["R. Thakur, W. Gropp, E. Lusk: Data sieving and collective I/O in ROMIO, 1999"],
};

fn is_collective_io(class: &RegionClass) -> bool {
    let Some(rest) = class.name.strip_prefix("mpi_file_") else { return false };
    let managing = ["open", "close", "set_view", "set_size", "preallocate", "sync"].contains(&rest);
    let posted = rest.starts_with("iread") || rest.starts_with("iwrite");
    managing || (rest.ends_with("_all") && !posted)
}

fn search(scene: &Scene<'_>, call: CallRef, collector: &mut WaitCollector) {
    if let Some(last) = scene.last_to_meet(call) {
        collector.add_wait_until(scene.trace, &COLLECTIVE_IO, call, last.at, Some(last.location));
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture::Script;
    use crate::patterns::amounts;

    #[test]
    fn the_early_wait_for_the_last_to_come() {
        let mut script = Script::processes(2);
        for (rank, from) in [1000, 1200].into_iter().enumerate() {
            script.call(rank, from - 100, from - 90, "MPI_File_write");
            script.call(rank, from, 1500, "MPI_File_write_all");
        }
        // Independent calls do not wait, and calls that only post an operation do not either.
        script.call(0, 1600, 1700, "MPI_File_iwrite_all").call(1, 1650, 1700, "MPI_File_iwrite_all");
        assert_eq!(amounts(&script, "collective_io"), [(0, "MPI_File_write_all".to_owned(), 200)]);
    }
}
