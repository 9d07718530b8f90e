//! Writes a document with many pages, with and without object streams, and loads it again.
use lopdf::content::{Content, Operation};
use lopdf::{dictionary, Document, Object, Stream};

fn main() {
    let pages = std::env::args().nth(1).map_or(1500, |n| n.parse().unwrap());
    let mut document = Document::with_version("1.5");
    let tree = document.new_object_id();
    let font = document.add_object(dictionary! { "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Courier" });
    let resources = document.add_object(dictionary! { "Font" => dictionary! { "F1" => font } });
    let mut kids: Vec<Object> = Vec::new();
    for page in 0..pages {
        let lines = (0..20).flat_map(|line| {
            let text = format!("page {page}, line {line}");
            [Operation::new("Td", vec![0.into(), 12.into()]), Operation::new("Tj", vec![Object::string_literal(text)])]
        });
        let content = Content { operations: lines.collect::<Vec<_>>() };
        let content = document.add_object(Stream::new(dictionary! {}, content.encode().unwrap()));
        let page = dictionary! {
            "Type" => "Page", "Parent" => tree, "Contents" => content, "Resources" => resources,
            "MediaBox" => vec![0.into(), 0.into(), 595.into(), 842.into()],
        };
        kids.push(document.add_object(page).into());
    }
    let count = kids.len() as i64;
    let root = dictionary! { "Type" => "Pages", "Kids" => kids, "Count" => count };
    document.objects.insert(tree, Object::Dictionary(root));
    let catalog = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => tree });
    document.trailer.set("Root", catalog);
    let mut plain = Vec::new();
    document.save_to(&mut plain).unwrap();
    let mut modern = Vec::new();
    document.save_modern(&mut modern).unwrap();
    for file in [&plain, &modern] {
        let loaded = Document::load_mem(file).unwrap();
        println!("{} bytes, {} objects, {} pages", file.len(), loaded.objects.len(), loaded.get_pages().len());
    }
}
