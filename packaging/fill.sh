#!/usr/bin/env bash
# Writes the installers and the Homebrew formula of a release into the folder of its
# archives.
#
#     packaging/fill.sh DIST OWNER/REPOSITORY VERSION
set -euo pipefail

usage="usage: packaging/fill.sh DIST OWNER/REPOSITORY VERSION"
dist=${1:?$usage} repository=${2:?$usage} version=${3:?$usage}
here=$(dirname "$0")
for file in install.sh install.ps1; do
    sed "s|@REPOSITORY@|$repository|g" "$here/$file" >"$dist/$file"
done
script="s|@REPOSITORY@|$repository|g;s|@VERSION@|$version|g"
for target in {x86_64,aarch64}-apple-darwin {x86_64,aarch64}-unknown-linux-musl; do
    read -r sha256 _ <"$dist/hone-$target.tar.gz.sha256"
    script="$script;s|@SHA256_$target@|$sha256|"
done
sed "$script" "$here/hone.rb.in" >"$dist/hone.rb"
if grep -n '@[A-Z]' "$dist/hone.rb" "$dist/install.sh" "$dist/install.ps1"; then
    echo "error: a placeholder has no value" >&2
    exit 1
fi
