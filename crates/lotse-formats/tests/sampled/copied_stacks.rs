//! Registers and stack bytes in perf.data, given to an unwinder.

use lotse_formats::unwind::{
    CopiedThread, FramePointer, MappedByte, MemoryMap, NOT_UNWOUND, Unwind, UserFrame, unwound,
};
use lotse_model::bytes::Memory as Bytes;

use super::check::{as_text, damage, read};
use super::perf_data::{entry, longs, words};

/// ip, thread, time, call chain, raw data, registers and stack.
const FIELDS: u64 = 1 | 2 | 4 | 32 | 1 << 10 | 1 << 12 | 1 << 13;

/// A clock whose samples have the fields of `--call-graph dwarf`; here only stack pointer (7) and ip (8) are copied.
fn attribute() -> Vec<u8> {
    let flags = 1 << 18 | 1 << 10;
    [words(&[1, 96]), longs(&[0, 999, FIELDS, 0, flags, 0, 0, 0, 0, 1 << 7 | 1 << 8, 64])].concat()
}

/// A sample in the kernel with a user stack of two words in room for four.
fn sample(abi: u64) -> Vec<u8> {
    let chain = [-128_i64 as u64, 0xffff_ffff_8000_0000, -512_i64 as u64];
    let head = [longs(&[0x40_0010]), words(&[7, 8]), longs(&[20, 3]), longs(&chain)].concat();
    let raw = words(&[4, 99]);
    let registers = if abi == 0 { longs(&[0]) } else { longs(&[abi, 0x7000, 0x40_0010]) };
    let stack = longs(&[32, 0x40_0021, 77, 0, 0, 16]);
    entry(9, 1, &[head, raw, registers, stack].concat())
}

fn file(abi: u64) -> Vec<u8> {
    let map = [words(&[7, 7]), longs(&[0x40_0000, 0x1000, 0x200]), b"/bin/prog\0\0\0\0\0\0\0".to_vec()];
    let map = entry(1, 2, &[map.concat(), words(&[7, 8]), longs(&[1])].concat());
    let (attribute, data) = ([attribute(), longs(&[0, 0])].concat(), [map, sample(abi)].concat());
    let header = longs(&[104, 112, 104, 112, 216, data.len() as u64, 0, 0, 0, 0, 0, 0]);
    [b"PERFILE2".to_vec(), header, attribute, data].concat()
}

/// An unwinder that takes the first word of the stack as the caller.
#[derive(Default)]
struct FirstWordUnwinder {
    asked: Vec<(Option<u64>, usize, bool, bool)>,
}

impl Unwind for FirstWordUnwinder {
    fn unwind(&mut self, thread: &CopiedThread<'_>, memory: &dyn MemoryMap) -> Vec<UserFrame> {
        self.asked.push((thread.register(7), thread.stack_length(), thread.is_cut, thread.is_64_bit));
        assert_eq!((thread.register(6), thread.stack_word(8), thread.stack_word(16)), (None, Some(77), None));
        let ip = thread.register(8).unwrap();
        let mapped = memory.at(ip).unwrap();
        assert_eq!((mapped.path, mapped.offset), ("/bin/prog", 0x210));
        let caller = thread.stack_word(0).unwrap();
        vec![UserFrame { address: ip, is_return: false }, UserFrame { address: caller, is_return: true }]
    }

    fn frame_pointer(&mut self, _at: &MappedByte<'_>) -> Option<FramePointer> {
        panic!("the chain has no user frames")
    }
}

fn unwind(bytes: &[u8]) -> (String, FirstWordUnwinder) {
    let mut first = FirstWordUnwinder::default();
    let reading = unwound(&Bytes { name: "-", bytes }, "perf-data", &mut first).unwrap().unwrap();
    reading.value.check().unwrap();
    (as_text(&reading), first)
}

#[test]
fn user_frames_are_callers_of_kernel_frames() {
    let (text, first) = unwind(&file(2));
    assert!(text.contains("0x220;0x210;0xffffffff80000000\n"), "{text}");
    assert!(!text.contains(NOT_UNWOUND), "{text}");
    assert_eq!(first.asked, [(Some(0x7000), 16, false, true)]);
}

#[test]
fn a_kernel_thread_has_no_user_stack() {
    let (text, first) = unwind(&file(0));
    assert!(text.contains(" 0xffffffff80000000\n"), "{text}");
    assert!(first.asked.is_empty());
}

#[test]
fn copied_stacks_without_an_unwinder_are_reported() {
    let reading = read(&file(2));
    assert!(reading.complete());
    assert!(reading.diagnostics.iter().any(|it| it.message == NOT_UNWOUND), "{:?}", reading.diagnostics);
    assert!(
        unwound(&Bytes { name: "-", bytes: b"PERFILE2" }, "perf-data", &mut FirstWordUnwinder::default())
            .is_none()
    );
}

#[test]
fn damaged_input() {
    damage(&file(2), "perf-data");
}
