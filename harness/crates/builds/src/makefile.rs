//! The target of a makefile that writes the program `$(EXE)`.
//!
//! Variables, rules and `$(MAKE)` are read as far as OpenBench's convention needs them, without
//! evaluating functions and conditions.

#![cfg_attr(not(test), warn(clippy::expect_used, clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::cast_possible_truncation))]

/// Targets to try if the default one does not write the program, as Stockfish's prints help.
const USUAL_TARGETS: [&str; 6] = ["build", "openbench", "all", "release", "native", "engine"];

/// Maximum depth of variables and targets that refer to others.
const MAX_DEPTH: u32 = 8;

/// Commands that may mention the program but do not write it.
const OTHER_COMMANDS: [&str; 7] = [
    "echo",
    "printf",
    "rm",
    "$(RM)",
    "del",
    "strip",
    "llvm-strip",
];

/// A makefile.
#[derive(Debug, Default)]
pub(super) struct Makefile<'a> {
    /// Names and values, in order.
    variables: Vec<(&'a str, &'a str)>,
    rules: Vec<Rule<'a>>,
}

#[derive(Debug)]
struct Rule<'a> {
    targets: &'a str,
    prerequisites: &'a str,
    recipe: Vec<&'a str>,
}

impl<'a> Makefile<'a> {
    /// Reads a makefile whose continued lines are joined.
    pub(super) fn read(text: &'a str) -> Self {
        let mut read = Self::default();
        for line in text.lines() {
            if line.starts_with('\t')
                && let Some(rule) = read.rules.last_mut()
            {
                rule.recipe.push(line.trim());
                continue;
            }
            let line = line.split('#').next().unwrap_or_default().trim();
            if let Some((name, value)) = assignment(line) {
                read.variables.push((name, value));
            } else if let Some((targets, prerequisites)) = line.split_once(':') {
                read.rules.push(Rule {
                    targets,
                    prerequisites: prerequisites.trim_start_matches(':'),
                    recipe: Vec::new(),
                });
            }
        }
        read
    }

    /// The target that writes `$(EXE)`: the empty text for the default one. `None` if none
    /// does.
    pub(super) fn target(&self) -> Option<&'static str> {
        let is_made = |target: &str| self.makes(target, 0);
        if self.default_goal().is_some_and(is_made) {
            return Some("");
        }
        USUAL_TARGETS.into_iter().find(|target| is_made(target))
    }

    /// The variable whose value is this command.
    pub(super) fn variable_of(&self, command: &str) -> Option<&'a str> {
        let mut variables = self.variables.iter();
        let (name, _) = variables.find(|(_, value)| *value == command)?;
        Some(name)
    }

    fn default_goal(&self) -> Option<&'a str> {
        let mut goals = self.variables.iter().rev();
        if let Some((_, goal)) = goals.find(|(name, _)| *name == ".DEFAULT_GOAL") {
            return Some(goal);
        }
        let is_goal =
            |rule: &&Rule<'_>| !rule.targets.starts_with('.') && !rule.targets.contains('%');
        let first = self.rules.iter().find(is_goal)?;
        first.targets.split_whitespace().next()
    }

    /// Whether a target, or one that it needs, writes the program.
    fn makes(&self, target: &str, depth: u32) -> bool {
        depth < MAX_DEPTH
            && self.rules_of(target).any(|rule| {
                let is_itself = self.uses_exe(target, 0) && !rule.recipe.is_empty();
                let mut needed = rule.prerequisites.split_whitespace();
                is_itself
                    || rule.recipe.iter().any(|line| self.writes(line, depth))
                    || needed.any(|other| self.makes(other, depth.saturating_add(1)))
            })
    }

    fn rules_of<'b>(&'b self, target: &'b str) -> impl Iterator<Item = &'b Rule<'a>> {
        let is_of = move |rule: &&Rule<'_>| {
            let mut targets = rule.targets.split_whitespace();
            targets.any(|own| own == target)
        };
        self.rules.iter().filter(is_of)
    }

    /// Whether a line of a recipe writes the program, or calls `make` for a target that does.
    fn writes(&self, line: &str, depth: u32) -> bool {
        let line = line.trim_start_matches(['@', '-', '+', ' ']);
        let mut words = line.split_whitespace();
        let command = words.next().unwrap_or_default();
        if command == "$(MAKE)" || command == "make" {
            let depth = depth.saturating_add(1);
            return words.any(|word| self.makes(word, depth));
        }
        let is_other = command.starts_with("./") || OTHER_COMMANDS.contains(&command);
        !is_other && self.uses_exe(line, 0)
    }

    /// Whether a text contains `$(EXE)`, or a variable that does.
    fn uses_exe(&self, text: &str, depth: u32) -> bool {
        depth < MAX_DEPTH
            && references(text).any(|name| {
                let mut values = self.variables.iter().filter(|(own, _)| *own == name);
                name == "EXE"
                    || values.any(|(_, value)| self.uses_exe(value, depth.saturating_add(1)))
            })
    }
}

