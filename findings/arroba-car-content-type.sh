#!/usr/bin/env bash
# arroba 3.1 with lexrpc 3.0 (PyPI), com.atproto.sync.getRepo and getRecord over HTTP.
# Guess: a CAR file comes as application/vnd.ipld.car, the encoding that the lexicons of both methods name, so a
# reader may tell a file from an error page by its type.
# Seen: text/html; charset=utf-8, with the right bytes. JSON methods have the right type.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder"
"$folder/bin/pip" install --quiet --disable-pip-version-check 'arroba==3.1' 'lexrpc==3.0' 'flask==3.1.3' 'flask-sock==0.7.0' 'google-cloud-ndb==2.4.2'
cat > "$folder/ask.py" <<'PY'
from arroba import server
from arroba.repo import Repo
from arroba.storage import Action, MemoryStorage
from arroba.util import Write, new_key
from carbox.car import read_car
from flask import Flask
from lexrpc.flask_server import init_flask
import arroba.xrpc_sync

DID = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
BLOCK = 'app.bsky.graph.block'
server.storage = MemoryStorage()
repo = Repo.create(server.storage, DID, handle='alice.example.com', signing_key=new_key())
record = {'$type': BLOCK, 'subject': DID, 'createdAt': '2026-01-01T00:00:00.000Z'}
server.storage.commit(repo, [Write(Action.CREATE, BLOCK, '3mxaaaaaaaa2a', record)])
app = Flask('pds')
init_flask(server.server, app)
client = app.test_client()

def type_of(method, **query):
    answer = client.get(f'/xrpc/com.atproto.sync.{method}', query_string={'did': DID, **query})
    assert answer.status_code == 200
    if 'json' not in answer.content_type:
        roots, blocks = read_car(answer.data)
        assert len(roots) == 1 and len(blocks) > 1
    return answer.content_type

key = {'collection': BLOCK, 'rkey': '3mxaaaaaaaa2a'}
print(type_of('getRepo'), '|', type_of('getRecord', **key), '|', type_of('getLatestCommit'))
PY
seen=$("$folder/bin/python" "$folder/ask.py" 2>/dev/null | tail -n 1)
echo "$seen"
[ "$seen" = 'text/html; charset=utf-8 | text/html; charset=utf-8 | application/json' ]
