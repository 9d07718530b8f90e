//! Parses a job of a request without copying: strings stay in the message.

use core::ffi::CStr;

use crate::wire::JobHead;

/// Strings after the variables: directory, stdin, stdout, stderr.
const OPTIONAL: usize = 4;

pub(crate) struct Job<'a> {
    pub(crate) head: JobHead,
    bytes: &'a [u8],
}

impl<'a> Job<'a> {
    /// The job at the beginning of `bytes`, and what follows it.
    pub(crate) fn split(bytes: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let head = JobHead::decode(bytes)?;
        let (bytes, rest) = bytes.split_at_checked(head.length as usize)?;
        let job = Self { head, bytes };
        // If the last byte is NUL and every offset is inside, every string ends inside.
        let ends = bytes.last() == Some(&0);
        (ends && (0..job.strings()).all(|index| job.offset(index).is_some())).then_some((job, rest))
    }

    /// The file to execute.
    pub(crate) fn path(&self) -> Option<&'a CStr> {
        self.string(0)
    }

    /// The working directory; `None` if empty.
    pub(crate) fn directory(&self) -> Option<&'a CStr> {
        self.optional(0)
    }

    /// The file of stream 0, 1 or 2; `None` if empty.
    pub(crate) fn file(&self, stream: usize) -> Option<&'a CStr> {
        self.optional(1 + stream)
    }

    /// What stream 0, 1 or 2 is connected to.
    pub(crate) fn stream(&self, stream: usize) -> u32 {
        match stream {
            0 => self.head.stdin,
            1 => self.head.stdout,
            _ => self.head.stderr,
        }
    }

    /// Writes the null-terminated arrays `argv` and `envp` into `pointers`; also returns the unused rest of `pointers`.
    pub(crate) fn write_arrays<'p>(&self, pointers: &'p mut [usize]) -> Option<(Arrays, &'p mut [usize])> {
        let (argc, envc) = (self.head.argc as usize, self.head.envc as usize);
        let (argv, pointers) = pointers.split_at_mut_checked(argc + 1)?;
        let (envp, pointers) = pointers.split_at_mut_checked(envc + 1)?;
        for (index, slot) in argv.iter_mut().take(argc).chain(envp.iter_mut().take(envc)).enumerate() {
            *slot = self.bytes.get(self.offset(1 + index)?..)?.as_ptr() as usize;
        }
        *argv.last_mut()? = 0;
        *envp.last_mut()? = 0;
        Some((Arrays { argv: argv.as_ptr(), envp: envp.as_ptr() }, pointers))
    }

    fn strings(&self) -> usize {
        1 + self.head.argc as usize + self.head.envc as usize + OPTIONAL
    }

    fn optional(&self, index: usize) -> Option<&'a CStr> {
        self.string(self.strings() - OPTIONAL + index).filter(|text| !text.is_empty())
    }

    fn string(&self, index: usize) -> Option<&'a CStr> {
        CStr::from_bytes_until_nul(self.bytes.get(self.offset(index)?..)?).ok()
    }

    fn offset(&self, index: usize) -> Option<usize> {
        let at = JobHead::SIZE + index * size_of::<u32>();
        let offset = u32::from_le_bytes(*self.bytes.get(at..)?.first_chunk()?) as usize;
        (offset < self.bytes.len()).then_some(offset)
    }
}

/// The array arguments of `execve`.
#[derive(Clone, Copy)]
pub(crate) struct Arrays {
    pub(crate) argv: *const usize,
    pub(crate) envp: *const usize,
}
