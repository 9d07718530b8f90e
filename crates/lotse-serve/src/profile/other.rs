//! What a profile knows of the one that it is compared with.

use lotse_model::Profile;
use lotse_profile::diff::{Rename, other_names};
use lotse_profile::open::Opened;
use lotse_profile::select::OtherNames;

use crate::api::FunctionRename;

/// The other one of two compared profiles.
#[derive(Clone)]
pub(crate) struct OtherProfile<'a> {
    pub(crate) opened: &'a Opened<'a>,
    /// Whether it is the old one.
    pub(crate) is_old: bool,
    /// The renames of the command line.
    pub(crate) renames: Vec<Rename>,
}

impl OtherProfile<'_> {
    /// The names that functions of `own` have in this profile.
    pub(crate) fn names(&self, own: &Profile, accepted: &[FunctionRename]) -> OtherNames {
        let renames = all_renames(&self.renames, accepted);
        let other = &self.opened.profile;
        let (old, new) = if self.is_old { (other, own) } else { (own, other) };
        let [of_old, of_new] = other_names(old, new, &renames);
        if self.is_old { of_new } else { of_old }
    }
}

/// The renames of the command line and those of the page.
pub(crate) fn all_renames(of_call: &[Rename], accepted: &[FunctionRename]) -> Vec<Rename> {
    let of_page = accepted.iter().map(|it| Rename::whole(&it.old, &it.new));
    of_call.iter().cloned().chain(of_page).collect()
}
