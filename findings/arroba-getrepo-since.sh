#!/usr/bin/env bash
# arroba 3.1 (PyPI), com.atproto.sync.getRepo with `since`.
# Guess: `since` of the latest revision leaves nothing to send, as the lexicon reads: "the revision of the repo to
# create a diff from"; so a reader who has a repository up to a revision gets only later records.
# Seen: a node of the tree that changed is sent with all its records, however old. After 40 commits of one post each,
# `since` of the latest revision sends 6 posts (the guess: 0), `since` of the tenth before sends 16 (the guess: 10).
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder"
"$folder/bin/pip" install --quiet --disable-pip-version-check 'arroba==3.1' 'flask==3.1.3' 'flask-sock==0.7.0' 'google-cloud-ndb==2.4.2'
cat > "$folder/ask.py" <<'PY'
from arroba import server
from arroba.repo import Repo
from arroba.storage import Action, MemoryStorage
from arroba.util import Write, int_to_tid, new_key
from carbox.car import read_car
from flask import Flask
from lexrpc.flask_server import init_flask
import arroba.xrpc_sync

DID = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
POST = 'app.bsky.feed.post'
server.storage = MemoryStorage()
repo = Repo.create(server.storage, DID, handle='alice.example.com', signing_key=new_key())
app = Flask('pds')
init_flask(server.server, app)
client = app.test_client()

def ask(method, **query):
    return client.get(f'/xrpc/com.atproto.sync.{method}', query_string={'did': DID, **query})

revs = []
for i in range(40):
    record = {'$type': POST, 'text': str(i), 'createdAt': '2026-01-01T00:00:00.000Z'}
    server.storage.commit(repo, [Write(Action.CREATE, POST, int_to_tid(1_790_000_000_000_000 + i, clock_id=0), record)])
    revs.append(ask('getLatestCommit').json['rev'])

def posts(**query):
    _, blocks = read_car(ask('getRepo', **query).data)
    return sum(block.decoded.get('$type') == POST for block in blocks)

print(posts(), posts(since=revs[-1]), posts(since=revs[-11]))
PY
seen=$("$folder/bin/python" "$folder/ask.py" 2>/dev/null | tail -n 1)
echo "posts sent: all, since the latest revision, since the tenth before: $seen"
[ "$seen" = '40 6 16' ]
