// A PLC directory over real HTTP that answers for the accounts a test creates. It counts requests and can
// fail, lag, rotate keys and tombstone accounts on demand.

import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Keypair, P256Keypair, Secp256k1Keypair } from '@atproto/crypto'

export type Curve = 'secp256k1' | 'p256'

export type PlcAccount = { did: string; handle: string; pds: string; keypair: Keypair }

export type DidDocument = Record<string, unknown>

export type PlcDouble = {
  url: string
  create(options: { handle: string; pds?: string; curve?: Curve }): Promise<PlcAccount>
  /** Gives an account a new signing key and returns it. */
  rotate(did: string, curve?: Curve): Promise<Keypair>
  /** Changes an account's document; undefined tombstones it (410). */
  edit(did: string, change: (document: DidDocument) => DidDocument | undefined): void
  document(did: string): DidDocument | undefined
  /** Number of requests for a DID's document; for all DIDs if omitted. */
  hits(did?: string): number
  /** Answers with this status instead, until called with undefined. */
  failWith(status: number | undefined): void
  /** Delays each response by that long. */
  lag(milliseconds: number): void
  close(): Promise<void>
}

export async function createKeypair(curve: Curve = 'secp256k1'): Promise<Keypair> {
  return curve === 'p256' ? P256Keypair.create() : Secp256k1Keypair.create()
}

/** A did:plc as the directory would form it: 24 base32 characters of a hash. */
export function plcDid(seed: string): string {
  const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'
  const digest = createHash('sha256').update(seed).digest().subarray(0, 24)
  return `did:plc:${[...digest].map((byte) => alphabet[byte % 32]).join('')}`
}

/** An account's document in the directory's own form. */
export function didDocument(account: {
  did: string
  handle: string
  pds: string
  signingKey: string
}): DidDocument {
  const { did, handle, pds, signingKey } = account
  return {
    '@context': ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/multikey/v1'],
    id: did,
    alsoKnownAs: [`at://${handle}`],
    verificationMethod: [
      {
        id: `${did}#atproto`,
        type: 'Multikey',
        controller: did,
        publicKeyMultibase: signingKey.replace('did:key:', ''),
      },
    ],
    service: [{ id: '#atproto_pds', type: 'AtprotoPersonalDataServer', serviceEndpoint: pds }],
  }
}

export async function startPlcDouble(): Promise<PlcDouble> {
  const documents = new Map<string, DidDocument | undefined>()
  const requested = new Map<string, number>()
  let failure: number | undefined
  let lagMs = 0

  function answer(request: IncomingMessage, response: ServerResponse): void {
    const did = decodeURIComponent((request.url ?? '/').slice(1))
    requested.set(did, (requested.get(did) ?? 0) + 1)
    const send = () => {
      const document = documents.get(did)
      const status = failure ?? (document ? 200 : documents.has(did) ? 410 : 404)
      const body = status === 200 ? document : { message: `DID not registered: ${did}` }
      response.writeHead(status, { 'content-type': 'application/did+ld+json' })
      response.end(JSON.stringify(body))
    }
    if (lagMs > 0) setTimeout(send, lagMs)
    else send()
  }

  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  function edit(did: string, change: (document: DidDocument) => DidDocument | undefined): void {
    documents.set(did, change(documents.get(did) ?? {}))
  }

  return {
    url: `http://127.0.0.1:${port}`,
    async create({ handle, pds = 'http://127.0.0.1:1', curve = 'secp256k1' }) {
      const keypair = await createKeypair(curve)
      const did = plcDid(`${handle} ${keypair.did()}`)
      documents.set(did, didDocument({ did, handle, pds, signingKey: keypair.did() }))
      return { did, handle, pds, keypair }
    },
    async rotate(did, curve = 'secp256k1') {
      const keypair = await createKeypair(curve)
      edit(did, (document) => {
        const [method] = document['verificationMethod'] as object[]
        const publicKeyMultibase = keypair.did().replace('did:key:', '')
        return { ...document, verificationMethod: [{ ...method, publicKeyMultibase }] }
      })
      return keypair
    },
    edit,
    document: (did) => documents.get(did),
    hits(did) {
      if (did !== undefined) return requested.get(did) ?? 0
      return [...requested.values()].reduce((sum, count) => sum + count, 0)
    },
    failWith(status) {
      failure = status
    },
    lag(milliseconds) {
      lagMs = milliseconds
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
