//! Moves the heap of a program before its `main`, and does nothing afterwards.
//!
//! Interposing `malloc` would cost something at every call, and adding bytes to blocks made programs up to 20 % slower. This
//! object instead leaves the allocator in a state as if the program had already allocated and freed blocks of its own:
//!
//! 1. A block of 0 to 4,080 bytes, a multiple of 16, is kept: all that follows begins at another place of a line and of a page.
//! 2. Blocks of random sizes are allocated, and a random half of them is given back in random order. The program's first blocks
//!    fill these holes, so that the distances between blocks of one size differ too.
//! 3. A random number of pages without access is mapped, which moves what is mapped later, such as large blocks and threads' stacks.
//!
//! It calls the `malloc` and `free` that the program itself calls, whichever they are. All symbols are weak: a program
//! without them starts as it would.

#![no_std]
#![no_main]

mod symbols;

use core::ffi::{c_char, c_void};
use core::panic::PanicInfo;
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};

use symbols::Symbols;

/// Name and sign of the variable with the seed.
const VARIABLE: &[u8] = b"LOTSE_HEAP=";
/// Hexadecimal digits of a seed.
const DIGITS: usize = 16;
/// The granularity of blocks.
const STEP: usize = 16;
/// Offsets within a page.
const OFFSETS: usize = 4096 / STEP;
/// Blocks that make and border holes.
const BLOCKS: usize = 48;
/// They have at least 2 to this power bytes.
const SMALLEST: usize = 4;
/// They have fewer than 2 to this power bytes.
const LARGEST: usize = 12;
/// Pages that the mapped area moves by at most.
const PAGES: usize = 512;
const PAGE: usize = 4096;

/// What is kept stays reachable, so that no leak is reported.
static KEPT: [AtomicPtr<c_void>; BLOCKS + 1] = [const { AtomicPtr::new(ptr::null_mut()) }; BLOCKS + 1];

#[used]
#[unsafe(link_section = ".init_array")]
static INITIALISE: extern "C" fn() = initialise;

extern "C" fn initialise() {
    let symbols = Symbols::find();
    // SAFETY: the C library keeps `environ` valid, and no other thread runs yet.
    let Some(seed) = symbols.environment().and_then(|list| unsafe { seed(list) }) else { return };
    let mut random = Random(seed);
    let pages = 1 + random.below(PAGES);
    symbols.reserve(pages * PAGE);
    if let Some(allocator) = symbols.allocator() {
        move_heap(&allocator, &mut random);
    }
}

fn move_heap(allocator: &symbols::Allocator, random: &mut Random) {
    KEPT[0].store(allocator.allocate(random.below(OFFSETS) * STEP), Ordering::Relaxed);
    for (at, place) in KEPT[1..].iter().enumerate() {
        // As many blocks of every power of two, so that all layouts need about as much memory.
        let power = SMALLEST + at % (LARGEST - SMALLEST);
        let size = (1 << power) + random.below((1 << power) / STEP) * STEP;
        place.store(allocator.allocate(size), Ordering::Relaxed);
    }
    // As many draws as there are blocks, some of them drawn twice: about three in five are given back.
    for _ in 0..BLOCKS {
        let at = 1 + random.below(BLOCKS);
        if let Some(place) = KEPT.get(at) {
            allocator.release(place.swap(ptr::null_mut(), Ordering::Relaxed));
        }
    }
}

/// The seed in a list of variables.
///
/// # Safety
/// The list ends with a null pointer, and its strings with a zero.
unsafe fn seed(mut list: *const *const c_char) -> Option<u64> {
    // SAFETY: as promised; reading stops at the end of the list.
    unsafe {
        while !(*list).is_null() {
            if let Some(seed) = seed_of((*list).cast()) {
                return Some(seed);
            }
            list = list.add(1);
        }
    }
    None
}

/// The seed, if this is its variable.
///
/// # Safety
/// The string ends with a zero.
unsafe fn seed_of(text: *const u8) -> Option<u64> {
    for (at, &expected) in VARIABLE.iter().enumerate() {
        // SAFETY: no byte before was zero, for none of the name is.
        if unsafe { *text.add(at) } != expected {
            return None;
        }
    }
    let mut seed = 0;
    for at in 0..DIGITS {
        // SAFETY: all bytes before were digits.
        let digit = unsafe { *text.add(VARIABLE.len() + at) };
        seed = seed << 4 | u64::from((digit as char).to_digit(16)?);
    }
    Some(seed)
}

/// SplitMix64 (Steele, Lea and Flood 2014): a state of one word, and good enough to draw sizes.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        // The upper bits of a product instead of a remainder, which would need a division.
        ((u128::from(mixed ^ mixed >> 31) * limit as u128) >> 64) as usize
    }
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    loop {
        core::hint::spin_loop();
    }
}
