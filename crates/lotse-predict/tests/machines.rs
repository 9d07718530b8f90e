//! Descriptions of machines as TOML: reading, completion with typical values, error messages and writing.

use lotse_predict::machine::{Cache, Machine};

const ONE: &str = "\
name = \"one\"

[[cache]]
name = \"L1\"
capacity = 32768
line = 64
ways = 8
";

const THREE: &str = "\
name = \"three\"

[[cache]]
name = \"L1\"
capacity = 49152
line = 64
ways = 12

[[cache]]
name = \"L2\"
capacity = 2097152
line = 64
ways = 16

[[cache]]
name = \"L3\"
capacity = 33554432
line = 64
ways = 16

[core]
clock_ghz = 3.7
fp_add = 3.0
serial_share = 0.25

[[transfer]]
cache = \"L3\"
stream_ns = 5.0
scattered_ns = 20.0
latency_ns = 90.0
write_back_ns = 5.0

[calibration]
date = \"2026-11-17\"
repetitions = 15

[calibration.spread]
clock_ghz = 0.01
";

#[test]
fn a_description_is_completed_with_typical_constants() {
    let machine = Machine::from_toml(ONE).unwrap();
    assert_eq!((machine.name.as_str(), machine.caches.len(), machine.transfers.len()), ("one", 1, 1));
    assert_eq!((machine.core.clock_ghz, machine.core.fp_add, machine.core.load), (3.0, 4.0, 5.0));
    assert_eq!(machine.calibration, None);
    // The only cache misses to memory.
    assert!(machine.transfers[0].latency_ns > 50.0, "{:?}", machine.transfers);
    assert_eq!(machine, Machine::typical("one", machine.caches.clone()).unwrap());
}

#[test]
fn what_is_given_is_taken() {
    let machine = Machine::from_toml(THREE).unwrap();
    assert_eq!((machine.core.clock_ghz, machine.core.fp_add, machine.core.serial_share), (3.7, 3.0, 0.25));
    // Constants that are left out of [core] have typical values.
    assert_eq!(machine.core.fp_multiply, 4.0);
    let names: Vec<&str> = machine.transfers.iter().map(|cost| cost.cache.as_str()).collect();
    assert_eq!(names, ["L1", "L2", "L3"]);
    assert_eq!((machine.transfers[2].stream_ns, machine.transfers[2].latency_ns), (5.0, 90.0));
    assert!(machine.transfers[0].stream_ns < machine.transfers[1].stream_ns);
    let calibration = machine.calibration.unwrap();
    assert_eq!((calibration.date.as_str(), calibration.repetitions), ("2026-11-17", 15));
    assert_eq!(calibration.spread["clock_ghz"], 0.01);
}

#[test]
fn descriptions_come_back_as_they_went_out() {
    for text in [ONE, THREE] {
        let machine = Machine::from_toml(text).unwrap();
        let written = machine.to_toml().unwrap();
        assert_eq!(Machine::from_toml(&written).unwrap(), machine, "{written}");
        // Writing it again gives the same text.
        assert_eq!(Machine::from_toml(&written).unwrap().to_toml().unwrap(), written);
    }
}

#[test]
fn geometry() {
    let cache = |capacity, line, ways| Cache { name: "L1".into(), capacity, line, ways };
    assert_eq!((cache(32768, 64, 8).sets(), cache(32768, 64, 8).lines()), (64, 512));
    // 12 and 15 ways are real.
    assert_eq!((cache(49152, 64, 12).sets(), cache(49152, 64, 12).lines()), (64, 768));
    assert_eq!((cache(110_100_480, 64, 15).sets(), cache(110_100_480, 64, 15).lines()), (114_688, 1_720_320));
    assert_eq!(cache(4096, 64, 64).sets(), 1);
}

/// Changes of the description with three caches, and the expected error message.
const WRONG: &[(&str, &str, &str)] = &[
    ("capacity = 49152", "capacity = 49153", "cache L1: the capacity must be a multiple of line times ways"),
    ("capacity = 49152", "capacity = 0", "cache L1: the capacity must be a multiple of line times ways"),
    ("line = 64\nways = 12", "line = 48\nways = 12", "cache L1: the line must be a power of two"),
    ("line = 64\nways = 12", "line = 4\nways = 12", "cache L1: the line must be a power of two"),
    ("ways = 12", "ways = 0", "cache L1: there must be 1 to 4096 ways"),
    ("ways = 12", "ways = 5000", "cache L1: there must be 1 to 4096 ways"),
    ("capacity = 33554432", "capacity = 2097152", "caches must grow from the first to the last"),
    ("capacity = 33554432", "capacity = 2199023255552", "cache L3: the capacity is above 1 TiB"),
    ("clock_ghz = 3.7", "clock_ghz = 0.0", "clock_ghz, issue_cost, load_cost and window must be positive"),
    ("clock_ghz = 3.7", "clock_ghz = -1.0", "every constant of [core] must be between 0 and 1000000"),
    ("clock_ghz = 3.7", "clock_ghz = nan", "every constant of [core] must be between 0 and 1000000"),
    ("fp_add = 3.0", "fp_add = inf", "every constant of [core] must be between 0 and 1000000"),
    ("fp_add = 3.0", "fp_addition = 3.0", "unknown field `fp_addition`"),
    ("fp_add = 3.0", "fp_add = \"fast\"", "invalid type"),
    ("cache = \"L3\"", "cache = \"L4\"", "has a [[transfer]] of cache L4, but no such [[cache]]"),
    ("stream_ns = 5.0", "stream_ns = -5.0", "every cost of [[transfer]] must be between 0 and 1000000000"),
    ("stream_ns = 5.0", "stream_ns = nan", "every cost of [[transfer]] must be between 0 and 1000000000"),
    ("stream_ns = 5.0\n", "", "missing field `stream_ns`"),
    ("name = \"three\"", "", "missing field `name`"),
    ("name = \"three\"", "name = \"three\"\ncolour = 3", "unknown field `colour`"),
    ("repetitions = 15", "repetitions = -1", "the description of the machine cannot be read"),
    ("[core]", "[core", "the description of the machine cannot be read"),
];

#[test]
fn wrong_descriptions_are_refused_with_the_reason() {
    for (before, after, reason) in WRONG {
        assert!(THREE.contains(before), "{before}");
        let error = Machine::from_toml(&THREE.replacen(before, after, 1)).unwrap_err().to_string();
        assert!(error.contains(reason), "{after}: {error}");
    }
}

#[test]
fn empty_and_hostile_texts() {
    let long = format!("name = \"{}\"", "x".repeat(1 << 20));
    let many =
        format!("{ONE}{}", "[[cache]]\nname = \"L1\"\ncapacity = 32768\nline = 64\nways = 8\n".repeat(100));
    for text in ["", "\0", "name", "name = 3", "[[cache]]", "cache = 3\nname = \"x\"", &long, &many] {
        assert!(Machine::from_toml(text).is_err());
    }
    assert_eq!(
        Machine::from_toml("name = \"x\"\ncache = []").unwrap_err().to_string(),
        "the description of the machine has no [[cache]]"
    );
}
