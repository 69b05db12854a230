#!/usr/bin/env bash
# @ipld/dag-cbor 10.0.2: whole numbers beyond the safe range of the language.
#
# Guess: 2^53 is a whole number that 64 bits hold, so DAG-CBOR writes it as an integer (1b0020000000000000), as other
#   languages do, and reading that integer and writing it again gives the same bytes.
# Seen: the number is written as a float (fb4340000000000000); the integer is read as a BigInt, and only a BigInt is
#   written as an integer. The largest safe number is still an integer: so the kind of a value, and the CID of what holds
#   it, changes between 2^53 - 1 and 2^53.
# Output: 2^53-1 1b001fffffffffffff · 2^53 fb4340000000000000 · read bigint · written 1b0020000000000000
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error @ipld/dag-cbor@10.0.2 >/dev/null
cat >run.mjs <<'JS'
import { decode, encode } from '@ipld/dag-cbor'

const hex = (value) => Buffer.from(encode(value)).toString('hex')
const read = decode(Buffer.from('1b0020000000000000', 'hex'))
const seen = [
  `2^53-1 ${hex(2 ** 53 - 1)}`,
  `2^53 ${hex(2 ** 53)}`,
  `read ${typeof read}`,
  `written ${hex(read)}`,
].join(' · ')
console.log(seen)
const expected =
  '2^53-1 1b001fffffffffffff · 2^53 fb4340000000000000 · read bigint · written 1b0020000000000000'
process.exit(seen === expected ? 0 : 1)
JS
node run.mjs
