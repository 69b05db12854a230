#!/usr/bin/env bash
# libipld 3.5.0 (PyPI; what the SDK `atproto` decodes with): bytes that read as a CID are written as a link.
#
# Guess: Python's `bytes` are written as a byte string (major type 2), whatever is in them, as dag-cbor 0.3.3 does; and
#   what is decoded is encoded to the same bytes.
# Seen: links are decoded to plain bytes, so the encoder goes by the look of bytes: the five bytes 01 55 00 01 78 (version
#   1, raw, identity, one byte) become a link, and a record with such a byte string, once decoded and encoded, has other
#   bytes and another CID. Bytes that are no CID are a byte string.
# Output: dag-cbor 450155000178 · libipld d82a4600 0155000178 · other bytes 450055000178 · again the same: False
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder"
"$folder/bin/pip" install --quiet --disable-pip-version-check 'libipld==3.5.0' 'dag-cbor==0.3.3'
seen=$("$folder/bin/python" - <<'PY'
import dag_cbor
import libipld

value = bytes.fromhex('0155000178')
other = bytes.fromhex('0055000178')
link = libipld.encode_dag_cbor(value).hex()
record = dag_cbor.encode({'key': value})
again = libipld.encode_dag_cbor(libipld.decode_dag_cbor(record))
print(
    f'dag-cbor {dag_cbor.encode(value).hex()} · libipld {link[:8]} {link[8:]}'
    f' · other bytes {libipld.encode_dag_cbor(other).hex()} · again the same: {again == record}'
)
PY
)
echo "$seen"
[ "$seen" = 'dag-cbor 450155000178 · libipld d82a4600 0155000178 · other bytes 450055000178 · again the same: False' ]
