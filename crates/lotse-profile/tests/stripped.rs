//! Addresses in a stripped library: one nameless function is one row, with the same name in every run.
//!
//! Needs gcc and strip; without them, the test is skipped with a message.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::path::Path;
use std::process::Command;

use lotse_host::FileSource;
use lotse_model::Profile;
use lotse_model::bytes::Source;
use lotse_model::id::FileId;
use lotse_model::profile::{AddressSpace, Builder, EventType, Frame, Part, Unresolved};
use lotse_profile::resolve::{Binaries, Files, resolve};
use lotse_symbols::Binary;

const C: &str = "
static __attribute__((noinline)) long low(long x) { for (int i = 0; i < 99; i++) x = x * 31 + i; return x; }
static __attribute__((noinline)) long high(long x) { for (int i = 0; i < 77; i++) x = x * 37 ^ i; return low(x); }
long shown(long x) { return high(x) + low(x); }
";

struct Disk;

impl Files for Disk {
    fn open(&self, path: &str) -> Option<Box<dyn Source>> {
        FileSource::open(path).ok().map(|source| Box::new(source) as Box<dyn Source>)
    }
}

/// Makes a library, and gives the first and the last address of its functions `low` and `high`; then strips it.
fn stripped_library(path: &Path) -> [(u64, u64); 2] {
    let source = path.with_extension("c");
    std::fs::write(&source, C).unwrap();
    let run = |command: &mut Command| assert!(command.status().unwrap().success(), "{command:?}");
    run(Command::new("gcc").args(["-O1", "-shared", "-fPIC", "-o"]).arg(path).arg(&source));
    let bytes = std::fs::read(path).unwrap();
    let binary = Binary::parse(&bytes).unwrap();
    let functions = ["low", "high"].map(|name| {
        let function = binary.function_named(name).unwrap();
        (function.address, function.range().end - 1)
    });
    run(Command::new("strip").arg("--strip-all").arg(path));
    functions
}

/// A profile with a sample at each address of a library.
fn sampled(library: &Path, addresses: &[u64]) -> Profile {
    let mut builder = Builder::new();
    builder.profile.events = vec![EventType::count("samples")];
    let object = builder.object(library.to_str().unwrap());
    let mut part = Part::new("1", 1, false);
    for &address in addresses {
        let function = builder.function(&format!("{address:#x}"), object, FileId(0));
        builder.profile.unresolved.push(Unresolved {
            function,
            address,
            extent: 1,
            space: AddressSpace::Linked,
        });
        let frame = builder.frame(Frame { function, file: FileId(0), line: 0, address, inlined: false });
        let stack = builder.stack(None, frame);
        part.samples.stack.push(Some(stack));
        part.samples.costs.push(&[1]);
    }
    builder.profile.parts.push(part);
    builder.finish()
}

/// The names of the functions of all samples.
fn names(profile: &Profile) -> Vec<String> {
    let name = |stack| {
        let frame = profile.stacks.frames(stack).next().unwrap();
        profile.function_name(profile.frames.get(frame).function).to_owned()
    };
    profile.parts[0].samples.stack.iter().map(|&stack| name(stack)).collect()
}

#[test]
fn a_nameless_function_is_one_row() {
    if !test_support::have_programs(&["gcc", "strip"]) {
        return test_support::skip_missing("gcc and strip");
    }
    let folder = tempfile::tempdir().unwrap();
    let library = folder.path().join("libquiet.so.1");
    let [low, high] = stripped_library(&library);
    let nowhere = 0x7fff_0000;
    let (profile, notes) = resolve(
        sampled(&library, &[low.0, low.1, high.0 + 4, high.1, nowhere]),
        &Binaries { files: &Disk, given: &[] },
    );
    profile.check().unwrap();
    let (low, high) = (format!("libquiet.so.1+{:#x}", low.0), format!("libquiet.so.1+{:#x}", high.0));
    assert_eq!(names(&profile), [low.clone(), low, high.clone(), high, format!("{nowhere:#x}")]);
    assert_eq!(profile.unresolved.len(), 1, "where nothing describes the code, the address stays");
    assert!(
        notes[0].contains("named by their place") && notes[0].contains("1 address keeps no name"),
        "{notes:?}"
    );
}
