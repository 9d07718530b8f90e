//! Small algorithms whose operations on data structures are known; see `spy_naming.rs` for the comments.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, VecDeque};
use std::hint::black_box;

fn main() {
    sieve();
    breadth_first();
    shortest_paths();
    word_count();
    window();
    matrix();
    merge();
    unique();
    text();
    undo();
    calendar();
    grouped();
}

fn sieve() {
    let mut composite = vec![false; black_box(100)];
    for number in 2..10 {
        if !composite[number] { //= Vec Read 8 2/100 9/100
            let mut multiple = number * number;
            while multiple < 100 {
                composite[multiple] = true; //= Vec Write 102 4/100 98/100
                multiple += number;
            }
        }
    }
    let mut primes = Vec::with_capacity(30);
    for number in 2..100 {
        if !composite[number] { //= Vec Read 98 2/100 99/100
            primes.push(number); //= Vec Insert 25 0/0 24/24
        }
    }
    black_box(&primes);
}

fn breadth_first() {
    // A complete binary tree: children of n are 2n + 1 and 2n + 2.
    let mut edges: Vec<Vec<usize>> = Vec::new();
    for node in 0..63 {
        let children = if node < 31 { vec![2 * node + 1, 2 * node + 2] } else { Vec::new() };
        edges.push(children); //= Vec Insert 63 0/0 62/62
    }
    let mut distance = vec![usize::MAX; edges.len()];
    let mut queue = VecDeque::new();
    distance[0] = 0; //= Vec Write 1 0/63 0/63
    queue.push_back(0); //= VecDeque Insert 1 0/0 0/0
    while let Some(node) = queue.pop_front() { //= VecDeque Delete 63 0/1 0/1
        let here = distance[node]; //= Vec Read 63 0/63 62/63
        for &next in &edges[black_box(node)] {
            if distance[next] == usize::MAX { //= Vec Read 62 1/63 62/63
                distance[next] = here + 1; //= Vec Write 62 1/63 62/63
                queue.push_back(next); //= VecDeque Insert 62 0/0 31/31
            }
        }
    }
    black_box(&distance);
}

fn shortest_paths() {
    let mut best: HashMap<u32, u32> = HashMap::new();
    let mut open = BinaryHeap::new();
    open.push(Reverse((0_u32, 0_u32))); //= BinaryHeap Insert 1 ?/0 ?/0
    while let Some(Reverse((cost, node))) = open.pop() { //= BinaryHeap Delete 40 0/1 0/1
        if best.contains_key(&node) { //= HashMap Search 40 -/0 -/39
            continue;
        }
        best.insert(node, cost); //= HashMap Insert 40 -/0 -/39
        if node < black_box(39) {
            open.push(Reverse((cost + 2, node + 1))); //= BinaryHeap Insert 39 ?/0 ?/0
        }
    }
    black_box(&best);
}

fn word_count() {
    let words = ["a", "few", "words", "and", "a", "few", "more"];
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    for round in 0..black_box(10) {
        for word in words {
            match counts.get_mut(word) { //= BTreeMap Search 70 -/0 -/5
                Some(count) => *count += round, //= BTreeMap Read 65 | BTreeMap Write 65
                None => {
                    counts.insert(word, 1); //= BTreeMap Insert 5 -/0 -/4
                }
            }
        }
    }
    let mut sorted: Vec<(&str, u32)> = counts.into_iter().collect();
    sorted.sort_by(|a, b| b.1.cmp(&a.1)); //= Vec Sort 1 -/5 -/5
    black_box(&sorted);
}

fn window() {
    let mut recent: VecDeque<f64> = VecDeque::with_capacity(8);
    let mut sum = 0.0;
    for number in 0..50 {
        if recent.len() == 8 {
            sum -= recent.pop_front().unwrap_or(0.0); //= VecDeque Delete 42 0/8 0/8
        }
        recent.push_back(black_box(f64::from(number))); //= VecDeque Insert 50 0/0 7/7
        sum += f64::from(number);
    }
    black_box((sum, &recent));
}

fn matrix() {
    let size = black_box(6);
    let left: Vec<Vec<f64>> = vec![vec![1.5; size]; size];
    let right: Vec<f64> = vec![2.0; size * size];
    let mut product = vec![0.0; size * size];
    for row in 0..size {
        for column in 0..size {
            let mut sum = 0.0;
            for inner in 0..size {
                sum += black_box(right[inner * size + column]); //= Vec Read 216 0/36 35/36
            }
            product[row * size + column] = sum; //= Vec Write 36 0/36 35/36
        }
    }
    black_box((&left, &product));
}

