//! Call stacks: followed by frame pointers, numbered at the first sight.

use lotse_wire::record::{Head, tag};
use lotse_wire::ring::STACKS;

use crate::ring::Ring;

/// How many return addresses a stack has at most.
const DEEPEST: usize = 48;

/// The number of the stack above a frame; the first return address is the frame's own.
pub(crate) fn number(ring: &mut Ring, frame: u64) -> u32 {
    let mut addresses = [0; DEEPEST];
    let (depth, hash) = follow(ring, frame, &mut addresses);
    let known = &mut ring.known_stacks[hash as usize % STACKS];
    if known[0] == hash {
        return known[1] as u32;
    }
    let number = ring.stacks;
    ring.stacks += 1;
    *known = [hash, number];
    if !write(ring, number as u32, &addresses, depth) {
        // What was lost is written when the stack is met again.
        ring.known_stacks[hash as usize % STACKS] = [0, 0];
    }
    number as u32
}

/// Return addresses, innermost first, as far as the frames lie on the thread's stack.
fn follow(ring: &Ring, mut frame: u64, addresses: &mut [u64; DEEPEST]) -> (usize, u64) {
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
        *slot = address;
        depth += 1;
        hash = (hash.rotate_left(5) ^ address).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        if outer <= frame {
            break;
        }
        frame = outer;
    }
    (depth, hash | 1)
}

fn write(ring: &mut Ring, number: u32, addresses: &[u64; DEEPEST], depth: usize) -> bool {
    let head = Head { tag: tag::STACK, detail: 0, event: 0, counter: number };
    let mut words = [0; DEEPEST + 2];
    words[0] = head.word();
    words[1] = depth as u64;
    for (word, address) in words.iter_mut().skip(2).zip(addresses) {
        *word = *address;
    }
    let used = words.len().min(depth + 2);
    // SAFETY: at most the length of the array.
    ring.append_needed(unsafe { words.get_unchecked(..used) })
}
