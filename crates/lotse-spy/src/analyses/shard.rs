//! A part of the structures of a history, analysed by one thread.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, SyncSender, sync_channel};
use std::thread::JoinHandle;

use hashbrown::HashMap;

use crate::access::AccessRun;
use crate::analysis::InstanceAnalysis;
use crate::instance::{CodeId, Instance, InstanceId};
use crate::picture::Drawing;
use crate::protocol::Protocol;
use crate::settings::Settings;

/// Messages that go to a thread at once.
const BATCH: usize = 2048;
/// Batches that may wait for a thread; then the sender waits.
const WAITING: usize = 8;

/// What happens to a structure.
#[derive(Debug)]
pub(super) enum Message {
    Created(Instance),
    Access(InstanceId, AccessRun),
    Grown(InstanceId, u64, u64, CodeId),
    /// It ended as the structure with this number.
    Dropped(InstanceId, u64),
}

/// The protocol of a structure that ended.
#[derive(Debug)]
pub(super) struct Finished {
    /// How many structures ended before.
    pub(super) number: u64,
    pub(super) protocol: Protocol,
    pub(super) drawing: Option<Drawing>,
}

/// What all shards go by.
#[derive(Debug, Clone)]
pub(super) struct Means {
    pub(super) settings: Arc<Settings>,
    /// Bytes of the pictures of structures that live, for each shard.
    pub(super) picture_bytes: usize,
    pub(super) finished: Sender<Finished>,
}

/// Where messages go.
#[derive(Debug)]
pub(super) enum Shard {
    Here(Live),
    Thread { batches: SyncSender<Vec<Message>>, batch: Vec<Message>, thread: JoinHandle<()> },
}

impl Shard {
    /// Messages are taken at once.
    pub(super) fn here(means: Means) -> Self {
        Self::Here(Live::new(means))
    }

    /// A thread takes the messages.
    pub(super) fn thread(means: Means) -> Self {
        let (batches, receiver): (_, Receiver<Vec<Message>>) = sync_channel(WAITING);
        let mut live = Live::new(means);
        let thread = std::thread::spawn(move || {
            receiver.iter().flatten().for_each(|message| live.take(message));
        });
        Self::Thread { batches, batch: Vec::with_capacity(BATCH), thread }
    }

    pub(super) fn send(&mut self, message: Message) {
        match self {
            Self::Here(live) => live.take(message),
            Self::Thread { batches, batch, .. } => {
                batch.push(message);
                if batch.len() == BATCH {
                    // A thread that is gone panicked; `finish` passes that on.
                    drop(batches.send(std::mem::replace(batch, Vec::with_capacity(BATCH))));
                }
            }
        }
    }

    /// Waits until all messages are taken.
    pub(super) fn finish(self) {
        if let Self::Thread { batches, batch, thread } = self {
            drop(batches.send(batch));
            drop(batches);
            if let Err(panic) = thread.join() {
                std::panic::resume_unwind(panic);
            }
        }
    }
}

/// The analyses of structures that live.
#[derive(Debug)]
pub(super) struct Live {
    means: Means,
    live: HashMap<InstanceId, InstanceAnalysis>,
    /// Bytes of their pictures.
    bytes: usize,
}

/// When there is no room, pictures of structures with fewer accesses go first.
const FEW_EVENTS: u64 = 64;

impl Live {
    fn new(means: Means) -> Self {
        Self { means, live: HashMap::new(), bytes: 0 }
    }

    fn take(&mut self, message: Message) {
        match message {
            Message::Created(instance) => {
                self.live.insert(instance.id, InstanceAnalysis::drawn(instance, &self.means.settings));
            }
            Message::Access(id, run) => {
                let Some(analysis) = self.live.get_mut(&id) else { return };
                let before = analysis.drawing_bytes();
                analysis.run(run);
                self.bytes = self.bytes + analysis.drawing_bytes() - before;
                if self.bytes > self.means.picture_bytes {
                    self.give_up_pictures();
                }
            }
            Message::Grown(id, old, new, code) => {
                if let Some(analysis) = self.live.get_mut(&id) {
                    analysis.grown(old, new, code);
                }
            }
            Message::Dropped(id, number) => {
                let Some(analysis) = self.live.remove(&id) else { return };
                self.bytes -= analysis.drawing_bytes();
                let (protocol, drawing) = analysis.finish_drawn();
                // Who no longer listens has no use for it.
                drop(self.means.finished.send(Finished { number, protocol, drawing }));
            }
        }
    }

    /// Half of the room is made free. Structures that are used more from now on than those given up keep their pictures.
    fn give_up_pictures(&mut self) {
        let mut few = FEW_EVENTS;
        while self.bytes > self.means.picture_bytes / 2 {
            for drawing in self.live.values_mut().filter_map(InstanceAnalysis::drawing) {
                if drawing.events() < few {
                    self.bytes -= drawing.bytes();
                    drawing.give_up();
                }
            }
            few = few.saturating_mul(4);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::mpsc::channel;

    use super::{Means, Message, Shard};
    use crate::access::{Access, AccessRun};
    use crate::container::{Container, Kind};
    use crate::instance::{CodeId, Instance, InstanceId};
    use crate::settings::Settings;

    fn reads(shard: &mut Shard, id: u64, count: u64) {
        for at in 0..count {
            let read = Access::at(Kind::Read, at * at * 7 % 1000, 1000, 100 * at);
            shard.send(Message::Access(InstanceId(id), AccessRun::single(read)));
        }
    }

    #[test]
    fn without_room_the_pictures_of_structures_with_few_accesses_are_given_up() {
        let (finished, receiver) = channel();
        let settings = Arc::new(Settings::default());
        let mut shard = Shard::here(Means { settings, picture_bytes: 4_000_000, finished });
        // One structure is used often, then many others a little, then a last one often again.
        for (id, count) in (0..52).map(|id| (id, if id % 51 == 0 { 3000 } else { 60 })) {
            shard.send(Message::Created(Instance::new(id, Container::Vec, 8, CodeId(0))));
            reads(&mut shard, id, count);
        }
        (0..52).for_each(|id| shard.send(Message::Dropped(InstanceId(id), id)));
        let drawn: Vec<bool> = receiver
            .try_iter()
            .map(|finished| finished.drawing.and_then(crate::picture::Drawing::finish).is_some())
            .collect();
        assert!(drawn[0] && drawn[51], "{drawn:?}");
        assert!(drawn[1..51].contains(&false), "{drawn:?}");
    }
}
