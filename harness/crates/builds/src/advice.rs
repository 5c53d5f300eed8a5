//! What a failed build lacks, as far as its log and its makefile tell, and the help for it.

#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used))]
#![cfg_attr(not(test), warn(clippy::indexing_slicing, clippy::string_slice))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

use std::env;
use std::fs;
use std::path::Path;

use super::convention::MAKEFILES;
use super::makefile::Makefile;
use super::recipe::Recipe;
use hone_base::diagnostic::Diagnostic;
use hone_base::text::first_error;

/// What the output of shells, linkers and compilers has before and after the name of a program
/// that was not found.
const NOT_FOUND: [(&str, &str); 4] = [
    ("error: linker `", "` not found"),
    ("failed to find tool \"", "\""),
    ("'", "' is not recognized as an internal"),
    ("CreateProcess(NULL, ", " "),
];

/// Compilers that may take the place of each other.
const COMPILERS: [(&str, &str); 4] = [
    ("clang++", "g++"),
    ("g++", "clang++"),
    ("clang", "gcc"),
    ("gcc", "clang"),
];

/// A build that failed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Failure<'a> {
    /// The start and the end of its log.
    pub(super) log: &'a str,
    pub(super) recipe: &'a Recipe,
    /// The folder of its work tree.
    pub(super) tree: &'a Path,
    /// Whether a program is on the `PATH`.
    pub(super) is_installed: fn(&str) -> bool,
}

impl Failure<'_> {
    /// The programs that the build called and that were not found, each in quotes.
    pub(super) fn missing(&self) -> Vec<String> {
        let mut programs = Vec::new();
        for name in self.log.lines().filter_map(|line| self.not_found(line)) {
            if !programs.contains(&name) && !(self.is_installed)(name) {
                programs.push(name);
            }
        }
        let linkers = self.missing_linkers(programs.is_empty());
        let programs = programs.into_iter().map(|name| format!("`{name}`"));
        let linkers = linkers.into_iter().map(|name| format!("linker `{name}`"));
        programs.chain(linkers).collect()
    }

    /// The program that a line of the log reports as not found.
    fn not_found<'b>(&self, line: &'b str) -> Option<&'b str> {
        let quoted = NOT_FOUND.iter().find_map(|(before, after)| {
            let (_, rest) = line.split_once(before)?;
            rest.split_once(after).map(|(name, _)| name)
        });
        let name = quoted.or_else(|| {
            let (start, reason) = line.trim_end().rsplit_once(": ")?;
            let (caller, name) = start.rsplit_once(": ")?;
            let caller = caller.split([':', '[']).next()?.rsplit('/').next()?;
            // For a makefile that is missing, `make` prints the same.
            let is_reported = match reason {
                "not found" | "command not found" | "Command not found" => {
                    caller.ends_with("sh") || caller == "make"
                }
                "No such file or directory" => caller == "make" && self.log.contains("Error 127"),
                _ => false,
            };
            is_reported.then_some(name)
        })?;
        let is_name = !name.is_empty() && !name.contains(['/', '\\', ' ', '*']);
        is_name.then_some(name)
    }

    /// The linkers of `-fuse-ld=NAME` that are not installed. If the compiler was found, only
    /// those that it reports.
    fn missing_linkers(&self, is_compiler_found: bool) -> Vec<&str> {
        let reported = ["invalid linker name", "cannot find 'ld'"];
        if is_compiler_found && !reported.iter().any(|text| self.log.contains(text)) {
            return Vec::new();
        }
        let mut names: Vec<&str> = Vec::new();
        for rest in self.log.split("-fuse-ld=").skip(1) {
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric());
            let (name, _) = rest.split_at(end.unwrap_or(rest.len()));
            if !name.is_empty()
                && !names.contains(&name)
                && !(self.is_installed)(&format!("ld.{name}"))
            {
                names.push(name);
            }
        }
        names
    }

    /// The help for a build with these missing programs.
    pub(super) fn help(&self, missing: &[String]) -> Diagnostic {
        let mut help = Diagnostic::default();
        if !missing.is_empty() {
            let needed = missing.join(" and ");
            let other = self
                .other_compiler(missing)
                .map_or_else(String::new, |line| {
                    format!(", or use another compiler: {}", self.flags(&line))
                });
            help = help.help(format!("install {needed}{other}"));
        }
        if let Some(line) = self.with_network() {
            help = help.help(format!(
                "if only the network is missing, download it and name it: {}",
                self.flags(&line)
            ));
        }
        let template = self.build();
        if !help.help_lines().is_empty() {
            help
        } else if self.tree.join(".gitmodules").exists() && !template.contains("submodule") {
            help.help(
                "this repository has submodules, which the build command must fetch: `git submodule update --init --recursive && …`",
            )
        } else if template.contains("EXE={out}") || template.contains("EXE=\"{out}\"") {
            help.help(
                "a makefile that runs `./$(EXE)` needs a bare name, as in `--build 'make EXE=engine' --cmd engine`",
            )
        } else {
            help
        }
    }

    fn build(&self) -> &str {
        self.recipe.build.as_deref().unwrap_or_default()
    }

    /// The options that build the program with another command.
    fn flags(&self, line: &str) -> String {
        let word = |text| shlex::try_quote(text).unwrap_or_default();
        let program = match self.recipe.cmd.as_str() {
            "" => String::new(),
            cmd => format!(" --cmd {}", word(cmd)),
        };
        let line = word(line);
        format!("`--build {line}{program}` (in the configuration `build` and `cmd`)")
    }

    /// The build command with another compiler that is installed, if the only missing program
    /// is one that a variable of the makefile names.
    fn other_compiler(&self, missing: &[String]) -> Option<String> {
        let [only] = missing else { return None };
        let (name, other) = COMPILERS
            .iter()
            .find(|(name, other)| *only == format!("`{name}`") && (self.is_installed)(other))?;
        let rest = self.build().strip_prefix("make ")?;
        let variable = self.texts().iter().find_map(|text| {
            let variable = Makefile::read(text).variable_of(name)?;
            Some(variable.to_string())
        })?;
        let is_set = rest.contains(&format!("{variable}="));
        (!is_set).then(|| format!("make {variable}={other} {rest}"))
    }

    /// The build command with a network, if the build takes one as OpenBench gives it and seems
    /// to lack it.
    fn with_network(&self) -> Option<String> {
        let is_known = self.build().contains("EVALFILE");
        let takes_it = self.texts().iter().any(|text| text.contains("EVALFILE"));
        if is_known || !takes_it || !self.lacks_network() {
            return None;
        }
        match self.build().strip_prefix("make ") {
            Some(rest) => Some(format!("make EVALFILE=/path/of/the/network {rest}")),
            None => Some(format!("EVALFILE=/path/of/the/network {}", self.build())),
        }
    }

    /// Whether the log has an error about a network, or ends in a download.
    fn lacks_network(&self) -> bool {
        let mut lacks = false;
        for line in self.log.lines().map(str::to_ascii_lowercase) {
            let is_download = ["curl ", "wget "].iter().any(|word| line.starts_with(word));
            if first_error(&[&line]).is_some() {
                lacks = [".nnue", ".bin", "network", "download"]
                    .iter()
                    .any(|word| line.contains(word));
                if lacks {
                    return true;
                }
            } else if is_download {
                lacks = true;
            }
        }
        lacks
    }

    /// The files that tell how the program is built.
    fn texts(&self) -> Vec<String> {
        let makefiles = ["", "src/"]
            .iter()
            .flat_map(|folder| MAKEFILES.map(|name| format!("{folder}{name}")));
        let files = makefiles.chain(["build.rs".to_string()]);
        files
            .filter_map(|file| fs::read_to_string(self.tree.join(file)).ok())
            .collect()
    }
}

