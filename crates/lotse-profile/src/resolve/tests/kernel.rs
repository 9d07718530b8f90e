//! Addresses of a kernel and a module, with recorded files of a machine's kernel.

use lotse_model::Profile;
use lotse_model::bytes::Source;
use lotse_model::id::{FileId, ObjectId};
use lotse_model::profile::{AddressSpace, BuildId, Builder, EventType, Frame, Part, Unresolved};

use super::super::{Binaries, Files, resolve};

const KERNEL: &str = "[kernel.kallsyms]";
const MODULE: &str = "/lib/modules/6.1.0/kernel/drivers/net/virtio-net.ko.xz";

/// A machine whose kernel is at another address since the last boot.
struct Machine {
    build: &'static str,
    kallsyms: &'static str,
}

const KALLSYMS: &str = "ffffffff9a000000 T _text\nffffffff9a000100 T sys_read\nffffffff9a000200 T sys_write\n\
                        ffffffffc0700000 t probe\t[virtio_net]\nffffffffc0700080 t poll\t[virtio_net]\n";

impl Files for Machine {
    fn open(&self, _: &str) -> Option<Box<dyn Source>> {
        None
    }

    fn kernel_file(&self, path: &str) -> Option<Vec<u8>> {
        let note = || {
            let id = BuildId::parse(self.build).unwrap();
            let head = [4, id.bytes().len() as u32, 3].map(u32::to_ne_bytes).concat();
            [&head[..], b"GNU\0", id.bytes()].concat()
        };
        match path {
            "/sys/kernel/notes" | "/sys/module/virtio_net/notes/.note.gnu.build-id" => Some(note()),
            "/proc/kallsyms" => Some(self.kallsyms.as_bytes().to_vec()),
            "/proc/modules" => Some(b"virtio_net 61440 0 - Live 0xffffffffc0700000\n".to_vec()),
            _ => None,
        }
    }
}

/// One stack: the module calls the kernel at two places.
fn profile(build: Option<&str>) -> Profile {
    let build = build.and_then(BuildId::parse);
    let mut builder = Builder::new();
    builder.profile.events = vec![EventType::count("samples")];
    let mut stack = None;
    for (path, address, space) in [
        (MODULE, 0x90, AddressSpace::Kernel),
        (KERNEL, 0x120, AddressSpace::Kernel),
        (KERNEL, 0x210, AddressSpace::Kernel),
        (KERNEL, 0xffff_ffff_c0de_0000, AddressSpace::Linked),
    ] {
        let object: ObjectId = builder.object_of_build(path, build.as_ref());
        let function = builder.function(&format!("{address:#x}"), object, FileId(0));
        builder.profile.unresolved.push(Unresolved { function, address, extent: 1, space });
        let frame = builder.frame(Frame { function, file: FileId(0), line: 0, address, inlined: false });
        stack = Some(builder.stack(stack, frame));
    }
    let mut part = Part::new("1", 1, false);
    part.samples.stack.push(stack);
    part.samples.costs.push(&[1]);
    builder.profile.parts.push(part);
    builder.finish()
}

/// The stack, outermost first, and the notes.
fn resolved(recorded: Option<&str>, machine: &Machine) -> (Vec<String>, String) {
    let (profile, notes) = resolve(profile(recorded), &Binaries { files: machine, given: &[] });
    profile.check().unwrap();
    let frames = profile.stacks.frames(profile.parts[0].samples.stack[0]);
    let names = frames.map(|id| profile.function_name(profile.frames.get(id).function).to_owned());
    let mut names: Vec<String> = names.collect();
    names.reverse();
    (names, notes.join("\n"))
}

#[test]
fn the_recorded_kernel_and_its_modules_name_their_addresses() {
    let machine = Machine { build: "aa01", kallsyms: KALLSYMS };
    let (names, notes) = resolved(Some("aa01"), &machine);
    assert_eq!(names, ["poll", "sys_read", "sys_write", "kernel"]);
    assert!(notes.starts_with("1 address of [kernel.kallsyms]"), "{notes}");
}

#[test]
fn other_kernels_are_one_function_for_each_object() {
    let hidden = "0000000000000000 T _text\n0000000000000000 T sys_read\n";
    for (recorded, build, kallsyms, why) in [
        (Some("aa01"), "bb02", KALLSYMS, "was build aa01, and this machine has bb02"),
        (None, "aa01", KALLSYMS, "does not say which build"),
        (Some("aa01"), "aa01", hidden, "hides its addresses"),
        (Some("aa01"), "aa01", "", "lists no such functions"),
    ] {
        let (names, notes) = resolved(recorded, &Machine { build, kallsyms });
        assert_eq!(names, ["kernel", "kernel"], "{notes}");
        assert!(notes.contains("3 addresses of [kernel.kallsyms] are the one function `kernel`"), "{notes}");
        assert!(notes.contains(why), "no {why} in {notes}");
    }
}