fn merge() {
    let left: Vec<u32> = (0..black_box(20)).map(|number| number * 2).collect();
    let right: Vec<u32> = (0..black_box(20)).map(|number| number * 2 + 1).collect();
    let mut merged = Vec::new();
    let (mut i, mut j) = (0, 0);
    while i < left.len() && j < right.len() {
        if left[i] < right[j] { //= Vec Read 78
            merged.push(left[i]); //= Vec Insert 20 0/0 38/38
            i += 1;
        } else {
            merged.push(right[j]); //= Vec Insert 19 1/1 37/37
            j += 1;
        }
    }
    merged.extend_from_slice(&right[j..]); //= Vec Insert 1 39/39 39/39
    black_box(merged.is_sorted());
    black_box(&merged);
}

fn unique() {
    let mut seen = HashSet::new();
    let mut kept = Vec::new();
    for number in 0..60_u64 {
        let value = black_box(number % 12);
        if seen.insert(value) { //= HashSet Insert 60 -/0 -/12
            kept.push(value); //= Vec Insert 12 0/0 11/11
        }
    }
    let order: BTreeSet<u64> = kept.iter().rev().copied().collect();
    let mut list = vec![black_box(9_u64), 8, 7, 6];
    for value in 0..9 {
        if !list.contains(&value) { //= Vec Search 9 ?/4 ?/10
            list.push(value); //= Vec Insert 6 4/4 9/9
        }
    }
    black_box((&order, &list));
}

fn text() {
    let mut line = String::with_capacity(200);
    for _ in 0..12 {
        line.push_str(black_box("ab")); //= String Insert 24 0/0 34/34
        line.push(','); //= String Insert 12 2/2 35/35
    }
    black_box(line.pop()); //= String Delete 1 35/36 35/36
    let parts: Vec<&str> = line.split(',').collect();
    black_box(parts.len());
}

struct Editor {
    lines: Vec<String>,
    undone: Vec<usize>,
}

impl Editor {
    #[inline(never)]
    fn add(&mut self, line: String) {
        self.lines.push(line); //= Vec Insert 30 0/0 29/29
        self.undone.push(self.lines.len()); //= Vec Insert 30 0/0 29/29
    }

    fn undo(&mut self) -> Option<String> {
        self.undone.pop()?; //= Vec Delete 18 29/30 12/13
        self.lines.pop() //= Vec Delete 18 29/30 12/13
    }
}

fn undo() {
    let mut editor = Editor { lines: Vec::new(), undone: Vec::new() };
    for number in 0..30 {
        editor.add(black_box(number).to_string());
    }
    for _ in 0..18 {
        black_box(editor.undo());
    }
    black_box((&editor.lines, &editor.undone));
}

fn calendar() {
    let mut days: BTreeMap<u16, Vec<u8>> = BTreeMap::new();
    for day in (0..120).step_by(3) {
        days.insert(black_box(day), Vec::new()); //= BTreeMap Insert 40 -/0 -/39
    }
    for day in (0..120).step_by(6) {
        days.remove(&black_box(day)); //= BTreeMap Delete 20 -/40 -/21
    }
    for day in 0..30 {
        black_box(days.contains_key(&day)); //= BTreeMap Search 30 -/20 -/20
    }
    black_box(&days);
}

fn grouped() {
    let numbers: Vec<i32> = (0..black_box(80)).collect();
    let mut buckets: [Vec<i32>; 4] = Default::default();
    for number in &numbers {
        buckets[(*number % 4) as usize].push(*number); //= Vec Read 80 0/80 79/80 | Vec Insert 80 0/0 19/19
    }
    let total: i32 = numbers.iter().filter(|number| **number > black_box(10)).sum(); //= Vec ForEach 1 -/80 -/80
    let largest = numbers.iter().max_by_key(|number| black_box(**number) % 7); //= Vec ForEach 1 -/80 -/80
    let found = numbers.iter().find(|number| **number == black_box(33)); //= Vec Search 1 33/80 33/80
    let doubled: Vec<i32> = numbers.iter().map(|number| number * 2).collect(); //= Vec Read 80 0/80 79/80 | Vec Insert 80 0/0 79/79
    black_box((total, largest, found, &doubled, &buckets));
}
