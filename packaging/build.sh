#!/usr/bin/env bash
# Builds the archive of one target: programs, manual pages, completions, books and
# examples, each with a checksum beside it.
#
#     packaging/build.sh TARGET [OUT]
#
# TARGET is a Rust target whose standard library is installed (`rustup target add`).
# OUT, by default target/dist, gets hone-TARGET.tar.gz (.zip for Windows), the same with
# the version in its name, and the folder hone-TARGET that is in it. The programs run on
# every processor of the architecture. On x86-64, the archive has a second build of the
# engine, for x86-64-v3, which the first one starts if the processor can run it.
#
# PROFILE: Cargo's profile (default: dist). CARGO_FLAGS: further flags for Cargo.
# HOST_HONE: a hone that runs on this machine, if the target's does not.
set -euo pipefail
# Files and folders of the archive have the same permissions everywhere.
umask 022
cd "$(dirname "$0")/.."

target=${1:?usage: packaging/build.sh TARGET [OUT]}
out=${2:-target/dist}
profile=${PROFILE:-dist}
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
built=${CARGO_TARGET_DIR:-target}/$target/$profile
suffix=
case "$target" in *windows*) suffix=.exe ;; esac

# The same source gives the same bytes: no paths of this machine, no time of the build.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
flags="--remap-path-prefix=$PWD=. --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=cargo"
case "$target" in
    *windows-msvc) flags="$flags -C target-feature=+crt-static" ;;
esac
build() { # CPU PACKAGE PROGRAM
    local cpu=
    [ -z "$1" ] || cpu="-C target-cpu=$1"
    # shellcheck disable=SC2086 # words
    RUSTFLAGS="$flags $cpu" cargo build --locked --profile "$profile" --target "$target" \
        --package "$2" --bin "$3" ${CARGO_FLAGS:-}
}

stage=$out/hone-$target
rm -rf "$stage"
mkdir -p "$stage/man" "$stage/completions" "$stage/books" "$stage/examples"
case "$target" in
    x86_64*)
        build x86-64-v3 engine stillwater
        cp "$built/stillwater$suffix" "$stage/stillwater-x86-64-v3$suffix"
        build x86-64 engine stillwater
        build x86-64 harness hone
        ;;
    *)
        build "" engine stillwater
        build "" harness hone
        ;;
esac
cp "$built/stillwater$suffix" "$built/hone$suffix" "$stage/"
cp README.md LICENSE CHANGELOG.md "$stage/"
cp books/*.epd books/*.epd.gz books/README.md "$stage/books/"
cp configs/*.toml "$stage/examples/"
# The first test without a compiler.
cp packaging/quickstart.toml "$stage/examples/quickstart.toml"

hone=${HOST_HONE:-$stage/hone$suffix}
"$hone" man --out "$stage/man" >/dev/null
for shell in bash zsh fish powershell elvish nushell; do
    "$hone" completions "$shell" >"$stage/completions/hone.$shell"
done

# Copies have the permissions of the clone, which its umask has set.
chmod -R u=rwX,go=rX "$stage"

checksum() {
    if command -v sha256sum >/dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi
}
(
    cd "$out"
    if [ -n "$suffix" ]; then
        archive=hone-$target.zip
        rm -f "$archive"
        if command -v zip >/dev/null; then zip -qrX "$archive" "hone-$target"; else 7z a -bd "$archive" "hone-$target" >/dev/null; fi
        versioned=hone-$version-$target.zip
    else
        archive=hone-$target.tar.gz
        # GNU tar can leave out owner and time.
        if tar --version | grep -q GNU; then
            tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
                -cf - "hone-$target" | gzip -9n >"$archive"
        else
            tar -czf "$archive" "hone-$target"
        fi
        versioned=hone-$version-$target.tar.gz
    fi
    cp "$archive" "$versioned"
    for file in "$archive" "$versioned"; do
        checksum "$file" >"$file.sha256"
    done
    ls -l "$archive" "$versioned"
)
