#!/usr/bin/env bash
# arroba 3.1 (PyPI), a PDS with its repositories in memory.
# Guess: arroba[flask], a MemoryStorage and the module xrpc_sync make a PDS; the extra `datastore` is only for those
# who keep repositories in Google Cloud Datastore, as its optional dependencies read.
# Seen: xrpc_repo can be imported so, xrpc_sync (getRepo, getLatestCommit) can't: it imports the Datastore's classes
# whatever the storage, so google-cloud-ndb must be there.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder"
"$folder/bin/pip" install --quiet --disable-pip-version-check 'arroba[flask]==3.1'
seen=$("$folder/bin/python" - 2>/dev/null <<'PY'
import importlib
from arroba import server
from arroba.storage import MemoryStorage

server.storage = MemoryStorage()

def outcome(name):
    try:
        importlib.import_module(name)
        return 'ok'
    except ModuleNotFoundError as error:
        return f'no module {error.name}'

print(outcome('arroba.xrpc_repo'), '|', outcome('arroba.xrpc_sync'))
PY
)
echo "arroba.xrpc_repo | arroba.xrpc_sync: $seen"
[ "$seen" = 'ok | no module google' ]
