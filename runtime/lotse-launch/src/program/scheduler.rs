//! Scheduler statistics from `/proc` of an ended process that was not reaped yet.
//!
//! Both files are about the main thread only; the kernel has no such sums for a whole process.

use core::ffi::CStr;

use crate::syscall::{self, O_RDONLY};

/// Nanoseconds that the main thread was runnable but had no CPU: the second number of `schedstat`.
pub(crate) fn run_delay(pid: i32) -> Option<u64> {
    let mut text = [0; 128];
    let text = read(pid, b"/schedstat", &mut text)?;
    number(text.split(|byte| *byte == b' ').nth(1)?)
}

/// How often the main thread moved to another CPU.
pub(crate) fn migrations(pid: i32) -> Option<u64> {
    const NAME: &[u8] = b"nr_migrations";
    let mut text = [0; 2048];
    let text = read(pid, b"/sched", &mut text)?;
    let line =
        text.split(|byte| *byte == b'\n').find(|line| line.windows(NAME.len()).any(|it| it == NAME))?;
    number(line.rsplit(|byte| *byte == b' ').next()?)
}

/// The parent of a process.
pub(crate) fn parent(pid: i32) -> Option<i32> {
    let mut text = [0; 512];
    let text = read(pid, b"/stat", &mut text)?;
    // The name may hold spaces and parentheses, but what follows the last ")" may not.
    let after_name = text.rsplit(|byte| *byte == b')').next()?;
    number(after_name.split(|byte| *byte == b' ').nth(2)?).map(|pid| pid as i32)
}

/// Parses a decimal number without any other characters.
pub(crate) fn number(text: &[u8]) -> Option<u64> {
    if text.is_empty() {
        return None;
    }
    text.iter().try_fold(0u64, |sum, byte| {
        let digit = byte.checked_sub(b'0').filter(|digit| *digit < 10)?;
        sum.checked_mul(10)?.checked_add(u64::from(digit))
    })
}

/// Reads the beginning of the file `/proc/PID` + `name`.
fn read<'a>(pid: i32, name: &[u8], into: &'a mut [u8]) -> Option<&'a [u8]> {
    let mut path = [0; 40];
    let mut digits = [0; 10];
    let slots = path.iter_mut().rev().skip(1).rev();
    for (slot, byte) in slots.zip(b"/proc/".iter().chain(decimal(pid, &mut digits)).chain(name)) {
        *slot = *byte;
    }
    let fd = syscall::open(CStr::from_bytes_until_nul(&path).ok()?, O_RDONLY).ok()?;
    let count = syscall::read(fd, into);
    syscall::close(fd);
    into.get(..count.ok()?)
}

fn decimal(number: i32, digits: &mut [u8; 10]) -> &[u8] {
    let mut rest = number.unsigned_abs();
    let mut first = digits.len();
    for (at, digit) in digits.iter_mut().enumerate().rev() {
        *digit = b'0' + (rest % 10) as u8;
        rest /= 10;
        first = at;
        if rest == 0 {
            break;
        }
    }
    &digits[first..]
}
