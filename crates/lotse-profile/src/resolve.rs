//! Addresses become functions: placeholders of a profile are replaced by what the binaries' symbols tell.
//!
//! Promises: every sum stays exact; a stack grows by the functions that were inlined at its addresses; what no
//! symbol covers keeps its address as name. Only the build that the profile states is asked; where it states none, a
//! file that is newer than the profile is used with a warning. What the file of a profile says is believed over what a binary says:
//! functions that have a name keep it.

use lotse_model::Profile;
use lotse_model::profile::Details;

mod age;
mod binaries;
mod files;
mod kernel;
mod lookup;
mod missing;
mod rebuild;
mod share;
mod wanted;

pub(crate) use age::newer;
pub use binaries::Binaries;
pub use files::{Fetched, Files, Piece, distributed, split};
pub(crate) use wanted::Wanted;

/// Replaces the functions that stand for addresses by real ones; notes tell what stays unknown, and why.
pub fn resolve(profile: Profile, binaries: &Binaries<'_>) -> (Profile, Vec<String>) {
    // Detail left in a file speaks of functions by their number; formats that leave it there name all of them.
    if profile.unresolved.is_empty() || matches!(profile.details, Details::OnDemand(_)) {
        return (profile, Vec::new());
    }
    let found = lookup::lookup(&profile, binaries);
    if found.answers.is_empty() {
        return (profile, found.notes);
    }
    (rebuild::rebuild(&profile, &found), found.notes)
}

#[cfg(test)]
mod tests;
