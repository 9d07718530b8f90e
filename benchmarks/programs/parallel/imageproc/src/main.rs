//! Runs the sequential functions of imageproc that have a parallel counterpart on one picture.
use image::math::Rect;
use image::{GrayImage, Luma, Rgb, RgbImage};
use imageproc::geometric_transformations::{rotate_about_center, Border, Interpolation};
use imageproc::template_matching::{find_extremes, match_template, MatchTemplateMethod};
use imageproc::{compose, contrast, filter, gradients, map};

fn main() {
    let scale = std::env::args().nth(1).map_or(1, |n| n.parse().unwrap());
    let (width, height) = (400 * scale, 300 * scale);
    let gray = GrayImage::from_fn(width, height, |x, y| Luma([((x * x + 3 * y * y) % 251) as u8]));
    let rgb = RgbImage::from_fn(width, height, |x, y| Rgb([x as u8, y as u8, (x ^ y) as u8]));

    let equal = contrast::equalize_histogram(&gray);
    let doubled = map::map_subpixels(&gray, |p| u16::from(p) * 2);
    let mut inverted = gray.clone();
    map::map_subpixels_mut(&mut inverted, |p| 255 - p);
    let luma = map::map_pixels(&rgb, |p| Luma([p[0] / 3 + p[1] / 3 + p[2] / 3]));
    let mut swapped = rgb.clone();
    map::map_pixels_mut(&mut swapped, |p| Rgb([p[2], p[1], p[0]]));
    let shaded = map::map_enumerated_pixels(&rgb, |x, y, p| Luma([p[0] / 2 + ((x + y) % 64) as u8]));
    let mut faded = rgb.clone();
    map::map_enumerated_pixels_mut(&mut faded, |x, _, p| Rgb([p[0] / 2, p[1], (x % 256) as u8]));

    let turned = rotate_about_center(&rgb, 0.3, Interpolation::Bilinear, Border::Constant(Rgb([0, 0, 0])));
    let sharp = filter::sharpen3x3(&gray);
    let laplace = filter::laplacian_filter(&gray);
    let sobel = gradients::horizontal_sobel(&gray);
    let cut = compose::crop(&rgb, Rect { x: 40, y: 30, width: width / 2, height: height / 2 });

    let template = GrayImage::from_fn(12, 12, |x, y| *gray.get_pixel(100 + x, 80 + y));
    let scores = match_template(&gray, &template, MatchTemplateMethod::SumOfSquaredErrorsNormalized);
    let best = find_extremes(&scores).min_value_location;

    let sums = [
        equal.as_raw().iter().map(|&p| u64::from(p)).sum::<u64>(),
        doubled.as_raw().iter().map(|&p| u64::from(p)).sum(),
        inverted.as_raw()[77].into(),
        luma.as_raw()[99].into(),
        swapped.as_raw()[5].into(),
        shaded.as_raw()[7].into(),
        faded.as_raw()[9].into(),
        turned.as_raw()[1000].into(),
        sharp.as_raw()[500].into(),
        laplace.as_raw()[500].unsigned_abs().into(),
        sobel.as_raw()[500].unsigned_abs().into(),
        cut.as_raw()[44].into(),
    ];
    println!("{sums:?} {best:?}");
}
