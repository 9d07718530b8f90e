//! What a program's data structures tell: from streams of accesses to phases, findings and pictures.

pub mod access;
mod code;
pub mod container;
pub mod decode;
pub mod instance;
pub mod record;

pub use access::{Access, AccessRun, Iteration};
pub use container::{Container, Kind};
pub use instance::{Code, CodeId, CodeTable, Instance, InstanceId, LoopId, ThreadId};
