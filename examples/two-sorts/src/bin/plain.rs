//! Insertion sort takes over at 12 values.

fn main() {
    two_sorts::run(12);
}
