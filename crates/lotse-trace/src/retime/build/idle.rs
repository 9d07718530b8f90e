//! Workers without work idle until their masters go on.

use super::super::graph::{Entry, What};
use super::Builder;
use crate::idle::unrecorded_idle;

impl Builder<'_> {
    /// What workers without work need of their masters.
    pub(super) fn need_masters(&mut self) {
        for idles in unrecorded_idle(self.trace) {
            let source = self.moment(idles.master, idles.master_at);
            let line = &mut self.graph.lines[idles.worker.index()];
            let what = What::Starts { need: line.needs.len() as u32 };
            line.needs.push(source.into());
            line.entries.push(Entry { at: idles.from, resume: idles.to, what, call: idles.next_call });
        }
    }
}
