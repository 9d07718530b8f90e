//! A day in a warehouse, written as one writes at first. `lotse spy` finds what is worth a second thought; the comments
//! that begin with `//~` name the rules that must find it, at the line that they must name.

use std::collections::HashMap;

#[derive(Debug, Clone, Copy)]
struct Order {
    number: u32,
    customer: u32,
    article: u32,
}

fn main() {
    let orders = orders(20_000);
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
    (0..count).map(|number| Order { number, customer: next() % 3000, article: next() % 500 }).collect()
}

/// Each weight depends on its order only: this loop could run in parallel.
fn weigh(orders: &[Order]) -> Vec<f64> {
    let mut weights = Vec::new(); //~ spy-missing-capacity
    for order in orders {
        weights.push(weight(order)); //~ spy-long-insert spy-map-into-new-vec
    }
    weights
}

fn weight(order: &Order) -> f64 {
    (1..400).map(|part| f64::from(order.article * part % 97).sqrt()).sum::<f64>() / 1000.0
}

/// The sum of all weights: a reduction.
fn load(weights: &[f64]) -> f64 {
    let mut sum = 0.0;
    for weight in weights {
        sum += weight; //~ spy-reduction
    }
    sum
}

/// A list that is searched before each insertion is a set.
fn customers(orders: &[Order]) -> Vec<u32> {
    let mut known = Vec::new(); //~ spy-vec-as-set
    for order in orders {
        if !known.contains(&order.customer) {
            //~ spy-frequent-search
            known.push(order.customer);
        }
    }
    known
}

/// Two lookups where one would do.
fn sold(orders: &[Order]) -> HashMap<u32, u32> {
    let mut sold = HashMap::new();
    for order in orders {
        if sold.contains_key(&order.article) {
            //~ spy-double-lookup
            *sold.get_mut(&order.article).expect("it was found") += 1;
        } else {
            sold.insert(order.article, 1);
        }
    }
    sold
}

/// A queue whose first element is taken out by moving all others.
fn deliver(orders: &[Order]) -> u32 {
    let mut waiting = Vec::new(); //~ spy-queue spy-front-access spy-remove-front
    let mut last = 0;
    for order in orders {
        waiting.push(*order);
        if waiting.len() > 1000 {
            last = waiting.remove(0).number;
        }
    }
    last
}

/// A sorted list that is searched from its beginning.
fn regulars(customers: &[u32], orders: &[Order]) -> usize {
    let mut regulars: Vec<u32> = customers.iter().copied().filter(|customer| customer % 7 == 0).collect();
    regulars.sort_unstable();
    orders.iter().filter(|order| regulars.contains(&order.customer)).count() //~ spy-linear-search-in-sorted
}
