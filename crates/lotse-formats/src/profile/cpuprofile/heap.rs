//! Heap profiles of V8 (`node --heap-prof`, `.heapprofile`): the same call tree, whose nodes have bytes instead of hits.
//!
//! The bytes of a node are those of sampled objects that were alive at the end. The list of samples after the tree
//! repeats them and is ignored.

use lotse_model::profile::{Builder, EventType, Part};
use lotse_model::{Profile, Unit};

use super::recording::V8Recording;
use crate::diagnostics::Diagnostics;
use crate::json::Number;

impl V8Recording {
    /// Whether it is a heap profile.
    pub(super) fn is_heap(&self) -> bool {
        self.nodes.iter().any(|node| node.size != Number::Missing)
    }
}

/// The profile of a recording of the heap.
pub(super) fn profile_of(recording: &V8Recording, diagnostics: &mut Diagnostics) -> Profile {
    let mut builder = Builder::new();
    let stacks = recording.node_stacks(&mut builder, diagnostics);
    let title = Some("bytes that were alive at the end, estimated from samples".to_owned());
    builder.profile.events = vec![EventType { title, ..EventType::new("bytes", Unit::Bytes, 0) }];
    let mut part = Part::new("main", 1, false);
    for (row, (node, stack)) in recording.nodes.iter().zip(stacks).enumerate() {
        match node.size.id() {
            Some(0) => {}
            Some(size) => {
                part.samples.stack.push(stack);
                part.samples.costs.push(&[size]);
            }
            None => diagnostics.loss_kind("the size of a node is missing or not a number of bytes", || {
                format!("node {row}")
            }),
        }
    }
    builder.profile.parts.push(part);
    builder.finish()
}
