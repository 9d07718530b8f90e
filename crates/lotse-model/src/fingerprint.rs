//! What a machine is, as far as it can change a measurement. Collected by `lotse-host`.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The machine and its settings when a measurement began. A field that could not be read is absent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct Fingerprint {
    /// Version of Lotse that measured.
    pub lotse: String,
    /// The machine's name in its network.
    pub host: Option<String>,
    /// Operating system and its version, as it calls itself.
    pub system: Option<String>,
    /// Kernel release.
    pub kernel: Option<String>,
    /// Instruction set, for example `x86_64`.
    pub architecture: String,
    /// The processor's name.
    pub processor: Option<String>,
    /// Microcode revision.
    pub microcode: Option<String>,
    /// Hardware threads this process may use.
    pub usable_cpus: Option<u32>,
    /// Hardware threads that are online.
    pub online_cpus: Option<u32>,
    /// Main memory in bytes.
    pub memory: Option<u64>,
    /// Page size in bytes.
    pub page_size: Option<u64>,
    /// Whether a hypervisor runs below.
    pub virtual_machine: Option<bool>,
    /// Frequency governor of the first CPU.
    pub governor: Option<String>,
    /// Whether the clock may rise above the nominal one.
    pub turbo: Option<bool>,
    /// Whether two threads share a core.
    pub smt: Option<bool>,
    /// Address space randomisation, the kernel's number (0 off, 1, 2 full).
    pub aslr: Option<u32>,
    /// The kernel's clock source.
    pub clock_source: Option<String>,
    /// Transparent huge pages, the mode in force.
    pub huge_pages: Option<String>,
    /// Load average over one minute when the measurement began.
    pub load: Option<f64>,
}

impl Fingerprint {
    /// Whether two results are comparable: the same hardware and kernel. Settings and load may differ.
    pub fn same_machine(&self, other: &Self) -> bool {
        let hardware = |f: &Self| (f.architecture.clone(), f.processor.clone(), f.online_cpus, f.memory);
        hardware(self) == hardware(other) && self.kernel == other.kernel
    }

    /// One line for the head of a report: host, processor, CPUs, kernel.
    pub fn summary(&self) -> String {
        let host = self.host.clone();
        let cpus = self.online_cpus.map(|cpus| format!("{cpus} CPUs"));
        let kernel = self.kernel.as_ref().map(|kernel| format!("kernel {kernel}"));
        let virtual_machine = (self.virtual_machine == Some(true)).then(|| "virtual machine".to_owned());
        let parts = [host, self.processor.clone(), cpus, kernel, virtual_machine];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::Fingerprint;

    #[test]
    fn load_does_not_make_another_machine() {
        let idle = Fingerprint { processor: Some("X".into()), load: Some(0.0), ..Fingerprint::default() };
        let busy = Fingerprint { load: Some(9.0), ..idle.clone() };
        assert!(idle.same_machine(&busy));
        assert!(!idle.same_machine(&Fingerprint { processor: Some("Y".into()), ..idle.clone() }));
    }

    #[test]
    fn the_summary_leaves_out_what_is_unknown() {
        let known =
            Fingerprint { processor: Some("X".into()), online_cpus: Some(2), ..Fingerprint::default() };
        assert_eq!(known.summary(), "X, 2 CPUs");
        assert_eq!(Fingerprint::default().summary(), "");
    }
}
