// Lets a PDS double answer com.atproto.sync.getRecord and getRepo with its accounts' repositories, signed by keys
// that the PLC double names.

import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { formatDidKey } from '@atproto/crypto'
import type { PdsDouble } from './pds-double.ts'
import type { PlcDouble } from './plc-double.ts'
import { repoFileOf } from './repo-file.ts'

const METHODS = new Set(['com.atproto.sync.getRecord', 'com.atproto.sync.getRepo'])

/** Gives each account a key, and has the PDS sign with it. */
export function signRepositories(pds: PdsDouble, plc: PlcDouble, dids: readonly string[]): void {
  const keys = new Map(dids.map((did) => [did, giveKey(plc, did)]))
  pds.runs((accounts, { method, query }) => {
    const account = accounts.get(query['did'] ?? '')
    if (!account || !METHODS.has(method)) return undefined
    const key = keys.get(account.did)!
    const signed = (bytes: Uint8Array) => sign('sha256', bytes, { key, dsaEncoding: 'ieee-p1363' })
    return { status: 200, body: repoFileOf(account, undefined, signed) }
  })
}

function giveKey(plc: PlcDouble, did: string): KeyObject {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' })
  const { x, y } = publicKey.export({ format: 'jwk' })
  const point = Buffer.concat([
    Buffer.from([4]),
    Buffer.from(x!, 'base64url'),
    Buffer.from(y!, 'base64url'),
  ])
  const multibase = formatDidKey('ES256K', point).replace('did:key:', '')
  plc.edit(did, (document) => ({
    ...document,
    verificationMethod: [
      { id: `${did}#atproto`, type: 'Multikey', controller: did, publicKeyMultibase: multibase },
    ],
  }))
  return privateKey
}
