//! Small files of the formats that are not text.

/// A value of Python's marshal: a text.
fn text(text: &str) -> Vec<u8> {
    [b"s".as_slice(), &(text.len() as u32).to_le_bytes(), text.as_bytes()].concat()
}

fn integer(number: i32) -> Vec<u8> {
    [b"i".as_slice(), &number.to_le_bytes()].concat()
}

fn float(number: f64) -> Vec<u8> {
    [b"g".as_slice(), &number.to_le_bytes()].concat()
}

fn tuple(items: &[Vec<u8>]) -> Vec<u8> {
    [b"(".as_slice(), &(items.len() as u32).to_le_bytes(), &items.concat()].concat()
}

/// `main` and `f`, which it calls twice.
pub(crate) fn pstats() -> Vec<u8> {
    let function = |line, name| tuple(&[text("a.py"), integer(line), text(name)]);
    let statistics = |calls, own, total, callers: Vec<u8>| {
        tuple(&[
            integer(calls),
            integer(calls),
            float(own),
            float(total),
            [b"{".to_vec(), callers, b"0".to_vec()].concat(),
        ])
    };
    let caller = [function(1, "main"), tuple(&[integer(2), integer(2), float(0.25), float(0.25)])].concat();
    let main = [function(1, "main"), statistics(1, 0.5, 0.75, Vec::new())].concat();
    let f = [function(5, "f"), statistics(2, 0.25, 0.25, caller)].concat();
    [b"{".to_vec(), main, f, b"0".to_vec()].concat()
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn longs(longs: &[u64]) -> Vec<u8> {
    longs.iter().flat_map(|long| long.to_le_bytes()).collect()
}

/// A histogram of three bins and an arc.
pub(crate) fn gmon() -> Vec<u8> {
    [
        b"gmon".to_vec(),
        words(&[1, 0, 0, 0]),
        vec![0],
        longs(&[0x1000, 0x100a]),
        words(&[3, 100]),
        b"seconds\0\0\0\0\0\0\0\0s".to_vec(),
        vec![5, 0, 0, 0, 7, 0],
        vec![1],
        longs(&[0x1000, 0x1004]),
        words(&[3]),
    ]
    .concat()
}

/// A record of perf.
fn record(kind: u32, flags: u16, body: &[u8]) -> Vec<u8> {
    let size = body.len() as u16 + 8;
    [&kind.to_le_bytes()[..], &flags.to_le_bytes(), &size.to_le_bytes(), body].concat()
}

/// A clock with two samples of one thread in the kernel, whose callers are not found by frame pointers.
pub(crate) fn perf_data() -> Vec<u8> {
    let kind = 1 | 2 | 4 | 32 | 256;
    let attribute = [words(&[1, 64]), longs(&[0, 999, kind, 0, 0, 0, 0, 0, 0])].concat();
    let sample = |time, caller| {
        let body = [longs(&[0x40_0010]), words(&[7, 8]), longs(&[time, 1000, 2, 0x40_0010, caller])];
        record(9, 1, &body.concat())
    };
    let name = [words(&[7, 8]), b"program\0".to_vec()].concat();
    let data = [record(3, 0, &name), sample(10, 0x40_0020), sample(20, 0x40_0030)].concat();
    let header = longs(&[104, 80, 104, 80, 184, data.len() as u64, 0, 0, 0, 0, 0, 0]);
    [b"PERFILE2".to_vec(), header, attribute, data].concat()
}

/// Two samples of `main`, one of them in `f`.
pub(crate) fn pprof() -> Vec<u8> {
    let message = |field: u8, bytes: &[u8]| [&[field << 3 | 2, bytes.len() as u8], bytes].concat();
    let strings = ["", "samples", "count", "main", "f"].map(|text| message(6, text.as_bytes()));
    [
        message(1, &[8, 1, 16, 2]),
        message(2, &[10, 1, 1, 18, 1, 5]),
        message(2, &[10, 2, 2, 1, 18, 1, 3]),
        message(4, &[8, 1, 34, 2, 8, 1]),
        message(4, &[8, 2, 34, 2, 8, 2]),
        message(5, &[8, 1, 16, 3]),
        message(5, &[8, 2, 16, 4]),
        strings.concat(),
    ]
    .concat()
}

/// A CPU profile of two stacks, with the memory map after it.
pub(crate) fn pprof_legacy() -> Vec<u8> {
    let stacks = [0, 3, 0, 10_000, 0, 2, 2, 0x40_1010, 0x40_1020, 1, 1, 0x40_1030, 0, 1, 0];
    [longs(&stacks), b"00400000-00402000 r-xp 00000000 00:00 1 /bin/prog\n".to_vec()].concat()
}
