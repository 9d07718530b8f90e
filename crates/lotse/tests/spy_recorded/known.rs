//! Operations at known lines. The comment at a line states container, kind, count, first and last: the last two are the index and the
//! length at the first and at the last operation, as index/length.
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, VecDeque};
use std::hint::black_box;

#[derive(Clone, Copy, Debug, PartialEq)]
struct Point {
    x: f64,
    y: f64,
    id: u32,
}

fn vectors(n: u64) {
    let mut v = Vec::new();
    for i in 0..n {
        v.push(i * 3); //~ Vec Insert 200 0/0 199/199
    }
    for i in 0..7 {
        v.insert(0, i); //~ Vec Insert 7 0/200 0/206
    }
    for i in 0..5 {
        v.insert(10, i); //~ Vec Insert 5 10/207 10/211
    }
    for _ in 0..6 {
        black_box(v.remove(0)); //~ Vec Delete 6 0/212 0/207
    }
    for _ in 0..4 {
        black_box(v.remove(20)); //~ Vec Delete 4 20/206 20/203
    }
    for _ in 0..9 {
        black_box(v.pop()); //~ Vec Delete 9 201/202 193/194
    }
    for _ in 0..3 {
        black_box(v.swap_remove(2)); //~ Vec Delete 3 2/193 2/191
    }
    let mut sum = 0_u64;
    for x in &v {
        sum = sum.wrapping_add(*x); //~ Vec Read 190 0/190 189/190
    }
    for x in v.iter_mut() {
        *x ^= sum; //~ Vec Read 190 0/190 189/190 | Vec Write 190 0/190 189/190
    }
    for i in 0..v.len() {
        v[i] += 1; //~ Vec Read 190 0/190 189/190 | Vec Write 190 0/190 189/190
    }
    for i in (0..v.len()).rev() {
        black_box(v[i]); //~ Vec Read 190 189/190 0/190
    }
    for i in 0..11 {
        black_box(v.contains(&(i + 1_000_000_007))); //~ Vec Search 11 189/190 189/190
    }
    for _ in 0..3 {
        black_box(v.iter().position(|x| *x == 1)); //~ Vec Search 3 189/190 189/190
    }
    v.sort(); //~ Vec Sort 1 -/190 -/190
    v.sort_unstable(); //~ Vec Sort 1 -/190 -/190
    v.sort_by(|a, b| b.cmp(a)); //~ Vec Sort 1 -/190 -/190
    v.reverse(); //~ Vec Reverse 1 -/190 -/190
    for i in 0..5 {
        black_box(v.binary_search(&(i * 31)).is_ok()); //~ Vec Search 5
    }
    black_box(v.iter().max()); //~ Vec ForEach 1 -/190 -/190
    black_box(v.iter().sum::<u64>()); //~ Vec ForEach 1 -/190 -/190
    let w: Vec<u64> = v.iter().map(|x| x * 2).collect(); //~ Vec Read 190 0/190 189/190 | Vec Insert 190 0/0 189/189
    let c = v.clone(); //~ Vec Copy 1 -/190 -/190
    black_box((w.len(), c.len()));
    v.extend_from_slice(&w); //~ Vec Insert 190 190/190 379/379
    v.truncate(100);
    v.extend(0..30); //~ Vec Insert 30 100/100 129/129
    v.clear(); // Seen only where the store of the length stays: not at -O1 and above.
    for i in 0..10 {
        v.push(i); //~ Vec Insert 10 0/0 9/9
    }
    black_box(&v);
    let mut filled = vec![1_u32; 300];
    for x in &mut filled {
        *x += 2; //~ Vec Read 300 0/300 299/300 | Vec Write 300 0/300 299/300
    }
    black_box(&filled);
}

fn points(n: u32) {
    let mut points = Vec::with_capacity(16);
    for id in 0..n {
        points.push(Point { x: f64::from(id), y: 2.0, id }); //~ Vec Insert 60 0/0 59/59
    }
    let mut sum = 0.0;
    for point in &points {
        sum += point.x * point.y + f64::from(point.id); //~ Vec Read 60 0/60 59/60
    }
    for point in &mut points {
        point.x = sum; //~ Vec Write 60 0/60 59/60
    }
    points.retain(|point| point.id % 2 == 0); //~ Vec Search 60
    black_box(&points);
}

