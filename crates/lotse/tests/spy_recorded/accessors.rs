//! Loops that use structures through other functions. A comment names the structure: where it is made, the loop, and the
//! line that accesses it. `// NONE` marks a line that findings name themselves, without a loop.

use std::hint::black_box;
use std::ops::Index;

const N: usize = 3000;

struct Image {
    width: usize,
    pixels: Vec<u64>,
}

impl Image {
    fn get_pixel(&self, x: usize, y: usize) -> u64 {
        self.pixels[y * self.width + x] // image ACCESS
    }
}

fn brightness(image: &Image, rows: usize) -> u64 {
    let mut sum = 0;
    for y in 0..rows { // image LOOP
        for x in 0..image.width {
            sum ^= black_box(image.get_pixel(x, y));
        }
    }
    sum
}

struct Table(Vec<u64>);

impl Index<usize> for Table {
    type Output = u64;

    fn index(&self, at: usize) -> &u64 {
        &self.0[at]
    }
}

impl Table {
    fn value(&self, at: usize) -> u64 {
        *self.0.index(at) // table ACCESS
    }
}

fn total(table: &Table) -> u64 {
    let mut sum = 0;
    let mut at = 0;
    while at < N { // table LOOP
        sum += black_box(table.value(at));
        at += 1;
    }
    sum
}

struct Column(Vec<u64>);

impl Index<usize> for Column {
    type Output = u64;

    fn index(&self, at: usize) -> &u64 {
        black_box(&self.0[at])
    }
}

fn total_of_column(column: &Column) -> u64 {
    let mut sum = 0;
    for at in 0..N {
        sum += black_box(column[at]); // NONE: `index` gives a reference, and this line reads
    }
    sum
}

#[inline(never)]
fn put(values: &mut [u64], at: usize, value: u64) {
    values[at] = value; // values ACCESS
}

#[inline(never)]
fn compute_and_put(values: &mut [u64], at: usize) {
    put(values, at, black_box(at as u64 * 7));
}

fn fill(values: &mut [u64]) {
    for at in 0..N { // values LOOP
        compute_and_put(values, at);
    }
}

struct Log {
    lines: Vec<u64>,
}

impl Log {
    fn note(&mut self, line: u64) {
        self.lines.push(black_box(line)); // log ACCESS
    }
}

fn write_log(log: &mut Log) {
    (0..N as u64).for_each(|line| { // log LOOP
        log.note(line);
    });
}

#[inline(never)]
fn sum_between(tree: &[u64], from: usize, to: usize) -> u64 {
    if to - from == 1 {
        return black_box(tree[from]); // NONE: through recursion
    }
    let middle = (from + to) / 2;
    sum_between(tree, from, middle) + sum_between(tree, middle, to)
}

fn sums(tree: &[u64]) -> u64 {
    let mut sum = 0;
    for _ in 0..5 {
        sum ^= sum_between(tree, 0, N);
    }
    sum
}

fn in_one_function() -> u64 {
    let own = black_box(vec![1; N]);
    let mut sum = 0;
    for at in 0..N {
        sum += black_box(own[at]); // NONE: the loop is here
    }
    sum
}

struct Countdown(u64);

impl Iterator for Countdown {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        self.0 = black_box(self.0).checked_sub(1)?;
        Some(self.0)
    }
}

fn collected() -> Vec<u64> {
    let mut all = Vec::new();
    all.extend(Countdown(N as u64)); // NONE: `next` is further in than this line
    all
}

fn main() {
    let image = Image { width: 30, pixels: black_box(vec![1; N]) }; // image MADE
    black_box(brightness(&image, N / 30));
    let table = Table(black_box(vec![1; N])); // table MADE
    black_box(total(&table));
    let column = Column(black_box(vec![1; N]));
    black_box(total_of_column(&column));
    let mut values = black_box(vec![0; N]); // values MADE
    fill(&mut values);
    black_box(&values);
    let mut log = Log { lines: Vec::new() }; // log LOST: it is made where memory is first needed
    write_log(&mut log);
    black_box(&log.lines);
    let tree = black_box(vec![1; N]);
    black_box(sums(&tree));
    black_box(in_one_function());
    black_box(collected());
}
