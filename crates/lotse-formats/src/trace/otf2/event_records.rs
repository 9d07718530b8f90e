//! Decodes the event records that the fast loop of [`super::stream`] does not handle.
//!
//! A record of an unknown kind is skipped. A record whose fields end early becomes [`Event::Other`].

use lotse_model::id::{CommunicatorId, GroupId, RegionId, WindowId};
use lotse_model::trace::{CollectiveOp, Event, EventKind, LockKind, RmaOp};

use super::fields::{FieldReader, UNDEFINED, narrow};
use super::names::{OPENMP, operation};
use super::stream::LocationTables;

pub(super) const TIME_STAMP: u8 = 5;
pub(super) const ATTRIBUTE_LIST: u8 = 6;
pub(super) const ENTER: u8 = 12;
pub(super) const LEAVE: u8 = 13;
/// The type number of the first event record.
const FIRST: u8 = 10;

/// The kinds of events by record type, from type 10 on.
const KINDS: [EventKind; 79] = {
    use EventKind as K;
    [
        K::BufferFlush,
        K::MeasurementOnOff,
        K::Enter,
        K::Leave,
        K::MpiSend,
        K::MpiIsend,
        K::MpiIsendComplete,
        K::MpiIrecvRequest,
        K::MpiRecv,
        K::MpiIrecv,
        K::MpiRequestTest,
        K::MpiRequestCancelled,
        K::MpiCollectiveBegin,
        K::MpiCollectiveEnd,
        K::OmpFork,
        K::OmpJoin,
        K::OmpAcquireLock,
        K::OmpReleaseLock,
        K::OmpTaskCreate,
        K::OmpTaskSwitch,
        K::OmpTaskComplete,
        K::Metric,
        K::ParameterString,
        K::ParameterInt,
        K::ParameterUnsignedInt,
        K::RmaWinCreate,
        K::RmaWinDestroy,
        K::RmaCollectiveBegin,
        K::RmaCollectiveEnd,
        K::RmaGroupSync,
        K::RmaRequestLock,
        K::RmaAcquireLock,
        K::RmaTryLock,
        K::RmaReleaseLock,
        K::RmaSync,
        K::RmaWaitChange,
        K::RmaPut,
        K::RmaGet,
        K::RmaAtomic,
        K::RmaOpCompleteBlocking,
        K::RmaOpCompleteNonBlocking,
        K::RmaOpTest,
        K::RmaOpCompleteRemote,
        K::ThreadFork,
        K::ThreadJoin,
        K::ThreadTeamBegin,
        K::ThreadTeamEnd,
        K::ThreadAcquireLock,
        K::ThreadReleaseLock,
        K::ThreadTaskCreate,
        K::ThreadTaskSwitch,
        K::ThreadTaskComplete,
        K::ThreadCreate,
        K::ThreadBegin,
        K::ThreadWait,
        K::ThreadEnd,
        K::CallingContextEnter,
        K::CallingContextLeave,
        K::CallingContextSample,
        K::IoCreateHandle,
        K::IoDestroyHandle,
        K::IoDuplicateHandle,
        K::IoSeek,
        K::IoChangeStatusFlags,
        K::IoDeleteFile,
        K::IoOperationBegin,
        K::IoOperationTest,
        K::IoOperationIssued,
        K::IoOperationComplete,
        K::IoOperationCancelled,
        K::IoAcquireLock,
        K::IoReleaseLock,
        K::IoTryLock,
        K::ProgramBegin,
        K::ProgramEnd,
        K::NonBlockingCollectiveRequest,
        K::NonBlockingCollectiveComplete,
        K::CommCreate,
        K::CommDestroy,
    ]
};

const FIRST_ONE_SIDED: u8 = EventKind::RmaWinCreate as u8;
const LAST_ONE_SIDED: u8 = EventKind::RmaOpCompleteRemote as u8;

/// Whether a record consists of one packed number; such a record has no length byte.
pub(super) fn is_single_number(record: u8) -> bool {
    matches!(record, ENTER | LEAVE | 16 | 17 | 20 | 21 | 24 | 28..=30)
}

/// Translates the numbers in a record to ids of the model.
#[derive(Debug)]
pub(super) struct IdResolver<'a> {
    pub(super) tables: &'a LocationTables,
    /// The number of references without a definition.
    pub(super) undefined: u64,
}

impl IdResolver<'_> {
    fn count_undefined(&mut self, position: u32) -> u32 {
        self.undefined += u64::from(position == 0);
        position
    }

    fn region(&mut self, fields: &mut FieldReader<'_>) -> Option<RegionId> {
        let position = self.tables.regions.get(fields.number()?);
        Some(RegionId(self.count_undefined(position)))
    }

    fn communicator(&mut self, fields: &mut FieldReader<'_>) -> Option<CommunicatorId> {
        let position = self.tables.communicators.get(fields.number()?);
        Some(CommunicatorId(self.count_undefined(position)))
    }

    fn window(&mut self, fields: &mut FieldReader<'_>) -> Option<WindowId> {
        let position = self.tables.windows.get(fields.number()?);
        Some(WindowId(self.count_undefined(position)))
    }

    fn group(&mut self, fields: &mut FieldReader<'_>) -> Option<GroupId> {
        let position = self.tables.groups.get(fields.number()?);
        Some(GroupId(self.count_undefined(position)))
    }
}

