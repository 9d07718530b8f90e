//! Which machine and which versions a result belongs to.

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::tools::Tools;
use crate::workshop::Workshop;

/// The machine without its momentary state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// Name of the processor.
    pub processor: Option<String>,
    /// CPUs that are online.
    pub cpus: Option<u32>,
    /// CPUs this process may use.
    pub usable_cpus: Option<u32>,
    /// Kernel release.
    pub kernel: Option<String>,
    /// Main memory in bytes.
    pub memory: Option<u64>,
    /// Whether a hypervisor runs below.
    pub virtual_machine: Option<bool>,
}

impl Machine {
    /// This one.
    pub fn this() -> Self {
        let seen = lotse_host::fingerprint(env!("CARGO_PKG_VERSION"));
        Self {
            processor: seen.processor,
            cpus: seen.online_cpus,
            usable_cpus: seen.usable_cpus,
            kernel: seen.kernel,
            memory: seen.memory,
            virtual_machine: seen.virtual_machine,
        }
    }

    /// One line.
    pub fn summary(&self) -> String {
        let processor = self.processor.as_deref().unwrap_or("unknown processor");
        let cpus = self.cpus.map_or_else(String::new, |cpus| format!(", {cpus} CPUs"));
        let kernel = self.kernel.as_ref().map_or_else(String::new, |kernel| format!(", kernel {kernel}"));
        let below = if self.virtual_machine == Some(true) { ", virtual machine" } else { "" };
        format!("{processor}{cpus}{kernel}{below}")
    }
}

/// The load average over one minute, where the system tells.
pub fn load_average() -> Option<f64> {
    lotse_host::fingerprint("").load
}

/// The versions of all tools.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Versions {
    /// What `lotse --version` says.
    pub lotse: String,
    /// Digest of Lotse's file: its version alone does not change with every build.
    pub lotse_file: String,
    /// What `hyperfine --version` says, where there is one.
    pub hyperfine: Option<String>,
    /// The first line of `gcc --version`.
    pub gcc: String,
    /// How this benchmark itself was built.
    pub profile: String,
}

impl Versions {
    /// Runs all tools to get their versions.
    pub fn query(tools: &Tools, workshop: &mut Workshop) -> Result<Self, Error> {
        let profile = if cfg!(debug_assertions) { "debug" } else { "release" };
        Ok(Self {
            lotse: tools.lotse.version(workshop)?,
            lotse_file: tools.lotse.digest()?,
            hyperfine: tools.hyperfine.as_ref().map(|it| it.version.clone()),
            gcc: workshop.compiler_version()?,
            profile: profile.to_owned(),
        })
    }

    /// One line.
    pub fn summary(&self) -> String {
        let hyperfine = self.hyperfine.as_deref().unwrap_or("no hyperfine");
        format!("{}, {hyperfine}, {}, {} build", self.lotse, self.gcc, self.profile)
    }
}

/// FNV-1a with 64 bits: distinguishes builds; not cryptographic.
pub fn digest(bytes: &[u8]) -> String {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    let hash = bytes.iter().fold(OFFSET, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(PRIME));
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use super::{Machine, digest};

    /// The published test vectors of FNV-1a.
    #[test]
    fn digests_are_fnv_1a() {
        assert_eq!(digest(b""), "cbf29ce484222325");
        assert_eq!(digest(b"a"), "af63dc4c8601ec8c");
        assert_eq!(digest(b"foobar"), "85944171f73967e8");
    }

    #[test]
    fn the_summary_leaves_out_what_is_unknown() {
        let known = Machine {
            processor: Some("X".into()),
            cpus: Some(2),
            usable_cpus: None,
            kernel: None,
            memory: None,
            virtual_machine: Some(true),
        };
        assert_eq!(known.summary(), "X, 2 CPUs, virtual machine");
    }
}
