//! Writing and unpacking archives.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Component, Path};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use tar::{Archive, Builder, EntryType, Header};

use super::PackageError;
use super::digest::PackedFile;

/// Maximum size of an unpacked package in bytes.
const LARGEST: u64 = 16 << 30;
/// Maximum number of files.
const MOST_FILES: usize = 100_000;

/// Writes an archive atomically: texts first, then files of a folder, all below `prefix`. Times and owners are omitted, so that
/// equal files give equal archives.
pub fn write(
    to: &Path,
    texts: &[(&str, &[u8])],
    base: &Path,
    prefix: &str,
    files: &[PackedFile],
) -> Result<(), PackageError> {
    let folder = to.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let draft = tempfile::NamedTempFile::new_in(folder).map_err(PackageError::file("write in", folder))?;
    let packer = GzEncoder::new(draft.as_file(), Compression::default());
    let mut archive = Builder::new(packer);
    for (name, content) in texts {
        add(&mut archive, name, content.len() as u64, false, *content)
            .map_err(PackageError::file("write", to))?;
    }
    for file in files {
        let place = base.join(&file.path);
        let content = File::open(&place).map_err(PackageError::file("read", &place))?;
        let name = format!("{prefix}/{}", file.path);
        add(&mut archive, &name, file.bytes, file.executable, content.take(file.bytes))
            .map_err(PackageError::file("pack", &place))?;
    }
    let packer = archive.into_inner().map_err(PackageError::file("write", to))?;
    packer.finish().map_err(PackageError::file("write", to))?;
    draft.persist(to).map_err(|error| PackageError::file("write", to)(error.error))?;
    open_to_others(to)
}

fn add<W: io::Write>(
    archive: &mut Builder<W>,
    name: &str,
    size: u64,
    executable: bool,
    content: impl Read,
) -> io::Result<()> {
    let mut header = Header::new_gnu();
    header.set_entry_type(EntryType::Regular);
    header.set_size(size);
    header.set_mode(if executable { 0o755 } else { 0o644 });
    header.set_mtime(0);
    archive.append_data(&mut header, name, content)
}

/// Gives a finished package the usual permissions; temporary files are readable only by their owner.
#[cfg(unix)]
fn open_to_others(path: &Path) -> Result<(), PackageError> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(0o644)).map_err(PackageError::file("write", path))
}

#[cfg(not(unix))]
fn open_to_others(_: &Path) -> Result<(), PackageError> {
    Ok(())
}

/// Unpacks an archive into a folder. Only regular files with relative names below the folder are accepted; anything else is an
/// error. After an error the folder may contain the files before it; the caller removes the folder.
pub fn unpack(from: &Path, into: &Path) -> Result<(), PackageError> {
    let file = File::open(from).map_err(PackageError::file("read", from))?;
    let mut archive = Archive::new(GzDecoder::new(file).take(LARGEST));
    let entries = archive.entries().map_err(PackageError::file("read", from))?;
    for (count, entry) in entries.enumerate() {
        let mut entry = entry.map_err(PackageError::file("read", from))?;
        if count >= MOST_FILES {
            return Err(foreign(from, format!("it holds more than {MOST_FILES} files")));
        }
        let name = entry.path().map_err(PackageError::file("read", from))?.into_owned();
        let kind = entry.header().entry_type();
        if kind == EntryType::Directory && is_plain(&name) {
            continue;
        }
        if kind != EntryType::Regular || !is_plain(&name) {
            return Err(foreign(from, format!("`{}` in it is no plain file", name.display())));
        }
        let place = into.join(&name);
        if let Some(folder) = place.parent() {
            fs::create_dir_all(folder).map_err(PackageError::file("create", folder))?;
        }
        let executable = entry.header().mode().is_ok_and(|mode| mode & 0o111 != 0);
        // A name that occurs twice is an error; no file is overwritten.
        let mut target = File::create_new(&place).map_err(PackageError::file("write", &place))?;
        io::copy(&mut entry, &mut target).map_err(PackageError::file("unpack", from))?;
        if executable {
            make_executable(&place)?;
        }
    }
    // The checksum and the length at the end of the compressed stream are compared only when all of it is read.
    io::copy(&mut archive.into_inner(), &mut io::sink()).map_err(PackageError::file("unpack", from))?;
    Ok(())
}

