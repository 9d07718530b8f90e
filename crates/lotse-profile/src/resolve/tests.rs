//! Profiles of addresses, resolved by answers written by hand and by a small program.

use lotse_model::Profile;
use lotse_model::bytes::{Memory, Source};
use lotse_model::id::{FileId, FunctionId, ObjectId, PartId};
use lotse_model::profile::{AddressSpace, Builder, Details, EventType, Frame, Part, Unresolved};

use super::lookup::{CodeFrames, NamedFrame, RangePiece, ResolvedAddress, ResolvedAddresses};
use super::rebuild::rebuild;
use super::{Binaries, Files, resolve};

mod elf;
mod kernel;

fn named(name: &str, line: u32) -> NamedFrame {
    NamedFrame { name: name.to_owned(), defined: ("a.c".to_owned(), 1), place: ("a.c".to_owned(), line) }
}

fn code(address: u64, frames: &[(&str, u32)]) -> CodeFrames {
    CodeFrames { address, frames: frames.iter().map(|&(name, line)| named(name, line)).collect() }
}

/// Placeholder functions for addresses of an object.
fn waiting(builder: &mut Builder, object: ObjectId, ranges: &[(u64, u64)]) -> Vec<FunctionId> {
    let mut functions = Vec::new();
    for &(address, extent) in ranges {
        let function = builder.function(&format!("{address:#x}"), object, FileId(0));
        let space = AddressSpace::Linked;
        builder.profile.unresolved.push(Unresolved { function, address, extent, space });
        functions.push(function);
    }
    functions
}

fn names(profile: &Profile, functions: &[FunctionId]) -> Vec<String> {
    functions.iter().map(|&it| profile.function_name(it).to_owned()).collect()
}

#[test]
fn stacks_grow_by_what_was_inlined() {
    let mut builder = Builder::new();
    builder.profile.events = vec![EventType::count("samples")];
    let object = builder.object("prog");
    let functions = waiting(&mut builder, object, &[(0x10, 1), (0x20, 1), (0x30, 1)]);
    let mut part = Part::new("1", 1, false);
    let mut stack = None;
    for (&function, address) in functions.iter().zip([0x7010, 0x7020, 0x7030]) {
        let frame = Frame { function, file: FileId(0), line: 0, address, inlined: false };
        let frame = builder.frame(frame);
        stack = Some(builder.stack(stack, frame));
        part.samples.stack.push(stack);
        part.samples.costs.push(&[1]);
    }
    builder.profile.parts.push(part);
    let old = builder.finish();
    let mut found = ResolvedAddresses::default();
    found.answers.insert(functions[0], ResolvedAddress::Point(code(0x10, &[("main", 3)])));
    found.answers.insert(functions[1], ResolvedAddress::Point(code(0x20, &[("f", 7), ("g", 9)])));
    let new = rebuild(&old, &found);
    new.check().unwrap();
    let frames: Vec<Frame> =
        new.stacks.frames(new.parts[0].samples.stack[2]).map(|id| new.frames.get(id)).collect();
    let shown: Vec<(&str, u32, u64, bool)> =
        frames.iter().map(|it| (new.function_name(it.function), it.line, it.address, it.inlined)).collect();
    let expected =
        [("0x30", 0, 0x7030, false), ("g", 9, 0x20, true), ("f", 7, 0x20, false), ("main", 3, 0x10, false)];
    assert_eq!(shown, expected);
    assert_eq!(new.function_object(frames[1].function), Some("prog"));
    assert_eq!(names(&new, &[new.unresolved[0].function]), ["0x30"]);
}

