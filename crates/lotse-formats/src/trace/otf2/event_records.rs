//! The records of events other than the loop of [`super::stream`] takes: their numbers and their fields.
//!
//! A record whose kind is not known is skipped; one whose fields end early keeps its place and time as
//! [`Event::Other`].

use lotse_model::id::{CommunicatorId, GroupId, RegionId, WindowId};
use lotse_model::trace::{CollectiveOp, Event, EventKind, LockKind, RmaOp};

use super::fields::{Fields, UNDEFINED, narrow};
use super::names::{OPENMP, operation};
use super::stream::Tables;

pub(super) const TIME_STAMP: u8 = 5;
pub(super) const ATTRIBUTE_LIST: u8 = 6;
pub(super) const ENTER: u8 = 12;
pub(super) const LEAVE: u8 = 13;
/// The first record that is an event.
const FIRST: u8 = 10;

/// The kinds, from record 10 on.
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

/// Whether a record is a single number, whose width stands where others have their length.
pub(super) fn one_field(record: u8) -> bool {
    matches!(record, ENTER | LEAVE | 16 | 17 | 20 | 21 | 24 | 28..=30)
}

/// From the numbers in a record to ids of the model.
#[derive(Debug)]
pub(super) struct Numbers<'a> {
    pub(super) tables: &'a Tables,
    /// References to what was never defined.
    pub(super) undefined: u64,
}

impl Numbers<'_> {
    fn seen(&mut self, position: u32) -> u32 {
        self.undefined += u64::from(position == 0);
        position
    }

    fn region(&mut self, fields: &mut Fields<'_>) -> Option<RegionId> {
        let position = self.tables.regions.get(fields.number()?);
        Some(RegionId(self.seen(position)))
    }

    fn communicator(&mut self, fields: &mut Fields<'_>) -> Option<CommunicatorId> {
        let position = self.tables.communicators.get(fields.number()?);
        Some(CommunicatorId(self.seen(position)))
    }

    fn window(&mut self, fields: &mut Fields<'_>) -> Option<WindowId> {
        let position = self.tables.windows.get(fields.number()?);
        Some(WindowId(self.seen(position)))
    }

    fn group(&mut self, fields: &mut Fields<'_>) -> Option<GroupId> {
        let position = self.tables.groups.get(fields.number()?);
        Some(GroupId(self.seen(position)))
    }
}

/// The event of a record; `None` where the kind is not known.
pub(super) fn decode_record(
    record: u8,
    fields: Fields<'_>,
    numbers: &mut Numbers<'_>,
) -> Option<(EventKind, Event)> {
    let kind = *KINDS.get(usize::from(record.checked_sub(FIRST)?))?;
    let event = match kind as u8 {
        number if number < EventKind::OmpFork as u8 => message(kind, fields, numbers),
        number if (FIRST_ONE_SIDED..=LAST_ONE_SIDED).contains(&number) => one_sided(kind, fields, numbers),
        _ => thread(kind, fields, numbers),
    };
    Some((kind, event.unwrap_or(Event::Other)))
}

