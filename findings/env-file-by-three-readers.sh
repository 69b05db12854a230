#!/usr/bin/env bash
# Node's util.parseEnv (node@24.21.0) beside dotenv 17.2.3 (npm) and python-dotenv 1.1.1 (PyPI): one .env file.
#
# Guess: what is written without quotes goes up to a space before a #, as in a shell, and all three read the file alike;
#   Node's reader was made after dotenv.
# Seen: Node and dotenv end such a value at any #, so a secret loses what follows; python-dotenv reads on. Only it puts
#   ${…} in, turns \t in double quotes into a tab, and leaves backquotes in the value. A no-break space before a name, as
#   pasted from a page, is a part of the name for Node alone, so the variable that one reads there is not set.
# Output: node "a" "${HASH}-1" "a\\tb" "a" null
#   · dotenv "a" "${HASH}-1" "a\\tb" "a" "1" · python "a#b" "a#b-1" "a\tb" "`a`" "1"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error dotenv@17.2.3 node@24.21.0 >/dev/null
python3 -m venv "$folder/python"
python/bin/pip install --quiet --disable-pip-version-check 'python-dotenv==1.1.1'
printf '%s\n' 'HASH=a#b' 'REF=${HASH}-1' 'TAB="a\tb"' 'TICK=`a`' $'\u00a0NAME=1' >file.env
cat >run.mjs <<'JS'
import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import dotenv from 'dotenv'

const text = readFileSync('file.env', 'utf8')
for (const [who, read] of [['node', parseEnv], ['dotenv', dotenv.parse]]) {
  const { HASH, REF, TAB, TICK, NAME } = read(text)
  console.log(who, [HASH, REF, TAB, TICK, NAME].map((value) => JSON.stringify(value ?? null)).join(' '))
}
JS
cat >run.py <<'PY'
import json
from dotenv import dotenv_values

found = dotenv_values('file.env')
print('python', *(json.dumps(found.get(name)) for name in ('HASH', 'REF', 'TAB', 'TICK', 'NAME')))
PY
seen=$(node_modules/.bin/node run.mjs && python/bin/python run.py)
echo "$seen"
[ "$seen" = 'node "a" "${HASH}-1" "a\\tb" "a" null
dotenv "a" "${HASH}-1" "a\\tb" "a" "1"
python "a#b" "a#b-1" "a\tb" "`a`" "1"' ]
