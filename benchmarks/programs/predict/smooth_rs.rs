//! three points of a slice
// half: judging
// sizes: 500 2000 10000 50000 400000
// values: a.len() = N; b.len() = N

#[inline(never)]
pub fn kernel(a: &[f64], b: &mut [f64]) {
    for (window, out) in a.windows(3).zip(b.iter_mut()) {
        *out = 0.25 * window[0] + 0.5 * window[1] + 0.25 * window[2];
    }
}

pub struct Data {
    a: Vec<f64>,
    b: Vec<f64>,
}

pub fn prepare(n: usize) -> Data {
    let a = (0..n).map(|i| 1.0 + (i % 7) as f64).collect();
    let b = (0..n).map(|i| 1.0 + (i % 7) as f64).collect();
    Data { a, b }
}

pub fn call(_n: usize, data: &mut Data) -> f64 {
    kernel(&data.a, &mut data.b);
    0.0
}
