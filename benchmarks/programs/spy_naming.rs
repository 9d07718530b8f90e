//! A program whose operations on data structures are known.
//!
//! A comment `//= Container Kind count first last` states what a line does: how many operations, and index and length
//! of the first and the last of them (`-`: it has no index; `?`: not judged). Several statements are divided by `|`.
//! Kinds are those of `lotse explain`: `retain` is searches and deletes, `entry` a search, `sum` one for-each, `push_str` an
//! insert per byte.

use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, VecDeque};
use std::hint::black_box;

fn main() {
    ends_of_a_vector();
    middle_of_a_vector();
    views_of_a_vector();
    loops_over_a_vector();
    whole_vectors();
    records();
    slices_and_arrays();
    deques();
    hash_maps();
    hash_sets();
    tree_maps();
    tree_sets();
    heaps();
    strings();
    own_types();
    generics();
    nested();
    threads();
}

fn ends_of_a_vector() {
    let mut stack: Vec<u32> = Vec::new();
    for value in 0..60_u32 {
        stack.push(black_box(value)); //= Vec Insert 60 0/0 59/59
    }
    for _ in 0..25 {
        black_box(stack.pop()); //= Vec Delete 25 59/60 35/36
    }
    for _ in 0..7 {
        black_box(stack.last()); //= Vec Read 7 34/35 34/35
    }
    for _ in 0..9 {
        black_box(stack.first().copied()); //= Vec Read 9 0/35 0/35
    }
    while let Some(top) = stack.pop() { //= Vec Delete 35 34/35 0/1
        black_box(top);
    }
    stack.extend_from_slice(black_box(&[7; 12])); //= Vec Insert 12 0/0 11/11
    stack.truncate(5); //= Vec Delete 7
    stack.extend(black_box(0..15_u32)); //= Vec Insert 15 5/5 19/19
    stack.resize(30, black_box(1)); //= Vec Insert 10 20/20 29/29
    stack.clear(); //= Vec Clear 1 -/30 -/30
    stack.push(4); //= Vec Insert 1 0/0 0/0
    black_box(&stack);
}

fn middle_of_a_vector() {
    let mut row: Vec<u64> = Vec::with_capacity(100);
    for value in 0..20 {
        row.insert(0, black_box(value)); //= Vec Insert 20 0/0 0/19
    }
    for value in 0..11 {
        row.insert(black_box(6), value); //= Vec Insert 11 6/20 6/30
    }
    for _ in 0..8 {
        black_box(row.remove(0)); //= Vec Delete 8 0/31 0/24
    }
    for _ in 0..4 {
        black_box(row.remove(black_box(3))); //= Vec Delete 4 3/23 3/20
    }
    for _ in 0..3 {
        black_box(row.swap_remove(black_box(2))); //= Vec Delete 3 2/19 2/17
    }
    black_box(&row);
}

fn views_of_a_vector() {
    let mut row: Vec<u64> = black_box(vec![5; 48]);
    for index in 0..48 {
        row[index] = black_box(index as u64 * 3); //= Vec Write 48 0/48 47/48
    }
    for index in (0..48).rev() {
        black_box(row[index]); //= Vec Read 48 47/48 0/48
    }
    for index in 0..17 {
        black_box(row.get(black_box(index))); //= Vec Read 17 0/48 16/48
    }
    for index in 0..13 {
        if let Some(value) = row.get_mut(black_box(index)) {
            *value = 8; //= Vec Write 13 0/48 12/48
        }
    }
    for wanted in 0..10 {
        black_box(row.contains(&black_box(wanted + 1000))); //= Vec Search 10 ?/48 ?/48
    }
    for wanted in 0..6 {
        black_box(row.iter().position(|value| *value == black_box(wanted + 500))); //= Vec Search 6 ?/48 ?/48
    }
    for wanted in 0..5 {
        black_box(row.iter().any(|value| *value == black_box(wanted + 700))); //= Vec Search 5 ?/48 ?/48
    }
    for wanted in 0..5 {
        black_box(row.iter().find(|value| **value == black_box(wanted + 900))); //= Vec Search 5 ?/48 ?/48
    }
    row.sort(); //= Vec Sort 1 -/48 -/48
    for wanted in 0..14 {
        black_box(row.binary_search(&black_box(wanted * 9)).is_ok()); //= Vec Search 14 ?/48 ?/48
    }
    row.reverse(); //= Vec Reverse 1 -/48 -/48
    for _ in 0..3 {
        row.swap(black_box(4), black_box(40)); //= Vec Write 6 ?/48 ?/48
    }
    black_box(&row);
}

