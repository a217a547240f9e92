//! The memory that this process has taken, and the memory that is free.

use std::path::Path;

/// Returns the peak resident memory in bytes, if the system reports it.
pub fn peak_memory() -> Option<u64> {
    kilobytes(Path::new("/proc/self/status"), "VmHWM:")
}

/// Returns the bytes of memory that are free for this process: the machine's available memory, or less if a control group allows
/// less.
pub fn free_memory() -> Option<u64> {
    let machine = kilobytes(Path::new("/proc/meminfo"), "MemAvailable:");
    machine
        .into_iter()
        .chain(free_in_groups(
            Path::new("/sys/fs/cgroup"),
            Path::new("/proc/self/cgroup"),
        ))
        .min()
}

fn kilobytes(file: &Path, name: &str) -> Option<u64> {
    let file = std::fs::read_to_string(file).ok()?;
    let line = file.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// Returns how much memory the control groups of a process, and the ancestors of these groups, leave for the process: the limit
/// minus the used memory that cannot be reclaimed. Version 2 of control groups has a single hierarchy; version 1 has a separate
/// hierarchy for memory.
fn free_in_groups(root: &Path, membership: &Path) -> Option<u64> {
    let groups = std::fs::read_to_string(membership).ok()?;
    let free = groups.lines().filter_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) = (parts.next()?, parts.next()?);
        let (folder, limit, used) = match controllers {
            "" => (root.to_path_buf(), "memory.max", "memory.current"),
            _ if controllers.split(',').any(|c| c == "memory") => (
                root.join("memory"),
                "memory.limit_in_bytes",
                "memory.usage_in_bytes",
            ),
            _ => return None,
        };
        // Inside a container, the membership file may contain the group's path on the host. The container's own group is then the
        // root.
        let own = folder.join(path.trim_start_matches('/'));
        let group = if own.is_dir() { own } else { folder.clone() };
        group
            .ancestors()
            .take_while(|group| group.starts_with(&folder))
            .filter_map(|group| free_in(group, limit, used))
            .min()
    });
    free.min()
}

fn free_in(group: &Path, limit: &str, used: &str) -> Option<u64> {
    let number = |file: &str| {
        std::fs::read_to_string(group.join(file))
            .ok()?
            .trim()
            .parse::<u64>()
            .ok()
    };
    // "max" is not a number, and means no limit.
    let limit = number(limit)?;
    let statistics = std::fs::read_to_string(group.join("memory.stat")).unwrap_or_default();
    // File pages that were not used recently are reclaimed first when memory is needed.
    let cached = statistics
        .lines()
        .find_map(|line| line.strip_prefix("inactive_file ")?.parse::<u64>().ok());
    Some(limit.saturating_sub(number(used)?.saturating_sub(cached.unwrap_or(0))))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_smallest_limit_of_the_control_groups_is_used() {
        let root = tempfile::tempdir().unwrap();
        let membership = root.path().join("membership");
        let group = |path: &str, files: &[(&str, &str)]| {
            fs::create_dir_all(root.path().join(path)).unwrap();
            files.iter().for_each(|(name, text)| {
                fs::write(root.path().join(path).join(name), text).unwrap()
            });
        };
        let free = || free_in_groups(root.path(), &membership);
        group(
            "a/b",
            &[("memory.max", "max\n"), ("memory.current", "50\n")],
        );
        group(
            "a",
            &[
                ("memory.max", "1000\n"),
                ("memory.current", "700\n"),
                ("memory.stat", "anon 500\ninactive_file 150\n"),
            ],
        );
        fs::write(&membership, "0::/a/b\n").unwrap();
        assert_eq!(free(), Some(450));
        fs::write(&membership, "0::/somewhere/on/the/host\n").unwrap();
        assert_eq!(free(), None);
        group(
            "memory/x",
            &[
                ("memory.limit_in_bytes", "600"),
                ("memory.usage_in_bytes", "500"),
            ],
        );
        fs::write(&membership, "7:cpu,memory:/x\n6:pids:/\n0::/a\n").unwrap();
        assert_eq!(free(), Some(100));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_machine_reports_its_memory() {
        assert!(peak_memory().unwrap() > 1 << 20 && free_memory().unwrap() > 1 << 20);
    }
}
