//! Call stacks: walked along frame pointers, and numbered when they first occur.

use core::mem::MaybeUninit;

use lotse_wire::record::{Head, tag};
use lotse_wire::ring::STACKS;

use crate::frames::EnteredFrames;
use crate::process;
use crate::ring::Ring;

/// Maximum number of return addresses of a stack.
const DEEPEST: usize = 48;

type Addresses = [MaybeUninit<u64>; DEEPEST];

/// The number of the complete call stack of a frame; the first return address is that of the frame itself.
pub(crate) fn full_stack(ring: &mut Ring, frame: u64) -> u32 {
    number_up_to(ring, frame, |_, _| false)
}

/// The number of the call stack of a function that is entered: only up to the first caller that is known to be running, because
/// the reader knows the callers of that one. If records may be dropped, the reader may not know them, and the stack is complete.
pub(crate) fn guard_stack(ring: &mut Ring, frame: u64) -> u32 {
    if process::drops() {
        full_stack(ring, frame)
    } else {
        number_up_to(ring, frame, EnteredFrames::leads_to)
    }
}

/// The number of the stack of a frame up to the first outer frame for which `is_end` holds. Known stacks are found by hash; a
/// new one gets a number and is written.
fn number_up_to(ring: &mut Ring, frame: u64, is_end: impl Fn(&mut EnteredFrames, u64) -> bool) -> u32 {
    let mut addresses = [const { MaybeUninit::uninit() }; DEEPEST];
    let (depth, hash) = walk_frames(ring, frame, &mut addresses, is_end);
    let place = (hash >> 1) as usize % STACKS;
    let known = &mut ring.known_stacks[place];
    if known[0] == hash {
        return known[1] as u32;
    }
    let number = ring.stacks;
    ring.stacks += 1;
    *known = [hash, number];
    if !write(ring, number as u32, &addresses, depth) {
        // A stack whose record was lost is written when it occurs again.
        ring.known_stacks[place] = [0, 0];
    }
    number as u32
}

/// Walks the frames as long as they are on the thread's stack. Fills in the return addresses, innermost first, and returns their
/// number and a hash.
fn walk_frames(
    ring: &mut Ring,
    mut frame: u64,
    addresses: &mut Addresses,
    is_end: impl Fn(&mut EnteredFrames, u64) -> bool,
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
    ring.append_essential(unsafe { words.get_unchecked(..used) })
}
