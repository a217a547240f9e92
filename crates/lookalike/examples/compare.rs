//! Shows how similar two texts are, and what they share.
//!
//! `cargo run -p lookalike --example compare`

use lookalike::Dedup;

fn main() -> lookalike::Result<()> {
    let licence = "Permission is granted to use, copy and modify this software for any purpose, provided that this notice is kept.";
    let variant = "Permission is hereby given to use, copy and modify this software for any purpose. Keep this notice.";

    // The defaults use shingles of five words.
    let figures = lookalike::compare(licence, variant);
    println!("resemblance of 5-word shingles {:.3}", figures.resemblance);

    // This uses shorter shingles, and shows the passages.
    let method = Dedup::new().shingle(3).method()?;
    let figures = method.compare(licence, variant);
    println!("resemblance of 3-word shingles {:.3}", figures.resemblance);
    println!(
        "{} of {} and {} shingles are shared",
        figures.intersection, figures.size_a, figures.size_b
    );
    println!(
        "{:.0} % of the variant is in the licence",
        100.0 * figures.containment_ba
    );

    let [passages, _] = method.passages([licence, variant]);
    for passage in passages {
        let text = &licence[passage.span.start..passage.span.end];
        println!("{} {text}", if passage.shared { "=" } else { "-" });
    }
    Ok(())
}
