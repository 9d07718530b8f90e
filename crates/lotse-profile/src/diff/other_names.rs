//! What renamed functions are called in the other profile, so that a filter by either name keeps both.

use std::borrow::Cow;

use hashbrown::HashMap;
use lotse_model::Profile;
use lotse_model::id::FunctionId;
use lotse_model::progress::Checked as _;

use super::Rename;
use super::units::plain_name;
use crate::names::display;
use crate::select::OtherNames;

/// The names that functions of the old profile have in the new one, and the other way round.
pub fn other_names(old: &Profile, new: &Profile, renames: &[Rename]) -> [OtherNames; 2] {
    if renames.is_empty() {
        return Default::default();
    }
    let mut new_names = OtherNames::new();
    let mut old_names: HashMap<String, Cow<'_, str>> = HashMap::new();
    for function in old.functions.ids().checked() {
        let shown = display(old, function);
        if let Some(name) = renamed(&plain_name(shown.clone()), renames) {
            old_names.insert(name.clone(), shown);
            new_names.insert(function, name);
        }
    }
    let old_name = |function: FunctionId| {
        let found = old_names.get(&*plain_name(display(new, function)))?;
        Some((function, found.clone().into_owned()))
    };
    [new_names, new.functions.ids().checked().filter_map(old_name).collect()]
}

/// The name after all renames, if it is another one.
fn renamed(name: &str, renames: &[Rename]) -> Option<String> {
    let next = |known: Option<String>, rename: &Rename| {
        let changed = rename.apply(known.as_deref().unwrap_or(name));
        changed.or(known)
    };
    renames.iter().fold(None, next).filter(|it| it != name)
}
