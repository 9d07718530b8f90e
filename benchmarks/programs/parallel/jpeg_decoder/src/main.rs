//! Decodes a colour picture, which it first encodes, several times.
use jpeg_encoder::{ColorType, Encoder};

fn main() {
    let rounds = std::env::args().nth(1).map_or(2, |n| n.parse().unwrap());
    let (width, height) = (640u16, 480u16);
    let mut pixels = Vec::with_capacity(usize::from(width) * usize::from(height) * 3);
    for y in 0..height {
        for x in 0..width {
            pixels.extend([(x / 3) as u8, (y / 2) as u8, ((x ^ y) & 0x7f) as u8]);
        }
    }
    let mut file = Vec::new();
    Encoder::new(&mut file, 90).encode(&pixels, width, height, ColorType::Rgb).unwrap();
    let mut sum = 0;
    for _ in 0..rounds {
        let decoded = jpeg_decoder::Decoder::new(file.as_slice()).decode().unwrap();
        sum += decoded.iter().step_by(1000).map(|&p| u64::from(p)).sum::<u64>();
    }
    println!("{} bytes of JPEG, {sum}", file.len());
}
