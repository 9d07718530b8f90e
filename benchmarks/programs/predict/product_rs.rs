//! matrix product of flattened matrices
// half: training
// sizes: 24 48 96 180 320
// values: n = N; a.len() = N*N; b.len() = N*N; c.len() = N*N

#[inline(never)]
pub fn kernel(n: usize, a: &[f64], b: &[f64], c: &mut [f64]) {
    for i in 0..n {
        for j in 0..n {
            let mut s = 0.0;
            for k in 0..n {
                s += a[i * n + k] * b[k * n + j];
            }
            c[i * n + j] = s;
        }
    }
}

pub struct Data {
    a: Vec<f64>,
    b: Vec<f64>,
    c: Vec<f64>,
}

pub fn prepare(n: usize) -> Data {
    let a = (0..n * n).map(|i| 1.0 + (i % 7) as f64).collect();
    let b = (0..n * n).map(|i| 1.0 + (i % 7) as f64).collect();
    let c = (0..n * n).map(|i| 1.0 + (i % 7) as f64).collect();
    Data { a, b, c }
}

pub fn call(n: usize, data: &mut Data) -> f64 {
    kernel(n, &data.a, &data.b, &mut data.c);
    0.0
}
