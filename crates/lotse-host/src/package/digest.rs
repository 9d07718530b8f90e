//! Files of a package with their digests.

use std::fs::File;
use std::io::Read;
use std::path::Path;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::PackageError;

/// A file of a package and its digest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct PackedFile {
    /// Relative to the folder of the measurement, with `/`.
    pub path: String,
    /// In bytes.
    pub bytes: u64,
    /// SHA-256 in hexadecimal digits.
    pub sha256: String,
    pub executable: bool,
}

/// Size, digest and permission of a file below a folder.
pub fn packed_file(base: &Path, path: &str) -> Result<PackedFile, PackageError> {
    let place = base.join(path);
    let about = std::fs::metadata(&place).map_err(PackageError::file("read", &place))?;
    Ok(PackedFile {
        path: path.to_owned(),
        bytes: about.len(),
        sha256: sha256(&place)?,
        executable: is_executable(&about),
    })
}

/// Copies a file below a folder to the same place below another folder, and gives size, digest and permission of the copy.
pub fn copied_file(base: &Path, path: &str, into: &Path) -> Result<PackedFile, PackageError> {
    let (from, to) = (base.join(path), into.join(path));
    if let Some(folder) = to.parent() {
        std::fs::create_dir_all(folder).map_err(PackageError::file("create", folder))?;
    }
    std::fs::copy(&from, &to).map_err(PackageError::file("copy", &from))?;
    packed_file(into, path)
}

/// The SHA-256 of some bytes in hexadecimal digits.
pub fn digest(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The SHA-256 of a file in hexadecimal digits.
pub(super) fn sha256(path: &Path) -> Result<String, PackageError> {
    let failed = |error| PackageError::file("read", path)(error);
    let mut file = File::open(path).map_err(failed)?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        let count = file.read(&mut buffer).map_err(failed)?;
        if count == 0 {
            break;
        }
        hasher.update(&buffer[..count]);
    }
    Ok(hexadecimal(&hasher.finalize()))
}

#[cfg(unix)]
fn is_executable(about: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    about.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &std::fs::Metadata) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::packed_file;

    #[test]
    fn the_digest_is_that_of_sha256sum() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a"), "abc").unwrap();
        let found = packed_file(folder.path(), "a").unwrap();
        // printf abc | sha256sum
        assert_eq!(found.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!((found.bytes, found.executable), (3, false));
        let error = packed_file(folder.path(), "none").unwrap_err().to_string();
        assert!(error.contains("cannot read"), "{error}");
    }
}
