//! The formats that pprof read before its protocol buffer.

use expect_test::expect;
use lotse_formats::Place;

use super::check::{damage, fixture, four_ways, losses, read, samples, stacks, totals};

const HEAP: &str = "heap profile:      3:     3072 [     5:     4096] @ heap_v2/524288
     2:     2048 [     3:     2048] @ 0x401010 0x401020
     1:     1024 [     2:     2048] @ 0x401030
MAPPED_LIBRARIES:
00400000-00402000 r-xp 00000000 00:00 1 /bin/prog
";

const CONTENTION: &str = "--- contentionz 1 ---
cycles/second = 2000000000
sampling period = 100
ms since reset = 7
discarded samples = 0
  2000        3 @ 0x401010 0x401020
--- Memory map: ---
  00400000-00402000: /bin/prog
";

/// A CPU profile as words of a size and byte order.
fn words(words: &[u64], long: bool, big: bool) -> Vec<u8> {
    let word = |&word: &u64| match (long, big) {
        (true, true) => word.to_be_bytes().to_vec(),
        (true, false) => word.to_le_bytes().to_vec(),
        (false, true) => (word as u32).to_be_bytes().to_vec(),
        (false, false) => (word as u32).to_le_bytes().to_vec(),
    };
    words.iter().flat_map(word).collect()
}

const CPU: [u64; 17] =
    [0, 3, 0, 10_000, 0, 2, 3, 0x40_1010, 0x40_1010, 0x40_1020, 1, 2, 0x40_1030, 0x99, 0, 1, 0];
const MAPS: &[u8] = b"00400000-00402000 r-xp 00000000 00:00 1 /bin/prog\n";