/// The name and value of `NAME = value`, with any of make's signs.
fn assignment(line: &str) -> Option<(&str, &str)> {
    let line = ["export ", "override "]
        .iter()
        .fold(line, |line, word| line.strip_prefix(word).unwrap_or(line));
    let (name, value) = line.split_once('=')?;
    let name = name.trim_end_matches([':', '?', '+', '!']).trim();
    let is_name = !name.is_empty() && !name.contains([' ', '\t', '$', ':', '(']);
    is_name.then(|| (name, value.trim()))
}

/// The names of the variables in `$(NAME)` and `${NAME}`.
fn references(text: &str) -> impl Iterator<Item = &str> {
    text.split('$').skip(1).filter_map(|part| {
        let inner = part.strip_prefix(['(', '{'])?;
        inner.split([')', '}', ':']).next()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(text: &str) -> Option<&'static str> {
        Makefile::read(text).target()
    }

    #[test]
    fn the_default_target_is_used_if_it_writes_the_program() {
        for text in [
            "EXE ?= engine\nall:\n\tcc -o $(EXE) a.c\n",
            "all: $(EXE)\n$(EXE): a.o\n\tcc -o $@ a.o\n",
            "all: ${EXE}\n${EXE}:\n\tcc -o $@ a.o\n",
            "NAME := $(EXE)$(EXT)\nrule:\n\tcargo rustc -- --emit link=$(NAME)\n",
            "BASIC = $(CC) -o $(EXE)\nRUN = ./$(EXE) bench\npgo: clean\n\t$(BASIC)\n\t$(RUN)\nclean:\n\trm $(EXE)\n",
            "rule:\n\tcargo build -r\n\tcp target/release/a $(EXE)\n",
            ".PHONY: all\n%.o: %.c\n\tcc -c $<\nall:\n\t@$(MAKE) net\n\t$(MAKE) link X=1\nnet:\n\tcurl x\nlink: a.o\n\tcc -o $(EXE)\n",
            ".DEFAULT_GOAL := all\nnet:\n\tcurl x\nall:\n\tcc -o $(EXE)\n",
            "ifndef EXE\n\tEXE = a\nendif\n$(EXE)$(SUFFIX): a.c\n\tcc a.c -o $(EXE)$(SUFFIX)\n",
            // `build` does not use the variable.
            "EXE = a\nall:\n\tcc -o $(EXE)\nbuild:\n\tcargo build\n",
            "EXE = a\nall:\n\tcc -o $(EXE)\nbuild:\n\tmkdir -p build\n",
        ] {
            assert_eq!(target(text), Some(""), "{text}");
        }
    }

    #[test]
    fn another_usual_target_is_used_if_the_default_does_not() {
        let stockfish = "EXE = stockfish\ndefault: help\nhelp:\n\t@echo make $(EXE)\nbuild: net\n\t$(MAKE) ARCH=x all\nall: $(EXE) .depend\n$(EXE): a.o\n\t+$(CXX) -o $@ a.o\n";
        assert_eq!(target(stockfish), Some("build"));
        let cargo = "all:\n\tcargo build\nopenbench:\n\tcargo rustc -- --emit link=$(EXE)\n";
        assert_eq!(target(cargo), Some("openbench"));
        for text in [
            "EXE = a\nall:\n\tcc -o a a.c\n",
            "EXE = a\nall:\n\tcargo build\nclean:\n\trm -f $(EXE)\nrun:\n\t./$(EXE)\n",
            "all:\n\tcc -o engine a.c\n",
            "a: b\nb: a\n",
            "A = $(B)\nB = $(A)\nall:\n\tcc -o $(A)\n",
            "",
        ] {
            assert_eq!(target(text), None, "{text}");
        }
    }
}
