//! What receives the result of decoding.

use crate::access::AccessRun;
use crate::instance::{CodeId, CodeTable, Instance, InstanceId};

/// Receives the decoded life of structures.
pub trait Consumer {
    /// A structure is used for the first time.
    fn created(&mut self, instance: Instance);
    /// Accesses to a structure, in the order of time.
    fn access(&mut self, id: InstanceId, run: AccessRun);
    /// Its capacity grows from `old` to `new` elements.
    fn grown(&mut self, id: InstanceId, old: u64, new: u64, code: CodeId);
    /// It was dropped; `codes` has the code places of its accesses.
    fn dropped(&mut self, id: InstanceId, codes: &CodeTable);
    /// A segment of the history was decoded to its end; several threads end theirs at about the same time.
    fn bytes_read(&mut self, _bytes: u64) {}
}
