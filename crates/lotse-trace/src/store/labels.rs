//! Short labels of locations and processes: "rank 2" instead of "Master thread (MPI Rank 2)" or "P#2T#0".
//!
//! The rank is parsed from the recorded name of the process. Names of another form stay as recorded, and so do all names if
//! the labels would not be unique.

use hashbrown::HashMap;
use lotse_model::id::{LocationId, ProcessId};

use super::{Stream, Trace};

impl Trace {
    /// The labels of all locations, in their order.
    pub fn location_labels(&self) -> Vec<String> {
        let processes = self.processes();
        let mut short: HashMap<LocationId, String> = HashMap::new();
        for (process, locations) in &processes {
            let Some(rank) = self.rank(*process) else { continue };
            for (thread, location) in locations.iter().enumerate() {
                short.insert(*location, label(rank, thread, (processes.len(), locations.len())));
            }
        }
        if processes.len() > 1 {
            short.extend(self.stream_labels());
        }
        let recorded = |location: LocationId| self.location(location).name.clone();
        let labels: Vec<String> =
            self.locations().map(|it| short.get(&it).cloned().unwrap_or_else(|| recorded(it))).collect();
        if is_unique(&labels) { labels } else { self.locations().map(recorded).collect() }
    }

    /// Labels of accelerator streams with the rank that uses them: "rank 2 CUDA[0:7]".
    fn stream_labels(&self) -> Vec<(LocationId, String)> {
        let label = |stream: &Stream| {
            let rank = self.rank(stream.host?)?;
            let name = &self.location(stream.location).name;
            // The suffix that made the name unique is replaced by the rank.
            let name = name.split(" (").next().unwrap_or(name);
            Some((stream.location, format!("rank {rank} {name}")))
        };
        self.accelerators().streams.iter().filter_map(label).collect()
    }

    /// The label of a process.
    pub fn process_label(&self, process: ProcessId) -> String {
        let recorded = || self.definitions.processes.get(process.index()).map_or("", |it| it.name.as_str());
        self.rank(process).map_or_else(|| recorded().to_owned(), |rank| format!("rank {rank}"))
    }

    /// The rank of a process, parsed from its name.
    pub(crate) fn rank(&self, process: ProcessId) -> Option<u64> {
        let name = self.definitions.processes.get(process.index())?.name.as_str();
        let forms = ["MPI Rank ", "MPI rank ", "Rank ", "rank ", "P#"];
        forms.iter().find_map(|form| name.strip_prefix(form)?.parse().ok())
    }
}

/// The label of a thread; `processes` and `threads` are the numbers of processes and of threads of its process.
fn label(rank: u64, thread: usize, (processes, threads): (usize, usize)) -> String {
    match (processes, threads) {
        (_, 1) => format!("rank {rank}"),
        (1, _) => format!("thread {thread}"),
        _ => format!("rank {rank} thread {thread}"),
    }
}

fn is_unique(labels: &[String]) -> bool {
    let mut sorted: Vec<&String> = labels.iter().collect();
    sorted.sort_unstable();
    sorted.windows(2).all(|pair| pair[0] != pair[1])
}

#[cfg(test)]
mod tests {
    use lotse_model::id::ProcessId;
    use lotse_model::trace::{LocationKind, ProcessKind};

    use crate::fixture::Script;

    fn labels(threads: &[u32], processes: &[&str]) -> Vec<String> {
        let mut script = Script::hybrid(threads);
        for (process, name) in script.definitions.processes.iter_mut().zip(processes) {
            (*name).clone_into(&mut process.name);
        }
        for location in 0..threads.iter().sum::<u32>() as usize {
            script.call(location, 0, 1, "work");
        }
        script.trace().location_labels()
    }

    #[test]
    fn a_rank_is_labelled_by_its_number() {
        assert_eq!(labels(&[1, 1], &["MPI Rank 0", "MPI Rank 1"]), ["rank 0", "rank 1"]);
        assert_eq!(labels(&[1, 1], &["P#0", "P#1"]), ["rank 0", "rank 1"]);
        assert_eq!(labels(&[2, 1], &["P#0", "P#7"]), ["rank 0 thread 0", "rank 0 thread 1", "rank 7"]);
        assert_eq!(labels(&[2], &["P#0"]), ["thread 0", "thread 1"]);
    }

    #[test]
    fn a_stream_is_labelled_by_the_rank_that_uses_it() {
        let mut script = Script::processes(4);
        for (at, name) in ["MPI Rank 0", "MPI Rank 1", "CUDA Context 1", "CUDA Context 1"].iter().enumerate()
        {
            (*name).clone_into(&mut script.definitions.processes[at].name);
            script.call(at, 0, 1, "work");
        }
        for (stream, host) in [(2, ProcessId(0)), (3, ProcessId(1))] {
            "CUDA[0:7]".clone_into(&mut script.definitions.locations[stream].name);
            script.definitions.locations[stream].kind = LocationKind::Accelerator;
            script.definitions.processes[stream].kind = ProcessKind::Accelerator { creator: Some(host) };
        }
        let found = script.trace().location_labels();
        assert_eq!(found, ["rank 0", "rank 1", "rank 0 CUDA[0:7]", "rank 1 CUDA[0:7]"]);
    }

    #[test]
    fn other_names_and_ambiguous_ones_stay() {
        assert_eq!(labels(&[1, 1], &["master", "slave"]), ["location 0", "location 1"]);
        assert_eq!(labels(&[1, 1], &["P#0", "MPI Rank 0"]), ["location 0", "location 1"]);
    }
}
