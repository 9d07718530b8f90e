//! The shared object that moves the heap of a measured program, as bytes.
//!
//! `build.rs` compiles `src/object` without the standard library. The dynamic loader loads it into a program
//! (`LD_PRELOAD`); before `main` it brings the program's allocator into a state drawn from a seed, and does nothing
//! afterwards. `src/object/main.rs` describes what it guarantees.

/// The shared object; empty on other platforms ([`SUPPORTED`]).
pub const IMAGE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/lotse-heap.so"));

/// Whether this build has the object: Linux on x86-64 and aarch64.
pub const SUPPORTED: bool =
    cfg!(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")));

/// The variable that holds the seed, as 16 hexadecimal digits. Without it the object does nothing.
pub const SEED_VARIABLE: &str = "LOTSE_HEAP";

/// Maximum number of heap bytes that the object allocates, including those that it frees again.
pub const MOST_BYTES: u64 = 56 * 1024;

#[cfg(test)]
mod tests {
    use super::{IMAGE, SUPPORTED};

    #[test]
    fn the_object_is_small() {
        assert_eq!(SUPPORTED, IMAGE.starts_with(b"\x7fELF"));
        assert!(IMAGE.len() < 16 * 1024, "{} bytes", IMAGE.len());
    }
}
