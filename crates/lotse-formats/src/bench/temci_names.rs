//! What temci calls its properties and what we call them.
//!
//! temci's runners have different names for the same thing; the first of several is the one written, and where
//! a block has more than one of them the first in this list is taken and the others keep temci's name.

use lotse_model::{Metric, Unit};

/// temci's name, ours, and how many of our units one of theirs is.
pub(crate) type Property = (&'static str, &'static str, f64);

/// Kibibytes.
const K: f64 = 1024.0;

/// All properties whose meaning is the same here and there.
pub(crate) const PROPERTIES: &[Property] = &[
    ("etime", "wall", 1.0),
    ("wall-clock", "wall", 1.0),
    (OVERALL, "wall", 1.0),
    ("task-clock", "cpu", 1.0),
    ("utime", "user", 1.0),
    ("stime", "system", 1.0),
    ("max_res_set", "peak_memory", K),
    ("maxrss", "peak_memory", K),
    ("ixrss", "shared_memory", K),
    ("idrss", "unshared_data", K),
    ("isrss", "unshared_stack", K),
    ("minor_page_faults", "minor_faults", 1.0),
    ("minflt", "minor_faults", 1.0),
    ("major_page_faults", "major_faults", 1.0),
    ("majflt", "major_faults", 1.0),
    ("times_swapped_out", "swaps", 1.0),
    ("nswap", "swaps", 1.0),
    ("file_system_inputs", "blocks_in", 1.0),
    ("inblock", "blocks_in", 1.0),
    ("file_system_output", "blocks_out", 1.0),
    ("oublock", "blocks_out", 1.0),
    ("socket_msg_sent", "messages_sent", 1.0),
    ("msgsnd", "messages_sent", 1.0),
    ("socket_msg_rec", "messages_received", 1.0),
    ("msgrcv", "messages_received", 1.0),
    ("signals_delivered", "signals", 1.0),
    ("nsignals", "signals", 1.0),
    ("vol_context_switches", "voluntary_switches", 1.0),
    ("nvcsw", "voluntary_switches", 1.0),
    ("invol_context_switches", "involuntary_switches", 1.0),
    ("nivcsw", "involuntary_switches", 1.0),
];

/// Time from start to end as temci itself sees it, its shell and its wrapper included.
pub(crate) const OVERALL: &str = "__ov-time";

/// Our metric and its factor for a property, given all properties measured with it.
pub(crate) fn ours(name: &str, beside: &[&str]) -> (Metric, f64) {
    let meant = PROPERTIES.iter().find(|(theirs, _, _)| *theirs == name);
    let taken = |ours: &str| {
        let first = PROPERTIES.iter().find(|(theirs, other, _)| *other == ours && beside.contains(theirs));
        first.is_some_and(|(theirs, _, _)| *theirs != name)
    };
    match meant {
        Some((_, ours, factor)) if !taken(ours) => (Metric::named(ours), *factor),
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
        .find(|(_, ours, _)| *ours == metric)
        .map_or((metric, 1.0), |&(theirs, _, factor)| (theirs, factor))
}

#[cfg(test)]
mod tests {
    use lotse_model::metric::KNOWN;

    use super::{PROPERTIES, ours, theirs};

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
        for (_, ours, _) in PROPERTIES {
            assert!(KNOWN.iter().any(|known| known.name == *ours), "{ours}");
        }
    }
}
