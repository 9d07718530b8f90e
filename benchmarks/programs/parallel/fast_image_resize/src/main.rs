//! Makes thumbnails of an RGBA picture with several filters, with and without vector instructions of the processor.
use fast_image_resize::images::{TypedImage, TypedImageRef};
use fast_image_resize::pixels::U8x4;
use fast_image_resize::{CpuExtensions, FilterType, ResizeAlg, ResizeOptions, Resizer};

fn main() {
    let rounds = std::env::args().nth(1).map_or(1, |n| n.parse().unwrap());
    let (width, height) = (1600, 1200);
    let pixels: Vec<U8x4> = (0..width * height)
        .map(|i: u32| {
            let (x, y) = (i % width, i / width);
            U8x4::new([(x ^ y) as u8, (x / 7) as u8, (y / 5) as u8, 128 + (x % 128) as u8])
        })
        .collect();
    let source = TypedImageRef::new(width, height, &pixels).unwrap();
    let mut checksum = 0u64;
    for extensions in [CpuExtensions::default(), CpuExtensions::None] {
        let mut resizer = Resizer::new();
        // Sound: `None` and the detected default are available on every processor.
        unsafe { resizer.set_cpu_extensions(extensions) };
        for _ in 0..rounds {
            for algorithm in [
                ResizeAlg::Nearest,
                ResizeAlg::Convolution(FilterType::Bilinear),
                ResizeAlg::Convolution(FilterType::Lanczos3),
            ] {
                let mut small = TypedImage::<U8x4>::new(640, 480);
                resizer.resize_typed(&source, &mut small, &ResizeOptions::new().resize_alg(algorithm)).unwrap();
                checksum += small.pixels().iter().map(|p| u64::from(p.0[0])).sum::<u64>();
            }
        }
    }
    println!("{checksum}");
}
