#!/usr/bin/env bash
# @atproto/syntax 0.7.7: which datetimes are valid.
#
# Guess: RFC 3339 as the lexicon's format says: the leap second of 2016-12-31T23:59:60Z happened and is valid, and
#   30 February is not, since the package says that it also verifies days of a month.
# Seen: the other way round, since what its pattern lets through is left to the language's own Date: that has no
#   second 60, and takes 30 and 31 February, and 31 April, for days of the next month. Day 32 is refused.
# Output: 23:59:60 false · 30 February true · 31 February true · 31 April true · 32 January false
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error @atproto/syntax@0.7.7 >/dev/null
cat >run.mjs <<'JS'
import { isValidDatetime } from '@atproto/syntax'

const times = {
  '23:59:60': '2016-12-31T23:59:60Z',
  '30 February': '2026-02-30T12:00:00Z',
  '31 February': '2026-02-31T12:00:00Z',
  '31 April': '2026-04-31T12:00:00Z',
  '32 January': '2026-01-32T12:00:00Z',
}
const seen = Object.entries(times).map(([name, time]) => `${name} ${isValidDatetime(time)}`)
console.log(seen.join(' · '))
const expected =
  '23:59:60 false · 30 February true · 31 February true · 31 April true · 32 January false'
process.exit(seen.join(' · ') === expected ? 0 : 1)
JS
node run.mjs
