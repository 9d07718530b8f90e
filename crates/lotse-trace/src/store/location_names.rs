//! Unique names of locations: recorders use the same name for the first thread of every process.
//!
//! If several locations have the same name, the name of the process is appended, and if that is not enough, their index.

use hashbrown::HashMap;
use lotse_model::trace::{Definitions, Location};

pub(super) fn make_unique(definitions: &mut Definitions) {
    let processes = &definitions.processes;
    let with_process = |_, location: &Location| {
        let process = processes.get(location.process.index())?;
        Some(format!("{} ({})", location.name, process.name))
    };
    rename(&mut definitions.locations, with_process);
    rename(&mut definitions.locations, |row, location| Some(format!("{} #{row}", location.name)));
}

/// Renames all locations whose name is not unique.
fn rename(locations: &mut [Location], name: impl Fn(usize, &Location) -> Option<String>) {
    let mut counts: HashMap<String, usize> = HashMap::new();
    locations.iter().for_each(|it| *counts.entry_ref(it.name.as_str()).or_insert(0) += 1);
    for (row, location) in locations.iter_mut().enumerate() {
        if counts.get(&location.name).is_some_and(|&count| count > 1) {
            location.name = name(row, location).unwrap_or_else(|| location.name.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture::Script;

    fn names(threads: &[u32], names: &[&str]) -> Vec<String> {
        let mut script = Script::hybrid(threads);
        for (location, name) in script.definitions.locations.iter_mut().zip(names) {
            (*name).clone_into(&mut location.name);
        }
        script.trace().definitions.locations.iter().map(|it| it.name.clone()).collect()
    }

    #[test]
    fn the_process_makes_names_unique() {
        let found = names(&[2, 1], &["Master thread", "worker", "Master thread"]);
        assert_eq!(found, ["Master thread (rank 0)", "worker", "Master thread (rank 1)"]);
    }

    #[test]
    fn otherwise_the_index_makes_names_unique() {
        let found = names(&[2, 1], &["thread", "thread", "thread"]);
        assert_eq!(found, ["thread (rank 0) #0", "thread (rank 0) #1", "thread (rank 1)"]);
    }
}
