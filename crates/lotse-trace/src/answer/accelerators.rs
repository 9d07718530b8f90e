//! Utilisation of accelerator streams.

use lotse_model::trace::Ticks;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::PathNames;
use crate::store::{Paths, Stream, Trace};

/// A stream of an accelerator.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct StreamAnswer {
    /// The location of the stream.
    pub location: u32,
    /// The process that uses it; null where that is not known.
    pub process: Option<String>,
    /// How many kernels and copies ran on it.
    pub activities: usize,
    /// Their total time.
    pub busy: f64,
    /// `busy` as a share of the run time.
    pub share: f64,
    /// The call path that took most of that time.
    pub longest: String,
    /// The time of that call path.
    pub longest_seconds: f64,
}

/// All streams on which something ran.
pub(crate) fn streams(trace: &Trace) -> Vec<StreamAnswer> {
    let used = trace.accelerators().streams.iter().filter(|stream| !stream.activities.is_empty());
    used.map(|stream| answer(trace, stream)).collect()
}

fn answer(trace: &Trace, stream: &Stream) -> StreamAnswer {
    let busy: Ticks = stream.activities.iter().map(|it| it.end - it.begin).sum();
    let uses = trace.uses[stream.location.index()].iter().filter(|used| used.path != Paths::ROOT);
    let longest = uses.max_by_key(|used| (used.exclusive, std::cmp::Reverse(used.path)));
    StreamAnswer {
        location: stream.location.0,
        process: stream.host.map(|host| trace.process_label(host)),
        activities: stream.activities.len(),
        busy: trace.seconds(busy),
        share: busy as f64 / trace.runtime().max(1) as f64,
        longest: longest.map_or_else(String::new, |used| PathNames::new(trace).get(used.path)),
        longest_seconds: longest.map_or(0.0, |used| trace.seconds(used.exclusive)),
    }
}
