#!/usr/bin/env bash
# Installs `hone` for the other scripts: an installed program, a release's archive after a
# check of its checksum, or a build of the action's own source.
# Output `hone`: its path.
set -euo pipefail

home=${HONE_HOME:?}
version=${INPUT_VERSION:-}
if [ -z "$version" ]; then
    # The action of a release installs that release.
    case "${ACTION_REF:-}" in
        v[0-9]*) version=$ACTION_REF ;;
        *) version=source ;;
    esac
fi

target() {
    case "${RUNNER_OS:-Linux}-${RUNNER_ARCH:-X64}" in
        Linux-X64) echo x86_64-unknown-linux-musl ;;
        Linux-ARM64) echo aarch64-unknown-linux-musl ;;
        macOS-X64) echo x86_64-apple-darwin ;;
        macOS-ARM64) echo aarch64-apple-darwin ;;
        Windows-X64) echo x86_64-pc-windows-msvc ;;
        *)
            echo "::error::hone has no release for ${RUNNER_OS:-?} ${RUNNER_ARCH:-?}; set \`version: source\`" >&2
            return 1
            ;;
    esac
}

checksum() {
    if command -v sha256sum >/dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d ' ' -f 1
}

suffix=
[ "${RUNNER_OS:-Linux}" != Windows ] || suffix=.exe
if [ -n "${INPUT_HONE:-}" ]; then
    # A path, or a program on the PATH.
    if [ -f "$INPUT_HONE" ]; then
        found=$INPUT_HONE
    elif ! found=$(command -v -- "$INPUT_HONE"); then
        echo "::error::the input hone is $INPUT_HONE, which is not a program"
        exit 1
    fi
    hone=$(cd "$(dirname "$found")" && pwd)/$(basename "$found")
elif [ "$version" = source ]; then
    # Neither fleet nor live pages are needed here.
    (cd "${GITHUB_ACTION_PATH:?}" && cargo build --locked --profile quick --no-default-features --bin hone)
    hone=${CARGO_TARGET_DIR:-$GITHUB_ACTION_PATH/target}/quick/hone$suffix
else
    triple=$(target)
    extension=tar.gz
    [ -z "$suffix" ] || extension=zip
    archive=hone-$triple.$extension
    releases=${HONE_RELEASES:-${GITHUB_SERVER_URL:-https://github.com}/${ACTION_REPOSITORY:?}/releases/download}
    if ! command -v curl >/dev/null; then
        echo "::error::the Action needs \`curl\` to download hone: install it in a step before"
        exit 1
    fi
    mkdir -p "$home/bin"
    for file in "$archive" "$archive.sha256"; do
        if ! curl --fail --silent --show-error --location --retry 3 \
            --output "$home/$file" "$releases/$version/$file"; then
            echo "::error::cannot download $file of release $version from $releases: set \`version:\` to a release of hone, for instance v0.1.0, or to \`source\`"
            exit 1
        fi
    done
    expected=$(cut -d ' ' -f 1 "$home/$archive.sha256")
    found=$(checksum "$home/$archive")
    if [ "$found" != "$expected" ]; then
        echo "::error::$archive has the checksum $found, expected $expected"
        exit 1
    fi
    if [ -z "$suffix" ]; then
        tar xzf "$home/$archive" -C "$home/bin" --strip-components=1
    else
        # The tar of Windows reads zip archives.
        "${SYSTEMROOT:-/c/Windows}/System32/tar.exe" xf "$(cygpath -w "$home/$archive")" \
            -C "$(cygpath -w "$home/bin")" --strip-components=1
    fi
    hone=$home/bin/hone$suffix
fi
"$hone" --version
echo "hone=$hone" >>"$GITHUB_OUTPUT"
