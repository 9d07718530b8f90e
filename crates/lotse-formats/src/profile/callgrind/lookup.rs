//! Which object, file or function a name line means, once the profile is known.

use hashbrown::HashMap;
use lotse_model::Profile;
use lotse_model::id::{FileId, FunctionId, ObjectId, PartId};
use lotse_model::profile::{PartLayout, readable};

use super::scan::Said;

/// The first file of every profile: the one that nobody named.
const UNKNOWN: FileId = FileId(0);

/// Names as a caller in a part means them.
pub(super) struct Lookup<'a> {
    profile: &'a Profile,
    layout: &'a PartLayout,
    part: PartId,
    caller: FunctionId,
    /// Made when a file without a number is first met.
    files: Option<HashMap<&'a str, FileId>>,
    /// All that the caller calls, made when a callee without a number is first met.
    callees: Option<Vec<FunctionId>>,
}

impl<'a> Lookup<'a> {
    pub(super) fn new(
        profile: &'a Profile,
        layout: &'a PartLayout,
        part: PartId,
        caller: FunctionId,
    ) -> Self {
        Self { profile, layout, part, caller, files: None, callees: None }
    }

    /// The file; unknown where the profile has none of that name.
    pub(super) fn file(&mut self, said: Said<'_>) -> FileId {
        let text = match said {
            Said::Id(number) | Said::Defined(number, _) => {
                return find(&self.layout.files, number).unwrap_or(UNKNOWN);
            }
            Said::Plain(text) => text,
        };
        let profile = self.profile;
        let files = self.files.get_or_insert_with(|| {
            let named = profile.files.iter().enumerate();
            named.map(|(file, &name)| (profile.text(name), FileId::from(file))).collect()
        });
        files.get(&*readable(text)).copied().unwrap_or(UNKNOWN)
    }

    /// The object; nothing where the profile has none of that name.
    pub(super) fn object(&self, said: Said<'_>) -> Option<ObjectId> {
        match said {
            Said::Id(number) | Said::Defined(number, _) => find(&self.layout.objects, number),
            Said::Plain(text) => {
                let (text, profile) = (readable(text), self.profile);
                let mut objects = profile.objects.iter();
                objects.position(|&name| profile.text(name) == text).map(ObjectId::from)
            }
        }
    }

    /// A function by its number.
    pub(super) fn numbered(&self, said: Said<'_>) -> Option<FunctionId> {
        match said {
            Said::Id(number) | Said::Defined(number, _) => find(&self.layout.functions, number),
            Said::Plain(_) => None,
        }
    }

    /// A callee, by its number or else by its name among what the caller calls.
    pub(super) fn callee(
        &mut self,
        said: Said<'_>,
        object: Option<ObjectId>,
        file: FileId,
    ) -> Option<FunctionId> {
        let Said::Plain(text) = said else { return self.numbered(said) };
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
            // Equal ones: the first, as when reading.
            (functions.object[it.index()] == object, same_file, std::cmp::Reverse(*it))
        })
    }
}

fn find<T: Copy>(numbers: &[(u32, T)], number: u64) -> Option<T> {
    let row = numbers.binary_search_by_key(&number, |&(known, _)| u64::from(known)).ok()?;
    Some(numbers[row].1)
}
