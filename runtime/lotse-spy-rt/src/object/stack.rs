//! Call stacks: followed by frame pointers, numbered at the first sight.

use core::mem::MaybeUninit;

use lotse_wire::record::{Head, tag};
use lotse_wire::ring::STACKS;

use crate::frames::Entered;
use crate::process;
use crate::ring::Ring;

/// How many return addresses a stack has at most.
const DEEPEST: usize = 48;

type Addresses = [MaybeUninit<u64>; DEEPEST];

/// The number of the stack above a frame; the first return address is the frame's own.
pub(crate) fn number(ring: &mut Ring, frame: u64) -> u32 {
    number_up_to(ring, frame, |_, _| false)
}

/// The same for the function that is entered: only up to the first caller that had a guard and runs, for the reader knows
/// the callers of that one. Where records may be dropped the reader may not know them.
pub(crate) fn of_guard(ring: &mut Ring, frame: u64) -> u32 {
    if process::drops() { number(ring, frame) } else { number_up_to(ring, frame, Entered::leads_to) }
}

fn number_up_to(ring: &mut Ring, frame: u64, is_end: impl Fn(&mut Entered, u64) -> bool) -> u32 {
    let mut addresses = [const { MaybeUninit::uninit() }; DEEPEST];
    let (depth, hash) = follow(ring, frame, &mut addresses, is_end);
    let place = (hash >> 1) as usize % STACKS;
    let known = &mut ring.known_stacks[place];
    if known[0] == hash {
        return known[1] as u32;
    }
    let number = ring.stacks;
    ring.stacks += 1;
    *known = [hash, number];
    if !write(ring, number as u32, &addresses, depth) {
        // What was lost is written when the stack is met again.
        ring.known_stacks[place] = [0, 0];
    }
    number as u32
}

/// Return addresses, innermost first, as far as the frames lie on the thread's stack.
fn follow(
    ring: &mut Ring,
    mut frame: u64,
    addresses: &mut Addresses,
    is_end: impl Fn(&mut Entered, u64) -> bool,
) -> (usize, u64) {
    let (mut depth, mut hash) = (0, 0x243f_6a88_85a3_08d3_u64);
    for slot in addresses.iter_mut() {
        if frame < ring.stack_low || frame >= ring.stack_high - 16 || frame % 8 != 0 {
            break;
        }
        // SAFETY: both words lie within the stack of the calling thread.
        let [outer, address] = unsafe { *(frame as *const [u64; 2]) };
        if address == 0 {
            break;
        }
        slot.write(address);
        depth += 1;
        hash = (hash.rotate_left(5) ^ address).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        if outer <= frame || is_end(&mut ring.entered, outer) {
            break;
        }
        frame = outer;
    }
    // The upper bits of the product depend on the whole address, the lower ones do not. No stack has the hash 0.
    (depth, (hash ^ hash >> 32) | 1)
}

fn write(ring: &mut Ring, number: u32, addresses: &Addresses, depth: usize) -> bool {
    let head = Head { tag: tag::STACK, detail: 0, event: 0, counter: number };
    let mut words = [0; DEEPEST + 2];
    words[0] = head.word();
    words[1] = depth as u64;
    for (word, address) in words.iter_mut().skip(2).zip(addresses).take(depth) {
        // SAFETY: the first `depth` addresses were written.
        *word = unsafe { address.assume_init() };
    }
    let used = words.len().min(depth + 2);
    // SAFETY: at most the length of the array.
    ring.append_needed(unsafe { words.get_unchecked(..used) })
}
