//! Differences between this machine and the one on which a package was made.

use lotse_host::package::Need;
use lotse_model::Fingerprint;

use super::{Manifest, Unmet};

impl Manifest {
    /// Differences of the machines and of the needed files, one line each.
    pub fn differences(&self, here: &Fingerprint) -> Vec<String> {
        let machine = self.machine.as_ref().map_or_else(Vec::new, |packed| machine_differences(packed, here));
        machine.into_iter().chain(self.unmet().iter().map(sentence)).collect()
    }
}

fn machine_differences(packed: &Fingerprint, here: &Fingerprint) -> Vec<String> {
    let number = |value: Option<u32>| value.map(|value| value.to_string());
    let memory = |it: &Fingerprint| it.memory.map(|bytes| lotse_report::number::format_bytes(bytes as f64));
    let fields = [
        ("processor", packed.processor.clone(), here.processor.clone()),
        ("architecture", Some(packed.architecture.clone()), Some(here.architecture.clone())),
        ("CPUs", number(packed.online_cpus), number(here.online_cpus)),
        ("memory", memory(packed), memory(here)),
        ("kernel", packed.kernel.clone(), here.kernel.clone()),
        ("system", packed.system.clone(), here.system.clone()),
        ("governor", packed.governor.clone(), here.governor.clone()),
        ("version of Lotse", Some(packed.lotse.clone()), Some(here.lotse.clone())),
    ];
    let differs = fields.into_iter().filter(|(_, packed, here)| packed != here);
    let word = |value: Option<String>| value.unwrap_or_else(|| "unknown".to_owned());
    differs
        .map(|(name, packed, here)| format!("{name}: {} there, {} here", word(packed), word(here)))
        .collect()
}

fn sentence(unmet: &Unmet) -> String {
    let package = |need: &Need| match (&need.package, &need.version) {
        (Some(package), Some(version)) => format!(" (package {package} {version})"),
        _ => String::new(),
    };
    match unmet {
        Unmet::Missing(need) => format!("{} is not here{}", need.path, package(need)),
        Unmet::Other { packed, here } if packed.version != here.version => {
            format!("{} is another one: {} there,{} here", packed.path, package(packed).trim(), package(here))
        }
        Unmet::Other { packed, .. } => format!("{} has another content", packed.path),
    }
}

#[cfg(test)]
mod tests {
    use lotse_host::package::{Need, need};
    use lotse_model::Fingerprint;

    use super::Manifest;

    #[test]
    fn only_differences_are_listed() {
        let machine = |kernel: &str| Fingerprint { kernel: Some(kernel.into()), ..Fingerprint::default() };
        let shell = need(std::path::Path::new("/bin/sh"));
        let missing = Need {
            path: "/no/such".into(),
            package: Some("p".into()),
            version: Some("1".into()),
            ..Need::default()
        };
        let other = Need { sha256: Some("00".into()), ..shell.clone() };
        let manifest = Manifest {
            machine: Some(machine("6.1")),
            needs: vec![shell, missing, other],
            ..Manifest::default()
        };
        let expected = ["/no/such is not here (package p 1)", "/bin/sh has another content"];
        assert_eq!(manifest.differences(&machine("6.1")), expected);
        assert_eq!(manifest.differences(&machine("6.2"))[0], "kernel: 6.1 there, 6.2 here");
    }
}
