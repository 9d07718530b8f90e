//! scalar product of slices
// half: training
// sizes: 500 2000 10000 50000 400000
// values: x.len() = N; y.len() = N

#[inline(never)]
pub fn kernel(x: &[f64], y: &[f64]) -> f64 {
    let mut s = 0.0;
    for (a, b) in x.iter().zip(y) {
        s += a * b;
    }
    s
}

pub struct Data {
    x: Vec<f64>,
    y: Vec<f64>,
}

pub fn prepare(n: usize) -> Data {
    let x = (0..n).map(|i| 1.0 + (i % 7) as f64).collect();
    let y = (0..n).map(|i| 1.0 + (i % 7) as f64).collect();
    Data { x, y }
}

pub fn call(_n: usize, data: &mut Data) -> f64 {
    kernel(&data.x, &data.y)
}
