//! The flags of regions.

use clap::Args;
use lookalike::regions::RegionSettings;

/// When a passage that was changed is reported.
#[derive(Args)]
#[command(next_help_heading = "Comparison")]
pub(super) struct RegionArgs {
    /// Find passages that were copied and changed, not only what is shared word for word
    ///
    /// A region is a part of each text. Shared tokens that are close to each other in both texts, in any order, are joined; rare
    /// tokens count more than frequent ones.
    #[arg(long)]
    regions: bool,
    /// Minimum length of a region in each text, in tokens [default: 20]
    ///
    /// Each run of this many tokens (and of --least tokens) that both texts have is in regions, whatever their density and score.
    #[arg(long, value_name = "N", requires = "regions")]
    min_tokens: Option<usize>,
    /// Minimum share of a region's tokens that both texts have, from 0 to 1 [default: 0.4]
    ///
    /// Rare tokens count more than frequent ones, and the order of the tokens does not matter.
    #[arg(
        long,
        value_name = "D",
        allow_negative_numbers = true,
        requires = "regions"
    )]
    density: Option<f64>,
    /// Minimum number of shared tokens in a region, weighted by rarity [default: 14]
    ///
    /// A token that occurs once in each text counts 1, and a frequent one almost nothing.
    #[arg(
        long,
        value_name = "S",
        allow_negative_numbers = true,
        requires = "regions"
    )]
    score: Option<f64>,
}

impl RegionArgs {
    /// Returns the settings, if regions are wanted.
    pub(super) fn settings(&self, gap: Option<usize>) -> Option<RegionSettings> {
        let usual = RegionSettings::default();
        self.regions.then(|| RegionSettings {
            gap: gap.unwrap_or(usual.gap),
            tokens: self.min_tokens.unwrap_or(usual.tokens),
            density: self.density.unwrap_or(usual.density),
            score: self.score.unwrap_or(usual.score),
        })
    }
}
