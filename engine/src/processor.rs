//! The build for the processor. Archives contain the engine twice: `stillwater` for every
//! x86-64 processor and, in the same folder, a faster build for x86-64-v3 (Intel since 2013,
//! AMD since 2015). The first one starts the second if the processor supports it.

/// The faster build's file name, without `.exe`.
#[cfg(all(target_arch = "x86_64", not(target_feature = "avx2")))]
const FASTER: &str = "stillwater-x86-64-v3";

/// Replaces this process by the faster build in the same folder, if it exists and the
/// processor supports it. Returns in all other cases; on Windows with the exit code of the
/// faster build if that has run.
#[cfg(all(target_arch = "x86_64", not(target_feature = "avx2")))]
pub(crate) fn prefer_faster_build() -> Option<std::process::ExitCode> {
    use std::process::Command;

    if !has_v3() {
        return None;
    }
    let this = std::env::current_exe().ok()?;
    let faster = this.with_file_name(format!("{FASTER}{}", std::env::consts::EXE_SUFFIX));
    let mut command = Command::new(faster);
    command.args(std::env::args_os().skip(1));
    #[cfg(unix)]
    {
        // It returns only if the file is missing or cannot be run.
        let _ = std::os::unix::process::CommandExt::exec(&mut command);
        None
    }
    #[cfg(not(unix))]
    {
        let status = command.status().ok()?;
        let code = status.code().and_then(|code| u8::try_from(code).ok());
        Some(code.unwrap_or(1).into())
    }
}

/// Whether the processor has the features of x86-64-v3 that the faster build may use.
#[cfg(all(target_arch = "x86_64", not(target_feature = "avx2")))]
fn has_v3() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("f16c")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("movbe")
        && is_x86_feature_detected!("popcnt")
}

/// Ends a build for x86-64-v3 with a message if the processor does not support it, instead of
/// a SIGILL later.
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
pub(crate) fn prefer_faster_build() -> Option<std::process::ExitCode> {
    if has_v3_by_cpuid() {
        return None;
    }
    eprintln!(
        "error: this build needs an x86-64-v3 processor (AVX2, BMI2)\n\
         help: build it with RUSTFLAGS=\"-C target-cpu=x86-64\", or use the `stillwater` of a release"
    );
    Some(std::process::ExitCode::from(2))
}

/// Reads CPUID directly, because the standard library assumes the features that the build
/// is compiled for.
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
fn has_v3_by_cpuid() -> bool {
    use std::arch::x86_64::{__cpuid, __cpuid_count};

    // FMA, MOVBE, POPCNT, OSXSAVE, AVX, F16C.
    const LEAF_1: u32 = 1 << 12 | 1 << 22 | 1 << 23 | 1 << 27 | 1 << 28 | 1 << 29;
    // BMI1, AVX2, BMI2.
    const LEAF_7: u32 = 1 << 3 | 1 << 5 | 1 << 8;
    // LZCNT.
    const EXTENDED: u32 = 1 << 5;
    let highest = __cpuid(0).eax;
    highest >= 7
        && __cpuid(1).ecx & LEAF_1 == LEAF_1
        && __cpuid_count(7, 0).ebx & LEAF_7 == LEAF_7
        && __cpuid(0x8000_0000).eax >= 0x8000_0001
        && __cpuid(0x8000_0001).ecx & EXTENDED == EXTENDED
}

/// Other processors have one build.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn prefer_faster_build() -> Option<std::process::ExitCode> {
    None
}
