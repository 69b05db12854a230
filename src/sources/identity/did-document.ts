// Parses the few parts of a DID document that we need, each checked separately, so that a document that is
// odd in one place still works in the others. Pure. Source: atproto DID and identity specifications; the
// library's helpers for keys.

import {
  formatDidKey,
  multibaseToBytes,
  P256_JWT_ALG,
  parseMultikey,
  SECP256K1_JWT_ALG,
} from '@atproto/crypto'
import { isValidHandle } from '@atproto/syntax'
import { isObject, type JsonObject } from '../../base/util/json-object.ts'

type DidService = {
  /** With its `#`, without the DID: `#atproto_pds`. */
  id: string
  type: string
  /** http or https URL as in the document. */
  endpoint: string
}

/** A key of any kind, as in the document. */
type DidKey = {
  /** With its `#`: `#atproto`. */
  id: string
  type: string
  multibase: string
}

export type Identity = {
  did: string
  /** Claimed in `alsoKnownAs`, lower case; proven only by `verifyHandle`. */
  handle: string | undefined
  /** `#atproto` as did:key: signs service JWTs and commits. */
  signingKey: string | undefined
  /** `#atproto_label` as did:key: signs labels. */
  labelKey: string | undefined
  /** Origin of `#atproto_pds`, without a trailing slash. */
  pds: string | undefined
  services: DidService[]
  keys: DidKey[]
}

const MAX_ITEMS = 64
const MAX_URL_LENGTH = 2048
/** Base58 decodes in quadratic time: 60 kB take four seconds. A key has some fifty characters. */
const MAX_KEY_LENGTH = 256
/**
 * A compressed point, the form used in a did:key. Whether it is on its curve is checked when it is
 * used to verify: here that would take a square root for each account looked up.
 */
const COMPRESSED_KEY = /^z(Q3s|Dna)[1-9A-HJ-NP-Za-km-z]{45}$/
/** The parsed parts stay in memory for as long as the account is known. */
const MAX_SERVICES = 16
const MAX_KEYS = 16
const MAX_NAME_LENGTH = 128

/** Returns undefined if this is not the document of `did`. */
export function parseDidDocument(did: string, document: unknown): Identity | undefined {
  if (!isObject(document) || document['id'] !== did) return undefined
  const services = readServices(did, document)
  const pds = services.find((service) => service.id === '#atproto_pds')
  return {
    did,
    handle: readHandle(document),
    signingKey: readKey(did, document, '#atproto'),
    labelKey: readKey(did, document, '#atproto_label'),
    pds: pds?.type === 'AtprotoPersonalDataServer' ? new URL(pds.endpoint).origin : undefined,
    services,
    keys: readKeys(did, document),
  }
}

/** Endpoint URL of the service `id` (`#bsky_fg`, with or without the `#`), of `type` if given. */
export function serviceEndpoint(identity: Identity, id: string, type?: string): string | undefined {
  const wanted = id.startsWith('#') ? id : `#${id}`
  const service = identity.services.find((service) => service.id === wanted)
  return type === undefined || service?.type === type ? service?.endpoint : undefined
}

/** Only the first at:// alias counts; if it is not a valid handle, the document has none. */
function readHandle(document: JsonObject): string | undefined {
  const alias = listOf(document['alsoKnownAs']).find(
    (item): item is string => typeof item === 'string' && item.startsWith('at://'),
  )
  const handle = alias?.slice('at://'.length).toLowerCase()
  return handle && isValidHandle(handle) ? handle : undefined
}

function readKey(did: string, document: JsonObject, id: string): string | undefined {
  const method = listOf(document['verificationMethod'])
    .filter(isObject)
    .find((item) => localId(did, item['id']) === id)
  const { type, publicKeyMultibase } = method ?? {}
  if (typeof type !== 'string' || typeof publicKeyMultibase !== 'string') return undefined
  if (publicKeyMultibase.length > MAX_KEY_LENGTH) return undefined
  try {
    return didKeyOf(type, publicKeyMultibase)
  } catch {
    return undefined // not a key on one of the two curves
  }
}

function readKeys(did: string, document: JsonObject): DidKey[] {
  return listOf(document['verificationMethod'])
    .filter(isObject)
    .flatMap((item) => {
      const id = localId(did, item['id'])
      const { type, publicKeyMultibase: multibase = '' } = item
      const isKey = typeof multibase === 'string' && multibase.length <= MAX_KEY_LENGTH
      return isName(id) && isName(type) && isKey ? [{ id, type, multibase }] : []
    })
    .slice(0, MAX_KEYS)
}

/**
 * Documents name a key's curve in one of three ways. Follows @atproto/identity, which would load
 * three HTTP clients into each thread.
 * @throws if it is not a key.
 */
function didKeyOf(type: string, multibase: string): string | undefined {
  switch (type) {
    case 'EcdsaSecp256r1VerificationKey2019':
      return formatDidKey(P256_JWT_ALG, multibaseToBytes(multibase))
    case 'EcdsaSecp256k1VerificationKey2019':
      return formatDidKey(SECP256K1_JWT_ALG, multibaseToBytes(multibase))
    case 'Multikey': {
      if (COMPRESSED_KEY.test(multibase)) return `did:key:${multibase}`
      const { jwtAlg, keyBytes } = parseMultikey(multibase)
      return formatDidKey(jwtAlg, keyBytes)
    }
  }
  return undefined
}

function readServices(did: string, document: JsonObject): DidService[] {
  return listOf(document['service'])
    .filter(isObject)
    .flatMap((item) => {
      const id = localId(did, item['id'])
      const { type, serviceEndpoint: endpoint } = item
      if (!isName(id) || !isName(type) || !isHttpUrl(endpoint)) return []
      return [{ id, type, endpoint }]
    })
    .slice(0, MAX_SERVICES)
}

/** Documents write ids as `#atproto` and as `did:…#atproto`. */
function localId(did: string, id: unknown): string | undefined {
  if (typeof id !== 'string') return undefined
  const local = id.startsWith(did) ? id.slice(did.length) : id
  return local.startsWith('#') ? local : undefined
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_NAME_LENGTH
}

function isHttpUrl(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > MAX_URL_LENGTH) return false
  return /^https?:\/\//.test(value) && URL.canParse(value)
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value.slice(0, MAX_ITEMS) : []
}
