//! The memory that one event accesses: a load, a store, a fill, or a move, which reads and writes.

use lotse_formats::history::{EventDetail, HistoryEvent};

use super::{Engine, EventOrigin, Touch};
use crate::code::chains::ChainId;
use crate::decode::thread::ThreadState;

impl Engine<'_, '_> {
    /// Hands each access of an event to the structures.
    pub(super) fn access_memory(
        &mut self,
        thread: &mut ThreadState,
        origin: &EventOrigin<'_>,
        chain: ChainId,
        event: &HistoryEvent,
    ) {
        let pc = event.counter;
        let touch = |address, bytes, is_write| Touch {
            pc,
            address,
            bytes,
            is_write,
            is_copy: false,
            is_shift: false,
        };
        match event.detail {
            EventDetail::Load { address, size } => {
                self.touch(thread, origin, chain, touch(address, u64::from(size), false))
            }
            EventDetail::Store { address, size } => {
                self.touch(thread, origin, chain, touch(address, u64::from(size), true))
            }
            EventDetail::Fill { address, length } => {
                self.touch(thread, origin, chain, touch(address, length, true))
            }
            EventDetail::Move { to, from, length } => {
                let is_shift = self.is_shift(to, from);
                let mut touches = [touch(from, length, false), touch(to, length, true)].map(|touch| Touch {
                    is_copy: true,
                    is_shift,
                    ..touch
                });
                // `v.push(w[i])` copies from one structure into another; the operation belongs to the destination.
                if self.inserts(thread) {
                    touches.reverse();
                }
                touches.into_iter().for_each(|touch| self.touch(thread, origin, chain, touch));
                // Only after the touches is it known whether this is another operation of the same code.
                self.note_move(thread, to, from, length);
            }
            _ => {}
        }
    }
}
