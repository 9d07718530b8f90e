//! Every kind of profile is read back unchanged, and a damaged index is refused.

use lotse_model::Profile;
use lotse_model::bytes::Memory;
use lotse_model::id::FileId;
use lotse_model::profile::{AddressSpace, BuildId, Builder, EventType, Unresolved};
use lotse_model::unit::Unit;
use lotse_model::work::Sequential;

use super::{ColumnReader, ColumnWriter, IndexError, visit_head, visit_rest, write_rest};

const CALLGRIND: &str = "# callgrind format\nevents: Ir Dr\nfl=(1) a.c\nfn=(1) main\n3 10 2\n+1 5\ncfn=(2) f\n\
                         calls=3 20\n4 300 7\nfn=(2)\n20 300 7\ntotals: 315 9\n";
const SPANS: &str = r#"[{"name":"f","ph":"X","ts":0,"dur":9,"pid":1,"tid":1},
{"name":"g","ph":"X","ts":1,"dur":2,"pid":1,"tid":1}]"#;
const COLLAPSED: &str = "main;f;g 12\nmain;f 3\nmain 1\n";
const DHAT: &str = r#"{"dhatFileVersion":2,"mode":"heap","verb":"Allocated","bklt":true,"bkacc":true,"tu":"instrs",
"Mtu":"Minstr","tuth":500,"cmd":"x","pid":1,"tg":1,"te":2,
"pps":[{"tb":64,"tbk":2,"tl":9,"mb":64,"mbk":2,"gb":64,"gbk":2,"eb":0,"ebk":0,"rb":8,"wb":8,"acc":[2,4,-3,0],"fs":[1]}],
"ftbl":["[root]","0x1: main (a.c:3)"]}"#;

fn read(text: &str) -> Profile {
    let source = Memory { name: "x", bytes: text.as_bytes() };
    crate::read_profile(&source, None, &Sequential).unwrap().value
}

fn saved(profile: &Profile) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut copy = profile.clone();
    let mut save = ColumnWriter::new(&mut bytes);
    visit_head(&mut save, &mut copy).unwrap();
    visit_rest(&mut save, &mut copy).unwrap();
    assert_eq!(copy, *profile, "writing changes nothing");
    let mut shared = Vec::new();
    let mut save = ColumnWriter::new(&mut shared);
    visit_head(&mut save, &mut copy).unwrap();
    write_rest(&mut save, profile).unwrap();
    assert_eq!(shared, bytes, "without a copy");
    bytes
}

fn loaded(bytes: &[u8]) -> Result<Profile, IndexError> {
    let mut profile = Profile::default();
    let mut load = ColumnReader::new(bytes);
    visit_head(&mut load, &mut profile)?;
    visit_rest(&mut load, &mut profile)?;
    profile.check().map_err(|_| IndexError::Damaged("inconsistent"))?;
    Ok(profile)
}

#[test]
fn every_kind_of_profile_comes_back() {
    for text in [CALLGRIND, COLLAPSED, DHAT, SPANS] {
        let profile = read(text);
        assert!(!profile.functions.is_empty());
        assert_eq!(loaded(&saved(&profile)).unwrap(), profile);
    }
}

/// An event type that came back as one with inclusive costs would show wrong ones from the second opening on.
#[test]
fn event_types_come_back_with_what_callers_inherit() {
    let mut profile = read(CALLGRIND);
    profile.events[0] = EventType::new("time", Unit::Seconds, -9);
    profile.events[1] =
        EventType { title: Some("calls".to_owned()), ..EventType::count("n").without_inclusive() };
    assert_eq!(loaded(&saved(&profile)).unwrap().events, profile.events);
}

#[test]
fn builds_times_and_spaces_of_addresses_come_back() {
    let mut builder = Builder::new();
    let build = BuildId::parse("c0ffee").unwrap();
    let object = builder.object_of_build("/bin/prog", Some(&build));
    builder.object("/bin/other");
    for (at, space) in
        [AddressSpace::Linked, AddressSpace::FileOffset, AddressSpace::Kernel].iter().enumerate()
    {
        let function = builder.function(&at.to_string(), object, FileId(0));
        let address = at as u64;
        builder.profile.unresolved.push(Unresolved { function, address, extent: 1, space: *space });
    }
    builder.profile.recorded = Some(-5);
    let profile = builder.finish();
    assert_eq!(loaded(&saved(&profile)).unwrap(), profile);
}

#[test]
fn a_cut_index_is_refused_everywhere() {
    let bytes = saved(&read(CALLGRIND));
    for length in 0..bytes.len() {
        assert!(loaded(&bytes[..length]).is_err(), "{length}");
    }
}

#[test]
fn a_changed_byte_never_panics() {
    for text in [CALLGRIND, COLLAPSED] {
        let bytes = saved(&read(text));
        for place in 0..bytes.len() {
            for change in [0x01, 0x80, 0xff] {
                let mut changed = bytes.clone();
                changed[place] ^= change;
                drop(loaded(&changed));
            }
        }
    }
}
