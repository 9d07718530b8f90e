//! Profiles from standard input and packed ones give what the plain file gives.

use std::fs::{self, File};

use crate::profile_forms::CALLS;
use crate::session::{Answer, Session};

/// A gzip file with one stored (uncompressed) block.
fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    let size = u16::try_from(bytes.len()).unwrap();
    packed.push(1);
    packed.extend(size.to_le_bytes());
    packed.extend((!size).to_le_bytes());
    packed.extend(bytes);
    packed.extend(crc32(bytes).to_le_bytes());
    packed.extend(u32::from(size).to_le_bytes());
    packed
}

fn crc32(bytes: &[u8]) -> u32 {
    let bit = |crc: u32, _| if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
    !bytes.iter().fold(!0, |crc, &byte| (0..8).fold(crc ^ u32::from(byte), bit))
}

/// A zstd frame with one raw (uncompressed) block.
fn zstd(bytes: &[u8]) -> Vec<u8> {
    let size = u32::try_from(bytes.len()).unwrap();
    let mut packed = vec![0x28, 0xb5, 0x2f, 0xfd, 0xa0];
    packed.extend(size.to_le_bytes());
    packed.extend(&(size << 3 | 1).to_le_bytes()[..3]);
    packed.extend(bytes);
    packed
}

fn session() -> Session {
    let session = Session::new();
    session.write("plain", CALLS);
    fs::write(session.file("packed.gz"), gzip(CALLS.as_bytes())).unwrap();
    fs::write(session.file("packed.zst"), zstd(CALLS.as_bytes())).unwrap();
    fs::write(session.file("nameless"), gzip(CALLS.as_bytes())).unwrap();
    session
}

/// Runs a verb with a file as standard input.
fn piped(session: &Session, file: &str, args: &[&str]) -> Answer {
    let mut command = session.command(&[&["profile"], args].concat());
    Answer::from_output(command.stdin(File::open(session.file(file)).unwrap()).output().unwrap())
}

const VERBS: [&[&str]; 9] = [
    &["top"],
    &["top", "--json"],
    &["top", "--csv"],
    &["tree", "--json"],
    &["parts", "--csv"],
    &["events", "--json"],
    &["convert", "--to", "collapsed"],
    &["convert", "--to", "callgrind"],
    &["graph", "--to", "dot"],
];

/// The output of a verb, with the name of the file replaced so that outputs for different files can be compared.
fn output_of(session: &Session, verb: &[&str], file: &str) -> String {
    let args = [&["profile", verb[0], file], &verb[1..], &["--no-index"]].concat();
    session.lotse(&args).exits(0).stdout.replace(file, "FILE")
}

#[test]
fn packed_profiles_give_the_same_output() {
    let session = session();
    for verb in VERBS {
        let plain = output_of(&session, verb, "plain");
        for file in ["packed.gz", "packed.zst", "nameless"] {
            assert_eq!(output_of(&session, verb, file), plain, "{verb:?} of {file}");
        }
    }
}

#[test]
fn standard_input_gives_the_same_output() {
    let session = session();
    for verb in VERBS {
        let plain = output_of(&session, verb, "plain");
        for file in ["plain", "packed.gz", "packed.zst"] {
            let args = [&[verb[0], "-"], &verb[1..]].concat();
            let answer = piped(&session, file, &args).exits(0);
            assert_eq!(answer.stdout.replace("standard input", "FILE"), plain, "{verb:?} of {file}");
        }
    }
}

#[test]
fn functions_of_standard_input() {
    let session = session();
    piped(&session, "plain", &["callers", "-", "leaf"]).exits(0).says("work::run(int)");
    piped(&session, "packed.gz", &["annotate", "-", "leaf"]).exits(0).says("leaf");
    piped(&session, "packed.gz", &["formats", "-"]).exits(0).says("callgrind").says("certain");
    piped(&session, "plain", &["flame", "-"]).exits(0).says("<title>standard input</title>");
}

#[test]
fn standard_input_leaves_no_index() {
    let session = session();
    piped(&session, "plain", &["top", "-"]).exits(0);
    let left: Vec<_> = fs::read_dir(session.file("")).unwrap().map(|it| it.unwrap().file_name()).collect();
    assert_eq!(left.len(), 4, "{left:?}");
}

#[test]
fn standard_input_can_be_one_of_two() {
    let session = session();
    piped(&session, "plain", &["diff", "packed.gz", "-"]).exits(0).says("nothing changed");
    let answer = piped(&session, "plain", &["diff", "-", "-"]).exits(2);
    assert_eq!(
        answer.stderr,
        "error: standard input can be read only once; give the other profiles as files\n"
    );
}

#[test]
fn empty_standard_input() {
    let answer = session().lotse(&["profile", "top", "-"]).exits(6);
    assert_eq!(answer.stderr, "error: stdin is empty: its profiler was stopped early or still runs\n");
}

/// What could be unpacked is shown; a remark and the exit status say that something is missing.
#[test]
fn a_packed_file_that_was_cut() {
    let session = session();
    for (name, packed) in [("cut.gz", gzip(CALLS.as_bytes())), ("cut.zst", zstd(CALLS.as_bytes()))] {
        fs::write(session.file(name), &packed[..packed.len() - 120]).unwrap();
        let answer = session.lotse(&["profile", "top", name]).exits(6);
        assert!(answer.stderr.contains("be unpacked"), "{name}: {}", answer.stderr);
    }
}
