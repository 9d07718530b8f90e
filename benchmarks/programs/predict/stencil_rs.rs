//! five points of a flattened matrix
// half: training
// sizes: 50 120 300 700 1500
// values: n = N; a.len() = N*N; b.len() = N*N

#[inline(never)]
pub fn kernel(n: usize, a: &[f64], b: &mut [f64]) {
    for i in 1..n - 1 {
        for j in 1..n - 1 {
            let k = i * n + j;
            b[k] = 0.2 * (a[k] + a[k - 1] + a[k + 1] + a[k - n] + a[k + n]);
        }
    }
}

pub struct Data {
    a: Vec<f64>,
    b: Vec<f64>,
}

pub fn prepare(n: usize) -> Data {
    let a = (0..n * n).map(|i| 1.0 + (i % 7) as f64).collect();
    let b = (0..n * n).map(|i| 1.0 + (i % 7) as f64).collect();
    Data { a, b }
}

pub fn call(n: usize, data: &mut Data) -> f64 {
    kernel(n, &data.a, &mut data.b);
    0.0
}
