//! Symbolises addresses of the kernel.
//!
//! Names come from the running kernel and its modules, which must be the recorded builds. Otherwise all addresses of an
//! object become one function, because thousands of nameless rows would hide the rest of the profile.

use lotse_model::profile::{AddressSpace, BuildId, Unresolved};
use lotse_symbols::kernel::build_id_of_notes;
use lotse_symbols::{Identity, KernelSymbols};

use super::files::Files;
use super::lookup::{CodeFrames, NamedFrame, ResolvedAddress, ResolvedAddresses};
use super::wanted::WantedBinary;
use crate::report::base_name;

/// The name of the kernel itself in perf's files.
const KERNEL: &str = "[kernel.kallsyms]";
/// The function for all addresses without a name.
const NAMELESS: &str = "kernel";

/// Why the running kernel cannot be used to name addresses.
#[derive(Debug, thiserror::Error)]
enum NoKernelNames {
    #[error("the profile does not say which build of {0} it was recorded with")]
    NotStated(String),
    #[error("{object} was build {recorded}, and this machine has {here}")]
    Other { object: String, recorded: BuildId, here: String },
    #[error("this machine does not show the build of its {0}")]
    NotShown(String),
    #[error("/proc/kallsyms: {0}; root may read it, or everybody after `sysctl kernel.kptr_restrict=0`")]
    Symbols(#[from] lotse_symbols::kernel::NoKernelSymbols),
    #[error("/proc/kallsyms cannot be read")]
    Unreadable,
}

/// Whether the addresses belong to the kernel or a module.
pub(super) fn is_kernel(wanted: &WantedBinary<'_>, waiting: &[Unresolved]) -> bool {
    wanted.path == Some(KERNEL) || waiting.iter().any(|it| it.space == AddressSpace::Kernel)
}

/// Resolves all addresses of the kernel or of a module.
pub(super) fn resolve(
    files: &dyn Files,
    wanted: &WantedBinary<'_>,
    waiting: &[Unresolved],
    found: &mut ResolvedAddresses,
) {
    let name = wanted.name();
    let kallsyms =
        files.kernel_file("/proc/kallsyms").map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let modules =
        files.kernel_file("/proc/modules").map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let symbols = check_build(files, wanted).and_then(|()| {
        let kallsyms = kallsyms.as_deref().ok_or(NoKernelNames::Unreadable)?;
        Ok(match name {
            KERNEL => KernelSymbols::of_kernel(kallsyms)?,
            module => {
                KernelSymbols::of_module(kallsyms, modules.as_deref().unwrap_or(""), &module_name(module))?
            }
        })
    });
    let mut nameless = 0_usize;
    for it in waiting {
        let symbols = symbols.as_ref().ok().filter(|_| it.space == AddressSpace::Kernel);
        let function = symbols.and_then(|symbols| symbols.function_at(it.address));
        nameless += usize::from(function.is_none());
        let answer = function.map_or_else(
            || ResolvedAddress::Whole(NAMELESS.to_owned()),
            |name| resolved_as(it.address, name),
        );
        found.answers.insert(it.function, answer);
    }
    let why = match symbols {
        Err(why) => why.to_string(),
        Ok(_) => "they lie outside of the code it lists".to_owned(),
    };
    if nameless > 0 {
        let addresses = if nameless == 1 { "1 address".to_owned() } else { format!("{nameless} addresses") };
        found.notes.push(format!("{addresses} of {name} are the one function `{NAMELESS}`: {why}"));
    }
}

fn resolved_as(address: u64, name: &str) -> ResolvedAddress {
    let unknown = || (String::new(), 0);
    let frames = vec![NamedFrame { name: name.to_owned(), defined: unknown(), place: unknown() }];
    ResolvedAddress::Point(CodeFrames { address, frames })
}

/// Checks that the recorded kernel or module is the one that runs here.
fn check_build(files: &dyn Files, wanted: &WantedBinary<'_>) -> Result<(), NoKernelNames> {
    let object = wanted.name().to_owned();
    let notes = match wanted.name() {
        KERNEL => "/sys/kernel/notes".to_owned(),
        module => format!("/sys/module/{}/notes/.note.gnu.build-id", module_name(module)),
    };
    let Some(recorded) = wanted.build else { return Err(NoKernelNames::NotStated(object)) };
    let notes = files.kernel_file(&notes);
    let here = notes.as_deref().and_then(build_id_of_notes).and_then(BuildId::new);
    match here {
        None => Err(NoKernelNames::NotShown(object)),
        Some(here) if Identity::of_build(here.bytes()).is_build(recorded.bytes()) => Ok(()),
        Some(here) => {
            Err(NoKernelNames::Other { object, recorded: recorded.clone(), here: here.to_string() })
        }
    }
}

/// `virtio_net` of `[virtio_net]` or `/lib/modules/6.1.0/kernel/drivers/net/virtio-net.ko.xz`.
fn module_name(object: &str) -> String {
    let name = base_name(object).trim_start_matches('[').trim_end_matches(']');
    let name = name.split_once(".ko").map_or(name, |(name, _)| name);
    name.replace('-', "_")
}

#[cfg(test)]
mod tests {
    use super::module_name;

    #[test]
    fn modules_are_named_as_the_kernel_does() {
        assert_eq!(module_name("[virtio_net]"), "virtio_net");
        assert_eq!(module_name("/lib/modules/6.1/kernel/net/virtio-net.ko.xz"), "virtio_net");
    }
}