fn loops_over_a_vector() {
    let mut row: Vec<i64> = (0..black_box(32)).collect();
    let mut sum = 0_i64;
    for value in &row {
        sum = black_box(sum + *value); //= Vec Read 32 0/32 31/32
    }
    for value in row.iter_mut() {
        *value += black_box(2); //= Vec Read 32 0/32 31/32 | Vec Write 32 0/32 31/32
    }
    for (index, value) in row.iter().enumerate() {
        sum += black_box(*value) * index as i64; //= Vec Read 32 0/32 31/32
    }
    let mut index = 0;
    while index < row.len() {
        sum ^= black_box(row[index]); //= Vec Read 16 0/32 30/32
        index += 2;
    }
    for pair in row.windows(2) {
        black_box(pair[0] < pair[1]); //= Vec Read 62 0/32 31/32
    }
    for part in row.chunks_exact_mut(8) {
        part[black_box(3)] = 0; //= Vec Write 4 3/32 27/32
    }
    black_box((sum, &row));
}

fn whole_vectors() {
    let mut row: Vec<u16> = (0..black_box(90)).map(|value| value % 31).collect();
    let copy = row.clone(); //= Vec Copy 1 -/90 -/90
    black_box(&copy);
    row.sort_unstable(); //= Vec Sort 1 -/90 -/90
    row.sort_by_key(|value| black_box(200 - *value)); //= Vec Sort 1 -/90 -/90
    row.retain(|value| *value != black_box(300)); //= Vec Search 90 0/90 89/90
    row.dedup();
    black_box(&row);
    let mut letters: Vec<u8> = black_box(b"held out".to_vec());
    letters.sort_by(|a, b| b.cmp(a)); //= Vec Sort 1 -/8 -/8
    letters.fill(black_box(9)); //= Vec Write 8 0/8 7/8
    black_box(letters.drain(..).count()); //= Vec Delete 8
    black_box(&letters);
}

struct Particle {
    place: [f64; 3],
    speed: f64,
    name: String,
}

fn records() {
    let mut swarm: Vec<Particle> = Vec::new();
    for number in 0..40 {
        let name = String::from("p");
        swarm.push(Particle { place: [number as f64; 3], speed: black_box(1.0), name }); //= Vec Insert 40 0/0 39/39
    }
    for particle in &mut swarm {
        particle.place[black_box(1)] = 2.0; //= Vec Write 40 0/40 39/40
    }
    for number in 0..20 {
        swarm[number * 2].speed = black_box(4.0); //= Vec Write 20 0/40 38/40
    }
    for number in 0..20 {
        black_box(swarm[number].name.len()); //= Vec Read 20 0/40 19/40
    }
    swarm.sort_by(|a, b| b.place[0].total_cmp(&a.place[0])); //= Vec Sort 1 -/40 -/40
    let fast = swarm.iter().filter(|particle| particle.speed > black_box(2.0)).count(); //= Vec ForEach 1 -/40 -/40
    black_box(fast);
    swarm.swap_remove(black_box(10)); //= Vec Delete 1 10/40 10/40
    black_box(&swarm);
}

#[inline(never)]
fn sum_of(values: &[u32]) -> u32 {
    let mut sum = 0;
    for value in values {
        sum += black_box(*value); //= Vec Read 24 0/24 23/24
    }
    sum
}

#[inline(never)]
fn halve(values: &mut [u32]) {
    for place in 0..values.len() {
        values[place] = black_box(1); //= Vec Write 24 0/24 23/24
    }
}

fn slices_and_arrays() {
    let mut numbers: Vec<u32> = (0..black_box(24)).collect();
    black_box(sum_of(&numbers));
    halve(&mut numbers);
    let (low, high) = numbers.split_at_mut(black_box(12));
    for index in 0..12 {
        low[index] = black_box(3); //= Vec Write 12 0/24 11/24
    }
    for index in 0..12 {
        high[index] = black_box(4); //= Vec Write 12 12/24 23/24
    }
    low.copy_from_slice(black_box(high)); //= Vec Copy 1 -/24 -/24
    black_box(&numbers);
    let mut table: Box<[[u64; 4]]> = vec![[0; 4]; black_box(10)].into_boxed_slice();
    for index in 0..10 {
        table[index][black_box(2)] = 6; //= Vec Write 10 0/10 9/10
    }
    black_box(&table);
}

