//! a multiple of a slice is added
// half: judging
// sizes: 500 2000 10000 50000 400000
// values: x.len() = N; y.len() = N

#[inline(never)]
pub fn kernel(alpha: f64, x: &[f64], y: &mut [f64]) {
    for (a, b) in x.iter().zip(y.iter_mut()) {
        *b += alpha * a;
    }
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
    kernel(0.5, &data.x, &mut data.y);
    0.0
}
