//! Distinguishes functions of equal name and file, which formats that identify functions by both would merge.

use lotse_model::Profile;
use lotse_model::id::FunctionId;

use crate::names::FunctionLabels;

/// Appends line and column to the name of every function that shares it with another of its file. Returns a note with
/// their number.
pub(super) fn rename(profile: &mut Profile) -> Option<String> {
    let labels = FunctionLabels::new(profile);
    let shared: Vec<FunctionId> = profile.functions.ids().filter(|id| labels.is_shared(*id)).collect();
    let named = |id: &FunctionId| (*id, format!("{}{}", profile.function_name(*id), labels.suffix(*id)));
    let names: Vec<(FunctionId, String)> = shared.iter().map(named).collect();
    let count = names.iter().filter(|(id, name)| profile.function_name(*id) != name).count();
    for (id, name) in names {
        profile.functions.name[id.index()] = profile.strings.push(&name);
    }
    (count > 0).then(|| {
        format!(
            "{count} functions have the name of another function of their file: their place was added to it"
        )
    })
}
