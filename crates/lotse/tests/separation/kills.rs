//! Kills Lotse, its watchdog or both at random moments; afterwards everything must be as before.
//!
//! `LOTSE_SEPARATION_KILLS` changes the number of kills (30), `LOTSE_SEPARATION_SEED` their moments.

use std::time::Duration;

use crate::scene::{ACTIONS, Measurement, ProcessState, Scene, eventually, groups_of, kill};

/// Programs long enough that most kills come while they are measured.
const MEASURE: [&str; 3] = ["--runs", "4", "sleep 0.02"];

/// The process that is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Killed {
    Lotse,
    Watchdog,
    Both,
}

fn number(variable: &str, usual: u64) -> u64 {
    std::env::var(variable).map_or(usual, |text| text.parse().unwrap())
}

/// A random generator (splitmix64), so that the moments of the kills can be repeated.
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

fn written_changes(scene: &Scene) -> usize {
    scene.journal().iter().filter(|line| line.contains("\"change\"")).count()
}

/// Kills, and restores if no watchdog is left to do so. Returns the number of changes in the journal before the kill.
fn kill_and_restore(scene: &Scene, measurement: &mut Measurement, killed: Killed) -> usize {
    let changes = written_changes(scene);
    if killed != Killed::Lotse {
        // There is no watchdog before the first change and after the last was undone.
        scene.watchdog().into_iter().for_each(kill);
    }
    if killed != Killed::Watchdog {
        measurement.lotse.kill().unwrap();
    }
    measurement.lotse.wait().unwrap();
    match killed {
        Killed::Lotse => eventually("the watchdog's end", || scene.watchdog().is_none()),
        Killed::Watchdog => {}
        Killed::Both => {
            let restored = scene.lotse(&["bench", "restore"]);
            assert!(restored.status.success(), "{restored:?}");
        }
    }
    changes
}

#[test]
fn whoever_is_killed_everything_is_put_back() {
    let scene = Scene::new();
    let before = ProcessState::from_pid(scene.pids()[0]);
    let mut state = number("LOTSE_SEPARATION_SEED", 1);
    let kills = number("LOTSE_SEPARATION_KILLS", 30);
    let mut struck = 0;
    for round in 0..kills {
        let killed = [Killed::Lotse, Killed::Watchdog, Killed::Both][(round % 3) as usize];
        // Every second kill comes after the journal has begun, however slow the machine.
        let late = round % 2 == 0;
        let delay = Duration::from_micros(random(&mut state) % if late { 100_000 } else { 300_000 });
        let mut measurement = scene.start(ACTIONS, &MEASURE);
        let (lotse, anchor) = (measurement.lotse.id(), measurement.anchor);
        if late {
            eventually("a journal", || scene.has_journal());
        }
        std::thread::sleep(delay);
        let changes = kill_and_restore(&scene, &mut measurement, killed);
        struck += u64::from(changes > 0);
        let context = format!("round {round}: {killed:?} after {delay:?}, {changes} changes");
        for after in scene.states(anchor) {
            assert_eq!(after, before, "{context}");
        }
        // Before there is a watchdog there are no changes, and a journal without any may stay until the next start.
        assert_eq!(written_changes(&scene), 0, "{context}: {:?}", scene.journal());
        assert_eq!(groups_of(lotse), [""; 0].map(std::path::PathBuf::from), "{context}");
    }
    assert!(scene.lotse(&["bench", "restore"]).status.success());
    assert!(!scene.has_journal(), "{:?}", scene.journal());
    println!("{struck} of {kills} kills came after the first change");
    assert!(struck * 3 >= kills, "only {struck} of {kills} kills came after the first change");
}
