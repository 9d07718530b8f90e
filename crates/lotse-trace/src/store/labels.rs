//! What people call locations and processes: "rank 2" instead of "Master thread (MPI Rank 2)" or "P#2T#0".
//!
//! The number comes from the process's name as recorders write it. Names of another form, and labels that would not be
//! unique, stay as recorded.

use hashbrown::HashMap;
use lotse_model::id::{LocationId, ProcessId};

use super::Trace;

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
        let recorded = |location: LocationId| self.location(location).name.clone();
        let labels: Vec<String> =
            self.locations().map(|it| short.get(&it).cloned().unwrap_or_else(|| recorded(it))).collect();
        if is_unique(&labels) { labels } else { self.locations().map(recorded).collect() }
    }

    /// The label of a process.
    pub fn process_label(&self, process: ProcessId) -> String {
        let recorded = || self.definitions.processes.get(process.index()).map_or("", |it| it.name.as_str());
        self.rank(process).map_or_else(|| recorded().to_owned(), |rank| format!("rank {rank}"))
    }

    /// The rank that a process's name tells.
    pub(crate) fn rank(&self, process: ProcessId) -> Option<u64> {
        let name = self.definitions.processes.get(process.index())?.name.as_str();
        let forms = ["MPI Rank ", "MPI rank ", "Rank ", "rank ", "P#"];
        forms.iter().find_map(|form| name.strip_prefix(form)?.parse().ok())
    }
}

/// What a thread is called in a run of so many processes, of so many threads each.
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
    fn a_rank_is_called_by_its_number() {
        assert_eq!(labels(&[1, 1], &["MPI Rank 0", "MPI Rank 1"]), ["rank 0", "rank 1"]);
        assert_eq!(labels(&[1, 1], &["P#0", "P#1"]), ["rank 0", "rank 1"]);
        assert_eq!(labels(&[2, 1], &["P#0", "P#7"]), ["rank 0 thread 0", "rank 0 thread 1", "rank 7"]);
        assert_eq!(labels(&[2], &["P#0"]), ["thread 0", "thread 1"]);
    }

    #[test]
    fn other_names_and_doubtful_ones_stay() {
        assert_eq!(labels(&[1, 1], &["master", "slave"]), ["location 0", "location 1"]);
        assert_eq!(labels(&[1, 1], &["P#0", "MPI Rank 0"]), ["location 0", "location 1"]);
    }
}
