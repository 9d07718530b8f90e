//! Whether a program is started by the dynamic loader, and whether that respects `LD_PRELOAD`.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use crate::job::Job;
use crate::resolve;

/// Why the heap of a program cannot be moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unmovable {
    /// Statically linked.
    #[error("it is linked statically")]
    Static,
    /// Built for another machine.
    #[error("it is made for another kind of machine than Lotse")]
    OtherMachine,
    /// Set-user-ID or with capabilities: the loader ignores `LD_PRELOAD`.
    #[error(
        "it runs with the rights of another user or with capabilities, so that nothing can be loaded into it"
    )]
    Privileged,
}

/// How many interpreters of scripts may be scripts themselves: Linux's limit.
const SCRIPTS: usize = 5;
const PT_INTERP: u32 = 3;
const SET_USER: u32 = 0o4000;
const SET_GROUP: u32 = 0o2000;

/// Why the heap of a job's program cannot be moved; `None` if it can. Also `None` if the program cannot be read: then the run
/// itself reports the error. For a script the interpreter is examined.
pub fn unmovable(job: &Job) -> Option<Unmovable> {
    let found = resolve::program(job).ok()?;
    let base = job.directory.as_deref().unwrap_or(Path::new(""));
    let mut path = base.join(found);
    for _ in 0..SCRIPTS {
        let mut start = [0; 256];
        let length = File::open(&path).and_then(|mut file| file.read(&mut start)).ok()?;
        match interpreter(&start[..length]) {
            Some(next) => path = base.join(next),
            None => break,
        }
    }
    if is_privileged(&path).ok()? {
        return Some(Unmovable::Privileged);
    }
    header_problem(&File::open(&path).ok()?).ok()?
}

/// The interpreter in the first line of a script.
fn interpreter(start: &[u8]) -> Option<PathBuf> {
    let line = start.strip_prefix(b"#!")?.split(|&byte| byte == b'\n').next()?;
    let mut words = line.split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty());
    words.next().map(|word| PathBuf::from(std::ffi::OsStr::from_bytes(word)))
}

fn is_privileged(path: &Path) -> io::Result<bool> {
    let about = path.metadata()?;
    let user = rustix::process::geteuid();
    let other_user = about.mode() & SET_USER != 0 && about.uid() != user.as_raw();
    let other_group = about.mode() & SET_GROUP != 0 && about.gid() != rustix::process::getegid().as_raw();
    Ok(other_user || other_group || (!user.is_root() && has_capabilities(path)))
}

#[cfg(target_os = "linux")]
fn has_capabilities(path: &Path) -> bool {
    let mut value = [0_u8; 64];
    rustix::fs::getxattr(path, "security.capability", &mut value[..]).is_ok_and(|length| length > 0)
}

#[cfg(not(target_os = "linux"))]
fn has_capabilities(_: &Path) -> bool {
    false
}

/// Examines the header of an executable; an error if the file is not one.
fn header_problem(file: &File) -> io::Result<Option<Unmovable>> {
    let mut header = [0; 64];
    file.read_exact_at(&mut header, 0)?;
    if header[..4] != *b"\x7fELF" {
        return Err(io::ErrorKind::InvalidData.into());
    }
    // The shared object has the same class, byte order and machine as Lotse.
    let own = &lotse_heap::IMAGE;
    if own.len() < 20 || header[4..6] != own[4..6] || header[18..20] != own[18..20] {
        return Ok(Some(Unmovable::OtherMachine));
    }
    let number = |at: usize| u16::from_le_bytes([header[at], header[at + 1]]);
    let (size, count) = (u64::from(number(54)), u64::from(number(56)));
    let first = (0..8).fold(0, |sum, at| sum | u64::from(header[32 + at]) << (8 * at));
    for at in 0..count {
        let mut kind = [0; 4];
        file.read_exact_at(&mut kind, first.saturating_add(at * size))?;
        if u32::from_le_bytes(kind) == PT_INTERP {
            return Ok(None);
        }
    }
    Ok(Some(Unmovable::Static))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use super::{Unmovable, header_problem, interpreter, unmovable};
    use crate::job::Job;

    /// The launcher is statically linked; the shell is not.
    #[test]
    fn a_static_program_and_a_script_of_one() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("program");
        fs::write(&program, lotse_launch::IMAGE).unwrap();
        let found = header_problem(&fs::File::open(&program).unwrap()).unwrap();
        assert_eq!(found, lotse_launch::SUPPORTED.then_some(Unmovable::Static));
        let script = folder.path().join("script");
        fs::write(&script, format!("#! {} -x\n", program.display())).unwrap();
        let job = Job { directory: Some(folder.path().to_owned()), ..Job::new(["./script"]) };
        assert_eq!(unmovable(&job), found);
        assert_eq!(unmovable(&Job::new(["sh", "-c", "true"])), None);
    }

    #[test]
    fn other_machines_and_other_rights() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("program");
        let mut other = lotse_heap::IMAGE.to_vec();
        other[4] = 1;
        fs::write(&path, other).unwrap();
        assert_eq!(unmovable(&Job::new([&path])), Some(Unmovable::OtherMachine));
        // A set-user-ID file of the user's own changes no privileges.
        fs::copy("/bin/sh", &path).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o4755)).unwrap();
        assert_eq!(unmovable(&Job::new([&path])), None);
        if rustix::process::geteuid().is_root() {
            std::os::unix::fs::chown(&path, Some(1), Some(1)).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o4755)).unwrap();
            assert_eq!(unmovable(&Job::new([&path])), Some(Unmovable::Privileged));
        }
    }

    #[test]
    fn what_cannot_be_read_is_left_to_the_run() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("odd");
        for bytes in [&b""[..], b"\x7fELF", b"#!", b"#!\n", b"text", &lotse_heap::IMAGE[..70]] {
            fs::write(&path, bytes).unwrap();
            assert_eq!(unmovable(&Job::new([&path])), None, "{bytes:?}");
        }
        assert_eq!(unmovable(&Job::new(["/nonexistent"])), None);
        assert_eq!(unmovable(&Job::new(["no-such-program-of-that-name"])), None);
    }

    #[test]
    fn the_interpreter_is_the_first_word() {
        let check = |line: &str, path: Option<&str>| {
            assert_eq!(interpreter(line.as_bytes()), path.map(Into::into), "{line}");
        };
        check("#!/bin/sh -e\nexit", Some("/bin/sh"));
        check("#! \t/usr/bin/env python3", Some("/usr/bin/env"));
        check("#!\n/bin/sh", None);
        check("\x7fELF", None);
    }
}
