//! Small handwritten files.

use lotse_model::Profile;
use lotse_model::bytes::Memory;
use lotse_model::profile::Access;
use lotse_model::work::Sequential;

use super::{accesses, read};
use crate::reading::Reading;

fn reading(text: &str) -> Reading<Profile> {
    let reading = read(&Memory { name: "x", bytes: text.as_bytes() }, &Sequential).unwrap();
    reading.value.check().unwrap();
    reading
}

fn names(profile: &Profile) -> Vec<&str> {
    profile.events.iter().map(|event| event.name.as_str()).collect()
}

const HEAP: &str = r#"{"dhatFileVersion":2,"mode":"heap","verb":"Allocated","bklt":true,"bkacc":true,
"tu":"instrs","Mtu":"Minstr","tuth":500,"cmd":"./t","pid":7,"te":9,"tg":8,
"pps":[
 {"tb":10,"tbk":2,"tl":3,"mb":10,"mbk":2,"gb":5,"gbk":1,"eb":1,"ebk":1,"rb":4,"wb":6,"acc":[-3,2,0,7],"fs":[1,2,3]},
 {"tb":20,"tbk":1,"tl":4,"mb":20,"mbk":1,"gb":20,"gbk":1,"eb":0,"ebk":0,"rb":1,"wb":2,"fs":[1,0]}],
"ftbl":["[root]","0x10: malloc (in /vg.so)","0x20: inner (a.c:5)","0x20: main (a.c:9)"]}"#;

#[test]
fn points_are_samples_and_data_structures() {
    let reading = reading(HEAP);
    assert_eq!(reading.diagnostics, []);
    let profile = &reading.value;
    let (sized, counted) = (["total_bytes", "at_t_gmax_bytes"], ["total_blocks", "at_t_gmax_blocks"]);
    let rest = ["at_t_end_bytes", "at_t_end_blocks", "lifetimes", "reads_bytes", "writes_bytes"];
    assert_eq!(names(profile), [&[sized[0], counted[0], sized[1], counted[1]], rest.as_slice()].concat());
    assert_eq!(profile.data.costs.row(0), [10, 2, 5, 1, 1, 1, 3, 4, 6]);
    assert_eq!(profile.parts[0].samples.costs, profile.data.costs);
    let counts: Vec<(u64, u64)> = profile.data.accesses[0].iter().map(|it| (it.offset, it.count)).collect();
    assert_eq!(counts, [(0, 2), (1, 2), (2, 2), (4, 7)]);
    let stack: Vec<(&str, bool)> = profile
        .stacks
        .frames(profile.data.stack[0])
        .map(|id| profile.frames.get(id))
        .map(|frame| (profile.function_name(frame.function), frame.inlined))
        .collect();
    assert_eq!(stack, [("malloc", false), ("inner", true), ("main", false)]);
}

#[test]
fn other_modes_have_other_units() {
    let copy =
        r#"{"dhatFileVersion":2,"mode":"copy","tu":"instrs","pps":[{"tb":60,"tbk":4,"fs":[]}],"ftbl":[]}"#;
    assert_eq!(names(&reading(copy).value), ["total_bytes", "total_blocks"]);
    let ad_hoc = r#"{"dhatFileVersion":2,"mode":"ad-hoc","bu":"unit","bsu":"units","bksu":"events","tu":"µs",
        "te":5,"pps":[],"ftbl":["[root]"]}"#;
    let reading = reading(ad_hoc);
    assert_eq!(names(&reading.value), ["total_units", "total_events"]);
    assert_eq!(reading.value.parts[0].time, Some((0, 5000)));
}

#[test]
fn damage_is_reported_and_the_rest_kept() {
    let cut = reading(&HEAP[..HEAP.find("\"ftbl\"").unwrap()]);
    assert_eq!(cut.value.data.costs.rows(), 2);
    assert_eq!(cut.diagnostics.len(), 3, "{:?}", cut.diagnostics);
    assert_eq!(cut.diagnostics[1].to_string(), "pps[0]: there is no frame 1; the stack is left out");
    let newer = read(&Memory { name: "x", bytes: br#"{"dhatFileVersion":3}"# }, &Sequential).unwrap_err();
    assert_eq!(newer.to_string(), "x has the version 3; this Lotse reads versions 1 and 2");
    assert!(read(&Memory { name: "x", bytes: b"{" }, &Sequential).is_err());
    let greedy = reading(&HEAP.replace("-3,2", "-9223372036854775808,2"));
    assert!(!greedy.complete());
}

#[test]
fn accesses_are_bounded() {
    let mut left = 3;
    assert_eq!(accesses(&[-1000, 0, -2, 5], &mut left).map(|found| found.len()), Some(2));
    assert_eq!(left, 1);
    assert_eq!(accesses(&[-2, 5], &mut left), None);
    assert_eq!(accesses(&[9], &mut left), Some(vec![Access { offset: 0, count: 9 }]));
    assert_eq!(accesses(&[i64::MIN, i64::MAX, i64::MIN, 0, i64::MIN, 0], &mut left), None);
}
