//! Files compressed with gzip and Zstandard give the same profile.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use lotse_formats::{FormatError, read_profile};
use lotse_model::bytes::Memory;
use lotse_model::work::Sequential;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use super::small::{SmallFile, all, read};

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::best());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

fn zstandard(bytes: &[u8]) -> Vec<u8> {
    compress_to_vec(bytes, CompressionLevel::Fastest)
}

#[test]
fn packed_files_are_the_same_profiles() {
    for SmallFile { format, name, bytes } in all() {
        let plain = read(name, &bytes);
        let half = bytes.len() / 2;
        for (how, end, packed) in [
            ("gzip", ".gz", gzip(&bytes)),
            ("gzip of two members", ".gz", [gzip(&bytes[..half]), gzip(&bytes[half..])].concat()),
            ("Zstandard", ".zst", zstandard(&bytes)),
            (
                "Zstandard of two frames",
                ".zst",
                [zstandard(&bytes[..half]), zstandard(&bytes[half..])].concat(),
            ),
        ] {
            assert_eq!(read(&format!("{name}{end}"), &packed), plain, "{format} as {how}");
            assert_eq!(read(name, &packed), plain, "{format} as {how} that the name hides");
        }
    }
}

/// Compressed files that are cut: what can be decompressed is read, or the error is about the file.
#[test]
fn packed_files_that_are_cut_off() {
    for SmallFile { format, name, bytes } in all() {
        for packed in [gzip(&bytes), zstandard(&bytes)] {
            for end in [packed.len() - 1, packed.len() - 5, packed.len() / 2, 12, 5] {
                let source = Memory { name, bytes: &packed[..end] };
                match read_profile(&source, Some(format), &Sequential) {
                    Ok(reading) => {
                        reading.value.check().unwrap();
                        let is_reported = reading.diagnostics.iter().any(|it| it.message.contains("unpack"));
                        assert!(
                            is_reported || reading.value == read(name, &bytes).value,
                            "{format} up to {end}"
                        );
                    }
                    Err(FormatError::Damaged { .. } | FormatError::Version { .. }) => {}
                    Err(error) => panic!("{format}: {error}"),
                }
            }
        }
    }
}

/// Double compression is undone twice, but not without limit.
#[test]
fn packed_twice_is_unpacked_twice() {
    let plain = b"main;f 3\nmain;g 12\n";
    let packed = gzip(&compress_to_vec(&gzip(plain)[..], CompressionLevel::Fastest));
    let source = Memory { name: "a.folded.gz.gz", bytes: &packed };
    assert_eq!(read_profile(&source, None, &Sequential).unwrap().value, read("a.folded", plain).value);
    let many = (0..9).fold(plain.to_vec(), |bytes, _| gzip(&bytes));
    let error = read_profile(&Memory { name: "a", bytes: &many }, None, &Sequential).unwrap_err();
    assert!(matches!(error, FormatError::Unrecognised { .. }), "{error}");
}