/// Whether a program is on the `PATH`.
pub(super) fn is_on_path(program: &str) -> bool {
    let file = format!("{program}{}", env::consts::EXE_SUFFIX);
    env::var_os("PATH")
        .is_some_and(|path| env::split_paths(&path).any(|folder| folder.join(&file).is_file()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipe::Revision;

    /// The first line's words about missing programs, and the help, of a failed build with these
    /// files on a machine with `g++`.
    fn advice(files: &[(&str, &str)], build: &str, log: &str) -> (String, Vec<String>) {
        let folder = tempfile::tempdir().expect("made");
        for (name, text) in files {
            fs::write(folder.path().join(name), text).expect("written");
        }
        let recipe = Recipe {
            repository: ".".into(),
            revision: Revision::Commit("main".into()),
            build: Some(build.to_string()),
            cmd: "hone-engine".to_string(),
        };
        let failure = Failure {
            log,
            recipe: &recipe,
            tree: folder.path(),
            is_installed: |name| name == "g++",
        };
        let missing = failure.missing();
        let help = failure.help(&missing).help_lines().to_vec();
        (missing.join(", "), help)
    }

    const MAKE: &str = "make EXE=hone-engine";

    #[test]
    fn a_program_that_was_not_found_is_named() {
        for (log, expected) in [
            (
                "make: clang++: No such file or directory\nmake: *** [Makefile:38: all] Error 127\n",
                "`clang++`",
            ),
            ("make[2]: cmake: Command not found\n", "`cmake`"),
            (
                "/bin/sh: 1: cmake: not found\n/bin/sh: 1: cmake: not found\n/bin/sh: 1: ninja: not found\n",
                "`cmake`, `ninja`",
            ),
            ("sh: line 1: clang: command not found\n", "`clang`"),
            ("bash: zig: command not found\n", "`zig`"),
            ("error: linker `cc` not found\n", "`cc`"),
            (
                "error occurred in cc-rs: failed to find tool \"clang\": No such file",
                "`clang`",
            ),
            (
                "'clang++' is not recognized as an internal or external command,",
                "`clang++`",
            ),
            (
                "process_begin: CreateProcess(NULL, clang++ -O3 a.cpp, ...) failed.",
                "`clang++`",
            ),
            // These are not programs that can be installed.
            ("make: Makefile: No such file or directory\n", ""),
            ("make: *** src: No such file or directory.  Stop.\n", ""),
            ("/bin/sh: 1: ./gen.sh: not found\n", ""),
            ("/bin/sh: 1: g++: not found\n", ""),
            ("a.c:1: x.h: No such file or directory\nError 127\n", ""),
            ("ld: lto: not found\n", ""),
        ] {
            assert_eq!(advice(&[], MAKE, log).0, expected, "{log}");
        }
    }

    #[test]
    fn a_linker_that_is_needed_too_is_named_at_once() {
        let line = "clang++ -O3 -fuse-ld=lld a.cpp -o hone-engine\n";
        let absent = format!("{line}make: clang++: No such file or directory\nError 127\n");
        let makefile = ("Makefile", "CXX := clang++\n");
        let (missing, help) = advice(&[makefile], MAKE, &absent);
        assert_eq!(missing, "`clang++`, linker `lld`");
        assert_eq!(help, ["install `clang++` and linker `lld`"]);
        let alone = "clang: error: invalid linker name in argument '-fuse-ld=lld'\n";
        assert_eq!(advice(&[], MAKE, alone).0, "linker `lld`");
        // The compiler that was found has a linker of its own.
        let other = format!("{line}a.cpp:1: error: no\n");
        assert_eq!(advice(&[], MAKE, &other).0, "");
    }

    #[test]
    fn another_compiler_is_offered_if_the_makefile_takes_one() {
        let log = "make: clang++: No such file or directory\nError 127\n";
        let makefile = ("makefile", "CC = gcc\nCXX  := clang++\n");
        assert_eq!(
            advice(&[makefile], MAKE, log).1,
            [
                "install `clang++`, or use another compiler: `--build 'make CXX=g++ \
                 EXE=hone-engine' --cmd hone-engine` (in the configuration `build` and `cmd`)"
            ]
        );
        for (files, build) in [
            (&[][..], MAKE),
            (&[("Makefile", "CXX = g++\n")][..], MAKE),
            (&[makefile][..], "make CXX=clang++ EXE=hone-engine"),
            (&[makefile][..], "./build.sh"),
        ] {
            let help = advice(files, build, log).1;
            assert_eq!(help, ["install `clang++`"], "{build}");
        }
        let c = "make: clang: No such file or directory\nError 127\n";
        let help = advice(&[("Makefile", "CC = clang\n")], MAKE, c).1;
        assert_eq!(help, ["install `clang`"], "gcc is not installed");
    }

    #[test]
    fn a_network_that_is_missing_is_given_as_openbench_gives_it() {
        let takes = ("Makefile", "ifndef EVALFILE\nEVALFILE = x.nnue\nendif\n");
        let download = "curl -sOL https://nets/x.nnue\nmake: *** [Makefile:9: all] Error 6\n";
        let help = |files: &[(&str, &str)], build: &str, log: &str| {
            let help = advice(files, build, log).1;
            help.first().cloned().unwrap_or_default()
        };
        let with = |line: &str| {
            format!(
                "if only the network is missing, download it and name it: `--build '{line}' \
                 --cmd hone-engine` (in the configuration `build` and `cmd`)"
            )
        };
        assert_eq!(
            help(&[takes], MAKE, download),
            with("make EVALFILE=/path/of/the/network EXE=hone-engine")
        );
        let rust = "error: couldn't read `src/../x.nnue.zst`: No such file or directory\n";
        let build_rs = ("build.rs", "env::var(\"EVALFILE\")");
        assert_eq!(
            help(&[build_rs], "cargo build --release", rust),
            with("EVALFILE=/path/of/the/network cargo build --release")
        );
        // The download went well, the makefile does not take a network, or it has one.
        let later = format!("{download}a.cpp:1: error: no\n");
        assert_eq!(help(&[takes], MAKE, &later), "");
        assert_eq!(help(&[], MAKE, download), "");
        assert_eq!(help(&[takes], "make EVALFILE=/a EXE=e", download), "");
    }
}
