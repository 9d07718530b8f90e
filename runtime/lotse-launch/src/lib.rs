//! The small static process that spawns every run, and its message format.
//!
//! `ru_maxrss` survives `exec`, so a program spawned by a big process looks big. All runs are therefore
//! spawned by one long-lived launcher of a few pages, `src/program`, which `build.rs` compiles without the
//! standard library and which this crate contains as bytes. `lotse-host` starts it and exchanges [`wire`] messages with it.
//!
//! The launcher guarantees: each run has a process group of its own; no process that a run started is alive when
//! its answer is sent; if Lotse dies, the run is killed and the launcher exits.

pub mod wire;

/// The launcher's executable file; empty on other platforms ([`SUPPORTED`]).
pub const IMAGE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/lotse-launch"));

/// Whether this build has a launcher: Linux on x86-64 and aarch64.
pub const SUPPORTED: bool =
    cfg!(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")));

#[cfg(test)]
mod tests {
    use super::{IMAGE, SUPPORTED, wire};

    #[test]
    fn the_image_is_a_small_executable() {
        assert_eq!(SUPPORTED, IMAGE.starts_with(b"\x7fELF"));
        assert!(IMAGE.len() < 64 * 1024, "{} bytes", IMAGE.len());
    }

    #[test]
    fn records_survive_a_round_trip() {
        let head = wire::JobHead { length: 7, cpu: wire::ANY_CPU, timeout: wire::NONE, ..Default::default() };
        let bytes = head.encode();
        assert_eq!(bytes.len(), wire::JobHead::SIZE);
        assert_eq!(wire::JobHead::decode(&bytes), Some(head));
        assert_eq!(wire::JobHead::decode(&bytes[1..]), None);
    }

    #[test]
    fn records_have_no_holes_and_keep_their_numbers_aligned() {
        for size in [wire::JobHead::SIZE, wire::RunAnswer::SIZE, wire::CounterReading::SIZE] {
            assert_eq!(size % 8, 0);
        }
        assert_eq!(wire::RunAnswer::SIZE, 40 + 18 * 8);
    }
}