fn foreign(path: &Path, problem: String) -> PackageError {
    PackageError::Foreign { path: path.to_owned(), problem }
}

fn is_plain(name: &Path) -> bool {
    !name.as_os_str().is_empty() && name.components().all(|part| matches!(part, Component::Normal(_)))
}

#[cfg(unix)]
fn make_executable(path: &Path) -> Result<(), PackageError> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).map_err(PackageError::file("write", path))
}

#[cfg(not(unix))]
fn make_executable(_: &Path) -> Result<(), PackageError> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::Path;

    use flate2::Compression;
    use flate2::write::GzEncoder;
    use tar::{Builder, EntryType, Header};

    use super::{unpack, write};
    use crate::package::packed_file;

    #[test]
    fn unpacked_files_have_their_permissions() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("work/data")).unwrap();
        fs::write(at("work/app"), "#!/bin/sh\n").unwrap();
        fs::set_permissions(at("work/app"), fs::Permissions::from_mode(0o755)).unwrap();
        fs::write(at("work/data/in.txt"), "x".repeat(100_000)).unwrap();
        let files = ["app", "data/in.txt"].map(|name| packed_file(&at("work"), name).unwrap());
        for package in ["one.tar.gz", "two.tar.gz"] {
            write(&at(package), &[("manifest.json", b"{}")], &at("work"), "files", &files).unwrap();
        }
        assert_eq!(fs::read(at("one.tar.gz")).unwrap(), fs::read(at("two.tar.gz")).unwrap());
        unpack(&at("one.tar.gz"), &at("out")).unwrap();
        assert_eq!(fs::read_to_string(at("out/manifest.json")).unwrap(), "{}");
        let again = ["app", "data/in.txt"].map(|name| packed_file(&at("out/files"), name).unwrap());
        assert_eq!(again, files);
        // Nothing is overwritten.
        assert!(unpack(&at("one.tar.gz"), &at("out")).is_err());
    }

    #[test]
    fn an_archive_without_a_good_end_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        write(&at("p.tar.gz"), &[("manifest.json", b"{}")], folder.path(), "files", &[]).unwrap();
        let whole = fs::read(at("p.tar.gz")).unwrap();
        // The last 8 bytes are the checksum and the length; `gzip -t` refuses both archives.
        let mut wrong = whole.clone();
        wrong[whole.len() - 8] ^= 1;
        for (number, content) in [&whole[..whole.len() - 8], &wrong].into_iter().enumerate() {
            fs::write(at("p.tar.gz"), content).unwrap();
            let error = unpack(&at("p.tar.gz"), &at(&format!("out-{number}"))).unwrap_err().to_string();
            assert!(error.contains("cannot unpack"), "{error}");
        }
    }

    fn archive(path: &Path, name: &[u8], kind: EntryType) {
        let mut header = Header::new_gnu();
        header.as_gnu_mut().unwrap().name[..name.len()].copy_from_slice(name);
        header.set_entry_type(kind);
        header.set_size(0);
        header.set_mode(0o644);
        if kind == EntryType::Symlink {
            header.set_link_name("/etc").unwrap();
        }
        header.set_cksum();
        let mut builder = Builder::new(GzEncoder::new(fs::File::create(path).unwrap(), Compression::fast()));
        builder.append(&header, std::io::empty()).unwrap();
        builder.into_inner().unwrap().finish().unwrap();
    }

    #[test]
    fn archives_that_reach_outside_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let package = folder.path().join("bad.tar.gz");
        let cases: [(&[u8], EntryType); 4] = [
            (b"../outside", EntryType::Regular),
            (b"/tmp/lotse-outside", EntryType::Regular),
            (b"files/link", EntryType::Symlink),
            (b"files/device", EntryType::Char),
        ];
        for (name, kind) in cases {
            archive(&package, name, kind);
            let error = unpack(&package, &folder.path().join("out")).unwrap_err().to_string();
            assert!(error.contains("no plain file"), "{error}");
        }
        assert!(!folder.path().join("outside").exists());
        fs::write(&package, "no archive").unwrap();
        assert!(unpack(&package, &folder.path().join("out")).is_err());
    }
}
