//! Reads and writes the kernel's pseudo files; a fake implementation serves tests.

use std::fs;
use std::io;

use crate::tree::SystemTree;

/// Reads and writes the system's pseudo files. Paths are absolute, such as `/sys/devices/system/cpu/cpu1/online`.
pub(crate) trait Kernel {
    /// The text of a file, trimmed.
    fn read(&self, file: &str) -> io::Result<String>;
    /// Writes a file in one system call, as the kernel requires.
    fn write(&self, file: &str, text: &str) -> io::Result<()>;
    /// The names in a directory, sorted.
    fn names(&self, directory: &str) -> io::Result<Vec<String>>;
    /// Creates a directory, which in a cgroup hierarchy is a group.
    fn make_directory(&self, directory: &str) -> io::Result<()>;
    /// Removes an empty directory.
    fn remove_directory(&self, directory: &str) -> io::Result<()>;
    /// Whether a file exists and is writable.
    fn is_writable(&self, file: &str) -> bool;
    /// Starts swapping to a device with a priority, or stops it (`None`).
    fn swap(&self, device: &str, priority: Option<i32>) -> io::Result<()>;

    /// The text of a file, empty if it cannot be read: a facility that is missing and one that is hidden are treated alike.
    fn offered(&self, file: &str) -> String {
        self.read(file).unwrap_or_else(|_| String::new())
    }

    /// The names in a directory, empty if it cannot be read.
    fn entries(&self, directory: &str) -> Vec<String> {
        self.names(directory).unwrap_or_else(|_| Vec::new())
    }

    /// Whether a file or directory exists.
    fn has(&self, file: &str) -> bool {
        self.read(file).is_ok() || self.names(file).is_ok()
    }
}

impl Kernel for SystemTree {
    fn read(&self, file: &str) -> io::Result<String> {
        let bytes = fs::read(self.path(file))?;
        Ok(String::from_utf8_lossy(&bytes).trim_matches(|c: char| c.is_whitespace() || c == '\0').to_owned())
    }

    fn write(&self, file: &str, text: &str) -> io::Result<()> {
        use std::io::Write as _;
        // Never creates a file: a missing file is a missing facility.
        fs::File::options().write(true).open(self.path(file))?.write_all(text.as_bytes())
    }

    fn names(&self, directory: &str) -> io::Result<Vec<String>> {
        let entries = fs::read_dir(self.path(directory))?.collect::<io::Result<Vec<_>>>()?;
        let mut names: Vec<String> =
            entries.iter().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        Ok(names)
    }

    fn make_directory(&self, directory: &str) -> io::Result<()> {
        fs::create_dir(self.path(directory))
    }

    fn remove_directory(&self, directory: &str) -> io::Result<()> {
        fs::remove_dir(self.path(directory))
    }

    fn is_writable(&self, file: &str) -> bool {
        rustix::fs::access(self.path(file), rustix::fs::Access::WRITE_OK).is_ok()
    }

    fn swap(&self, device: &str, priority: Option<i32>) -> io::Result<()> {
        /// `SWAP_FLAG_PREFER`, which libc lacks: the low bits are a priority.
        const PREFER: i32 = 0x8000;
        let path = self.path(device);
        let path = std::ffi::CString::new(path.as_os_str().as_encoded_bytes())?;
        let done = match priority {
            None => {
                // SAFETY: the path ends in a zero byte and outlives the call.
                unsafe { libc::swapoff(path.as_ptr()) }
            }
            Some(priority) => {
                let flags = if priority >= 0 { PREFER | (priority & 0x7fff) } else { 0 };
                // SAFETY: as above.
                unsafe { libc::swapon(path.as_ptr(), flags) }
            }
        };
        if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }
}

#[cfg(test)]
mod tests {
    use super::Kernel;
    use crate::tree::SystemTree;

    #[test]
    fn a_tree_is_read_and_written_but_gets_no_new_files() {
        let directory = tempfile::tempdir().unwrap();
        let tree = SystemTree::at(directory.path());
        tree.make_directory("/sys").unwrap();
        std::fs::write(directory.path().join("sys/switch"), "0\n").unwrap();
        assert!(tree.is_writable("/sys/switch") && tree.has("/sys/switch") && tree.has("/sys"));
        tree.write("/sys/switch", "1").unwrap();
        assert_eq!(tree.read("/sys/switch").unwrap(), "1");
        let error = tree.write("/sys/other", "1").unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
        assert!(!tree.has("/sys/other") && !tree.is_writable("/sys/other"));
        tree.make_directory("/sys/group").unwrap();
        assert_eq!(tree.names("/sys").unwrap(), ["group", "switch"]);
        tree.remove_directory("/sys/group").unwrap();
        assert_eq!(tree.names("/sys").unwrap(), ["switch"]);
    }
}
