//! Symbolisation: replaces the addresses of a profile by the functions of its binaries.
//!
//! Guarantees: every sum stays exact; a stack grows by the functions that were inlined at its addresses; an address
//! without a symbol stays as the name. Only the build that the profile states is used; if it states none, a file that is
//! newer than the profile is used with a warning. Functions that have a name in the profile keep it.

use lotse_model::Profile;
use lotse_model::profile::Details;

mod age;
mod binaries;
mod files;
mod kernel;
mod lookup;
mod missing;
mod nameless;
mod rebuild;
mod share;
mod wanted;

pub(crate) use age::newer;
pub use binaries::Binaries;
pub use files::{BuildFile, Fetched, Files, TextRefusal, distribution_path, split_build_id};
pub(crate) use wanted::WantedBinary;

/// Replaces addresses by functions; notes say which stay unknown, and why.
pub fn resolve(profile: Profile, binaries: &Binaries<'_>) -> (Profile, Vec<String>) {
    // Costs by line that were left in a file refer to functions by number; these formats have no addresses to resolve.
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
