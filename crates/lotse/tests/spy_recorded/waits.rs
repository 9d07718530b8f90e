//! Fills a vector of 1000, says so, waits for a line, then does what the line says.

use std::io::{BufRead as _, Write as _};

fn fill(n: u64) -> u64 {
    let mut v = Vec::new();
    for i in 0..n {
        v.push(i); // FILL
    }
    v.iter().map(|x| x ^ 3).sum()
}

/// Accesses that no run joins: more records than a ring has room for.
fn jump(rounds: u64) -> u64 {
    let mut v = vec![1_u64; 100_000];
    let mut state = 88_172_645_463_325_252_u64;
    for _ in 0..rounds {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let at = state as usize % v.len();
        v[at] += 1;
    }
    v.iter().max().copied().unwrap()
}

fn main() {
    println!("{}", fill(1000));
    println!("ready");
    std::io::stdout().flush().unwrap();
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line).unwrap();
    match line.trim() {
        "jump" => println!("{}", jump(600_000)),
        "sleep" => std::thread::sleep(std::time::Duration::from_secs(600)),
        _ => {}
    }
    println!("end");
}
