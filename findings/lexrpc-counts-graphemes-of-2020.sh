#!/usr/bin/env bash
# lexrpc 3.0 (PyPI; what Bridgy Fed validates with) and @atproto/lexicon 0.7.18: a Hindi post of 200 graphemes.
#
# Guess: maxGraphemes is 300, and both count extended grapheme clusters (UAX 29), so both take the post.
# Seen: lexrpc counts with grapheme 0.6.0, whose tables are of Unicode 13; the rule that joins consonants of Indic
#   scripts into one cluster (GB9c) came with Unicode 15.1. It counts 400, and refuses the post. So what a writer may
#   say in Hindi, Bengali, Gujarati, Malayalam or Telugu depends on the age of the validator's tables.
# Output: lexicon true · grapheme 400 of 200, in German 200 of 200 · lexrpc is longer than maxGraphemes 300
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error @atproto/api@0.21.0 @atproto/lexicon@0.7.18 >/dev/null
python3 -m venv "$folder/python"
python/bin/pip install --quiet --disable-pip-version-check 'lexrpc==3.0' 'grapheme==0.6.0'
cat >post.json <<'JSON'
{"$type": "app.bsky.feed.post", "createdAt": "2026-01-01T00:00:00Z", "text": "क्षि"}
JSON
cat >run.mjs <<'JS'
import { readFileSync } from 'node:fs'
import { schemas } from '@atproto/api'
import { Lexicons } from '@atproto/lexicon'

const post = JSON.parse(readFileSync('post.json', 'utf8'))
post.text = post.text.repeat(200)
console.log(new Lexicons(schemas).validate('app.bsky.feed.post', post).success)
JS
cat >run.py <<'PY'
import json

import grapheme
from lexrpc.base import Base

post = json.load(open('post.json', encoding='utf-8'))
post['text'] *= 200
print(f"grapheme {grapheme.length(post['text'])} of 200, in German {grapheme.length('ü' * 200)} of 200", end=' · ')
try:
    Base().validate('app.bsky.feed.post', 'record', post)
    print('lexrpc takes it')
except ValueError as error:
    print(f"lexrpc {str(error).split(': ')[-1]}")
PY
seen="lexicon $(node run.mjs) · $(python/bin/python run.py 2>/dev/null)"
echo "$seen"
[ "$seen" = 'lexicon true · grapheme 400 of 200, in German 200 of 200 · lexrpc is longer than maxGraphemes 300' ]
