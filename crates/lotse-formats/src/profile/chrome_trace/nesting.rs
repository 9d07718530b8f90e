//! Turns spans into stacks over time, with the number of calls between functions.
//!
//! Spans that overlap without nesting both keep their duration: when the outer span ends first, it is removed from
//! below the inner one.
//!
//! ```text
//! time    0    5   10   15
//! a       ├─────────┤
//! b            ├─────────┤
//! stacks  │ a  │a;b │ b  │
//! ```

mod sweep;

use lotse_model::id::FrameId;
use lotse_model::profile::Builder;

use crate::diagnostics::Diagnostics;
use crate::spans::SpanMarks;

use sweep::Sweep;
pub(crate) use sweep::{NestedSpans, StackSlice};

impl SpanMarks<FrameId> {
    /// Nests the spans. `path` names their place in the file, for messages.
    pub(crate) fn nest(
        self,
        builder: &mut Builder,
        diagnostics: &mut Diagnostics,
        path: &str,
    ) -> NestedSpans {
        let spans = self.into_spans(diagnostics, path);
        Sweep::new(builder, spans.len()).run(&spans, diagnostics, path)
    }
}

#[cfg(test)]
mod tests;
