# Sourced by deploy/install.sh: what it is told.
# shellcheck shell=bash disable=SC2034

usage() {
  cat <<'TEXT'
Usage: sudo deploy/install.sh --hostname NAME [options]

  --hostname NAME   public host name; DNS must point it here (only needed the first time)
  --members LIST    who may read here: invite, open, DIDs and handles, separated by commas; also changes it later
  --yes             ask nothing: without --members, any account with an invite code may read
  --no-caddy        don't install and set up Caddy; another program handles TLS
  --no-backup       don't copy the database before an upgrade
  --no-doctor       don't run slipstream doctor at the end
  --reinstall       fetch all packages again, even if this version is installed
  --dry-run         print the steps without doing them
  --root DIR        put everything below DIR (for images and tests)
  --help            print this and stop
TEXT
}

name='' members='' with_caddy=yes with_backup=yes with_doctor=yes may_ask=yes anew=no dry_run=no root=''
account=slipstream
builder=slipstream-packages
health_tries=60

read_arguments() {
  while [ $# -gt 0 ]; do
    case "$1" in
      --hostname | --members | --root)
        [ $# -ge 2 ] || die "$1 needs a value." "deploy/install.sh --help lists the options."
        case "$1" in
          --hostname) name="$2" ;;
          --members) members="$2" && check_members "$2" ;;
          --root) root="${2%/}" ;;
        esac
        shift
        ;;
      --yes) may_ask=no ;;
      --no-caddy) with_caddy=no ;;
      --no-backup) with_backup=no ;;
      --no-doctor) with_doctor=no ;;
      --reinstall) anew=yes ;;
      --dry-run) dry_run=yes ;;
      --help)
        usage
        exit 0
        ;;
      *) die "$1 is not an option." "deploy/install.sh --help lists them." ;;
    esac
    shift
  done
  [ -z "$name" ] || { is_domain "$name" && [ "$name" = "${name,,}" ]; } ||
    die "$name is not a public host name." "Give one like appview.example.org: in lower case, without https:// and without a port."
}

is_domain() { [[ "$1" =~ ^([A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?\.)+[A-Za-z][A-Za-z0-9-]*[A-Za-z0-9]$ ]]; }

check_members() {
  local wrong
  wrong="$(wrong_members "$1")" || die "$wrong" "Separate handles and DIDs with commas, without spaces; the words open and invite are allowed."
}

# Prints what is wrong with a list, if anything.
wrong_members() {
  local one
  [[ "$1" =~ ^[A-Za-z0-9:.,_%-]+$ ]] || {
    printf 'The list of members has characters that DIDs and handles do not allow.'
    return 1
  }
  for one in ${1//,/ }; do
    [ "$one" = open ] || [ "$one" = invite ] || is_account "$one" || {
      printf '%s is neither a handle, such as %s.bsky.social, nor a DID.' "$one" "${one%%.*}"
      return 1
    }
  done
}

is_account() { [[ "$1" =~ ^did:[a-z]+:[A-Za-z0-9._:%-]+$ ]] || is_domain "$1"; }

set_paths() {
  app="$root/opt/slipstream"
  settings="$root/etc/slipstream/slipstream.env"
  data="$root/var/lib/slipstream"
  units="$root/etc/systemd/system"
  caddy_site="$root/etc/caddy/slipstream.caddy"
  caddyfile="$root/etc/caddy/Caddyfile"
  command="$root/usr/local/bin/slipstream"
}

# Who may read is the one thing that can't be guessed: it is asked at the first installation.
choose_members() {
  [ ! -f "$settings" ] && [ -z "$members" ] || return 0
  if [ "$may_ask" = no ] || [ "$dry_run" = yes ] || [ ! -t 0 ]; then
    members=invite
    say "any account with an invite code may read here (--members changes this)"
    return
  fi
  ask_members
}

ask_members() {
  local answer
  cat <<'TEXT'
Who may read here? Each member uses memory, disk and traffic of this machine.
  1  accounts with an invite code from you (recommended)
  2  only accounts that you name
  3  anyone who signs in, up to a number (SLIPSTREAM_MAX_MEMBERS)
TEXT
  while [ -z "$members" ]; do
    answer="$(ask '1, 2 or 3 [1]: ')"
    case "$answer" in
      '' | 1)
        answer="$(ask_accounts 'Your own handle or DID, which then needs no code (optional): ')"
        members="invite${answer:+,$answer}"
        ;;
      2) members="$(ask_accounts 'Handles or DIDs, separated by commas: ')" ;;
      3) members=open ;;
    esac
  done
}

ask_accounts() {
  local answer wrong
  while true; do
    answer="$(ask "$1")" || exit 1
    answer="${answer//[ @]/}"
    if [ -z "$answer" ] || wrong="$(wrong_members "$answer")"; then
      printf '%s' "$answer"
      return
    fi
    printf '%s\n' "$wrong" >&2
  done
}

ask() {
  local answer
  read -r -p "$1" answer || die "There was no answer." "Use --members or --yes."
  printf '%s' "$answer"
}