/// Regions, messages, collectives.
fn message(kind: EventKind, mut fields: Fields<'_>, numbers: &mut Numbers<'_>) -> Option<Event> {
    let it = &mut fields;
    Some(match kind {
        EventKind::Enter => Event::Enter { region: numbers.region(it)? },
        EventKind::Leave => Event::Leave { region: numbers.region(it)? },
        EventKind::MpiSend => Event::MpiSend {
            receiver: it.number32()?,
            communicator: numbers.communicator(it)?,
            tag: it.number32()?,
            length: it.number()?,
        },
        EventKind::MpiIsend => Event::MpiIsend {
            receiver: it.number32()?,
            communicator: numbers.communicator(it)?,
            tag: it.number32()?,
            length: it.number()?,
            request: it.number()?,
        },
        EventKind::MpiRecv => Event::MpiRecv {
            sender: it.number32()?,
            communicator: numbers.communicator(it)?,
            tag: it.number32()?,
            length: it.number()?,
        },
        EventKind::MpiIrecv => Event::MpiIrecv {
            sender: it.number32()?,
            communicator: numbers.communicator(it)?,
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
            communicator: numbers.communicator(it)?,
            root: root(it)?,
            sent: it.number()?,
            received: it.number()?,
        },
        EventKind::NonBlockingCollectiveRequest => Event::CollectiveRequest { request: it.number()? },
        EventKind::NonBlockingCollectiveComplete => Event::CollectiveComplete {
            op: operation(it.byte()?),
            communicator: numbers.communicator(it)?,
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

/// One-sided communication. Attempts that failed, to lock or to complete, are only counted.
fn one_sided(kind: EventKind, mut fields: Fields<'_>, numbers: &mut Numbers<'_>) -> Option<Event> {
    let it = &mut fields;
    Some(match kind {
        EventKind::RmaWinCreate => Event::WindowCreate { window: numbers.window(it)? },
        EventKind::RmaWinDestroy => Event::WindowDestroy { window: numbers.window(it)? },
        EventKind::RmaCollectiveBegin => Event::RmaCollectiveBegin,
        EventKind::RmaCollectiveEnd => {
            let op: CollectiveOp = operation(it.byte()?);
            let _level = it.number()?;
            Event::RmaCollectiveEnd {
                op,
                window: numbers.window(it)?,
                root: root(it)?,
                sent: it.number()?,
                received: it.number()?,
            }
        }
        EventKind::RmaGroupSync => {
            let _level = it.number()?;
            Event::RmaGroupSync { window: numbers.window(it)?, group: numbers.group(it)? }
        }
        EventKind::RmaSync => Event::RmaSync { window: numbers.window(it)?, remote: it.number32()? },
        EventKind::RmaRequestLock => Event::RmaRequestLock {
            window: numbers.window(it)?,
            remote: it.number32()?,
            lock: it.number()?,
            exclusive: it.byte()? == 0,
        },
        EventKind::RmaAcquireLock => Event::RmaAcquireLock {
            window: numbers.window(it)?,
            remote: it.number32()?,
            lock: it.number()?,
            exclusive: it.byte()? == 0,
        },
        EventKind::RmaReleaseLock => {
            Event::RmaReleaseLock { window: numbers.window(it)?, remote: it.number32()?, lock: it.number()? }
        }
        EventKind::RmaPut | EventKind::RmaGet => Event::RmaOperation {
            op: if kind == EventKind::RmaPut { RmaOp::Put } else { RmaOp::Get },
            window: numbers.window(it)?,
            remote: it.number32()?,
            bytes: it.number()?,
            matching: it.number()?,
        },
        EventKind::RmaAtomic => {
            let (window, remote, _operation) = (numbers.window(it)?, it.number32()?, it.byte()?);
            let bytes = it.number()?.saturating_add(it.number()?);
            Event::RmaOperation { op: RmaOp::Atomic, window, remote, bytes, matching: it.number()? }
        }
        EventKind::RmaOpCompleteBlocking
        | EventKind::RmaOpCompleteNonBlocking
        | EventKind::RmaOpCompleteRemote => Event::RmaComplete {
            window: numbers.window(it)?,
            matching: it.number()?,
            remotely: kind == EventKind::RmaOpCompleteRemote,
        },
        _ => Event::Other,
    })
}

/// Threads, tasks, locks, with what OpenMP had for itself before OTF2 1.2; files, the program.
fn thread(kind: EventKind, mut fields: Fields<'_>, numbers: &mut Numbers<'_>) -> Option<Event> {
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
            task(kind, CommunicatorId(0), (number >> 32) as u32, number as u32)
        }
        EventKind::ThreadFork => {
            let _paradigm = it.byte()?;
            Event::Fork { threads: it.number32()? }
        }
        EventKind::ThreadJoin => Event::Join,
        EventKind::ThreadTeamBegin => Event::TeamBegin { team: numbers.communicator(it)? },
        EventKind::ThreadTeamEnd => Event::TeamEnd { team: numbers.communicator(it)? },
        EventKind::ThreadAcquireLock => {
            Event::AcquireLock { kind: lock_kind(it)?, lock: lock(it)?, order: it.number32()? }
        }
        EventKind::ThreadReleaseLock => {
            Event::ReleaseLock { kind: lock_kind(it)?, lock: lock(it)?, order: it.number32()? }
        }
        EventKind::ThreadTaskCreate | EventKind::ThreadTaskSwitch | EventKind::ThreadTaskComplete => {
            task(kind, numbers.communicator(it)?, it.number32()?, it.number32()?)
        }
        EventKind::ThreadCreate => {
            Event::ThreadCreate { team: numbers.communicator(it)?, count: it.number()? }
        }
        EventKind::ThreadBegin => Event::ThreadBegin { team: numbers.communicator(it)?, count: it.number()? },
        EventKind::ThreadWait => Event::ThreadWait { team: numbers.communicator(it)?, count: it.number()? },
        EventKind::ThreadEnd => Event::ThreadEnd { team: numbers.communicator(it)?, count: it.number()? },
        EventKind::IoOperationComplete => {
            let _handle = it.number()?;
            Event::IoComplete { bytes: it.number()? }
        }
        EventKind::ProgramBegin => Event::ProgramBegin,
        EventKind::ProgramEnd => Event::ProgramEnd,
        _ => Event::Other,
    })
}

/// A task is told apart by who made it and which of those it was; the older records have one number for both.
fn task(kind: EventKind, team: CommunicatorId, thread: u32, generation: u32) -> Event {
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

fn lock(fields: &mut Fields<'_>) -> Option<u64> {
    fields.number32().map(u64::from)
}

fn lock_kind(fields: &mut Fields<'_>) -> Option<LockKind> {
    Some(if fields.byte()? == OPENMP { LockKind::OpenMp } else { LockKind::Mutex })
}

/// The root of a collective operation; `None` in the answer where it has none.
fn root(fields: &mut Fields<'_>) -> Option<Option<u32>> {
    let number = fields.number()?;
    Some(if number == UNDEFINED { None } else { Some(narrow(number)).filter(|it| *it != u32::MAX) })
}

#[cfg(test)]
mod tests;
