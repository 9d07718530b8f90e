//! Names of metrics on the command line: ours, and those scripts for hyperfine use.

/// hyperfine's names beside ours. Those of the third group need counters.
const NAMES: &[(&str, &str)] = &[
    ("time_wall_clock", "wall"),
    ("time_cpu", "cpu"),
    ("time_user", "user"),
    ("time_system", "system"),
    ("memory_peak_resident", "peak_memory"),
    ("cpu_cycles", "cycles"),
    ("cache_references", "cache-references"),
    ("cache_misses", "cache-misses"),
    ("branch_misses", "branch-misses"),
];

/// Presets of several metrics.
const PRESETS: &[(&str, &[&str])] = &[
    ("default", &["wall", "peak_memory"]),
    ("time", &["wall", "cpu", "user", "system"]),
    ("all", &["wall", "cpu", "user", "system", "peak_memory"]),
];

/// Our names of the metrics asked for; a unit behind a colon is left to `--time-unit`.
pub(crate) fn expand(asked: &[String]) -> Vec<String> {
    asked.iter().flat_map(|name| expand_one(name)).collect()
}

fn expand_one(name: &str) -> Vec<String> {
    if let Some((_, metrics)) = PRESETS.iter().find(|(preset, _)| *preset == name) {
        return metrics.iter().map(|&metric| metric.to_owned()).collect();
    }
    vec![own_name(name).to_owned()]
}

/// Our name of one metric.
pub(crate) fn own_name(name: &str) -> &str {
    let (plain, _unit) = name.split_once(':').unwrap_or((name, ""));
    NAMES.iter().find(|(theirs, _)| *theirs == plain).map_or(plain, |(_, ours)| ours)
}

#[cfg(test)]
mod tests {
    use super::expand;

    #[test]
    fn names_of_hyperfine_and_presets_become_ours() {
        let asked = ["time_cpu".to_owned(), "memory_peak_resident:MiB".to_owned(), "requests".to_owned()];
        assert_eq!(expand(&asked), ["cpu", "peak_memory", "requests"]);
        assert_eq!(expand(&["time".to_owned()]), ["wall", "cpu", "user", "system"]);
    }
}
