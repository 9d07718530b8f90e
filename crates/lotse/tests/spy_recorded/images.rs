//! Loops of images, grids and clusters, marked as in `loops.rs`, each with a twin whose iterations depend on each other.

use std::cell::Cell;
use std::hint::black_box;

const SIDE: usize = 90;

struct Image {
    data: Vec<u8>,
    width: usize,
}

impl Image {
    fn set(&mut self, x: usize, y: usize, shade: u8) {
        self.data[y * self.width + x] = shade;
    }
}

#[inline(never)]
fn five_points(old: &[Vec<f64>], new: &mut [Vec<f64>]) {
    for y in 1..old.len() - 1 { // INDEPENDENT
        for x in 1..old[0].len() - 1 {
            new[y][x] = old[y][x] + old[y - 1][x] + old[y + 1][x] + old[y][x - 1] + old[y][x + 1]; // INDEPENDENT or too short
        }
    }
}

/// Every point needs the new value of the one before.
#[inline(never)]
fn gauss_seidel(grid: &mut [Vec<f64>]) {
    for y in 1..grid.len() - 1 {
        for x in 1..grid[0].len() - 1 {
            grid[y][x] = 0.25 * (grid[y - 1][x] + grid[y + 1][x] + grid[y][x - 1] + grid[y][x + 1]);
        }
    }
}

#[inline(never)]
fn draw(image: &mut Image, seed: usize) {
    let width = image.width;
    for y in 0..SIDE { // INDEPENDENT
        for x in 0..width { // INDEPENDENT or too short
            image.set(x, y, ((x * y + seed) % 251) as u8); // INDEPENDENT or too short
        }
    }
}

/// All points of a row are drawn over each other.
#[inline(never)]
fn overdraw(image: &mut Image, seed: usize) {
    for y in 0..SIDE {
        for x in 0..SIDE {
            let before = image.data[7];
            image.set(7, 0, before.wrapping_add((x * y + seed) as u8));
        }
    }
}

/// The compiler may load a value at the end of the iteration before the one that needs it.
#[inline(never)]
fn look_up(pixels: &mut [u8], table: &[u8]) {
    for pixel in pixels.iter_mut() {
        *pixel = table[*pixel as usize]; // INDEPENDENT
    }
}

#[inline(never)]
fn follow_links(links: &mut [u32]) {
    let mut at = 0;
    for _ in 0..links.len() {
        let next = links[at] as usize;
        links[at] = 0;
        at = next;
    }
}

/// Each element is written where the next iteration reads.
#[inline(never)]
fn write_ahead(values: &mut [u64], to: &[usize]) {
    for i in 0..to.len() {
        let value = values[i];
        values[to[i]] = value.wrapping_mul(3) + 1;
    }
}

#[inline(never)]
fn assign(points: &[(f64, f64)], centres: &[(f64, f64)], nearest: &mut [usize]) -> bool {
    let mut changed = false;
    for i in 0..points.len() { // INDEPENDENT or too short
        let (mut best, mut least) = (0, f64::INFINITY);
        for (number, centre) in centres.iter().enumerate() {
            let distance = (points[i].0 - centre.0).powi(2) + (points[i].1 - centre.1).powi(2);
            if distance < least {
                (best, least) = (number, distance);
            }
        }
        if best != nearest[i] {
            nearest[i] = best; // INDEPENDENT or too short
            changed = true;
        }
    }
    changed
}

#[inline(never)]
fn roots(from: &[f64], to: &mut [f64], length: usize) {
    for (line, row) in from.chunks(length).zip(to.chunks_mut(length)) { // INDEPENDENT
        for (value, root) in line.iter().zip(row.iter_mut()) {
            *root = value.sqrt() + 1.0; // INDEPENDENT or too short
        }
    }
}

/// A thread-local variable carries a value from each iteration to the next.
#[inline(never)]
fn of_the_thread(values: &mut [u64]) {
    thread_local! { static STATE: Cell<u64> = const { Cell::new(0) }; }
    for value in values.iter_mut() {
        STATE.with(|state| {
            state.set(state.get().wrapping_mul(3) + 1);
            *value = state.get();
        });
    }
}

fn main() {
    let mut old: Vec<Vec<f64>> = (0..SIDE).map(|y| (0..SIDE).map(|x| (x * y % 17) as f64).collect()).collect();
    let mut new = old.clone();
    let mut image = Image { data: vec![0; SIDE * SIDE], width: SIDE };
    let table: Vec<u8> = (0..=255_u8).map(|i| i.wrapping_mul(7)).collect();
    let points: Vec<(f64, f64)> = (0..2000).map(|i| ((i * 37 % 1000) as f64, (i * 91 % 997) as f64)).collect();
    let centres: Vec<(f64, f64)> = (0..8).map(|i| ((i * 100) as f64, (i * 90) as f64)).collect();
    let mut nearest = vec![0; points.len()];
    let from: Vec<f64> = (0..6000).map(|i| i as f64).collect();
    let mut to = vec![0.0; from.len()];
    let mut values = vec![1_u64; 3000];
    let next: Vec<usize> = (1..3000).collect();
    let mut links: Vec<u32> = (0..3000).map(|i| (i + 7) % 3000).collect();
    for pass in 0..2 {
        five_points(black_box(&old), black_box(&mut new));
        gauss_seidel(black_box(&mut old));
        draw(black_box(&mut image), pass);
        overdraw(black_box(&mut image), pass);
        look_up(black_box(&mut image.data), black_box(&table));
        black_box(assign(black_box(&points), black_box(&centres), black_box(&mut nearest)));
        roots(black_box(&from), black_box(&mut to), 60);
        of_the_thread(black_box(&mut values));
        values.fill(1); // INDEPENDENT or too short
        write_ahead(black_box(&mut values), black_box(&next));
        follow_links(black_box(&mut links));
    }
    println!("{} {} {} {} {}", new[3][4], image.data[77], nearest[5], to[5], values[9] + u64::from(links[3]));
}
