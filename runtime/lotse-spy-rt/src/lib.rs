//! The object file that is linked into recorded programs, as bytes.
//!
//! `build.rs` compiles `src/object`, which depends only on the C library and is not instrumented itself. The crates of the
//! recorded program are compiled with callbacks into it. `src/object/main.rs` describes what it guarantees.

/// The object file; empty on other platforms ([`SUPPORTED`]).
pub const OBJECT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/lotse-spy-rt.o"));

/// Whether this build has the object: Linux on x86-64 and aarch64.
pub const SUPPORTED: bool =
    cfg!(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")));

/// Functions whose calls the linker must redirect to the object (`--wrap`).
pub const WRAPPED: [&str; 6] = ["malloc", "calloc", "realloc", "free", "posix_memalign", "aligned_alloc"];

#[cfg(test)]
mod tests {
    use super::{OBJECT, SUPPORTED};

    #[test]
    fn the_object_is_small() {
        assert_eq!(SUPPORTED, OBJECT.starts_with(b"\x7fELF"));
        assert!(OBJECT.len() < 128 * 1024, "{} bytes", OBJECT.len());
    }
}
