//! Separation: keeps the rest of the machine away from the measured programs, and puts everything back.
//!
//! An action (`actions`) is one file: what it would do here, which values it changes, whether that had an effect.
//! [`Separation`] drives them: every change goes to the journal, and to the disk, before it is made. A watchdog process
//! undoes the journal when Lotse is killed; where that is killed too, the next measurement or [`restore`] does.
//! A value is put back only if it is still the one that Lotse wrote.
//!
//! Never on by default. Processes of others are left alone by the rules of `others.rs`.

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
pub use restore::restore;
pub use separation::Separation;
pub use watchdog::watch;

pub use crate::separation_choice::{ActionProbe, Chosen, Restored, SeparationOptions};
