#!/usr/bin/env bash
# Installs the Debian package and the static archive on a bare Debian without Rust,
# uses them as a new user does, and removes them again without a trace.
#
#     packaging/try.sh PACKAGE.deb ARCHIVE.tar.gz [ROOT]
#
# Must be run as root. ROOT is a folder with a bare Debian, which is made by debootstrap
# if it does not exist; by default a new one that is removed at the end. It gets man-db
# and bash-completion, for what they show of the package.
set -euo pipefail

# Mounts made here end with this script.
[ -n "${IN_OWN_MOUNTS:-}" ] || IN_OWN_MOUNTS=yes exec unshare --mount "$0" "$@"
package=$(realpath "${1:?usage: packaging/try.sh PACKAGE.deb ARCHIVE.tar.gz [ROOT]}")
archive=$(realpath "${2:?usage: packaging/try.sh PACKAGE.deb ARCHIVE.tar.gz [ROOT]}")
root=${3:-}
if [ -z "$root" ]; then
    root=$(mktemp -d)
    keep=
else
    keep=yes
fi
cleanup() {
    umount "$root/proc" "$root/dev/pts" "$root/dev" 2>/dev/null || true
    [ -n "$keep" ] || rm -rf --one-file-system "$root"
}
trap cleanup EXIT

if [ ! -x "$root/bin/bash" ]; then
    mkdir -p "$root"
    debootstrap --variant=minbase --include=bash-completion,man-db,expect bookworm "$root" >"$root.log" 2>&1 || {
        tail -n 5 "$root.log"
        exit 1
    }
    rm -f "$root.log"
fi
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
mount --bind /dev/pts "$root/dev/pts"
inside() { chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=xterm LANG=C.UTF-8 "$@"; }
say() { printf '\n== %s\n' "$*"; }
fail() {
    echo "FAILED: $*" >&2
    exit 1
}
# Every file except those that any program writes.
files() {
    inside find / -xdev \( -path /proc -o -path /dev -o -path /tmp -o -path /root -o -path /var/log \
        -o -path /var/cache/man -o -path /var/lib/dpkg \) -prune -o -print | LC_ALL=C sort
}

inside sh -c '! command -v cargo && ! command -v rustc' >/dev/null || fail "Rust is there"
files >"$root/tmp/before"

say "install the package"
cp "$package" "$root/tmp/hone.deb"
inside dpkg --install /tmp/hone.deb
inside hone --version

say "the shipped engine, book and example"
inside sh -c 'printf "uci\nquit\n" | stillwater | grep "^id name"'
code=0
inside sh -c 'mkdir -p /tmp/try && cd /tmp/try && hone sprt /usr/share/doc/hone/examples/quickstart.toml --out run' || code=$?
[ "$code" = 0 ] || fail "the quickstart ended with exit code $code"
inside hone verify /tmp/try/run | tail -n 1

say "man hone-sprt"
inside sh -c 'MANPAGER=cat MANWIDTH=80 man hone-sprt | head -n 12'
inside sh -c 'MANPAGER=cat man hone-sprt | grep -q -- --max-time' || fail "man hone-sprt"

say "completion in a bash of a terminal"
cat >"$root/tmp/completion.exp" <<'END'
set timeout 30
spawn bash --norc -i
expect -re {[$#] }
send "PS1='READY> '; source /usr/share/bash-completion/bash_completion\r"
expect "READY> "
expect "READY> "
send "hone spr\t"
expect {
    "hone sprt" { }
    timeout { puts "no completion of a command"; exit 1 }
}
send -- "--max-t\t"
expect {
    -- "--max-time" { }
    timeout { puts "no completion of an option"; exit 1 }
}
send "\003"
expect "READY> "
send "exit\r"
expect eof
END
inside expect /tmp/completion.exp | tr -d '\r' || fail "completion"

say "remove the package"
inside dpkg --purge hone
files >"$root/tmp/after"
diff "$root/tmp/before" "$root/tmp/after" || fail "the package leaves files"

say "the archive"
mkdir -p "$root/tmp/archive"
tar xzf "$archive" -C "$root/tmp/archive"
code=0
# shellcheck disable=SC2016 # expanded inside
inside sh -c 'cd /tmp/archive/hone-* && PATH=$PWD:$PATH hone sprt examples/quickstart.toml --out run' || code=$?
[ "$code" = 0 ] || fail "the archive's quickstart ended with exit code $code"
rm -rf "$root/tmp/archive" "$root/tmp/try" "$root"/tmp/hone.deb "$root/tmp/completion.exp"
files >"$root/tmp/after"
diff "$root/tmp/before" "$root/tmp/after" || fail "the archive leaves files"
rm -f "$root/tmp/before" "$root/tmp/after"
echo
echo "package and archive: passed"
