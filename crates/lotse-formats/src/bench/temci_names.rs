//! What temci calls its properties and what we call them.
//!
//! temci's runners have different names for the same thing; the first of several is the one written, and where
//! a block has more than one of them the first in this list is taken and the others keep temci's name.

use lotse_model::metric::KNOWN;
use lotse_model::{Metric, Unit};

/// temci's name, ours, how many of our units one of theirs is, and the runners that have it.
type Property = (&'static str, &'static str, f64, Runners);

type Runners = &'static [&'static str];

const TIME: Runners = &["time"];
const RUSAGE: Runners = &["rusage"];
const BOTH: Runners = &["time", "rusage"];
const PERF: Runners = &["perf_stat"];
const ALWAYS: Runners = &[];

/// Kibibytes.
const K: f64 = 1024.0;

/// All properties whose meaning is the same here and there.
const PROPERTIES: &[Property] = &[
    ("etime", "wall", 1.0, TIME),
    ("wall-clock", "wall", 1.0, PERF),
    (OVERALL, "wall", 1.0, ALWAYS),
    ("task-clock", "cpu", 1.0, PERF),
    ("utime", "user", 1.0, BOTH),
    ("stime", "system", 1.0, BOTH),
    ("max_res_set", "peak_memory", K, TIME),
    ("maxrss", "peak_memory", K, RUSAGE),
    ("ixrss", "shared_memory", K, RUSAGE),
    ("idrss", "unshared_data", K, RUSAGE),
    ("isrss", "unshared_stack", K, RUSAGE),
    ("minor_page_faults", "minor_faults", 1.0, TIME),
    ("minflt", "minor_faults", 1.0, RUSAGE),
    ("major_page_faults", "major_faults", 1.0, TIME),
    ("majflt", "major_faults", 1.0, RUSAGE),
    ("times_swapped_out", "swaps", 1.0, TIME),
    ("nswap", "swaps", 1.0, RUSAGE),
    ("file_system_inputs", "blocks_in", 1.0, TIME),
    ("inblock", "blocks_in", 1.0, RUSAGE),
    ("file_system_output", "blocks_out", 1.0, TIME),
    ("oublock", "blocks_out", 1.0, RUSAGE),
    ("socket_msg_sent", "messages_sent", 1.0, TIME),
    ("msgsnd", "messages_sent", 1.0, RUSAGE),
    ("socket_msg_rec", "messages_received", 1.0, TIME),
    ("msgrcv", "messages_received", 1.0, RUSAGE),
    ("signals_delivered", "signals", 1.0, TIME),
    ("nsignals", "signals", 1.0, RUSAGE),
    ("vol_context_switches", "voluntary_switches", 1.0, TIME),
    ("nvcsw", "voluntary_switches", 1.0, RUSAGE),
    ("invol_context_switches", "involuntary_switches", 1.0, TIME),
    ("nivcsw", "involuntary_switches", 1.0, RUSAGE),
];

/// Time from start to end as temci itself sees it, its shell and its wrapper included.
pub(crate) const OVERALL: &str = "__ov-time";

/// Our metric and its factor for a property, given all properties measured with it.
pub(crate) fn ours(name: &str, beside: &[&str]) -> (Metric, f64) {
    let meant = PROPERTIES.iter().find(|(theirs, ..)| *theirs == name);
    let taken = |ours: &str| {
        let first = PROPERTIES.iter().find(|(theirs, other, ..)| *other == ours && beside.contains(theirs));
        first.is_some_and(|(theirs, ..)| *theirs != name)
    };
    match meant {
        Some((_, ours, factor, _)) if !taken(ours) => (Metric::named(ours), *factor),
        _ => {
            let unit = if name == OVERALL { Unit::Seconds } else { Metric::named(name).unit };
            (Metric { name: name.to_owned(), unit }, 1.0)
        }
    }
}

/// What to write for one of our metrics, and by what to divide.
pub(crate) fn theirs(metric: &str) -> (&str, f64) {
    PROPERTIES
        .iter()
        .find(|(_, ours, ..)| *ours == metric)
        .map_or((metric, 1.0), |&(theirs, _, factor, _)| (theirs, factor))
}

