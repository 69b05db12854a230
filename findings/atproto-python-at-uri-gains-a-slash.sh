#!/usr/bin/env bash
# atproto 0.0.73 (PyPI), AtUri, beside @atproto/syntax 0.7.7: the at-URI of an account.
#
# Guess: an at-URI that is read and written again is the same text; the syntax allows no slash at the end.
# Seen: at://did:plc:… becomes at://did:plc:…/, which @atcute/lexicons 2.1.0 refuses, as does @atproto/syntax if it is
#   strict; so a field of the format at-uri that one program writes, another refuses. The isValidAtUri of
#   @atproto/syntax, which isn't strict, takes the slash, and a query too. URIs of records come back as they were.
# Output: account slash, record same · strict false, isValidAtUri true, atcute false · isValidAtUri with a query true
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error @atproto/syntax@0.7.7 @atcute/lexicons@2.1.0 >/dev/null
python3 -m venv "$folder/python"
python/bin/pip install --quiet --disable-pip-version-check 'atproto==0.0.73'
cat >run.py <<'PY'
from atproto import AtUri

account = 'at://did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
record = f'{account}/app.bsky.feed.post/3mxaaaaaaaa2a'

def fate(uri):
    written = str(AtUri.from_str(uri))
    return 'same' if written == uri else 'slash' if written == f'{uri}/' else written

print(f'account {fate(account)}, record {fate(record)}')
PY
cat >run.mjs <<'JS'
import { isResourceUri } from '@atcute/lexicons/syntax'
import { isAtUriString, isValidAtUri } from '@atproto/syntax'

const account = 'at://did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
const strict = isAtUriString(`${account}/`, { strict: true })
const verdicts = `strict ${strict}, isValidAtUri ${isValidAtUri(`${account}/`)}, atcute ${isResourceUri(`${account}/`)}`
console.log(`${verdicts} · isValidAtUri with a query ${isValidAtUri(`${account}?page=2`)}`)
JS
seen="$(python/bin/python run.py) · $(node run.mjs)"
echo "$seen"
[ "$seen" = 'account slash, record same · strict false, isValidAtUri true, atcute false · isValidAtUri with a query true' ]
