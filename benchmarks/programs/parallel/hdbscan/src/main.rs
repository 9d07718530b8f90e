//! Clusters points around four centres.
use hdbscan::{DistanceMetric, Hdbscan, HdbscanHyperParams};

fn main() {
    let count = std::env::args().nth(1).map_or(3000, |n| n.parse().unwrap());
    let mut state = 12345u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let centres = [[0.0, 0.0], [5.0, 5.0], [0.0, 8.0], [9.0, 1.0]];
    let points: Vec<Vec<f64>> =
        (0..count).map(|i| centres[i % 4].iter().map(|c| c + random()).collect()).collect();
    let parameters =
        HdbscanHyperParams::builder().min_cluster_size(10).dist_metric(DistanceMetric::Euclidean).build();
    let labels = Hdbscan::new(&points, parameters).cluster().unwrap();
    println!("{} clusters", labels.iter().max().unwrap() + 1);
}
