//! The default event type: the one that is shown and ranked by unless another is chosen.
//!
//! The file's own default is preferred (pprof, heaptrack, perf's first event). Otherwise it is the first time or other
//! cost of the file, before numbers of samples and calls. Event types that count different things are never added.

use lotse_model::profile::{EventType, Profile};

/// The index of the default event type; `None` if the profile has no event types.
pub fn default_event(profile: &Profile) -> Option<usize> {
    profile.default_event.or_else(|| {
        let ranked = profile.events.iter().map(rank).enumerate();
        ranked.min_by_key(|&(place, rank)| (rank, place)).map(|(place, _)| place)
    })
}

/// The name of the default event type.
pub(crate) fn default_name(profile: &Profile) -> Option<String> {
    default_event(profile).map(|event| profile.events[event].name.clone())
}

/// Preference as the default event type: costs (0), weights of unknown unit (1), counts of samples and calls (2).
pub(crate) fn rank(event: &EventType) -> u8 {
    match event.name.as_str() {
        "samples" | "calls" | "primitive_calls" | "executions" => 2,
        "weight" => 1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use lotse_model::Unit;
    use lotse_model::profile::{EventType, Profile};

    use super::{default_event, default_name};

    fn default(names: &[&str], own: Option<usize>) -> Option<String> {
        let events = names.iter().map(|name| match *name {
            "time" | "lifetimes" => EventType::new(name, Unit::Seconds, -9),
            _ => EventType::count(name),
        });
        default_name(&Profile { events: events.collect(), default_event: own, ..Profile::default() })
    }

    #[test]
    fn costs_come_before_samples_and_calls() {
        let table: [(&[&str], &str); 8] = [
            (&["calls", "time", "primitive_calls"], "time"),
            (&["samples", "time"], "time"),
            (&["samples", "weight", "time"], "time"),
            (&["samples", "weight"], "weight"),
            (&["samples", "cycles", "instructions"], "cycles"),
            (&["Ir", "Dr"], "Ir"),
            (&["total_bytes", "total_blocks", "lifetimes"], "total_bytes"),
            (&["samples"], "samples"),
        ];
        for (names, expected) in table {
            assert_eq!(default(names, None).as_deref(), Some(expected), "{names:?}");
        }
    }

    #[test]
    fn the_default_of_the_file_counts_first() {
        let heap = ["alloc_objects", "alloc_space", "inuse_objects", "inuse_space"];
        assert_eq!(default(&heap, Some(3)).as_deref(), Some("inuse_space"));
        assert_eq!(default(&["samples", "time"], Some(0)).as_deref(), Some("samples"));
        assert_eq!(default_event(&Profile::default()), None);
    }
}
