//! lower triangle times vector, an array of rows
// half: judging
// sizes: 50 120 300 700 1500
// values: n = N; a.len() = N; x.len() = N; y.len() = N

#[inline(never)]
pub fn kernel(n: usize, a: &[Vec<f64>], x: &[f64], y: &mut [f64]) {
    for i in 0..n {
        let mut s = 0.0;
        for j in 0..=i {
            s += a[i][j] * x[j];
        }
        y[i] = s;
    }
}

pub struct Data {
    a: Vec<Vec<f64>>,
    x: Vec<f64>,
    y: Vec<f64>,
}

pub fn prepare(n: usize) -> Data {
    let a = (0..n).map(|_| vec![1.0; n]).collect();
    let x = (0..n).map(|i| 1.0 + (i % 7) as f64).collect();
    let y = (0..n).map(|i| 1.0 + (i % 7) as f64).collect();
    Data { a, x, y }
}

pub fn call(n: usize, data: &mut Data) -> f64 {
    kernel(n, &data.a, &data.x, &mut data.y);
    0.0
}
