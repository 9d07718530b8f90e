//! Ids as types: an index into the table of programs cannot be used for the table of blocks.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, bytemuck::Pod, bytemuck::Zeroable)]
        #[cfg_attr(feature = "schema", derive(JsonSchema))]
        #[serde(transparent)]
        #[repr(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// The position in the table this id points into.
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl From<usize> for $name {
            /// Panics for an index of 2^32 or more; no reader builds such a table.
            #[inline]
            fn from(index: usize) -> Self {
                Self(u32::try_from(index).expect("a table holds fewer than 2^32 rows"))
            }
        }
    )+};
}

ids! {
    /// One of the things compared.
    ProgramId,
    /// One round over all programs.
    BlockId,
    /// A string of a profile. The first is empty.
    NameId,
    /// An executable or library of a profile. The first is unknown.
    ObjectId,
    /// A source file of a profile. The first is unknown.
    FileId,
    /// A function of a profile.
    FunctionId,
    /// A frame of a stack: a function and a position in it.
    FrameId,
    /// A stack: its innermost frame and the stack of the callers.
    StackId,
    /// One dump of a profile.
    PartId,
    /// A region of a trace. The first is unknown.
    RegionId,
    /// A part of the machine of a trace.
    MachineId,
    /// A process of a trace.
    ProcessId,
    /// A thread or stream of a trace, in the order of definition.
    LocationId,
    /// A communicator or team of a trace. The first is unknown.
    CommunicatorId,
    /// A window for one-sided communication. The first is unknown.
    WindowId,
    /// A group of ranks of a trace. The first is unknown.
    GroupId,
    /// A call path of a trace: a region below another call path. The first is the root, outside all regions.
    PathId,
}

#[cfg(test)]
mod tests {
    use super::ProgramId;

    #[test]
    fn an_id_is_a_plain_number_in_json() {
        let id = ProgramId::from(3usize);
        assert_eq!(serde_json::to_string(&id).unwrap(), "3");
        assert_eq!(id.index(), 3);
    }
}
