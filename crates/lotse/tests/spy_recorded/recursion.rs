//! A recursion with two calls has as many call stacks as leaves; functions of the library are between those of the program.
use std::hint::black_box;

#[inline(never)]
fn tree(depth: u32, out: &mut Vec<u32>) {
    if depth == 0 {
        out.push(black_box(1)); // LEAF
        return;
    }
    tree(depth - 1, out);
    tree(depth - 1, out);
}

#[inline(never)]
fn outer(first: bool, list: &mut Vec<u32>, out: &mut Vec<u32>) {
    // A sort that is not inlined calls the closure: frames of the library may lack guards, those of the program have them.
    if first {
        list.sort_by_key(|&it| std::cmp::Reverse(black_box(it)));
    } else {
        list.retain(|&it| black_box(it) > 2);
    }
    out.push(black_box(list.len() as u32)); // OUTER
}

fn main() {
    let mut out = Vec::new();
    tree(14, &mut out);
    for number in 0..100 {
        outer(number % 2 == 0, &mut (0..60).collect(), &mut out);
    }
    println!("{}", out.len());
}