/// What Lotse says that a property is.
pub(crate) fn meaning(property: &str) -> Option<&'static str> {
    let (_, ours, ..) = PROPERTIES.iter().find(|(theirs, ..)| *theirs == property)?;
    KNOWN.iter().find(|known| known.name == *ours).map(|known| known.meaning)
}

/// What a runner of temci calls one of our metrics, where it measures that; unknown names are passed on.
pub(crate) fn theirs_for<'a>(runner: &str, metric: &'a str) -> Option<&'a str> {
    let mut same = PROPERTIES.iter().filter(|(_, ours, ..)| *ours == metric).peekable();
    if same.peek().is_none() {
        return Some(metric);
    }
    same.find(|(.., runners)| runners.contains(&runner)).map(|(theirs, ..)| *theirs)
}

#[cfg(test)]
mod tests {
    use super::{KNOWN, Metric, PROPERTIES, Unit, meaning, ours, theirs, theirs_for};

    #[test]
    fn the_better_clock_is_the_wall_clock() {
        let beside = ["__ov-time", "etime"];
        assert_eq!(ours("etime", &beside).0.name, "wall");
        assert_eq!(ours("__ov-time", &beside).0.name, "__ov-time");
        assert_eq!(ours("__ov-time", &["__ov-time"]).0.name, "wall");
        assert_eq!(theirs("peak_memory"), ("max_res_set", 1024.0));
        assert_eq!(theirs("requests"), ("requests", 1.0));
    }

    /// Every property alone is one of our metrics, and every metric is written as a property that is read as it.
    #[test]
    fn names_and_units_agree_in_both_directions() {
        for &(property, metric, factor, _) in PROPERTIES {
            assert_eq!(ours(property, &[property]), (Metric::named(metric), factor), "{property}");
            let (written, divisor) = theirs(metric);
            assert_eq!(ours(written, &[written]), (Metric::named(metric), divisor), "{metric}");
        }
        for known in KNOWN {
            let (written, divisor) = theirs(known.name);
            let bytes = known.unit == Unit::Bytes;
            assert_eq!(divisor, if bytes { 1024.0 } else { 1.0 }, "{written}: temci counts kibibytes");
            assert_eq!(ours(written, &[written]).0.unit, known.unit, "{written}");
        }
    }

    /// No two properties of one block may become the same metric: one of them would be lost.
    #[test]
    fn properties_side_by_side_stay_apart() {
        let beside: Vec<&str> = PROPERTIES.iter().map(|(theirs, ..)| *theirs).collect();
        let mut metrics: Vec<String> = beside.iter().map(|name| ours(name, &beside).0.name).collect();
        metrics.sort_unstable();
        metrics.dedup();
        assert_eq!(metrics.len(), beside.len());
    }

    #[test]
    fn a_runner_is_asked_only_for_what_it_has() {
        for (runner, metric, expected) in [
            ("time", "wall", Some("etime")),
            ("rusage", "wall", None),
            ("perf_stat", "wall", Some("wall-clock")),
            ("perf_stat", "cpu", Some("task-clock")),
            ("time", "cpu", None),
            ("rusage", "major_faults", Some("majflt")),
            ("time", "major_faults", Some("major_page_faults")),
            ("nobody", "user", None),
            ("perf_stat", "cache-misses", Some("cache-misses")),
        ] {
            assert_eq!(theirs_for(runner, metric), expected, "{runner} {metric}");
        }
    }

    /// What Lotse writes of its own accord need not be kept when it is read again.
    #[test]
    fn a_property_means_what_its_metric_means() {
        assert_eq!(meaning("utime"), Some("CPU time in the program"));
        assert_eq!(meaning("nvcsw"), meaning("vol_context_switches"));
        assert_eq!(meaning("user"), None, "that is our name");
    }

    #[test]
    fn only_metrics_that_exist_are_named() {
        for (_, ours, ..) in PROPERTIES {
            assert!(KNOWN.iter().any(|known| known.name == *ours), "{ours}");
        }
    }
}
