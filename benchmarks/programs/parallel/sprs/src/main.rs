//! Squares a sparse matrix twice.
use sprs::TriMat;

fn main() {
    let size = std::env::args().nth(1).map_or(1500, |n| n.parse().unwrap());
    let mut state = 88172645463325252u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut triplets = TriMat::new((size, size));
    for row in 0..size {
        for _ in 0..6 {
            triplets.add_triplet(row, (random() % size as u64) as usize, (random() % 100) as f64);
        }
    }
    let matrix = triplets.to_csr::<usize>();
    let mut product = matrix.clone();
    for _ in 0..2 {
        product = &product * &matrix;
    }
    println!("{} non-zeros", product.nnz());
}
