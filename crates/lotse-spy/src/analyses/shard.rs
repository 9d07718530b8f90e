//! A part of the structures of a history, analysed by one thread.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, SyncSender, sync_channel};
use std::thread::JoinHandle;

use hashbrown::HashMap;

use crate::access::AccessRun;
use crate::analysis::InstanceAnalysis;
use crate::instance::{CodeId, Instance, InstanceId};
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
}

/// Where messages go.
#[derive(Debug)]
pub(super) enum Shard {
    Here(Live),
    Thread { batches: SyncSender<Vec<Message>>, batch: Vec<Message>, thread: JoinHandle<()> },
}

impl Shard {
    /// Messages are taken at once.
    pub(super) fn here(settings: &Arc<Settings>, finished: Sender<Finished>) -> Self {
        Self::Here(Live::new(settings, finished))
    }

    /// A thread takes the messages.
    pub(super) fn thread(settings: &Arc<Settings>, finished: Sender<Finished>) -> Self {
        let (batches, receiver): (_, Receiver<Vec<Message>>) = sync_channel(WAITING);
        let mut live = Live::new(settings, finished);
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
    settings: Arc<Settings>,
    live: HashMap<InstanceId, InstanceAnalysis>,
    finished: Sender<Finished>,
}

impl Live {
    fn new(settings: &Arc<Settings>, finished: Sender<Finished>) -> Self {
        Self { settings: Arc::clone(settings), live: HashMap::new(), finished }
    }

    fn take(&mut self, message: Message) {
        match message {
            Message::Created(instance) => {
                self.live.insert(instance.id, InstanceAnalysis::new(instance, &self.settings));
            }
            Message::Access(id, run) => {
                let Some(analysis) = self.live.get_mut(&id) else { return };
                // Single accesses that follow each other by equal steps are joined.
                if run.count == 1 { analysis.access(run.first) } else { analysis.run(run) }
            }
            Message::Grown(id, old, new, code) => {
                if let Some(analysis) = self.live.get_mut(&id) {
                    analysis.grown(old, new, code);
                }
            }
            Message::Dropped(id, number) => {
                let Some(analysis) = self.live.remove(&id) else { return };
                // Who no longer listens has no use for it.
                drop(self.finished.send(Finished { number, protocol: analysis.finish() }));
            }
        }
    }
}
