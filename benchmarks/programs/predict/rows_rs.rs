//! matrix times vector, rows as chunks
// half: judging
// sizes: 50 120 300 700 1500
// values: n = N; a.len() = N*N; x.len() = N; y.len() = N

#[inline(never)]
pub fn kernel(n: usize, a: &[f64], x: &[f64], y: &mut [f64]) {
    for (row, out) in a.chunks_exact(n).zip(y.iter_mut()) {
        let mut s = 0.0;
        for (value, factor) in row.iter().zip(x) {
            s += value * factor;
        }
        *out = s;
    }
}

pub struct Data {
    a: Vec<f64>,
    x: Vec<f64>,
    y: Vec<f64>,
}

pub fn prepare(n: usize) -> Data {
    let a = (0..n * n).map(|i| 1.0 + (i % 7) as f64).collect();
    let x = (0..n).map(|i| 1.0 + (i % 7) as f64).collect();
    let y = (0..n).map(|i| 1.0 + (i % 7) as f64).collect();
    Data { a, x, y }
}

pub fn call(n: usize, data: &mut Data) -> f64 {
    kernel(n, &data.a, &data.x, &mut data.y);
    0.0
}
