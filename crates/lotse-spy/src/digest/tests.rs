//! Digests written and read back: the same findings, lists and pictures.

use std::sync::Arc;

use serde_json::json;

use super::Digest;
use crate::access::{Access, AccessRun};
use crate::analyses::Analyses;
use crate::container::{AccessKind, Container};
use crate::decode::{Consumer as _, Decoded};
use crate::instance::{CodeTable, Instance, InstanceId, ThreadId};
use crate::picture::Scale;
use crate::settings::Settings;
use crate::severity::RunTime;

/// Three lists that are filled and searched by two threads, analysed.
fn digest(settings: &Arc<Settings>) -> Digest {
    let mut codes = CodeTable::default();
    let places =
        [12, 14].map(|line| codes.add(CodeTable::code_at("src/main.rs", line, 9, "main", Some("f"))));
    let mut analyses = Analyses::new(settings, 0);
    for id in 0..3 {
        analyses.created(Instance::new(id, Container::Vec, 8, places[id as usize % 2]));
        for at in 0..1500 {
            let mut access = Access::at(AccessKind::Insert, at, at, 10 * at).by(places[1]);
            access.thread = ThreadId(at as u32 / 700);
            analyses.access(InstanceId(id), AccessRun::single(access));
            let search = Access::at(AccessKind::Search, at * 7 % (at + 1), at + 1, 10 * at + 5).by(places[0]);
            analyses.access(InstanceId(id), AccessRun::single(search));
            analyses.grown(InstanceId(id), at, at + 1, places[1]);
        }
        analyses.dropped(InstanceId(id), &codes);
    }
    let analysed = analyses.finish(&codes);
    Digest { codes, ..Digest::new(Decoded::default(), analysed) }
}

fn to_json(digest: &Digest) -> String {
    let time = RunTime { unrecorded: Some(0.1), recorded: Some(0.4) };
    let findings = digest.program.findings(&digest.codes, time);
    let parts = [json!(findings), json!(digest.program.sites()), json!(digest.codes)];
    serde_json::to_string_pretty(&parts).unwrap()
}

#[test]
fn a_digest_read_back_gives_the_same_findings() {
    let settings = Arc::new(Settings::default());
    let made = digest(&settings);
    let again = Digest::from_bytes(&made.to_bytes().unwrap(), &settings).unwrap();
    assert!(to_json(&made).contains("spy-frequent-search"), "{}", to_json(&made));
    assert_eq!(to_json(&again), to_json(&made));
    assert_eq!((again.events, &again.coverage), (made.events, &made.coverage));
    assert_eq!(again.gallery, made.gallery);
    let protocol = &made.program.sites()[0].protocols[0];
    for scale in [Scale::Events, Scale::Time] {
        let draw = |digest: &Digest| {
            let sketch = digest.gallery.get(protocol.instance.id).cloned().unwrap();
            sketch.scaled(scale).finish(protocol).svg("a list").as_str().to_owned()
        };
        assert_eq!(draw(&again), draw(&made));
        assert!(draw(&made).contains("thread 1"), "a diagram for each thread");
    }
}

#[test]
fn other_settings_and_damage_are_refused() {
    let settings = Arc::new(Settings::default());
    let bytes = digest(&settings).to_bytes().unwrap();
    let mut other = Settings::default();
    other.thresholds.min_length = 7.0;
    assert!(Digest::from_bytes(&bytes, &Arc::new(other)).is_none());
    for length in (0..bytes.len()).step_by(bytes.len() / 20) {
        assert!(Digest::from_bytes(&bytes[..length], &settings).is_none(), "cut to {length} bytes");
    }
}
