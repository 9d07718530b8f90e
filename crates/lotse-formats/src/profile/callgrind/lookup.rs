//! The object, file or function that a name line means, once the profile is known.

use hashbrown::HashMap;
use lotse_model::Profile;
use lotse_model::id::{FileId, FunctionId, ObjectId, PartId};
use lotse_model::profile::{PartLayout, readable};

use super::scan::NameSpec;

/// The first file of every profile stands for an unknown file.
const UNKNOWN: FileId = FileId(0);

/// Resolves names in the lines of one function (the caller) in one part.
pub(super) struct NameLookup<'a> {
    profile: &'a Profile,
    layout: &'a PartLayout,
    part: PartId,
    caller: FunctionId,
    /// Made when a file without a number first occurs.
    files: Option<HashMap<&'a str, FileId>>,
    /// All callees of the caller; made when a callee without a number first occurs.
    callees: Option<Vec<FunctionId>>,
}

impl<'a> NameLookup<'a> {
    pub(super) fn new(
        profile: &'a Profile,
        layout: &'a PartLayout,
        part: PartId,
        caller: FunctionId,
    ) -> Self {
        Self { profile, layout, part, caller, files: None, callees: None }
    }

    /// The file; [`UNKNOWN`] where the profile has none of that name.
    pub(super) fn file(&mut self, spec: NameSpec<'_>) -> FileId {
        let text = match spec {
            NameSpec::Id(number) | NameSpec::Defined(number, _) => {
                return find(&self.layout.files, number).unwrap_or(UNKNOWN);
            }
            NameSpec::Plain(text) => text,
        };
        let profile = self.profile;
        let files = self.files.get_or_insert_with(|| {
            let named = profile.files.iter().enumerate();
            named.map(|(file, &name)| (profile.text(name), FileId::from(file))).collect()
        });
        files.get(&*readable(text)).copied().unwrap_or(UNKNOWN)
    }

    /// The object; `None` where the profile has none of that name.
    pub(super) fn object(&self, spec: NameSpec<'_>) -> Option<ObjectId> {
        match spec {
            NameSpec::Id(number) | NameSpec::Defined(number, _) => find(&self.layout.objects, number),
            NameSpec::Plain(text) => {
                let (text, profile) = (readable(text), self.profile);
                let mut objects = profile.objects.iter();
                objects.position(|&name| profile.text(name) == text).map(ObjectId::from)
            }
        }
    }

    /// The function of a number; `None` for a name without a number.
    pub(super) fn numbered(&self, spec: NameSpec<'_>) -> Option<FunctionId> {
        match spec {
            NameSpec::Id(number) | NameSpec::Defined(number, _) => find(&self.layout.functions, number),
            NameSpec::Plain(_) => None,
        }
    }

    /// The callee: by its number, or else by its name among the callees of the caller. Where several have that name, the
    /// one in the given object and file is taken, as far as there is one.
    pub(super) fn callee(
        &mut self,
        spec: NameSpec<'_>,
        object: Option<ObjectId>,
        file: FileId,
    ) -> Option<FunctionId> {
        let NameSpec::Plain(text) = spec else { return self.numbered(spec) };
        let (profile, caller) = (self.profile, self.caller);
        let calls = &profile.parts[self.part.index()].calls;
        let callees = self.callees.get_or_insert_with(|| {
            let pairs = calls.caller.iter().zip(&calls.callee);
            pairs.filter(|(from, _)| **from == caller).map(|(_, callee)| *callee).collect()
        });
        let (text, functions) = (readable(text), &profile.functions);
        let object = object.unwrap_or(functions.object[caller.index()]);
        let named = callees.iter().copied().filter(|it| profile.function_name(*it) == text);
        named.max_by_key(|it| {
            let same_file = functions.file[it.index()] == file;
            // Among equals the first wins, as when the profile was read.
            (functions.object[it.index()] == object, same_file, std::cmp::Reverse(*it))
        })
    }
}

fn find<T: Copy>(numbers: &[(u32, T)], number: u64) -> Option<T> {
    let row = numbers.binary_search_by_key(&number, |&(known, _)| u64::from(known)).ok()?;
    Some(numbers[row].1)
}
