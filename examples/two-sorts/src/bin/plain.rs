//! Insertion sort takes over at 14 values.

fn main() {
    two_sorts::run(14);
}
