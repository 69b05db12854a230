#!/usr/bin/env bash
# @atproto/common-web 0.5.17, TID.fromTime, beside @atcute/tid 1.1.4: the key of a post of 2004, as an import of an old
# blog needs it.
#
# Guess: microseconds since 1970 make a TID of 13 characters, small numbers with leading 2s (the zero of its alphabet), so
#   that keys sort by time; both give the same.
# Seen: the first writes the digits as they come, so before 5 September 2005 (32^10 µs) there are too few, and it
#   throws “Poorly formatted TID: 12 length”. @atcute/tid pads. From 2006 on, both give the same.
# Output: 2004 “Poorly formatted TID: 12 length” and 2yjty6pxk2222 · 2006 both 32dc4zpvs2222 · in order true
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error @atproto/common-web@0.5.17 @atcute/tid@1.1.4 >/dev/null
cat >run.mjs <<'JS'
import { create } from '@atcute/tid'
import { TID } from '@atproto/common-web'

function byCommonWeb(us) {
  try {
    return TID.fromTime(us, 0).toString()
  } catch ({ message }) {
    return message
  }
}

const years = [2004, 2006].map((year) => {
  const us = Date.UTC(year) * 1000
  const [first, second] = [byCommonWeb(us), create(us, 0)]
  return `${year} ${first === second ? 'both' : `“${first}” and`} ${second}`
})
const isSorted = create(Date.UTC(2004) * 1000, 0) < create(Date.UTC(2006) * 1000, 0)
const seen = [...years, `in order ${isSorted}`].join(' · ')
console.log(seen)
const expected =
  '2004 “Poorly formatted TID: 12 length” and 2yjty6pxk2222 · 2006 both 32dc4zpvs2222 · in order true'
process.exit(seen === expected ? 0 : 1)
JS
node run.mjs
