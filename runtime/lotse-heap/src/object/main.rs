//! Shifts the heap layout of a program before its `main`, and does nothing afterwards.
//!
//! Interposing `malloc` would add a cost to every call, and enlarging blocks made programs up to 20 % slower. This object
//! instead leaves the allocator in a state as if the program had already allocated and freed some blocks:
//!
//! 1. A block of 0 to 4,080 bytes, a multiple of 16, is kept: later blocks have other offsets in a cache line and in a page.
//! 2. Blocks of random sizes are allocated, and about half of them are freed in random order. The program's first blocks fill
//!    these holes, so that the distances between blocks of one size differ, too.
//! 3. A random number of inaccessible pages is mapped, which shifts later mappings such as large blocks and thread stacks.
//!
//! It calls the same `malloc` and `free` as the program itself. All symbols are weak: a program without them starts as usual.

#![no_std]
#![no_main]

mod symbols;

use core::ffi::{c_char, c_void};
use core::panic::PanicInfo;
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};

use symbols::Symbols;

/// The variable with the seed: its name and the equals sign.
const VARIABLE: &[u8] = b"LOTSE_HEAP=";
/// Number of hexadecimal digits of a seed.
const DIGITS: usize = 16;
/// Granularity of block sizes in bytes.
const STEP: usize = 16;
/// Number of possible offsets within a page.
const OFFSETS: usize = 4096 / STEP;
/// Number of blocks that become holes or separate them.
const BLOCKS: usize = 48;
/// Base-2 logarithm of the smallest block size in bytes.
const SMALLEST: usize = 4;
/// Base-2 logarithm of the upper limit of block sizes in bytes.
const LARGEST: usize = 12;
/// Maximum number of pages by which mappings are shifted.
const PAGES: usize = 512;
const PAGE: usize = 4096;

/// The blocks that are kept; they stay reachable, so that no leak is reported.
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

/// Allocates blocks of random sizes, and frees some of them in random order.
fn move_heap(allocator: &symbols::Allocator, random: &mut Random) {
    KEPT[0].store(allocator.allocate(random.below(OFFSETS) * STEP), Ordering::Relaxed);
    for (at, place) in KEPT[1..].iter().enumerate() {
        // The same number of blocks for every power of two, so that all layouts need about the same memory.
        let power = SMALLEST + at % (LARGEST - SMALLEST);
        let size = (1 << power) + random.below((1 << power) / STEP) * STEP;
        place.store(allocator.allocate(size), Ordering::Relaxed);
    }
    // `BLOCKS` draws with repetition: about three in five blocks are freed.
    for _ in 0..BLOCKS {
        let at = 1 + random.below(BLOCKS);
        if let Some(place) = KEPT.get(at) {
            allocator.release(place.swap(ptr::null_mut(), Ordering::Relaxed));
        }
    }
}

/// Finds the seed in a list of environment variables.
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
        // SAFETY: no byte before was zero, because all were equal to those of the name.
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

/// The generator SplitMix64 (Steele, Lea and Flood 2014): its state is one word, and it is good enough to draw sizes.
struct Random(u64);

impl Random {
    /// A random number below `limit`.
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
