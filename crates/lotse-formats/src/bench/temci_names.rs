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
            let unit = if name == OVERALL { Unit::Seconds } else { Unit::Number };
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
    use super::{KNOWN, PROPERTIES, ours, theirs};

    #[test]
    fn the_better_clock_is_the_wall_clock() {
        let beside = ["__ov-time", "etime"];
        assert_eq!(ours("etime", &beside).0.name, "wall");
        assert_eq!(ours("__ov-time", &beside).0.name, "__ov-time");
        assert_eq!(ours("__ov-time", &["__ov-time"]).0.name, "wall");
        assert_eq!(theirs("peak_memory"), ("max_res_set", 1024.0));
        assert_eq!(theirs("requests"), ("requests", 1.0));
    }

    #[test]
    fn only_metrics_that_exist_are_named() {
        for (_, ours, ..) in PROPERTIES {
            assert!(KNOWN.iter().any(|known| known.name == *ours), "{ours}");
        }
    }
}
