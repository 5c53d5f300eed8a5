#!/bin/sh
# Installs hone and stillwater from a release:
#
#     curl -fsSL https://github.com/@REPOSITORY@/releases/latest/download/install.sh | sh
#
# HONE_VERSION: a version such as v0.1.0 (default: the latest). PREFIX: target folder
# (default: ~/.local). The checksum of the archive must match. To remove everything:
# sh install.sh --remove
set -eu

prefix=${PREFIX:-$HOME/.local}
lib=$prefix/lib/hone
releases=${HONE_RELEASES:-https://github.com/@REPOSITORY@/releases}
pages=$prefix/share/man/man1
bash_completions=$prefix/share/bash-completion/completions
zsh_completions=$prefix/share/zsh/site-functions
fish_completions=$prefix/share/fish/vendor_completions.d

remove() {
    rm -rf "$lib"
    rm -f "$prefix/bin/hone" "$prefix/bin/stillwater" "$pages/hone.1" "$pages"/hone-*.1
    rm -f "$bash_completions/hone" "$zsh_completions/_hone" "$fish_completions/hone.fish"
}

fetch() {
    if command -v curl >/dev/null; then
        curl -fsSL --retry 3 -o "$folder/$1" "$from/$1"
    else
        wget -q -O "$folder/$1" "$from/$1"
    fi || {
        echo "error: cannot download $from/$1" >&2
        exit 1
    }
}

# A function, so that a download that stops half-way runs nothing.
main() {
    if [ "${1:-}" = --remove ]; then
        remove
        echo "removed hone from $prefix"
        exit 0
    fi

    case "$(uname -s)-$(uname -m)" in
        Linux-x86_64) target=x86_64-unknown-linux-musl ;;
        Linux-aarch64) target=aarch64-unknown-linux-musl ;;
        Darwin-x86_64) target=x86_64-apple-darwin ;;
        Darwin-arm64) target=aarch64-apple-darwin ;;
        *)
            echo "error: no release for $(uname -s) $(uname -m): build it with Cargo" >&2
            exit 1
            ;;
    esac
    archive=hone-$target.tar.gz
    if [ -n "${HONE_VERSION:-}" ]; then
        from=$releases/download/$HONE_VERSION
    else
        from=$releases/latest/download
    fi

    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    fetch "$archive"
    fetch "$archive.sha256"
    expected=$(cut -d " " -f 1 "$folder/$archive.sha256")
    if command -v sha256sum >/dev/null; then
        found=$(sha256sum "$folder/$archive")
    else
        found=$(shasum -a 256 "$folder/$archive")
    fi
    if [ "${found%% *}" != "$expected" ]; then
        echo "error: $archive has the checksum ${found%% *}, expected $expected" >&2
        exit 1
    fi
    tar xzf "$folder/$archive" -C "$folder"

    remove
    mkdir -p "$prefix/bin" "$prefix/lib" "$pages" "$bash_completions" "$zsh_completions" "$fish_completions"
    mv "$folder/hone-$target" "$lib"
    ln -s ../lib/hone/hone "$prefix/bin/hone"
    ln -s ../lib/hone/stillwater "$prefix/bin/stillwater"
    cp "$lib"/man/*.1 "$pages/"
    cp "$lib/completions/hone.bash" "$bash_completions/hone"
    cp "$lib/completions/hone.zsh" "$zsh_completions/_hone"
    cp "$lib/completions/hone.fish" "$fish_completions/hone.fish"
    "$prefix/bin/hone" --version
    echo "installed in $prefix; books and examples are in $lib"
    case ":$PATH:" in
        *":$prefix/bin:"*) ;;
        *) echo "help: add $prefix/bin to PATH" ;;
    esac
}
main "$@"
