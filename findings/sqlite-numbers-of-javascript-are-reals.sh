#!/usr/bin/env bash
# better-sqlite3 13.2.0 and node:sqlite of Node 24.21.0: a whole number bound to a parameter.
#
# Guess: 5 is bound as the integer 5, as Python's sqlite3 does, so in an expression it behaves as the literal 5.
# Seen: both bind every number as a REAL, so 'page-' || ? is page-5.0, json_array(?) is [5.0] and ? / 2 is 2.5. A column
#   with INTEGER affinity makes it whole again, which hides it: only expressions show it. A BigInt is bound as an integer.
# Output: better-sqlite3 real page-5.0 [5.0] 2.5, BigInt integer page-5 [5] 2 · node:sqlite the same
#   · Python integer page-5 [5] 2
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error --ignore-scripts=false node@24.21.0 better-sqlite3@13.2.0 >/dev/null
cat >run.mjs <<'JS'
import { DatabaseSync } from 'node:sqlite'
import Database from 'better-sqlite3'

const sql = `SELECT typeof(:n) || ' ' || ('page-' || :n) || ' ' || json_array(:n) || ' ' || (:n / 2) AS seen`
const inBoth = [new Database(':memory:'), new DatabaseSync(':memory:')].map((database) => {
  const seen = (n) => database.prepare(sql).get({ n }).seen
  return `${seen(5)}, BigInt ${seen(5n)}`
})
const [first, second] = inBoth
console.log(`better-sqlite3 ${first} · node:sqlite ${second === first ? 'the same' : second}`)
JS
cat >run.py <<'PY'
import sqlite3

sql = "SELECT typeof(:n) || ' ' || ('page-' || :n) || ' ' || json_array(:n) || ' ' || (:n / 2)"
print('Python', sqlite3.connect(':memory:').execute(sql, {'n': 5}).fetchone()[0])
PY
seen="$(node_modules/.bin/node run.mjs) · $(python3 run.py)"
echo "$seen"
[ "$seen" = 'better-sqlite3 real page-5.0 [5.0] 2.5, BigInt integer page-5 [5] 2 · node:sqlite the same · Python integer page-5 [5] 2' ]
