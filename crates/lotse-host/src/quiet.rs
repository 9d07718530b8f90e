//! Separation: shields the measured programs from the rest of the machine, and restores everything afterwards.
//!
//! ```text
//! save values -> write changes to the journal (on disk) -> make the changes -> check their effect
//!                                        ... measurement ...
//! undo the changes, the last first -> delete the journal
//! ```
//!
//! Each action (`actions`) is one file: what it would do on this machine, which values it changes, whether that had an effect.
//! [`Separation`] applies the actions. If Lotse is killed, a watchdog process undoes the changes in the journal; if that is
//! killed too, the next measurement or [`restore`] does. A value is restored only if it is still the one that Lotse wrote.
//!
//! Never on by default. `others.rs` defines which other processes may be touched.

mod action;
mod actions;
mod error;
#[cfg(test)]
mod fake;
mod journal;
mod kernel;
mod others;
mod priority;
mod process;
mod restore;
mod separation;
#[cfg(test)]
mod trial;
mod undo;
mod watchdog;

pub use actions::{choose, probes};
pub use error::{ChoiceError, QuietError};
pub use restore::{left_changed, restore};
pub use separation::Separation;
pub use watchdog::watch;

pub use crate::separation_choice::{ActionProbe, Chosen, Restored, SeparationOptions};