/// The event of a record; `None` if its kind is not known.
pub(super) fn decode_record(
    record: u8,
    fields: FieldReader<'_>,
    ids: &mut IdResolver<'_>,
) -> Option<(EventKind, Event)> {
    let kind = *KINDS.get(usize::from(record.checked_sub(FIRST)?))?;
    let event = match kind as u8 {
        number if number < EventKind::OmpFork as u8 => decode_message(kind, fields, ids),
        number if (FIRST_ONE_SIDED..=LAST_ONE_SIDED).contains(&number) => decode_rma(kind, fields, ids),
        _ => decode_thread_event(kind, fields, ids),
    };
    Some((kind, event.unwrap_or(Event::Other)))
}

/// Decodes enter and leave events, messages and collective operations.
fn decode_message(kind: EventKind, mut fields: FieldReader<'_>, ids: &mut IdResolver<'_>) -> Option<Event> {
    let it = &mut fields;
    Some(match kind {
        EventKind::Enter => Event::Enter { region: ids.region(it)? },
        EventKind::Leave => Event::Leave { region: ids.region(it)? },
        EventKind::MpiSend => Event::MpiSend {
            receiver: it.number32()?,
            communicator: ids.communicator(it)?,
            tag: it.number32()?,
            length: it.number()?,
        },
        EventKind::MpiIsend => Event::MpiIsend {
            receiver: it.number32()?,
            communicator: ids.communicator(it)?,
            tag: it.number32()?,
            length: it.number()?,
            request: it.number()?,
        },
        EventKind::MpiRecv => Event::MpiRecv {
            sender: it.number32()?,
            communicator: ids.communicator(it)?,
            tag: it.number32()?,
            length: it.number()?,
        },
        EventKind::MpiIrecv => Event::MpiIrecv {
            sender: it.number32()?,
            communicator: ids.communicator(it)?,
            tag: it.number32()?,
            length: it.number()?,
            request: it.number()?,
        },
        EventKind::MpiIsendComplete => Event::MpiIsendComplete { request: it.number()? },
        EventKind::MpiIrecvRequest => Event::MpiIrecvRequest { request: it.number()? },
        EventKind::MpiRequestTest => Event::MpiRequestTest { request: it.number()? },
        EventKind::MpiRequestCancelled => Event::MpiRequestCancelled { request: it.number()? },
        EventKind::MpiCollectiveBegin => Event::CollectiveBegin,
        EventKind::MpiCollectiveEnd => Event::CollectiveEnd {
            op: operation(it.byte()?),
            communicator: ids.communicator(it)?,
            root: root(it)?,
            sent: it.number()?,
            received: it.number()?,
        },
        EventKind::NonBlockingCollectiveRequest => Event::CollectiveRequest { request: it.number()? },
        EventKind::NonBlockingCollectiveComplete => Event::CollectiveComplete {
            op: operation(it.byte()?),
            communicator: ids.communicator(it)?,
            root: root(it)?,
            sent: it.number()?,
            received: it.number()?,
            request: it.number()?,
        },
        EventKind::BufferFlush => Event::BufferFlush { until: it.fixed()? },
        EventKind::MeasurementOnOff => Event::Measurement { on: it.byte()? == 1 },
        _ => Event::Other,
    })
}

/// Decodes one-sided communication. Failed attempts to lock or to complete become [`Event::Other`].
fn decode_rma(kind: EventKind, mut fields: FieldReader<'_>, ids: &mut IdResolver<'_>) -> Option<Event> {
    let it = &mut fields;
    Some(match kind {
        EventKind::RmaWinCreate => Event::WindowCreate { window: ids.window(it)? },
        EventKind::RmaWinDestroy => Event::WindowDestroy { window: ids.window(it)? },
        EventKind::RmaCollectiveBegin => Event::RmaCollectiveBegin,
        EventKind::RmaCollectiveEnd => {
            let op: CollectiveOp = operation(it.byte()?);
            let _level = it.number()?;
            Event::RmaCollectiveEnd {
                op,
                window: ids.window(it)?,
                root: root(it)?,
                sent: it.number()?,
                received: it.number()?,
            }
        }
        EventKind::RmaGroupSync => {
            let _level = it.number()?;
            Event::RmaGroupSync { window: ids.window(it)?, group: ids.group(it)? }
        }
        EventKind::RmaSync => Event::RmaSync { window: ids.window(it)?, remote: it.number32()? },
        EventKind::RmaRequestLock => Event::RmaRequestLock {
            window: ids.window(it)?,
            remote: it.number32()?,
            lock: it.number()?,
            exclusive: it.byte()? == 0,
        },
        EventKind::RmaAcquireLock => Event::RmaAcquireLock {
            window: ids.window(it)?,
            remote: it.number32()?,
            lock: it.number()?,
            exclusive: it.byte()? == 0,
        },
        EventKind::RmaReleaseLock => {
            Event::RmaReleaseLock { window: ids.window(it)?, remote: it.number32()?, lock: it.number()? }
        }
        EventKind::RmaPut | EventKind::RmaGet => Event::RmaOperation {
            op: if kind == EventKind::RmaPut { RmaOp::Put } else { RmaOp::Get },
            window: ids.window(it)?,
            remote: it.number32()?,
            bytes: it.number()?,
            matching: it.number()?,
        },
        EventKind::RmaAtomic => {
            let (window, remote, _operation) = (ids.window(it)?, it.number32()?, it.byte()?);
            let bytes = it.number()?.saturating_add(it.number()?);
            Event::RmaOperation { op: RmaOp::Atomic, window, remote, bytes, matching: it.number()? }
        }
        EventKind::RmaOpCompleteBlocking
        | EventKind::RmaOpCompleteNonBlocking
        | EventKind::RmaOpCompleteRemote => Event::RmaComplete {
            window: ids.window(it)?,
            matching: it.number()?,
            remotely: kind == EventKind::RmaOpCompleteRemote,
        },
        _ => Event::Other,
    })
}

