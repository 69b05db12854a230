// The HTTP side of the simulated network, on one port: the PLC directory and every account's PDS, with the
// methods that an AppView calls (DID documents, resolveHandle, getRecord, listRecords, describeRepo, getBlob,
// getServiceAuth). https://atproto.com/specs/did, com.atproto.repo.* and com.atproto.identity.*.

import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Secp256k1Keypair } from '@atproto/crypto'
import { serve } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import { misbehave, type PdsTrouble } from './pds-trouble.ts'
import {
  cidOf,
  type Repository,
  type SimulatedAccount,
  type SimulatedRecord,
} from './repository.ts'

export type SimulatedServers = {
  /** Shared by the PLC directory and the PDS. */
  readonly origin: string
  /** Called before each request to the PDS; the resolved trouble replaces the response. */
  trouble: (() => Promise<PdsTrouble | undefined>) | undefined
  /** Provides the DID document of accounts outside the network. */
  documentOf: ((did: string) => object | undefined) | undefined
  /** A service JWT as the account's PDS would mint it. */
  serviceJwt(claims: {
    iss: string
    aud: string
    lxm: string
    lifetimeSeconds?: number
  }): Promise<string>
  close(): Promise<void>
}

const MAX_PAGE = 100
const SERVICE_AUTH_SECONDS = 3_600