fn deques() {
    let mut line: VecDeque<u32> = VecDeque::new();
    for value in 0..30 {
        line.push_back(black_box(value)); //= VecDeque Insert 30 0/0 29/29
    }
    for value in 0..12 {
        line.push_front(black_box(value)); //= VecDeque Insert 12 0/30 0/41
    }
    for _ in 0..10 {
        black_box(line.pop_front()); //= VecDeque Delete 10 0/42 0/33
    }
    for _ in 0..5 {
        black_box(line.pop_back()); //= VecDeque Delete 5 31/32 27/28
    }
    for index in 0..20 {
        black_box(line[black_box(index)]); //= VecDeque Read 20 0/27 19/27
    }
    for index in 0..6 {
        black_box(line.get(black_box(index))); //= VecDeque Read 6 0/27 5/27
    }
    for _ in 0..4 {
        black_box(line.front()); //= VecDeque Read 4 0/27 0/27
    }
    for _ in 0..3 {
        black_box(line.back()); //= VecDeque Read 3 26/27 26/27
    }
    let mut sum = 0;
    for value in &line {
        sum = black_box(sum + *value); //= VecDeque Read 27 0/27 26/27
    }
    black_box(line.contains(&black_box(9999))); //= VecDeque Search 1 ?/27 ?/27
    while let Some(value) = line.pop_front() { //= VecDeque Delete 27 0/27 0/1
        black_box(value);
    }
    line.extend(black_box(0..9)); //= VecDeque Insert 9 0/0 8/8
    line.clear(); //= VecDeque Clear 1 -/9 -/9
    black_box(&line);
}

fn hash_maps() {
    let mut ages: HashMap<u64, u64> = HashMap::new();
    for key in 0..45 {
        ages.insert(black_box(key), 1); //= HashMap Insert 45 -/0 -/44
    }
    for key in 0..15 {
        black_box(ages.get(&black_box(key))); //= HashMap Search 15 -/45 -/45
    }
    for key in 0..18 {
        black_box(ages.contains_key(&black_box(key * 5))); //= HashMap Search 18 -/45 -/45
    }
    for key in 0..16 {
        if let Some(value) = ages.get_mut(&black_box(key)) { //= HashMap Search 16 -/45 -/45
            *value += 1;
        }
    }
    for key in 0..9 {
        black_box(ages[&black_box(key)]); //= HashMap Search 9 -/45 -/45 | HashMap Read 9
    }
    for key in 40..60 {
        *ages.entry(black_box(key)).or_insert(0) += 1; //= HashMap Search 20 -/45 -/59 | HashMap Insert 15 | HashMap Read 20 | HashMap Write 20
    }
    for key in 0..22 {
        black_box(ages.remove(&black_box(key))); //= HashMap Delete 22 -/60 -/39
    }
    let mut sum = 0;
    for value in ages.values() {
        sum = black_box(sum + *value); //= HashMap Read 38 -/38 -/38
    }
    for (key, value) in &mut ages {
        *value = black_box(*key); //= HashMap Read 38 -/38 -/38 | HashMap Write 38 -/38 -/38
    }
    let copy = ages.clone(); //= HashMap Copy 1 -/38 -/38
    black_box(&copy);
    ages.retain(|key, _| *key % 2 == black_box(0)); //= HashMap Search 38 -/38 ?/? | HashMap Delete 19
    ages.clear(); //= HashMap Clear 1 -/19 -/19
    black_box((sum, &ages));
    let mut words: HashMap<String, Vec<u32>> = HashMap::with_capacity(64);
    for number in 0..30_u32 {
        let key = format!("word {}", number % 10);
        words.entry(key).or_default().push(number); //= HashMap Search 30 -/0 -/10 | HashMap Insert 10 | Vec Insert 30
    }
    for number in 0..10 {
        let key = format!("word {number}");
        black_box(words.get(&key).is_some()); //= HashMap Search 10 -/10 -/10
    }
    black_box(&words);
}

