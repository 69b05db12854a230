"""Serves repositories with arroba at the port given. Reads from standard input a JSON list of accounts, each with
`did`, `handle` and `records`, a list of [collection, rkey, value]; prints a line once it serves."""

import json
import sys

from arroba import server
from arroba.repo import Repo
from arroba.storage import Action, MemoryStorage
from arroba.util import Write, new_key
from flask import Flask
from lexrpc.flask_server import init_flask
from werkzeug.serving import make_server

import arroba.xrpc_repo  # noqa: F401, registers its methods
import arroba.xrpc_sync  # noqa: F401

A_COMMIT = 200

server.storage = MemoryStorage()
for account in json.load(sys.stdin):
    repo = Repo.create(
        server.storage, account["did"], handle=account["handle"], signing_key=new_key()
    )
    writes = [Write(Action.CREATE, *record) for record in account["records"]]
    for start in range(0, len(writes), A_COMMIT):
        server.storage.commit(repo, writes[start : start + A_COMMIT])

app = Flask("pds")
init_flask(server.server, app)
http = make_server("127.0.0.1", int(sys.argv[1]), app, threaded=True)
print("serving", flush=True)
http.serve_forever()