/// Decodes events of threads, tasks and locks, including OpenMP's records from before OTF2 1.2, of files and of the program.
fn decode_thread_event(
    kind: EventKind,
    mut fields: FieldReader<'_>,
    ids: &mut IdResolver<'_>,
) -> Option<Event> {
    let it = &mut fields;
    Some(match kind {
        EventKind::OmpFork => Event::Fork { threads: it.number32()? },
        EventKind::OmpJoin => Event::Join,
        EventKind::OmpAcquireLock => {
            Event::AcquireLock { kind: LockKind::OpenMp, lock: lock(it)?, order: it.number32()? }
        }
        EventKind::OmpReleaseLock => {
            Event::ReleaseLock { kind: LockKind::OpenMp, lock: lock(it)?, order: it.number32()? }
        }
        EventKind::OmpTaskCreate | EventKind::OmpTaskSwitch | EventKind::OmpTaskComplete => {
            let number = it.number()?;
            task_event(kind, CommunicatorId(0), (number >> 32) as u32, number as u32)
        }
        EventKind::ThreadFork => {
            let _paradigm = it.byte()?;
            Event::Fork { threads: it.number32()? }
        }
        EventKind::ThreadJoin => Event::Join,
        EventKind::ThreadTeamBegin => Event::TeamBegin { team: ids.communicator(it)? },
        EventKind::ThreadTeamEnd => Event::TeamEnd { team: ids.communicator(it)? },
        EventKind::ThreadAcquireLock => {
            Event::AcquireLock { kind: lock_kind(it)?, lock: lock(it)?, order: it.number32()? }
        }
        EventKind::ThreadReleaseLock => {
            Event::ReleaseLock { kind: lock_kind(it)?, lock: lock(it)?, order: it.number32()? }
        }
        EventKind::ThreadTaskCreate | EventKind::ThreadTaskSwitch | EventKind::ThreadTaskComplete => {
            task_event(kind, ids.communicator(it)?, it.number32()?, it.number32()?)
        }
        EventKind::ThreadCreate => Event::ThreadCreate { team: ids.communicator(it)?, count: it.number()? },
        EventKind::ThreadBegin => Event::ThreadBegin { team: ids.communicator(it)?, count: it.number()? },
        EventKind::ThreadWait => Event::ThreadWait { team: ids.communicator(it)?, count: it.number()? },
        EventKind::ThreadEnd => Event::ThreadEnd { team: ids.communicator(it)?, count: it.number()? },
        EventKind::IoOperationComplete => {
            let _handle = it.number()?;
            Event::IoComplete { bytes: it.number()? }
        }
        EventKind::ProgramBegin => Event::ProgramBegin,
        EventKind::ProgramEnd => Event::ProgramEnd,
        _ => Event::Other,
    })
}

/// A task is identified by the thread that created it and a count of that thread; older records combine both in one number.
fn task_event(kind: EventKind, team: CommunicatorId, thread: u32, generation: u32) -> Event {
    match kind {
        EventKind::ThreadTaskCreate | EventKind::OmpTaskCreate => {
            Event::TaskCreate { team, thread, generation }
        }
        EventKind::ThreadTaskSwitch | EventKind::OmpTaskSwitch => {
            Event::TaskSwitch { team, thread, generation }
        }
        _ => Event::TaskComplete { team, thread, generation },
    }
}

fn lock(fields: &mut FieldReader<'_>) -> Option<u64> {
    fields.number32().map(u64::from)
}

fn lock_kind(fields: &mut FieldReader<'_>) -> Option<LockKind> {
    Some(if fields.byte()? == OPENMP { LockKind::OpenMp } else { LockKind::Mutex })
}

/// The root of a collective operation; `Some(None)` if it has no root, `None` if the field is missing.
fn root(fields: &mut FieldReader<'_>) -> Option<Option<u32>> {
    let number = fields.number()?;
    Some(if number == UNDEFINED { None } else { Some(narrow(number)).filter(|it| *it != u32::MAX) })
}

#[cfg(test)]
mod tests;
