//! The kinds of event records, by the names OTF2 gives them.

macro_rules! kinds {
    ($($name:ident),+ $(,)?) => {
        /// The kind of an event record.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum EventKind { $($name),+ }

        impl EventKind {
            /// All kinds, in the order of their numbers.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            /// Its name in OTF2.
            pub fn name(self) -> &'static str {
                match self { $(Self::$name => stringify!($name)),+ }
            }
        }
    };
}

kinds! {
    Unknown,
    BufferFlush,
    MeasurementOnOff,
    Enter,
    Leave,
    MpiSend,
    MpiIsend,
    MpiIsendComplete,
    MpiIrecvRequest,
    MpiRecv,
    MpiIrecv,
    MpiRequestTest,
    MpiRequestCancelled,
    MpiCollectiveBegin,
    MpiCollectiveEnd,
    NonBlockingCollectiveRequest,
    NonBlockingCollectiveComplete,
    OmpFork,
    OmpJoin,
    OmpAcquireLock,
    OmpReleaseLock,
    OmpTaskCreate,
    OmpTaskSwitch,
    OmpTaskComplete,
    Metric,
    ParameterString,
    ParameterInt,
    ParameterUnsignedInt,
    RmaWinCreate,
    RmaWinDestroy,
    RmaCollectiveBegin,
    RmaCollectiveEnd,
    RmaGroupSync,
    RmaRequestLock,
    RmaAcquireLock,
    RmaTryLock,
    RmaReleaseLock,
    RmaSync,
    RmaWaitChange,
    RmaPut,
    RmaGet,
    RmaAtomic,
    RmaOpCompleteBlocking,
    RmaOpCompleteNonBlocking,
    RmaOpTest,
    RmaOpCompleteRemote,
    ThreadFork,
    ThreadJoin,
    ThreadTeamBegin,
    ThreadTeamEnd,
    ThreadAcquireLock,
    ThreadReleaseLock,
    ThreadTaskCreate,
    ThreadTaskSwitch,
    ThreadTaskComplete,
    ThreadCreate,
    ThreadBegin,
    ThreadWait,
    ThreadEnd,
    CallingContextEnter,
    CallingContextLeave,
    CallingContextSample,
    IoCreateHandle,
    IoDestroyHandle,
    IoDuplicateHandle,
    IoSeek,
    IoChangeStatusFlags,
    IoDeleteFile,
    IoOperationBegin,
    IoOperationTest,
    IoOperationIssued,
    IoOperationComplete,
    IoOperationCancelled,
    IoAcquireLock,
    IoReleaseLock,
    IoTryLock,
    ProgramBegin,
    ProgramEnd,
    CommCreate,
    CommDestroy,
    // Not a record of its own: an attribute of the previous record.
    Attribute,
}

#[cfg(test)]
mod tests {
    use super::EventKind;

    #[test]
    fn kinds_know_their_numbers_and_names() {
        for (number, kind) in EventKind::ALL.iter().enumerate() {
            assert_eq!(*kind as usize, number);
        }
        assert_eq!(EventKind::MpiSend.name(), "MpiSend");
    }
}
