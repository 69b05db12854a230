// Computes the CID of a record from its JSON, to check a server's claim. A test compares it with the general libraries.

import { hash } from 'node:crypto'
import type { JsonObject } from '../util/json-object.ts'
import { encodeObject, UnencodableError } from './dag-cbor/encode.ts'
import { unpackCid } from './keys.ts'

/** @throws UnencodableError */
export function digestOfRecord(record: JsonObject): Buffer {
  return hash('sha256', encodeObject(record), 'buffer')
}

/**
 * CIDv1, dag-cbor, sha-256, in base32.
 * @throws UnencodableError
 */
export function cidOfRecord(record: JsonObject): string {
  return unpackCid(digestOfRecord(record))
}

/** Whether the record has this CID; one without a DAG-CBOR form has none. */
export function hasCid(record: JsonObject, cid: string): boolean {
  try {
    return cidOfRecord(record) === cid
  } catch (error) {
    if (error instanceof UnencodableError) return false
    throw error
  }
}