fn hash_sets() {
    let mut seen: HashSet<u32> = HashSet::new();
    for value in 0..52 {
        seen.insert(black_box(value % 26)); //= HashSet Insert 52 -/0 -/26
    }
    for value in 0..33 {
        black_box(seen.contains(&black_box(value))); //= HashSet Search 33 -/26 -/26
    }
    for value in 0..11 {
        black_box(seen.remove(&black_box(value))); //= HashSet Delete 11 -/26 -/16
    }
    let mut sum = 0;
    for value in &seen {
        sum = black_box(sum + *value); //= HashSet Read 15 -/15 -/15
    }
    seen.extend(black_box(100..108)); //= HashSet Insert 8 -/15 -/22
    seen.clear(); //= HashSet Clear 1 -/23 -/23
    black_box((sum, &seen));
}

fn tree_maps() {
    let mut index: BTreeMap<u32, u64> = BTreeMap::new();
    for key in 0..70 {
        index.insert(black_box(key * 7 % 71), 2); //= BTreeMap Insert 70 -/0 -/69
    }
    for key in 0..35 {
        black_box(index.get(&black_box(key))); //= BTreeMap Search 35 -/70 -/70
    }
    for key in 0..12 {
        black_box(index.contains_key(&black_box(key * 9))); //= BTreeMap Search 12 -/70 -/70
    }
    for key in 0..10 {
        if let Some(value) = index.get_mut(&black_box(key)) { //= BTreeMap Search 10 -/70 -/70
            *value = 5;
        }
    }
    for key in 80..95 {
        *index.entry(black_box(key)).or_insert(0) += 1; //= BTreeMap Search 15 -/70 -/84 | BTreeMap Insert 15 | BTreeMap Read 15 | BTreeMap Write 15
    }
    for key in 1..19 {
        black_box(index.remove(&black_box(key))); //= BTreeMap Delete 18 -/85 -/68
    }
    for _ in 0..6 {
        black_box(index.pop_first()); //= BTreeMap Delete 6 -/67 -/62
    }
    let mut sum = 0;
    for (_, value) in &index {
        sum = black_box(sum + *value); //= BTreeMap Read 61 -/61 -/61
    }
    for (key, _) in index.range(black_box(30)..black_box(40)) {
        black_box(*key); //= BTreeMap Read 10 -/61 -/61
    }
    black_box(index.first_key_value()); //= BTreeMap Search 1 -/61 -/61
    black_box((sum, &index));
}

fn tree_sets() {
    let mut order: BTreeSet<i32> = BTreeSet::new();
    for value in 0..55 {
        order.insert(black_box(-value)); //= BTreeSet Insert 55 -/0 -/54
    }
    for value in 0..21 {
        black_box(order.contains(&black_box(-value))); //= BTreeSet Search 21 -/55 -/55
    }
    for value in 0..14 {
        black_box(order.remove(&black_box(-value))); //= BTreeSet Delete 14 -/55 -/42
    }
    for value in &order {
        black_box(*value); //= BTreeSet Read 41 -/41 -/41
    }
    for _ in 0..5 {
        black_box(order.pop_last()); //= BTreeSet Delete 5 -/41 -/37
    }
    black_box(&order);
}

fn heaps() {
    let mut heap: BinaryHeap<u64> = BinaryHeap::new();
    for value in 0..44 {
        heap.push(black_box(value * 13 % 45)); //= BinaryHeap Insert 44 ?/0 ?/43
    }
    for _ in 0..8 {
        black_box(heap.peek()); //= BinaryHeap Read 8 0/44 0/44
    }
    for _ in 0..20 {
        black_box(heap.pop()); //= BinaryHeap Delete 20 0/44 0/25
    }
    let sorted = heap.into_sorted_vec(); //= BinaryHeap Sort 1 -/24 -/24
    black_box(&sorted);
}

fn strings() {
    let mut text = String::new();
    for _ in 0..28 {
        text.push(black_box('x')); //= String Insert 28 0/0 27/27
    }
    for _ in 0..6 {
        text.push_str(black_box("abc")); //= String Insert 18 28/28 45/45
    }
    for _ in 0..9 {
        black_box(text.pop()); //= String Delete 9 45/46 37/38
    }
    text.insert(0, black_box('y')); //= String Insert 1 0/37 0/37
    for letter in text.bytes() { //= String Read 38 0/38 37/38
        black_box(letter == b'z');
    }
    let copy = text.clone(); //= String Copy 1 -/38 -/38
    black_box(&copy);
    text.clear(); //= String Clear 1 -/38 -/38
    black_box(&text);
}

