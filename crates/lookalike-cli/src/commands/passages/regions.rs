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
    /// Minimum length of a region in each text, in tokens
    ///
    /// Each run of this many tokens (and of --least tokens) that both texts have is in regions, whatever their density and score.
    #[arg(long, value_name = "N", default_value_t = RegionSettings::default().tokens, requires = "regions")]
    min_tokens: usize,
    /// Minimum share of a region's tokens that both texts have, from 0 to 1
    ///
    /// Rare tokens count more than frequent ones, and the order of the tokens does not matter.
    #[arg(
        long,
        value_name = "D",
        default_value_t = RegionSettings::default().density,
        allow_negative_numbers = true,
        requires = "regions"
    )]
    density: f64,
    /// Minimum number of shared tokens in a region, weighted by rarity
    ///
    /// A token that occurs once in each text counts 1, and a frequent one almost nothing.
    #[arg(
        long,
        value_name = "S",
        default_value_t = RegionSettings::default().score,
        allow_negative_numbers = true,
        requires = "regions"
    )]
    score: f64,
}

impl RegionArgs {
    /// Returns the settings, if regions are wanted.
    pub(super) fn settings(&self, gap: Option<usize>) -> Option<RegionSettings> {
        let &Self {
            regions,
            min_tokens,
            density,
            score,
        } = self;
        let gap = gap.unwrap_or(RegionSettings::default().gap);
        regions.then_some(RegionSettings {
            gap,
            tokens: min_tokens,
            density,
            score,
        })
    }
}
