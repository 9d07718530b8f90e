//! Builds a bounding volume hierarchy of spheres and shoots rays at it.
use bvh::aabb::{Aabb, Bounded};
use bvh::bounding_hierarchy::BHShape;
use bvh::bvh::Bvh;
use bvh::ray::Ray;
use nalgebra::{Point3, Vector3};

struct Sphere {
    centre: Point3<f32>,
    radius: f32,
    node: usize,
}

impl Bounded<f32, 3> for Sphere {
    fn aabb(&self) -> Aabb<f32, 3> {
        let half = Vector3::repeat(self.radius);
        Aabb::with_bounds(self.centre - half, self.centre + half)
    }
}

impl BHShape<f32, 3> for Sphere {
    fn set_bh_node_index(&mut self, index: usize) {
        self.node = index;
    }

    fn bh_node_index(&self) -> usize {
        self.node
    }
}

fn main() {
    let count = std::env::args().nth(1).map_or(20_000, |n| n.parse().unwrap());
    let mut state = 12345u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1u64 << 24) as f32
    };
    let mut spheres: Vec<Sphere> = (0..count)
        .map(|_| Sphere {
            centre: Point3::new(random() * 100.0, random() * 100.0, random() * 100.0),
            radius: 0.2 + random(),
            node: 0,
        })
        .collect();
    let tree = Bvh::build(&mut spheres);
    let hits: usize = (0..2000)
        .map(|_| {
            let direction = Vector3::new(random() - 0.5, random() - 0.5, random() - 0.5);
            tree.traverse(&Ray::new(Point3::new(50.0, 50.0, 50.0), direction), &spheres).len()
        })
        .sum();
    println!("{} nodes, {hits} boxes hit", tree.nodes.len());
}