#[test]
fn heap() {
    let expected = expect![[r#"
        events: alloc_objects [count], alloc_space [bytes], inuse_objects [count], inuse_space [bytes]
        totals: [3330, 2623488, 1537, 1574400]
        command, creator: (None, None)
        part "all" (None, None): 2 samples, first at None
        [2305, 1573888, 1025, 1049600] 0x101f;0x100f
        [1025, 1049600, 512, 524800] 0x102f
        function 0x101f in /bin/prog, ?
        function 0x100f in /bin/prog, ?
        function 0x102f in /bin/prog, ?
        3 unresolved, first 0x101f 0x101f FileOffset
    "#]];
    four_ways("a.heap", HEAP.as_bytes(), "pprof-legacy", &expected);
}

#[test]
fn contention() {
    let expected = expect![[r#"
        events: contentions [count], delay [ns]
        totals: [300, 100000]
        command, creator: (None, None)
        part "all" (None, None): 1 samples, first at None
        [300, 100000] 0x101f;0x100f
        function 0x101f in /bin/prog, ?
        function 0x100f in /bin/prog, ?
        2 unresolved, first 0x101f 0x101f FileOffset
    "#]];
    four_ways("a.contention", CONTENTION.as_bytes(), "pprof-legacy", &expected);
}

#[test]
fn cpu_in_words_of_every_kind() {
    let first = read(&[words(&CPU, true, false), MAPS.to_vec()].concat());
    for (long, big) in [(true, true), (false, false), (false, true)] {
        assert_eq!(read(&[words(&CPU, long, big), MAPS.to_vec()].concat()).value, first.value);
    }
    assert_eq!(totals(&first.value), [("samples".to_owned(), 3), ("cpu".to_owned(), 30_000_000)]);
    let expected =
        [("0x101f;0x1010".to_owned(), vec![2, 20_000_000]), ("0x98;0x1030".to_owned(), vec![1, 10_000_000])];
    assert_eq!(stacks(&first.value), expected, "the doubled first frame is one");
}

#[test]
fn names_before_a_profile() {
    let front = b"--- symbol\nbinary=/bin/prog\n0x401010 leaf\n0x40101f caller\n---\n--- profile\n";
    let reading = read(&[front.to_vec(), words(&CPU, true, false), MAPS.to_vec()].concat());
    assert_eq!(stacks(&reading.value)[1].0, "caller;leaf");
}

#[test]
fn goroutines_and_threads() {
    let go = "goroutine profile: total 3\n2 @ 0x10 0x21\n#\t0x10\tmain.leaf+0x3\t/a.go:4\n#\t0x21\tmain.main+0x2\t/a.go:9\n\n1 @ 0x10\n";
    let reading = read(go.as_bytes());
    assert_eq!(
        stacks(&reading.value),
        [("main.leaf".to_owned(), vec![1]), ("main.main;main.leaf".to_owned(), vec![2])]
    );
    let threads = "--- threadz 1 ---\n\n--- Thread 7f1 (name: main/12) stack: ---\n  0x10 0x21\n\n--- Thread 7f2 (name: b/13) stack: ---\n  [same as previous thread]\n";
    let reading = read(threads.as_bytes());
    assert_eq!(stacks(&reading.value), [("0x20;0xf".to_owned(), vec![2])]);
    assert_eq!(losses(&reading), []);
}

#[test]
fn java_heaps_and_contentions() {
    let heap = "--- heapz 1 ---\nformat = java\nresolution = bytes\n  2097152 1 @ 0x3 0x4\n\n 0x3 f (A.java:7)\n 0x4 GC\n";
    let reading = read(heap.as_bytes());
    assert_eq!(losses(&reading), []);
    assert_eq!(stacks(&reading.value), [("GC;f".to_owned(), vec![1, 2_136_279])]);
    let locks = "--- contentionz 1 ---\nformat = java\nresolution = microseconds\nsampling period = 10\n  7 2 @ 0x3\n 0x3 f (A.java:7)\n";
    assert_eq!(stacks(&read(locks.as_bytes()).value), [("f".to_owned(), vec![20, 70])]);
}

#[test]
fn bad_lines_are_named_and_the_rest_is_kept() {
    let reading = read(HEAP.replace("[     2:", "[     x:").as_bytes());
    assert_eq!(losses(&reading), [Place::Line(3)]);
    assert_eq!(samples(&reading.value), 1);
    let cut = words(&CPU[..13], true, false);
    let reading = read(&cut);
    assert_eq!((samples(&reading.value), losses(&reading)), (1, vec![Place::Byte(80)]));
}

#[test]
fn times_that_do_not_fit_are_a_loss() {
    let reading = read(&words(&[0, 3, 0, u64::MAX, 0, u64::MAX, 1, 5, 0, 1, 0], true, false));
    assert_eq!((samples(&reading.value), losses(&reading)), (0, vec![Place::Byte(40)]));
}

#[test]
fn damaged_input() {
    damage(HEAP.as_bytes(), "pprof-legacy");
    damage(CONTENTION.as_bytes(), "pprof-legacy");
    damage(&[words(&CPU, false, false), MAPS.to_vec()].concat(), "pprof-legacy");
}

#[test]
fn files_of_others() {
    for (name, expected) in [
        (
            "pprof__cppbench.cpu",
            expect![[r#"
            52 [("samples", 712), ("cpu", 7120000000)]
        "#]],
        ),
        (
            "pprof__cppbench.heap",
            expect![[r#"
            31 [("objects", 41063), ("space", 80935293)]
        "#]],
        ),
        (
            "pprof__cppbench.contention",
            expect![[r#"
            6 [("contentions", 3500), ("delay", 690508213)]
        "#]],
        ),
        (
            "pprof__go.crc32.cpu.pb",
            expect![[r#"
            69 [("samples", 211), ("cpu", 2110000000)]
        "#]],
        ),
        (
            "pprof__java.cpu.pb",
            expect![[r#"
            8 [("samples", 7), ("cpu", 70000000)]
        "#]],
        ),
    ] {
        let Some(bytes) = fixture(&format!("pprof-legacy/{name}")) else { return };
        let reading = read(&bytes);
        assert_eq!(reading.format_id, "pprof-legacy", "{name}");
        assert_eq!(losses(&reading), [], "{name}");
        let total = format!("{} {:?}\n", samples(&reading.value), totals(&reading.value));
        expected.assert_eq(&total);
    }
}
