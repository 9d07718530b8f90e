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

