//! Writes an image to memory with three compressions and reads it back.
use exr::prelude::*;
use std::io::Cursor;

fn main() {
    let side = std::env::args().nth(1).map_or(256, |n| n.parse().unwrap());
    let mut sum = 0.0;
    for compression in [Compression::ZIP16, Compression::PIZ, Compression::RLE] {
        let channels = SpecificChannels::rgba(|Vec2(x, y): Vec2<usize>| {
            let (x, y) = (x as f32 / side as f32, y as f32 / side as f32);
            ((x * 20.0).sin() * y, x * y, (x + y).fract(), 1.0)
        });
        let encoding = Encoding { compression, ..Encoding::FAST_LOSSLESS };
        let layer = Layer::new((side, side), LayerAttributes::named("main"), encoding, channels);
        let mut bytes = Vec::new();
        Image::from_layer(layer).write().to_buffered(Cursor::new(&mut bytes)).unwrap();
        let image = read()
            .no_deep_data()
            .largest_resolution_level()
            .rgba_channels(
                |size, _| vec![[0.0f32; 4]; size.area()],
                move |pixels, at, (r, g, b, a): (f32, f32, f32, f32)| pixels[at.y() * side + at.x()] = [r, g, b, a],
            )
            .first_valid_layer()
            .all_attributes()
            .from_buffered(Cursor::new(&bytes))
            .unwrap();
        sum += image.layer_data.channel_data.pixels.iter().map(|p| p[0]).sum::<f32>();
        println!("{compression:?}: {} bytes", bytes.len());
    }
    println!("{sum}");
}
