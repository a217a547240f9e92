//! Shows which texts to keep, and why the others are dropped.
//!
//! `cargo run -p lookalike --example dedup`

use lookalike::{Dedup, cluster::Keep};

fn main() -> lookalike::Result<()> {
    let texts: Vec<String> = [
        "The council approved the new bridge on Monday after a debate of three hours.",
        "Heavy rain is expected in the north, with floods possible by the weekend.",
        "THE COUNCIL approved the new bridge on Monday, after a debate of three hours!",
        "The council approved the new bridge on Monday after a debate of three hours. Work begins in May.",
        "",
    ]
    .map(String::from)
    .to_vec();

    // By default, the first text of a group is kept.
    let decisions = lookalike::dedup(&texts);
    println!("keep {:?}", decisions.kept());
    for (index, decision) in decisions.iter().enumerate() {
        println!("  {index} {decision}");
    }

    // This uses a lower threshold and keeps the longest text of a group.
    let decisions = Dedup::new()
        .threshold(0.6)
        .keep(Keep::Longest)
        .run(&texts)?;
    println!("keep {:?}", decisions.kept());
    for group in decisions.groups() {
        println!("  {} represents {:?}", group.kept, group.dropped);
    }
    Ok(())
}
