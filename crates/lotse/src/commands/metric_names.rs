//! Names of metrics on the command line: those of Lotse, and those of hyperfine, which scripts may use.

use super::near::near;

/// hyperfine's names and the corresponding names of Lotse. The last four need hardware counters.
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

/// Names that stand for several metrics.
const PRESETS: &[(&str, &[&str])] = &[
    ("default", &["wall", "peak_memory"]),
    ("time", &["wall", "cpu", "user", "system"]),
    ("all", &["wall", "cpu", "user", "system", "peak_memory"]),
];

/// The names that Lotse uses for the metrics asked for. A unit after a colon is ignored: `--time-unit` chooses it.
pub(crate) fn expand(names: &[String]) -> Vec<String> {
    names.iter().flat_map(|name| expand_one(name)).collect()
}

fn expand_one(name: &str) -> Vec<String> {
    if let Some((_, metrics)) = PRESETS.iter().find(|(preset, _)| *preset == name) {
        return metrics.iter().map(|&metric| metric.to_owned()).collect();
    }
    vec![own_name(name).to_owned()]
}

/// The name that Lotse uses for one metric.
pub(crate) fn own_name(name: &str) -> &str {
    let (plain, _unit) = name.split_once(':').unwrap_or((name, ""));
    NAMES.iter().find(|(theirs, _)| *theirs == plain).map_or(plain, |(_, ours)| ours)
}

/// Names that other tools use for the metrics of Lotse. They are only suggested, not accepted, because a metric of a runner
/// may have such a name.
const OTHER_TOOLS: &[(&str, &[&str])] = &[
    ("wall", &["time", "real", "elapsed", "duration", "wall_time", "walltime", "wall-time"]),
    ("user", &["utime", "user_time", "usertime", "ru_utime"]),
    ("system", &["sys", "stime", "system_time", "sys_time", "kernel", "ru_stime"]),
    ("cpu", &["cpu_time", "cputime", "cpu-time"]),
    (
        "peak_memory",
        &["rss", "maxrss", "max_rss", "ru_maxrss", "mem", "memory", "peak", "peak_rss", "peakmem"],
    ),
    ("minor_faults", &["minflt", "ru_minflt", "page_faults", "page-faults", "faults"]),
    ("major_faults", &["majflt", "ru_majflt"]),
    ("voluntary_switches", &["nvcsw", "ru_nvcsw", "context_switches", "context-switches", "cs"]),
    ("involuntary_switches", &["nivcsw", "ru_nivcsw"]),
];

/// The message that there is no such metric, with the metrics that may be meant.
pub(crate) fn unknown<'n>(metric: &str, known: impl Iterator<Item = &'n str>) -> String {
    let known: Vec<&str> = known.collect();
    let lower = metric.to_lowercase();
    let other_names = OTHER_TOOLS.iter().filter(|(_, names)| names.contains(&lower.as_str()));
    let mut meant: Vec<&str> =
        other_names.map(|(ours, _)| *ours).filter(|ours| known.contains(ours)).collect();
    if meant.is_empty() {
        meant = near(known.iter().copied(), &lower);
    }
    let hint =
        if meant.is_empty() { String::new() } else { format!("did you mean {}? ", meant.join(" or ")) };
    format!("no run gave a value of '{metric}'; {hint}there are {}", known.join(", "))
}

#[cfg(test)]
mod tests {
    use super::{expand, unknown};

    #[test]
    fn names_of_other_tools_and_misspelt_ones_have_a_hint() {
        for (asked, meant) in [
            ("maxrss", "peak_memory"),
            ("RSS", "peak_memory"),
            ("utime", "user"),
            ("peak_memry", "peak_memory"),
        ] {
            let text = unknown(asked, ["wall", "user", "peak_memory"].into_iter());
            assert!(text.contains(&format!("did you mean {meant}? there are wall, user")), "{text}");
        }
        assert!(!unknown("xyz", ["wall"].into_iter()).contains("mean"));
    }

    #[test]
    fn names_of_hyperfine_and_presets_become_ours() {
        let asked = ["time_cpu".to_owned(), "memory_peak_resident:MiB".to_owned(), "requests".to_owned()];
        assert_eq!(expand(&asked), ["cpu", "peak_memory", "requests"]);
        assert_eq!(expand(&["time".to_owned()]), ["wall", "cpu", "user", "system"]);
    }
}
