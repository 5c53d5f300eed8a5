#!/usr/bin/env bash
# Makes a Debian package of an archive's folder, which packaging/build.sh leaves.
#
#     packaging/deb.sh STAGE [OUT]
#
# STAGE is target/dist/hone-TARGET with static programs, so the package depends on
# nothing. OUT is the folder of the package, by default that of STAGE.
set -euo pipefail
# Files and folders of the package have the same permissions everywhere.
umask 022

stage=${1:?usage: packaging/deb.sh STAGE [OUT]}
stage=${stage%/}
out=${2:-$(dirname "$stage")}
case "$(basename "$stage")" in
    hone-x86_64-*) architecture=amd64 ;;
    hone-aarch64-*) architecture=arm64 ;;
    *)
        echo "error: cannot make a Debian package of $stage: not a Linux target" >&2
        exit 2
        ;;
esac
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$(dirname "$0")/../Cargo.toml" | head -n 1)
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$(dirname "$0")" log -1 --format=%ct)}

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
chmod 755 "$root"
share=$root/usr/share
install -D -m 755 "$stage/hone" "$root/usr/bin/hone"
# The engine looks for its faster build beside itself.
for program in "$stage"/stillwater*; do
    install -D -m 755 "$program" "$root/usr/lib/hone/$(basename "$program")"
done
ln -s ../lib/hone/stillwater "$root/usr/bin/stillwater"
for page in "$stage"/man/*.1; do
    install -D -m 644 "$page" "$share/man/man1/$(basename "$page")"
done
gzip -9n "$share"/man/man1/*.1
install -D -m 644 "$stage/completions/hone.bash" "$share/bash-completion/completions/hone"
install -D -m 644 "$stage/completions/hone.zsh" "$share/zsh/vendor-completions/_hone"
install -D -m 644 "$stage/completions/hone.fish" "$share/fish/vendor_completions.d/hone.fish"
install -D -m 644 "$stage/completions/hone.nushell" "$share/nushell/vendor/autoload/hone.nu"
for book in "$stage"/books/*; do
    install -D -m 644 "$book" "$share/hone/books/$(basename "$book")"
done
for example in "$stage"/examples/*; do
    install -D -m 644 "$example" "$share/doc/hone/examples/$(basename "$example")"
done
install -m 644 "$stage/README.md" "$share/doc/hone/README.md"
gzip -9nc "$stage/CHANGELOG.md" >"$share/doc/hone/changelog.gz"
cat >"$share/doc/hone/copyright" <<END
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: hone

Files: *
Copyright: the authors of hone and stillwater
License: GPL-3.0-or-later
 On Debian systems, the text of the GNU General Public License version 3 is in
 /usr/share/common-licenses/GPL-3.
END
mkdir -p "$root/DEBIAN"
cat >"$root/DEBIAN/control" <<END
Package: hone
Version: $version
Architecture: $architecture
Maintainer: the authors of hone <hone@localhost>
Installed-Size: $(du -sk "$root/usr" | cut -f 1)
Section: games
Priority: optional
Recommends: git
Suggests: man-db, bash-completion
Description: tests, tunes and tracks UCI chess engines
 SPRT matches, parameter tuning, nightly Elo tracking and bisection in one
 command-line program, with the UCI engine stillwater, opening books and
 example configurations.
END
(cd "$root" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum >DEBIAN/md5sums)
find "$root" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
package=$out/hone_${version}_$architecture.deb
dpkg-deb --root-owner-group --build "$root" "$package" >/dev/null
(cd "$out" && sha256sum "$(basename "$package")" >"$(basename "$package").sha256")
echo "$package"
