//! How far the gain is known: its bounds where it is not recorded who waits for whom, and the error of clocks.
//!
//! If nobody waits for what is changed, the run stays as long as it is. If everything waits for it, one call after the other,
//! the run becomes shorter by all the time that the change saves.

use lotse_model::trace::Ticks;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::{Request, ScaledAnswer};
use crate::analyze::Subject;
use crate::unrecorded::GapKind;

/// The least and the most that a change can gain, in seconds; negative where the run becomes longer.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct GainBounds {
    /// The least gain.
    pub least: f64,
    /// The greatest gain.
    pub most: f64,
}

/// The bounds of a change that only multiplies times, if the recorder left out what threads wait for.
pub(super) fn gain_bounds(
    subject: &Subject,
    request: &Request,
    scaled: &[ScaledAnswer],
    runtime: f64,
) -> Option<GainBounds> {
    let only_scaled = Request { scaled: request.scaled.clone(), ..Request::default() };
    let is_unknown = subject.facts.gaps.iter().any(|gap| gap.kind == GapKind::Threads);
    if !is_unknown || *request != only_scaled {
        return None;
    }
    let saved = |it: &ScaledAnswer| it.seconds * (1.0 - it.factor);
    let longer: f64 = scaled.iter().map(|it| saved(it).min(0.0)).sum();
    let shorter: f64 = scaled.iter().map(|it| saved(it).max(0.0)).sum();
    Some(GainBounds { least: longer, most: shorter.min(runtime) })
}

/// The largest error of any clock relative to the reference; 0 where none was corrected, none where an error is unbounded.
pub(super) fn clock_uncertainty(subject: &Subject) -> Option<f64> {
    let offsets = subject.correction.as_ref().map_or(&[][..], |correction| &correction.offsets);
    let known: Option<Vec<Ticks>> =
        offsets.iter().filter(|it| it.messages > 0).map(|it| it.uncertainty).collect();
    known.map(|known| subject.trace.seconds(known.into_iter().max().unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use lotse_model::work::Sequential;

    use super::GainBounds;
    use crate::analyze::{Options, Request, Subject, what_if};
    use crate::fixture::Script;

    /// Two threads of which only functions are recorded: `work` takes 400 and 300 of 1000.
    #[test]
    fn the_gain_without_synchronisation_is_between_nothing_and_all_that_is_saved() {
        let mut script = Script::threads(2);
        for (thread, worked) in [(0, 400), (1, 300)] {
            script.enter(thread, 0, "main").call(thread, 0, worked, "work").leave(thread, 1000, "main");
        }
        let subject = Subject::new(script.trace(), &Options::usual("t"), &Sequential).unwrap();
        let bounds = |name: &str, factor: f64| {
            let request = Request { scaled: vec![(name.to_owned(), factor)], ..Request::default() };
            let answer = what_if(&subject, &request).unwrap();
            assert!(answer.caution.is_some());
            answer.gain_bounds
        };
        assert_eq!(bounds("work@1", 0.5), Some(GainBounds { least: 0.0, most: 0.15 }));
        assert_eq!(bounds("work", 0.0), Some(GainBounds { least: 0.0, most: 0.7 }));
        assert_eq!(bounds("work@0", 2.0), Some(GainBounds { least: -0.4, most: 0.0 }));
    }
}
