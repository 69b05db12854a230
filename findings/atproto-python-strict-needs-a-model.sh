#!/usr/bin/env bash
# atproto 0.0.73 (PyPI), models.get_or_create(record), whose `strict` is True unless told otherwise.
#
# Guess: the model is found by `$type`, as its documentation says, and strict only forbids to fall back to a dictionary: so
#   a valid post gives a Record, and a record of an unknown type, which the documentation calls a DotDict, throws.
# Seen: the other way round. Without a model as second argument, every valid post throws “Can't properly parse model of
#   type None”; a record of an unknown type gives None, strict or not, and the data are gone. With strict=False a valid
#   post is a Record, and one with four languages, of three allowed, a DotDict.
# Output: valid ModelError, unknown NoneType · strict=False valid Record, unknown NoneType, four languages DotDict
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder"
"$folder/bin/pip" install --quiet --disable-pip-version-check 'atproto==0.0.73'
seen=$("$folder/bin/python" - <<'PY'
from atproto import models
from atproto.exceptions import ModelError

valid = {'$type': 'app.bsky.feed.post', 'text': 'hello', 'createdAt': '2026-01-01T00:00:00.000Z'}
unknown = {'$type': 'com.example.note', 'text': 'hello'}
languages = {**valid, 'langs': ['de', 'en', 'fr', 'it']}

def kind(record, **options):
    try:
        return type(models.get_or_create(record, **options)).__name__
    except ModelError:
        return 'ModelError'

print(
    f'valid {kind(valid)}, unknown {kind(unknown)} · strict=False valid {kind(valid, strict=False)},'
    f' unknown {kind(unknown, strict=False)}, four languages {kind(languages, strict=False)}'
)
PY
)
echo "$seen"
[ "$seen" = 'valid ModelError, unknown NoneType · strict=False valid Record, unknown NoneType, four languages DotDict' ]
