//! Addresses of a stripped program, named by a separate debug file.
//!
//! Needs `cc` and `objcopy`; without them, the tests are skipped with a message.

use std::path::{Path, PathBuf};
use std::process::Command;

use lotse_host::FileSource;
use lotse_model::Profile;
use lotse_model::bytes::Source;
use lotse_model::id::FileId;
use lotse_model::profile::{AddressSpace, Builder, Details, EventType, Part, Unresolved};
use lotse_profile::resolve::{Binaries, Files, resolve};
use lotse_symbols::Binary;
use tempfile::TempDir;

const CODE: &str = "int twice(int x) {\n    return x + x;\n}\n\nint main(int argc, char **argv) {\n    (void)argv;\n    \
                    return twice(argc);\n}\n";

/// A stripped program, its debug file, and the address of a function.
struct Program {
    _directory: TempDir,
    stripped: PathBuf,
    debug: PathBuf,
    address: u64,
    id: String,
}

fn run(program: &str, words: &[&str], directory: &Path) -> Option<()> {
    let status = Command::new(program).args(words).current_dir(directory).status();
    status.is_ok_and(|status| status.success()).then_some(())
}

fn program(code: &str) -> Option<Program> {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    std::fs::write(at.join("a.c"), code).unwrap();
    run("cc", &["-g", "-O0", "-Wl,--build-id", "-o", "whole", "a.c"], at)?;
    run("objcopy", &["--only-keep-debug", "whole", "prog.debug"], at)?;
    run("objcopy", &["--strip-all", "--add-gnu-debuglink=prog.debug", "whole", "prog"], at)?;
    let bytes = std::fs::read(at.join("whole")).unwrap();
    let binary = Binary::parse(&bytes).unwrap();
    let address = binary.function_named("twice")?.address;
    let id = binary.build_id()?.iter().map(|byte| format!("{byte:02x}")).collect();
    let (stripped, debug) = (at.join("prog"), at.join("prog.debug"));
    Some(Program { _directory: directory, stripped, debug, address, id })
}

fn skipped() {
    test_support::skip_missing("cc and objcopy are needed");
}

/// Files that are served under other paths.
struct MovedFiles(Vec<(String, PathBuf)>);

impl Files for MovedFiles {
    fn open(&self, path: &str) -> Option<Box<dyn Source>> {
        let (name, real) = self.0.iter().find(|(name, _)| name == path)?;
        let bytes = FileSource::open(real).ok()?.bytes().to_vec();
        Some(Box::new(NamedBytes(name.clone(), bytes)))
    }
}

struct NamedBytes(String, Vec<u8>);

impl Source for NamedBytes {
    fn name(&self) -> &str {
        &self.0
    }

    fn bytes(&self) -> &[u8] {
        &self.1
    }

    fn get(&self, _: &str) -> std::io::Result<Vec<u8>> {
        Err(std::io::ErrorKind::NotFound.into())
    }

    fn siblings(&self) -> std::io::Result<Vec<String>> {
        Ok(Vec::new())
    }
}

/// A profile that knows one address of the program.
fn profile(address: u64) -> Profile {
    let mut builder = Builder::new();
    builder.profile.events = vec![EventType::count("samples")];
    let object = builder.object("/opt/prog");
    let function = builder.function("?", object, FileId(0));
    let space = AddressSpace::Linked;
    builder.profile.unresolved.push(Unresolved { function, address, extent: 1, space });
    let mut part = Part::new("1", 1, false);
    part.own.function.push(function);
    part.own.costs.push(&[3]);
    builder.profile.parts = vec![part];
    builder.finish()
}

/// The name and the line found, and the notes.
fn found(program: &Program, debug: &[(&str, &Path)]) -> (String, Option<u32>, Vec<String>) {
    let mut files = vec![("/opt/prog".to_owned(), program.stripped.clone())];
    files.extend(debug.iter().map(|(name, path)| ((*name).to_owned(), path.to_path_buf())));
    let binaries = Binaries { files: &MovedFiles(files), given: &[] };
    let (profile, notes) = resolve(profile(program.address), &binaries);
    profile.check().unwrap();
    assert_eq!(profile.parts[0].own.costs.total(0), 3);
    let line = match &profile.details {
        Details::Loaded(detail) => detail.lines.place.first().map(|place| place.line),
        Details::OnDemand(_) => None,
    };
    (profile.function_name(profile.parts[0].own.function[0]).to_owned(), line, notes)
}

#[test]
fn debug_information_is_found_by_build_id_and_by_link() {
    let Some(program) = program(CODE) else { return skipped() };
    let by_id = format!("/usr/lib/debug/.build-id/{}/{}.debug", &program.id[..2], &program.id[2..]);
    let known = ("twice".to_owned(), Some(1), Vec::new());
    for place in
        [by_id.as_str(), "/opt/prog.debug", "/opt/.debug/prog.debug", "/usr/lib/debug/opt/prog.debug"]
    {
        assert_eq!(found(&program, &[(place, &program.debug)]), known, "{place}");
    }
    let (name, _, _) = found(&program, &[("/elsewhere/prog.debug", &program.debug)]);
    assert_ne!(name, "twice");
}

#[test]
fn debug_information_of_another_build_is_not_used() {
    let other = CODE.replace("x + x", "x + x + x");
    let (Some(program), Some(other)) = (program(CODE), program(&other)) else { return skipped() };
    let (name, _, notes) = found(&program, &[("/opt/prog.debug", &other.debug)]);
    assert_ne!(name, "twice");
    let names_both = |note: &String| note.contains(&program.id) && note.contains(&other.id);
    assert!(notes.iter().any(names_both), "{notes:?}");
    // The next place is tried.
    let places = [("/opt/prog.debug", &other.debug), ("/opt/.debug/prog.debug", &program.debug)];
    let places = places.map(|(place, file)| (place, file.as_path()));
    assert_eq!(found(&program, &places), ("twice".to_owned(), Some(1), Vec::new()));
    let by_id = format!("/usr/lib/debug/.build-id/{}/{}.debug", &program.id[..2], &program.id[2..]);
    let (name, _, notes) = found(&program, &[(&by_id, &other.debug)]);
    assert_ne!(name, "twice");
    assert!(notes[0].contains("belongs to another build"), "{notes:?}");
}

#[test]
fn a_file_that_is_not_a_binary_is_reported() {
    let Some(program) = program(CODE) else { return skipped() };
    let text = program.stripped.with_file_name("a.c");
    let nothing = Program { stripped: text, ..program };
    let (name, _, notes) = found(&nothing, &[]);
    assert_eq!(name, "?");
    assert!(notes[0].starts_with("/opt/prog: ") && notes[0].ends_with("names another file"), "{notes:?}");
}