fn deques(n: u64) {
    let mut d = VecDeque::new();
    for i in 0..n {
        d.push_back(i); //~ VecDeque Insert 100 0/0 99/99
    }
    for i in 0..8 {
        d.push_front(i); //~ VecDeque Insert 8 0/100 0/107
    }
    for _ in 0..20 {
        black_box(d.pop_front()); //~ VecDeque Delete 20 0/108 0/89
    }
    for _ in 0..10 {
        black_box(d.pop_back()); //~ VecDeque Delete 10 87/88 78/79
    }
    for i in 0..d.len() {
        black_box(d[i]); //~ VecDeque Read 78 0/78 77/78
    }
    for x in &d {
        black_box(*x); //~ VecDeque Read 78 0/78 77/78
    }
}

fn maps(n: u64) {
    let mut m = HashMap::new();
    for i in 0..n {
        m.insert(i, i); //~ HashMap Insert 90 -/0 -/89
    }
    for i in 0..13 {
        black_box(m.get(&i)); //~ HashMap Search 13 -/90 -/90
    }
    for i in 0..12 {
        black_box(m.contains_key(&(i + 80))); //~ HashMap Search 12 -/90 -/90
    }
    for i in 0..14 {
        black_box(m.remove(&i)); //~ HashMap Delete 14 -/90 -/77
    }
    for i in 0..15 {
        *m.entry(i).or_insert(0) += 1; //~ HashMap Search 15 | HashMap Insert 14 -/76 -/89 | HashMap Read 15 | HashMap Write 15
    }
    let mut s = HashSet::new();
    for i in 0..40_u32 {
        s.insert(i % 20); //~ HashSet Insert 40 -/0 -/20
    }
    for i in 0..16 {
        black_box(s.contains(&i)); //~ HashSet Search 16 -/20 -/20
    }
    black_box((&m, &s));
}

fn trees(n: u64) {
    let mut b = BTreeMap::new();
    for i in 0..n {
        b.insert(i * 7 % 101, i); //~ BTreeMap Insert 95 -/0 -/94
    }
    for i in 0..17 {
        black_box(b.get(&i)); //~ BTreeMap Search 17 -/95 -/95
    }
    for i in 0..18 {
        black_box(b.remove(&(i * 7 % 101))); //~ BTreeMap Delete 18 -/95 -/78
    }
    let mut s = BTreeSet::new();
    for i in 0..30_u64 {
        s.insert(i); //~ BTreeSet Insert 30 -/0 -/29
    }
    for i in 0..19 {
        black_box(s.contains(&i)); //~ BTreeSet Search 19 -/30 -/30
    }
    let mut h = BinaryHeap::new();
    for i in 0..50_u64 {
        h.push(i * 7919 % 50); //~ BinaryHeap Insert 50
    }
    for _ in 0..21 {
        black_box(h.pop()); //~ BinaryHeap Delete 21
    }
    black_box((&b, &s, &h));
}

fn strings(n: u32) {
    let mut s = String::new();
    for i in 0..n {
        s.push(char::from(b'a' + (i % 26) as u8)); //~ String Insert 70 0/0 69/69
    }
    for _ in 0..5 {
        s.push_str("xyz"); //~ String Insert 15 70/70 84/84
    }
    for _ in 0..6 {
        black_box(s.pop()); //~ String Delete 6 84/85 79/80
    }
    black_box(&s);
}

fn threads() {
    let handles: Vec<_> = (0..4_u64)
        .map(|thread| {
            std::thread::spawn(move || {
                let mut v = Vec::new();
                for i in 0..50 {
                    v.push(i * thread); //~ Vec Insert 200 0/0 49/49
                }
                black_box(v.len())
            })
        })
        .collect();
    for handle in handles {
        handle.join().unwrap();
    }
}

fn main() {
    vectors(black_box(200));
    points(black_box(60));
    deques(black_box(100));
    maps(black_box(90));
    trees(black_box(95));
    strings(black_box(70));
    threads();
}
