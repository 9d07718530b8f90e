//! Builds the Voronoi mesh of a jittered grid, by way of the finished mesh and by way of the integrator.
use glam::DVec3;
use meshless_voronoi::{Dimensionality, Voronoi, VoronoiIntegrator};

fn main() {
    let side = std::env::args().nth(1).map_or(10, |n| n.parse().unwrap());
    let mut state = 12345u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut points = Vec::new();
    for x in 0..side {
        for y in 0..side {
            for z in 0..side {
                let mut jitter = |i: usize| (i as f64 + 0.1 + 0.8 * random()) / side as f64;
                points.push(DVec3::new(jitter(x), jitter(y), jitter(z)));
            }
        }
    }
    let mesh = Voronoi::build(&points, DVec3::ZERO, DVec3::ONE, Dimensionality::ThreeD, false);
    let volume: f64 = mesh.cells().iter().map(|cell| cell.volume()).sum();
    let integrator = VoronoiIntegrator::build(&points, None, DVec3::ZERO, DVec3::ONE, Dimensionality::ThreeD, false);
    let again = Voronoi::from(integrator);
    println!("{} cells, {} faces, volume {volume:.6}", mesh.cells().len(), again.faces().len());
}
