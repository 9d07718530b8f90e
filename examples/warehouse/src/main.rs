//! A day in a warehouse, written as one writes at first. `lotse spy` finds what is worth a second thought.

use std::collections::HashMap;

#[derive(Debug, Clone, Copy)]
struct Order {
    number: u32,
    customer: u32,
    article: u32,
}

fn main() {
    let count = std::env::args().nth(1).map_or(2000, |count| count.parse().expect("a number of orders"));
    let orders = orders(count);
    let weights = weigh(&orders);
    let customers = customers(&orders);
    let sold = sold(&orders);
    let last = deliver(&orders);
    let regulars = regulars(&customers, &orders);
    println!("{} orders weigh {:.0} kg", orders.len(), load(&weights));
    println!("{} customers, {regulars} orders of regulars", customers.len());
    println!("{} articles sold, the last order is {last}", sold.len());
}

/// Numbers that look random and are the same in each run.
fn orders(count: u32) -> Vec<Order> {
    let mut state = 1_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state >> 8
    };
    (0..count).map(|number| Order { number, customer: next() % 300, article: next() % 500 }).collect()
}

/// Each weight depends on its order only: this loop could run in parallel.
fn weigh(orders: &[Order]) -> Vec<f64> {
    let mut weights = Vec::new();
    for order in orders {
        weights.push(weight(order));
    }
    weights
}

fn weight(order: &Order) -> f64 {
    (1..40).map(|part| f64::from(order.article * part % 97).sqrt()).sum::<f64>() / 1000.0
}

/// The sum of all weights: a reduction.
fn load(weights: &[f64]) -> f64 {
    let mut sum = 0.0;
    for weight in weights {
        sum += weight;
    }
    sum
}

/// A list that is searched before each insertion is a set.
fn customers(orders: &[Order]) -> Vec<u32> {
    let mut known = Vec::new();
    for order in orders {
        let customer = order.customer;
        if !known.contains(&customer) {
            known.push(customer);
        }
    }
    known
}

/// Two lookups where one would do.
fn sold(orders: &[Order]) -> HashMap<u32, u32> {
    let mut sold = HashMap::new();
    for order in orders {
        let article = order.article;
        if sold.contains_key(&article) {
            *sold.get_mut(&article).expect("it was found") += 1;
        } else {
            sold.insert(article, 1);
        }
    }
    sold
}

/// A queue whose first element is taken out by moving all others.
fn deliver(orders: &[Order]) -> u32 {
    let mut waiting = Vec::new();
    let mut last = 0;
    for order in orders {
        waiting.push(*order);
        if waiting.len() > 200 {
            last = waiting.remove(0).number;
        }
    }
    last
}

/// A sorted list that is searched from its beginning.
fn regulars(customers: &[u32], orders: &[Order]) -> usize {
    let mut regulars: Vec<u32> = customers.iter().copied().filter(|customer| customer % 3 == 0).collect();
    regulars.sort_unstable();
    let mut count = 0;
    for order in orders {
        let customer = order.customer;
        if regulars.contains(&customer) {
            count += 1;
        }
    }
    count
}
