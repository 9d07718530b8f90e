//! The identity of a build, and its comparison with a recorded build id.

use object::{Object, ObjectSection};

use super::open;
use crate::SymbolError;

/// The length of a GUID, and of the hash that is used for files without a build id.
const GUID: usize = 16;
/// The number of bytes of code that the hash covers.
const HASHED: usize = 4096;

/// The identity of a build: its build id, or else a hash of its code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    build_id: Option<Vec<u8>>,
    code: Option<[u8; GUID]>,
}

impl Identity {
    /// Reads the identity of an ELF, Mach-O or PE file without reading its symbols.
    pub fn read(bytes: &[u8]) -> Result<Self, SymbolError> {
        let (file, _) = open(bytes)?;
        let build_id = build_id(&file);
        let code = if build_id.is_none() { code_hash(&file) } else { None };
        Ok(Self { build_id, code })
    }

    /// The identity of a binary of which only the build id is known.
    #[must_use]
    pub fn of_build(id: &[u8]) -> Self {
        Self { build_id: Some(id.to_vec()), code: None }
    }

    /// An ELF's build id, a Mach-O file's UUID, or the GUID of a Windows program, in hexadecimal digits.
    #[must_use]
    pub fn build_id(&self) -> Option<String> {
        self.build_id.as_deref().map(hexadecimal)
    }

    /// Whether this is the build with the recorded id.
    ///
    /// Profilers truncate an id to the 16 bytes of a GUID, reverse the bytes of the GUID's fields, or pad a short id with
    /// zeros. All these forms are accepted; 16 bytes of a hash are enough to identify a build.
    #[must_use]
    pub fn is_build(&self, recorded: &[u8]) -> bool {
        let own = self.build_id.as_deref().or(self.code.as_ref().map(<[u8; GUID]>::as_slice));
        own.is_some_and(|own| same(own, recorded) || same(&byte_swapped(own), recorded))
    }
}

/// Whether two ids are equal, padded with zeros, or truncated to a GUID.
fn same(own: &[u8], recorded: &[u8]) -> bool {
    let length = own.len().min(recorded.len());
    let zeros = |rest: &[u8]| rest.iter().all(|&byte| byte == 0);
    let truncated = recorded.len() == GUID;
    length > 0
        && own[..length] == recorded[..length]
        && zeros(&recorded[length..])
        && (truncated || zeros(&own[length..]))
}

/// The id as a GUID with the other byte order: its first three fields are numbers.
fn byte_swapped(id: &[u8]) -> Vec<u8> {
    let mut guid = id[..id.len().min(GUID)].to_vec();
    guid.resize(GUID, 0);
    for field in [0..4, 4..6, 6..8] {
        guid[field].reverse();
    }
    guid
}

pub(super) fn build_id(file: &object::File<'_>) -> Option<Vec<u8>> {
    let build_id = file.build_id().ok().flatten().map(<[u8]>::to_vec);
    let uuid = || file.mach_uuid().ok().flatten().map(Vec::from);
    let guid = || file.pdb_info().ok().flatten().map(|pdb| pdb.guid().to_vec());
    build_id.or_else(uuid).or_else(guid).filter(|id| !id.is_empty())
}

/// The id that Breakpad and its successors use for a file without a build id: its first code, folded into 16 bytes by XOR.
fn code_hash(file: &object::File<'_>) -> Option<[u8; GUID]> {
    let code = file.section_by_name(".text")?.data().ok()?;
    let mut hash = [0; GUID];
    for (at, byte) in code.iter().take(HASHED).enumerate() {
        hash[at % GUID] ^= byte;
    }
    Some(hash)
}

pub(super) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::Identity;

    #[test]
    fn an_id_is_recognised_in_the_forms_that_profilers_write() {
        let id: Vec<u8> = (1..=20).collect();
        let whole = Identity::of_build(&id);
        assert!(whole.is_build(&id));
        assert!(whole.is_build(&id[..16]), "the GUID of a debug id");
        let turned = [4, 3, 2, 1, 6, 5, 8, 7, 9, 10, 11, 12, 13, 14, 15, 16];
        assert!(whole.is_build(&turned), "a GUID with its fields turned round");
        let short = Identity::of_build(&id[..8]);
        assert!(short.is_build(&[&id[..8], &[0; 12]].concat()), "filled up with zeros");
    }

    #[test]
    fn other_builds_are_recognised() {
        let id: Vec<u8> = (1..=20).collect();
        let mut other = id.clone();
        other[19] ^= 1;
        for recorded in [&other[..], &id[..19], &id[..8], &[], &[0; 20]] {
            assert!(!Identity::of_build(&id).is_build(recorded), "{recorded:?}");
        }
        assert!(!Identity { build_id: None, code: None }.is_build(&id));
    }
}
