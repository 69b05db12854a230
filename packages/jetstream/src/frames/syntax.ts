// Cheap checks of the identifiers in every event, as strict as their specifications where that costs nothing:
// https://atproto.com/specs/did, record-key, nsid, tid, data-model.

const DID = /^did:[a-z]+:[a-zA-Z0-9._:%-]*[a-zA-Z0-9._-]$/
const NSID = /^[a-zA-Z](?:[a-zA-Z0-9-]{0,62})?(?:\.[a-zA-Z0-9-]{1,63})+\.[a-zA-Z][a-zA-Z0-9]{0,62}$/
const RKEY = /^[a-zA-Z0-9_~.:-]{1,512}$/
const TID = /^[2-7a-j][2-7a-z]{12}$/
// Prefix and padding are those of 36 bytes that start with 01 71 12 20, as packCid accepts.
const RECORD_CID = /^bafyrei[a-h][a-z2-7]{50}[aeimquy4]$/

export function isDid(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 2048 && DID.test(value)
}

export function isNsid(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 317 && NSID.test(value)
}

export function isRkey(value: unknown): value is string {
  return typeof value === 'string' && RKEY.test(value) && value !== '.' && value !== '..'
}

export function isTid(value: unknown): value is string {
  return typeof value === 'string' && TID.test(value)
}

/** CIDv1, dag-cbor, sha-256, in base32. */
export function isRecordCid(value: unknown): value is string {
  return typeof value === 'string' && RECORD_CID.test(value)
}
