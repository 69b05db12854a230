#!/usr/bin/env bash
# node-webvtt 2.0.0, parse with { strict: false }, on two files that the standard's algorithm reads whole.
#
# Guess: what is not strict follows the algorithm of WebVTT, as browsers do: lines below the signature are a header and
#   are passed over, and a line with an arrow ends the cue above it, with or without an empty line between.
# Seen: a file with `Kind: captions` below the signature, a common header, throws, strict or not, unless it is
#   asked for metadata; and the times of the second cue are text of the first. webvtt-parser 2.2.0 reads both.
# Output: node-webvtt header throws, with meta 1 cue, arrow 1 cue · webvtt-parser header 1 cue, arrow 2 cues
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error node-webvtt@2.0.0 webvtt-parser@2.2.0 >/dev/null
cat >run.mjs <<'JS'
import webvtt from 'node-webvtt'
import parser from 'webvtt-parser'

const header = 'WEBVTT\nKind: captions\n\n00:00.000 --> 00:01.000\none\n'
const arrow = 'WEBVTT\n\n00:00.000 --> 00:01.000\none\n00:01.000 --> 00:02.000\ntwo\n'

function cuesOf(parse) {
  try {
    const { length } = parse().cues
    return length === 1 ? '1 cue' : `${length} cues`
  } catch {
    return 'throws'
  }
}

const loose = (file, more = {}) => cuesOf(() => webvtt.parse(file, { strict: false, ...more }))
const other = (file) => cuesOf(() => new parser.WebVTTParser().parse(file, 'captions'))
const seen = [
  `node-webvtt header ${loose(header)}, with meta ${loose(header, { meta: true })}, arrow ${loose(arrow)}`,
  `webvtt-parser header ${other(header)}, arrow ${other(arrow)}`,
].join(' · ')
console.log(seen)
const expected =
  'node-webvtt header throws, with meta 1 cue, arrow 1 cue · webvtt-parser header 1 cue, arrow 2 cues'
process.exit(seen === expected ? 0 : 1)
JS
node run.mjs