struct Grid {
    cells: Vec<f32>,
    width: usize,
}

impl Grid {
    fn new(width: usize, height: usize) -> Self {
        Self { cells: vec![0.0; width * height], width }
    }

    #[inline(never)]
    fn set(&mut self, x: usize, y: usize, value: f32) {
        self.cells[y * self.width + x] = value; //= Vec Write 77 0/77 76/77
    }

    fn at(&self, x: usize, y: usize) -> f32 {
        self.cells[y * self.width + x] //= Vec Read 77 0/77 76/77
    }

    fn row(&self, y: usize) -> impl Iterator<Item = &f32> {
        self.cells[y * self.width..][..self.width].iter()
    }
}

fn own_types() {
    let mut grid = Grid::new(black_box(11), black_box(7));
    for y in 0..7 {
        for x in 0..11 {
            grid.set(x, y, 1.5);
        }
    }
    let mut sum = 0.0;
    for y in 0..7 {
        for x in 0..11 {
            sum = black_box(sum + grid.at(x, y));
        }
    }
    for value in grid.row(black_box(3)) {
        sum += black_box(*value); //= Vec Read 11 33/77 43/77
    }
    black_box(sum);
}

struct Pool<T> {
    free: Vec<T>,
}

impl<T: Clone> Pool<T> {
    fn give(&mut self, thing: T) {
        self.free.push(thing); //= Vec Insert 36 0/0 11/11
    }

    #[inline(never)]
    fn take(&mut self) -> Option<T> {
        self.free.pop() //= Vec Delete 27 17/18 3/4
    }
}

fn fill<T: Clone>(pool: &mut Pool<T>, thing: T, times: usize) {
    for _ in 0..times {
        pool.give(thing.clone());
    }
}

fn generics() {
    let mut numbers = Pool { free: Vec::new() };
    let mut pairs = Pool { free: Vec::new() };
    fill(&mut numbers, black_box(5_u8), 24);
    fill(&mut pairs, (black_box(1_u64), 2_u64), 12);
    for _ in 0..6 {
        black_box(numbers.free.pop()); //= Vec Delete 6 23/24 18/19
    }
    for _ in 0..18 {
        black_box(numbers.take());
    }
    for _ in 0..9 {
        black_box(pairs.take());
    }
    black_box((&numbers.free, &pairs.free));
}

fn nested() {
    let mut rows: Vec<Vec<u32>> = Vec::new();
    for _ in 0..15 {
        rows.push(vec![1; black_box(10)]); //= Vec Insert 15 0/0 14/14
    }
    let total: u32 = rows.iter().map(|row| row.iter().sum::<u32>()).sum(); //= Vec ForEach 16
    black_box(total);
    let mut stack = vec![black_box(0_usize)];
    let mut order = Vec::new();
    while let Some(node) = stack.pop() { //= Vec Delete 31 0/1 0/1
        order.push(node); //= Vec Insert 31 0/0 30/30
        for child in [2 * node + 1, 2 * node + 2] {
            if child < black_box(31) {
                stack.push(child); //= Vec Insert 30 0/0 1/1
            }
        }
    }
    let names: Vec<String> = order.iter().map(|node| format!("{node}")).collect();
    let mut by_length: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    names.iter().for_each(|name| by_length.entry(name.len()).or_default().push(name)); //= BTreeMap Search 31 -/0 -/2 | BTreeMap Insert 2 | Vec Insert 31 | Vec ForEach 1
    black_box(&by_length);
}

fn threads() {
    let shared: Vec<u64> = (0..black_box(64)).collect();
    std::thread::scope(|scope| {
        for worker in 0..4 {
            let shared = &shared;
            scope.spawn(move || {
                let mut own: Vec<u64> = Vec::new();
                for index in 0..16 {
                    let value = shared[worker * 16 + index]; //= Vec Read 64 ?/64 ?/64
                    own.push(black_box(value)); //= Vec Insert 64 0/0 ?/?
                }
                black_box(own.iter().max()); //= Vec ForEach 4 -/16 -/16
                own.sort_unstable(); //= Vec Sort 4 -/16 -/16
            });
        }
    });
    black_box(&shared);
}
