#!/usr/bin/env bash
# Node 24.21.0, zstdDecompressSync of node:zlib, on files of several zstd frames.
#
# Guess: as gunzipSync beside it does with several members, and the command zstd with several frames (RFC 8878, section
#   3.1: a file is any number of frames, of which skippable ones are passed over): all frames' content, one after another.
# Seen: the first frame's content alone, without an error. Of a file that begins with a skippable frame, as pzstd and
#   others write them, nothing at all: an empty buffer. fzstd 0.1.1 reads all.
# Output: gunzip of two "one two " · zstd of two "one " · zstd after a skippable frame "" · fzstd "one two " "one "
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error --ignore-scripts=false node@24.21.0 fzstd@0.1.1 >/dev/null
cat >run.mjs <<'JS'
import { gunzipSync, gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { decompress } from 'fzstd'

const skippable = Buffer.from('502a4d1803000000aabbcc', 'hex')
const frames = ['one ', 'two '].map((text) => zstdCompressSync(Buffer.from(text)))
const members = ['one ', 'two '].map((text) => gzipSync(Buffer.from(text)))
const text = (bytes) => JSON.stringify(Buffer.from(bytes).toString())
const both = Buffer.concat(frames)
const behind = Buffer.concat([skippable, frames[0]])
const seen = [
  `gunzip of two ${text(gunzipSync(Buffer.concat(members)))}`,
  `zstd of two ${text(zstdDecompressSync(both))}`,
  `zstd after a skippable frame ${text(zstdDecompressSync(behind))}`,
  `fzstd ${text(decompress(both))} ${text(decompress(behind))}`,
].join(' · ')
console.log(seen)
const expected =
  'gunzip of two "one two " · zstd of two "one " · zstd after a skippable frame "" · fzstd "one two " "one "'
process.exit(seen === expected ? 0 : 1)
JS
node_modules/.bin/node run.mjs
