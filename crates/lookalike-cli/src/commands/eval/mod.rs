//! `lookalike eval`.

mod asked;

mod truth;

mod runs;

mod judge;

mod report;

mod table;

mod chart;

mod html;

use std::{ffi::OsString, process::ExitCode};

use lookalike::Config;
use lookalike_engine::{LateOutput, shown_name};

pub use self::asked::Eval;
use self::{
    judge::judge,
    report::{Parameters, Report},
    runs::{Child, Plan},
    truth::Truth,
};
use crate::{
    front::Flags,
    output::{Bars, print, print_data, warnings},
    report::{Report as Header, write},
};

impl Eval {
    pub fn run(self, itself: Option<Vec<OsString>>) -> anyhow::Result<ExitCode> {
        self.refuse_unreadable_twice()?;
        let method = self.fields.of_sets(self.common.config()?)?;
        lookalike::Method::new(Config {
            candidates: lookalike::Candidates::Exact,
            ..method.clone()
        })?;
        // The flags of all runs are checked before the first run starts.
        let plans = Plan::all(&self.run, &self.common_words(), &method)?;
        let header = Header::new("eval").inputs("input", &self.inputs);
        let header = header.inputs(
            "truth",
            self.truth.iter().map(|path| path.display().to_string()),
        );
        let header = header
            .output("bad_lines", self.skip_bad.as_deref())
            .output("report", self.page.report.as_deref());
        let file = header.open(self.running.summary.as_deref())?;
        let html = self.page.report.as_deref();
        let html = html.map(LateOutput::create).transpose()?;
        let bars = Bars::new(self.running.quiet);
        let truth = Truth::read(&self, &method, &bars);
        bars.clear();
        let truth = truth?;
        warnings(truth.roll().bad_examples(), Flags::Eval, self.running.quiet);
        let child = Child::new(&self, itself)?;
        let mut runs = Vec::new();
        for (plan, number) in plans.iter().zip(1..) {
            bars.note(&format!("run {number} of {}: {}", plans.len(), plan.label));
            let outcome = child.run(plan, &truth, self.repeat);
            bars.clear();
            runs.push(judge(plan, outcome?, &truth));
        }
        let parameters = Parameters {
            inputs: self.inputs.iter().map(|name| shown_name(name)).collect(),
            repeat: self.repeat,
            method,
        };
        let report = Report {
            truth: truth.about(&self),
            parameters,
            runs,
        };
        if self.json {
            print_data(&header.json(&report)?)?
        } else {
            print(&(table::page(&report) + &chart::page(&report)))?
        }
        write(file, &header, &report)?;
        if let Some(html) = html {
            html.finish(html::page(&report)?.as_bytes())?;
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Returns an error if an input is standard input or a pipe, which can be read only once.
    fn refuse_unreadable_twice(&self) -> anyhow::Result<()> {
        let once = |name: &&String| {
            *name == "-"
                || std::fs::metadata(name).is_ok_and(|there| !there.is_file() && !there.is_dir())
        };
        match self.inputs.iter().find(once) {
            Some(name) => {
                anyhow::bail!(
                    "{name}: can be read only once, but each run reads the input again; save it to a file first"
                )
            }
            None => Ok(()),
        }
    }
}
