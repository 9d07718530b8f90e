//! Spans become stacks: what was open when, for how long, and who called whom.
//!
//! Spans that overlap without one containing the other both keep their duration: the outer one is taken out from
//! below the inner one when it ends.

mod sweep;

use lotse_model::id::FrameId;
use lotse_model::profile::Builder;

use crate::json::Tally;
use crate::spans::SpanMarks;

use sweep::Sweep;
pub(crate) use sweep::{Nested, Slice};

impl SpanMarks<FrameId> {
    /// What was on the stack when. `path` says where the marks stand.
    pub(crate) fn nest(self, builder: &mut Builder, tally: &mut Tally, path: &str) -> Nested {
        let spans = self.into_spans(tally, path);
        Sweep::new(builder, spans.len()).run(&spans, tally, path)
    }
}

#[cfg(test)]
mod tests;