/** `hostname`: the address to listen on. `blobs`: by CID, served from every repository. */
export async function serveNetwork(
  repositories: readonly SimulatedAccount[],
  options: { hostname?: string; blobs?: ReadonlyMap<string, Buffer> } = {},
): Promise<SimulatedServers> {
  const { hostname = '127.0.0.1', blobs = new Map<string, Buffer>() } = options
  const byDid = new Map(repositories.map((one) => [one.did, one]))
  const keys = new Map<string, Secp256k1Keypair>()
  let origin = ''

  async function keyOf(did: string): Promise<Secp256k1Keypair> {
    const key = keys.get(did) ?? (await Secp256k1Keypair.create())
    keys.set(did, key)
    return key
  }

  async function didDocument(repository: Repository) {
    const key = (await keyOf(repository.did)).did().replace('did:key:', '')
    return {
      '@context': ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/multikey/v1'],
      id: repository.did,
      alsoKnownAs: [`at://${repository.handle}`],
      verificationMethod: [
        {
          id: `${repository.did}#atproto`,
          type: 'Multikey',
          controller: repository.did,
          publicKeyMultibase: key,
        },
      ],
      service: [{ id: '#atproto_pds', type: 'AtprotoPersonalDataServer', serviceEndpoint: origin }],
    }
  }

  const app = new Hono()
  app.use('/xrpc/*', async (c, next) => {
    const trouble = await servers.trouble?.()
    return trouble ? misbehave(c, next, trouble) : next()
  })
  app.get('/xrpc/com.atproto.sync.getBlob', (c) => {
    const blob = blobs.get(c.req.query('cid') ?? '')
    if (!blob) return refuse(c, 'BlobNotFound')
    return c.body(new Uint8Array(blob), 200, { 'Content-Type': 'application/octet-stream' })
  })
  app.get('/xrpc/com.atproto.identity.resolveHandle', (c) => {
    const found = byHandle(c.req.query('handle') ?? '')
    return found ? c.json({ did: found.did }) : refuse(c, 'HandleNotFound')
  })
  app.get('/xrpc/com.atproto.repo.describeRepo', (c) => {
    const found = findRepository(c)
    if (!found?.isOpen) return refuseRepository(c, found?.repository)
    const { did, handle, collections } = found.repository
    return c.json({
      did,
      handle,
      didDoc: {},
      collections: [...collections.keys()],
      handleIsCorrect: true,
    })
  })
  app.get('/xrpc/com.atproto.repo.getRecord', (c) => {
    const { collection = '', rkey = '' } = c.req.query()
    const found = findRepository(c)
    if (!found?.isOpen) return refuseRepository(c, found?.repository)
    const record = found.repository.collections.get(collection)?.get(rkey)
    if (!record) return refuse(c, 'RecordNotFound')
    return c.json(recordView(found.repository, collection, record))
  })
  app.get('/xrpc/com.atproto.repo.listRecords', (c) => {
    const found = findRepository(c)
    if (!found?.isOpen) return refuseRepository(c, found?.repository)
    return c.json(listRecords(found.repository, c.req.query()))
  })
  app.get('/xrpc/com.atproto.sync.getLatestCommit', (c) => {
    const repository = byDid.get(c.req.query('did') ?? '')
    if (!repository || repository.state) return refuseSync(c, repository)
    return c.json({ rev: repository.rev, cid: cidOf({ rev: repository.rev }) })
  })
  // Like a real PDS, for manual trials; a session's token is the account's handle or DID itself.
  app.get('/xrpc/com.atproto.server.getServiceAuth', async (c) => {
    const name = /^Bearer (\S+)$/.exec(c.req.header('authorization') ?? '')?.[1] ?? ''
    const iss = (byDid.get(name) ?? byHandle(name))?.did
    const { aud = '', lxm = '' } = c.req.query()
    if (!iss) return refuse(c, 'AuthMissing')
    const claims = { iss, aud, lxm, lifetimeSeconds: SERVICE_AUTH_SECONDS }
    return c.json({ token: await servers.serviceJwt(claims) })
  })
  app.get('/:did', async (c) => {
    const did = c.req.param('did')
    const found = byDid.get(did)
    const document = found ? await didDocument(found) : servers.documentOf?.(did)
    return document ? c.json(document) : c.json({ message: 'DID not registered' }, 404)
  })

  function byHandle(handle: string): SimulatedAccount | undefined {
    return repositories.find((one) => one.handle === handle && one.state !== 'deleted')
  }

  function findRepository(c: Context) {
    const name = c.req.query('repo') ?? ''
    const repository = byDid.get(name) ?? byHandle(name)
    return repository && { repository, isOpen: repository.state === undefined }
  }

  const server = serve({ fetch: app.fetch, port: 0, hostname }) as Server
  await new Promise<void>((resolve) => server.once('listening', () => resolve()))
  origin = `http://${hostname}:${(server.address() as AddressInfo).port}`

  const servers: SimulatedServers = {
    origin,
    trouble: undefined,
    documentOf: undefined,
    serviceJwt: async (claims) => signJwt(await keyOf(claims.iss), claims),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
  return servers
}

/** Like the real PDS: ordered by key, newest first unless `reverse`; the cursor is the last key. */
function listRecords(repository: Repository, query: Record<string, string>) {
  const { collection = '', cursor, reverse } = query
  const limit = Math.min(Number(query['limit'] ?? 50) || 50, MAX_PAGE)
  const direction = reverse === 'true' ? 1 : -1
  const records = [...(repository.collections.get(collection)?.values() ?? [])]
    .sort((a, b) => (a.rkey < b.rkey ? -direction : direction))
    .filter(({ rkey }) => !cursor || (direction > 0 ? rkey > cursor : rkey < cursor))
    .slice(0, limit)
  return {
    records: records.map((record) => recordView(repository, collection, record)),
    ...(records.length > 0 && { cursor: records.at(-1)!.rkey }),
  }
}

function recordView(repository: Repository, collection: string, record: SimulatedRecord) {
  const { rkey, cid, value } = record
  return { uri: `at://${repository.did}/${collection}/${rkey}`, cid, value }
}

/** The real PDS says no more than this about a repository that it does not show. */
function refuseRepository(c: Context, repository: SimulatedAccount | undefined) {
  if (!repository) return refuse(c, 'RepoNotFound')
  return c.json({ error: 'InvalidRequest', message: `Could not find repo: ${repository.did}` }, 400)
}

/** These methods give the reason. */
function refuseSync(c: Context, repository: SimulatedAccount | undefined) {
  return refuse(c, repository?.state === 'deactivated' ? 'RepoDeactivated' : 'RepoNotFound')
}

function refuse(c: Context, error: string) {
  return c.json({ error, message: `Simulated: ${error}` }, 400)
}

async function signJwt(
  key: Secp256k1Keypair,
  claims: { iss: string; aud: string; lxm: string; lifetimeSeconds?: number },
): Promise<string> {
  const { lifetimeSeconds = 60, ...rest } = claims
  const issuedAt = Math.floor(Date.now() / 1000)
  const body = { iat: issuedAt, exp: issuedAt + lifetimeSeconds, jti: crypto.randomUUID(), ...rest }
  const signed = `${base64url({ typ: 'JWT', alg: 'ES256K' })}.${base64url(body)}`
  const signature = await key.sign(Buffer.from(signed))
  return `${signed}.${Buffer.from(signature).toString('base64url')}`
}

function base64url(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