#[test]
fn a_histogram_is_divided_by_bytes_and_calls_are_merged() {
    let mut builder = Builder::new();
    builder.profile.events = vec![EventType::count("time")];
    let bins = waiting(&mut builder, ObjectId(0), &[(0x10, 4), (0x14, 4), (0x18, 4)]);
    let points = waiting(&mut builder, ObjectId(0), &[(0x11, 1), (0x12, 1), (0x16, 1)]);
    let mut part = Part::new("1", 1, false);
    for (&bin, cost) in bins.iter().zip([10, 7, 5]) {
        part.own.function.push(bin);
        part.own.costs.push(&[cost]);
    }
    for (from, count) in [(points[0], 3), (points[1], 4)] {
        part.calls.caller.push(from);
        part.calls.callee.push(points[2]);
        part.calls.count.push(count);
    }
    builder.profile.parts.push(part);
    let old = builder.finish();
    let mut found = ResolvedAddresses { program: Some("./prog".to_owned()), ..ResolvedAddresses::default() };
    let piece = |name: &str, address, bytes| RangePiece { code: Some(code(address, &[(name, 2)])), bytes };
    found.answers.insert(bins[0], ResolvedAddress::Range(vec![piece("f", 0x10, 4)]));
    found.answers.insert(bins[1], ResolvedAddress::Range(vec![piece("f", 0x14, 2), piece("g", 0x16, 2)]));
    found.answers.insert(
        bins[2],
        ResolvedAddress::Range(vec![RangePiece { code: None, bytes: 3 }, piece("h", 0x1b, 1)]),
    );
    for (point, name) in points.iter().zip(["f", "f", "g"]) {
        found.answers.insert(*point, ResolvedAddress::Point(code(0x11, &[(name, 5)])));
    }
    let new = rebuild(&old, &found);
    new.check().unwrap();
    let part = &new.parts[0];
    assert_eq!(names(&new, &part.own.function), ["f", "g", "0x18", "h"]);
    assert_eq!(part.own.costs.cells(), [14, 3, 4, 1]);
    assert_eq!((part.own.costs.total(0), part.calls.count.as_slice()), (22, &[7][..]));
    assert_eq!(names(&new, &[part.calls.caller[0], part.calls.callee[0]]), ["f", "g"]);
    assert_eq!(new.function_object(part.own.function[0]), Some("./prog"));
    let Details::Loaded(detail) = &new.details else { panic!("detail is here") };
    assert_eq!(detail.lines.costs.total(0), 22);
    assert_eq!((detail.lines.place[2].address, detail.lines.part[2]), (0x16, PartId(0)));
    assert_eq!(detail.sites.count, [3, 4]);
}

/// The small program, served under one path.
struct Own(&'static str);

struct Bytes(String, Vec<u8>);

impl Source for Bytes {
    fn name(&self) -> &str {
        &self.0
    }

    fn bytes(&self) -> &[u8] {
        &self.1
    }

    fn get(&self, name: &str) -> std::io::Result<Vec<u8>> {
        Memory { name: &self.0, bytes: &self.1 }.get(name)
    }

    fn siblings(&self) -> std::io::Result<Vec<String>> {
        Ok(Vec::new())
    }
}

impl Files for Own {
    fn open(&self, path: &str) -> Option<Box<dyn Source>> {
        (path == self.0).then(|| Box::new(Bytes(path.to_owned(), elf::program())) as Box<dyn Source>)
    }
}

/// An address after the last function.
const OUTSIDE: u64 = elf::MAIN.0 + elf::MAIN.1;

#[test]
fn the_small_program_is_a_real_one() {
    let bytes = elf::program();
    let binary = lotse_symbols::Binary::parse(&bytes).unwrap();
    let function = binary.function_named("main").unwrap();
    assert_eq!((function.address, function.range().end), (elf::MAIN.0, OUTSIDE));
    assert!(binary.function_at(OUTSIDE).is_none() && !binary.has_lines());
}

fn of_main(object: &str) -> Profile {
    let mut builder = Builder::new();
    builder.profile.events = vec![EventType::count("time")];
    let object = builder.object(object);
    let functions = waiting(&mut builder, object, &[(elf::MAIN.0 + 1, 1), (OUTSIDE, 1)]);
    let mut part = Part::new("1", 1, false);
    for function in functions {
        part.own.function.push(function);
        part.own.costs.push(&[2]);
    }
    builder.profile.parts.push(part);
    builder.finish()
}

#[test]
fn a_binary_is_found_by_its_path_or_by_what_the_user_gives() {
    for (object, at, given) in [
        ("/bin/prog", "/bin/prog", None),
        ("/bin/prog (deleted)", "/bin/prog", None),
        ("/bin/prog", "build/prog", Some("build/prog")),
        ("", "build/other", Some("build/other")),
    ] {
        let given: Vec<String> = given.into_iter().map(str::to_owned).collect();
        let binaries = Binaries { files: &Own(at), given: &given };
        let (profile, notes) = resolve(of_main(object), &binaries);
        profile.check().unwrap();
        assert_eq!(notes, [""; 0], "{object}");
        assert_eq!(names(&profile, &profile.parts[0].own.function), ["main", "0x1010"]);
        assert_eq!(profile.unresolved.len(), 1);
    }
}

#[test]
fn unresolved_addresses_are_reported_once() {
    for (object, expected) in [
        ("/bin/gone", "/bin/gone is not there: 2 addresses keep no name; --binary FILE tells where it is"),
        ("[vdso]", "addresses in [vdso] keep no name: it is not a file"),
        ("", "the profile does not name its program: 2 addresses keep no name; give it with --binary FILE"),
    ] {
        let before = of_main(object);
        let (after, notes) = resolve(before.clone(), &Binaries { files: &Own("/bin/prog"), given: &[] });
        assert_eq!(notes, [expected]);
        assert_eq!(after, before);
    }
}
