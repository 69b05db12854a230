// The HTTP side of the simulated network, on one port: the PLC directory and every account's PDS, with the
// methods that an AppView calls (DID documents, resolveHandle, getRecord, listRecords, describeRepo, getBlob,
// getServiceAuth), and on request those of people's clients. https://atproto.com/specs/did, com.atproto.repo.*
// and com.atproto.identity.*.

import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Secp256k1Keypair } from '@atproto/crypto'
import { serve } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import { didDocument } from '../plc-double.ts'
import { repoFileOf, type Sign } from '../repo-file.ts'
import { signerWith } from '../signing.ts'
import { addHomes, type Homes } from './homes/homes.ts'
import { misbehave, type PdsTrouble } from './pds-trouble.ts'
import {
  type Commit,
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
  /** What people's clients use, if `emit` was given. */
  readonly homes: Homes | undefined
  /** Gives an account another signing key. */
  rotateKey(did: string): void
  /** Signs what the account's repository says, with its present key. */
  signerOf(did: string): Promise<Sign>
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

/**
 * `hostname`: the address to listen on. `blobs`: by CID, served from every repository. `emit`: lets people sign in
 * and write, and is called with each commit.
 */
export async function serveNetwork(
  repositories: readonly SimulatedAccount[],
  options: {
    hostname?: string
    blobs?: ReadonlyMap<string, Buffer>
    emit?: (commit: Commit) => void
  } = {},
): Promise<SimulatedServers> {
  const { hostname = '127.0.0.1', emit } = options
  const blobs = new Map(options.blobs)
  const accounts = findAccounts(repositories)
  const keys = new Map<string, Secp256k1Keypair>()
  const keyOf = createKeys(keys)
  const app = new Hono()
  const server = serve({ fetch: app.fetch, port: 0, hostname }) as Server
  await new Promise<void>((resolve) => server.once('listening', () => resolve()))
  const origin = `http://${hostname}:${(server.address() as AddressInfo).port}`
  const serviceJwt: SimulatedServers['serviceJwt'] = async (claims) =>
    signJwt(await keyOf(claims.iss), claims)
  const byName = (name: string | undefined) => accounts.byDid(name) ?? accounts.byHandle(name)
  const servers: SimulatedServers = {
    origin,
    trouble: undefined,
    documentOf: undefined,
    homes: emit && addHomes(app, { origin, byName, serviceJwt, emit, blobs }),
    rotateKey: (did) => void keys.delete(did),
    signerOf: async (did) => signerWith(await keyOf(did)),
    serviceJwt,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
  app.use('/xrpc/*', async (c, next) => {
    const trouble = await servers.trouble?.()
    return trouble ? misbehave(c, next, trouble) : next()
  })
  addIdentities(app, { accounts, keyOf, servers })
  addRepositories(app, accounts)
  addSync(app, { accounts, blobs, signerOf: servers.signerOf })
  return servers
}

type Accounts = ReturnType<typeof findAccounts>
type KeyOf = (did: string) => Promise<Secp256k1Keypair>
type Identities = { accounts: Accounts; keyOf: KeyOf; servers: SimulatedServers }

function findAccounts(repositories: readonly SimulatedAccount[]) {
  const dids = new Map(repositories.map((repository) => [repository.did, repository]))
  const byDid = (did = '') => dids.get(did)
  const byHandle = (handle = '') =>
    repositories.find(
      (repository) => repository.handle === handle && repository.state !== 'deleted',
    )
  return {
    byDid,
    byHandle,
    repository(name: string | undefined) {
      const repository = byDid(name) ?? byHandle(name)
      return repository && { repository, isOpen: repository.state === undefined }
    },
  }
}

/** Each account's key, made when it is first needed. */
function createKeys(keys: Map<string, Secp256k1Keypair>): KeyOf {
  return async (did) => {
    const key = keys.get(did) ?? (await Secp256k1Keypair.create({ exportable: true }))
    keys.set(did, key)
    return key
  }
}

function addIdentities(app: Hono, { accounts, keyOf, servers }: Identities): void {
  const documentOf = async ({ did, handle }: Repository) => {
    const signingKey = (await keyOf(did)).did()
    return didDocument({ did, handle, pds: servers.origin, signingKey })
  }
  app.get('/xrpc/com.atproto.identity.resolveHandle', (c) => {
    const found = accounts.byHandle(c.req.query('handle'))
    return found ? c.json({ did: found.did }) : refuse(c, 'HandleNotFound')
  })
  // Like a real PDS, for manual trials; a session's token is the account's handle or DID itself.
  app.get('/xrpc/com.atproto.server.getServiceAuth', async (c) => {
    const name = /^Bearer (\S+)$/.exec(c.req.header('authorization') ?? '')?.[1] ?? ''
    const iss = (accounts.byDid(name) ?? accounts.byHandle(name))?.did
    const { aud = '', lxm = '' } = c.req.query()
    if (!iss) return refuse(c, 'AuthMissing')
    const claims = { iss, aud, lxm, lifetimeSeconds: SERVICE_AUTH_SECONDS }
    return c.json({ token: await servers.serviceJwt(claims) })
  })
  app.get('/:did', async (c) => {
    const did = c.req.param('did')
    const found = accounts.byDid(did)
    const document = found ? await documentOf(found) : servers.documentOf?.(did)
    return document ? c.json(document) : c.json({ message: 'DID not registered' }, 404)
  })
}

function addRepositories(app: Hono, accounts: Accounts): void {
  app.get('/xrpc/com.atproto.repo.describeRepo', (c) => {
    const found = accounts.repository(c.req.query('repo'))
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
    const { repo, collection = '', rkey = '' } = c.req.query()
    const found = accounts.repository(repo)
    if (!found?.isOpen) return refuseRepository(c, found?.repository)
    const record = found.repository.collections.get(collection)?.get(rkey)
    if (!record) return refuse(c, 'RecordNotFound')
    return c.json(recordView(found.repository, collection, record))
  })
  app.get('/xrpc/com.atproto.repo.listRecords', (c) => {
    const found = accounts.repository(c.req.query('repo'))
    if (!found?.isOpen) return refuseRepository(c, found?.repository)
    return c.json(listRecords(found.repository, c.req.query()))
  })
}

type Synced = { accounts: Accounts; blobs: ReadonlyMap<string, Buffer> } & Pick<
  SimulatedServers,
  'signerOf'
>

function addSync(app: Hono, { accounts, blobs, signerOf }: Synced): void {
  // The whole repository, which has what each of the two would answer.
  for (const method of ['getRepo', 'getRecord']) {
    app.get(`/xrpc/com.atproto.sync.${method}`, async (c) => {
      const repository = accounts.byDid(c.req.query('did'))
      if (!repository || repository.state) return refuseSync(c, repository)
      const file = repoFileOf(repository, undefined, await signerOf(repository.did))
      const type = { 'Content-Type': 'application/vnd.ipld.car' }
      return c.body(new Uint8Array(file), 200, type)
    })
  }
  app.get('/xrpc/com.atproto.sync.getBlob', (c) => {
    const blob = blobs.get(c.req.query('cid') ?? '')
    if (!blob) return refuse(c, 'BlobNotFound')
    return c.body(new Uint8Array(blob), 200, { 'Content-Type': 'application/octet-stream' })
  })
  app.get('/xrpc/com.atproto.sync.getRepoStatus', (c) => {
    const repository = accounts.byDid(c.req.query('did'))
    if (!repository || repository.state === 'deleted') return refuseSync(c, repository)
    const { did, state: status } = repository
    return c.json({ did, active: status === undefined, ...(status && { status }) })
  })
  app.get('/xrpc/com.atproto.sync.getLatestCommit', (c) => {
    const repository = accounts.byDid(c.req.query('did'))
    if (!repository || repository.state) return refuseSync(c, repository)
    return c.json({ rev: repository.rev, cid: cidOf({ rev: repository.rev }) })
  })
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
