//! The value that is looked for is in another structure than the row that is searched.
use std::hint::black_box;

struct Order {
    number: u64,
    customer: u64,
    urgent: bool,
}

fn orders(n: u64) {
    let mut orders = Vec::new();
    for i in 0..n {
        orders.push(Order { number: i, customer: i % 30, urgent: i % 7 == 0 });
    }
    let mut known = Vec::new();
    for order in &orders {
        if !known.contains(&order.customer) { // SEARCH
            known.push(order.customer);
        }
    }
    black_box(orders.iter().filter(|order| order.urgent).map(|order| order.number).max());
    black_box(known);
}

fn main() {
    orders(black_box(300));
}
