//! Workers without work idle until their master reaches the next parallel region.

use super::super::graph::{EntryKind, GraphEntry};
use super::Builder;
use crate::idle::unrecorded_idle;

impl Builder<'_> {
    /// Adds the dependencies of idle workers on their masters.
    pub(super) fn add_idle_workers(&mut self) {
        for idles in unrecorded_idle(self.trace) {
            let source = self.source_at(idles.master, idles.master_at);
            let table = &mut self.graph.tables[idles.worker.index()];
            let kind = EntryKind::Starts { need: table.needs.len() as u32 };
            table.needs.push(source.into());
            table.entries.push(GraphEntry { at: idles.from, resume: idles.to, kind, call: idles.next_call });
        }
    }
}
