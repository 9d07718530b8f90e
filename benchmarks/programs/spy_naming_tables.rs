//! The second half of `spy_naming.rs`: both are put together.

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
