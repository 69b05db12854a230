// Unknown, malicious accounts: minted by the thousand with valid tokens, with repositories and blobs on their
// own PDSs, a labeler, and hosts that never answer. All of it is on loopback, and every request to it is
// counted.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { type Keypair, Secp256k1Keypair } from '@atproto/crypto'
import { blobCid } from '../blob-host.ts'
import { type ServiceClaims, signServiceJwt } from '../service-jwt.ts'
import { cidOf, tid } from '../simulated-network/repository.ts'
import type { SimulatedServers } from '../simulated-network/servers.ts'
import {
  createHostileFeeds,
  type FeedTrick,
  feedTricks,
  type HostileFeeds,
} from './hostile-feeds.ts'
import { createHostileLabeler, type HostileLabeler } from './hostile-labeler.ts'

/** Records of one collection, generated on request. */
export type Collection = { count: number; recordOf: (i: number) => Record<string, unknown> }
export type Collections = Readonly<Record<string, Collection>>

export type Strangers = {
  /** Loopback addresses of their servers. */
  readonly addresses: readonly string[]
  /** Adds an account to the directory. @returns its DID. */
  mint(collections?: Collections): string
  /** A DID without an account. */
  nobody(): string
  token(claims: ServiceClaims, isForged?: boolean): Promise<string>
  /**
   * Puts a blob on all their PDSs. `silent`: requests for it are never answered. @returns its CID.
   */
  putBlob(bytes: Buffer, isSilent?: boolean): string
  readonly labeler: HostileLabeler
  readonly feeds: HostileFeeds
  /** Adds an account with one feed per trick. @returns its DID, and its feeds' URIs. */
  mintFeeds(): { did: string; uriOf: (trick: FeedTrick) => string }
  /** Adds an account whose document is expensive to read. */
  mintCostly(): string
  /** Number of requests for these blobs. */
  blobsRequested(cids: readonly string[]): number
  /** DIDs of hosts that accept a connection and never respond. */
  readonly silentDids: readonly string[]
  /** Requests received so far, including the directory's for their DIDs. */
  calls(): StrangerCalls
  /** Number of directory lookups for these DIDs. */
  lookupsOf(dids: readonly string[]): number
  close(): Promise<void>
}

export type StrangerCalls = { lookups: number; requests: number; silent: number; labeler: number }

export const STRANGER_DIDS = 'did:plc:stranger'

const ADDRESS = '127.0.0.10'
/** For did:web:localhost, the only hosts that are called without TLS. */
const WEB_ADDRESS = '127.0.0.1'
const SILENT_HOSTS = 24
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'
const MAX_PAGE = 100
const KEY_LENGTH = 30_000
const GENERATOR = 'app.bsky.feed.generator'
const FIRST_RECORD_US = 1_780_000_000_000_000

export async function createStrangers(servers: SimulatedServers): Promise<Strangers> {
  const keys = { own: await Secp256k1Keypair.create(), other: await Secp256k1Keypair.create() }
  const repositories = new Map<string, Collections>()
  const blobs = new Map<string, Buffer | 'silent'>()
  const lookups = new Map<string, number>()
  const costly = new Set<string>()
  const requested = new Map<string, number>()
  let requests = 0
  const server = createServer((request, response) => {
    requests++
    answer(request, response, { repositories, blobs, requested, feeds })
  })
  const origin = `http://${ADDRESS}:${await listen(server, ADDRESS)}`
  const labeler = createHostileLabeler(server)
  const silent = await openSilentHosts()
  let minted = 0

  const nobody = () => `${STRANGER_DIDS}${inBase32(minted++).padStart(16, 'a')}`

  const feeds = createHostileFeeds(nobody)

  function mint(collections: Collections = {}): string {
    const did = nobody()
    repositories.set(did, collections)
    return did
  }

  servers.documentOf = (did) => {
    if (!did.startsWith(STRANGER_DIDS)) return undefined
    lookups.set(did, (lookups.get(did) ?? 0) + 1)
    if (costly.has(did)) return costlyDocument(did)
    return repositories.has(did) ? documentOf(did, origin, keys.own) : undefined
  }

  return {
    addresses: [ADDRESS, WEB_ADDRESS],
    mint,
    mintFeeds: () => mintFeeds(mint),
    mintCostly: () => {
      const did = nobody()
      costly.add(did)
      return did
    },
    nobody,
    token: (claims, isForged = false) => signServiceJwt(isForged ? keys.other : keys.own, claims),
    putBlob: (bytes, isSilent = false) => {
      const cid = blobCid(bytes)
      blobs.set(cid, isSilent ? 'silent' : bytes)
      return cid
    },
    labeler,
    feeds,
    blobsRequested: (cids) => sumOf(cids.map((cid) => requested.get(cid) ?? 0)),
    silentDids: silent.dids,
    calls: () => ({
      lookups: sumOf(lookups.values()),
      requests,
      silent: silent.asked(),
      labeler: labeler.connections(),
    }),
    lookupsOf: (dids) => sumOf(dids.map((did) => lookups.get(did) ?? 0)),
    close: async () => {
      labeler.stop()
      silent.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function documentOf(did: string, origin: string, key: Keypair): object {
  const publicKeyMultibase = key.did().replace('did:key:', '')
  const method = (name: string) => {
    return { id: `${did}#${name}`, type: 'Multikey', controller: did, publicKeyMultibase }
  }
  return {
    '@context': ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/multikey/v1'],
    id: did,
    alsoKnownAs: [`at://${handleOf(did)}`],
    verificationMethod: [method('atproto'), method('atproto_label')],
    service: [
      { id: '#atproto_pds', type: 'AtprotoPersonalDataServer', serviceEndpoint: origin },
      { id: '#atproto_labeler', type: 'AtprotoLabeler', serviceEndpoint: origin },
      { id: '#bsky_fg', type: 'BskyFeedGenerator', serviceEndpoint: origin },
    ],
  }
}

/** Two keys of the maximum length of a document: decoding them takes seconds. */
function costlyDocument(did: string): object {
  const publicKeyMultibase = `z${'2'.repeat(KEY_LENGTH)}`
  const method = (name: string) => {
    return { id: `${did}#${name}`, type: 'Multikey', controller: did, publicKeyMultibase }
  }
  return { id: did, verificationMethod: [method('atproto'), method('atproto_label')], service: [] }
}

function mintFeeds(mint: (collections: Collections) => string) {
  let did = ''
  const createdAt = new Date(FIRST_RECORD_US / 1000).toISOString()
  const recordOf = (i: number) => ({ did, displayName: feedTricks[i], createdAt })
  did = mint({ [GENERATOR]: { count: feedTricks.length, recordOf } })
  const uriOf = (trick: FeedTrick) => `at://${did}/${GENERATOR}/${keyOf(feedTricks.indexOf(trick))}`
  return { did, uriOf }
}

function handleOf(did: string): string {
  return `${did.slice(STRANGER_DIDS.length)}.strangers.example`
}

type Stored = {
  repositories: Map<string, Collections>
  blobs: Map<string, Buffer | 'silent'>
  /** Number of requests by CID. */
  requested: Map<string, number>
  feeds: HostileFeeds
}

function answer(request: IncomingMessage, response: ServerResponse, stored: Stored): void {
  const url = new URL(request.url!, 'http://localhost')
  const query = Object.fromEntries(url.searchParams)
  if (url.pathname.endsWith('getFeedSkeleton')) {
    return stored.feeds.answer(response, positions.get(query['feed']!.split('/').at(-1)!) ?? 0)
  }
  if (url.pathname.endsWith('getBlob')) {
    const cid = query['cid']!
    stored.requested.set(cid, (stored.requested.get(cid) ?? 0) + 1)
    return sendBlob(response, stored.blobs.get(cid))
  }
  const did = query['did'] ?? query['repo'] ?? didOf(query['handle'] ?? '')
  const collections = stored.repositories.get(did)
  const body = collections && tell(url.pathname.split('.').at(-1)!, { did, collections, query })
  const error = collections ? 'RecordNotFound' : 'RepoNotFound'
  response.writeHead(body ? 200 : 400, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body ?? { error, message: 'Strange' }))
}

function didOf(handle: string): string {
  return STRANGER_DIDS + handle.split('.')[0]
}

type RequestOptions = { did: string; collections: Collections; query: Record<string, string> }

function tell(method: string, { did, collections, query }: RequestOptions): object | undefined {
  const rev = tid(FIRST_RECORD_US + 1_000_000, 0)
  const names = Object.keys(collections)
  if (method === 'resolveHandle') return { did }
  if (method === 'getLatestCommit') return { rev, cid: cidOf({ rev }) }
  if (method === 'describeRepo') {
    return { did, handle: handleOf(did), didDoc: {}, collections: names, handleIsCorrect: true }
  }
  if (method === 'listRecords') return listRecords({ did, collections, query })
  if (method === 'getRecord') return getRecord({ did, collections, query })
  return undefined
}

function getRecord({ did, collections, query }: RequestOptions): object | undefined {
  const { collection = '', rkey = '' } = query
  const position = positions.get(rkey)
  const found = collections[collection]
  if (position === undefined || !found || position >= found.count) return undefined
  const value = { $type: collection, ...found.recordOf(position) }
  return { uri: `at://${did}/${collection}/${rkey}`, cid: cidOf(value), value }
}

/** Newest first; a record's key encodes its index. */
function listRecords({ did, collections, query }: RequestOptions): object {
  const { collection = '', cursor, limit = '50' } = query
  const { count, recordOf } = collections[collection] ?? { count: 0, recordOf: () => ({}) }
  const from = cursor === undefined ? count : (positions.get(cursor) ?? 0)
  const size = Math.min(Number(limit), MAX_PAGE, from)
  const page = Array.from({ length: size }, (_, i) => ({
    i: from - 1 - i,
    rkey: keyOf(from - 1 - i),
  }))
  const records = page.map(({ rkey, i }) => {
    const value = { $type: collection, ...recordOf(i) }
    return { uri: `at://${did}/${collection}/${rkey}`, cid: cidOf(value), value }
  })
  return { records, ...(page.length > 0 && { cursor: page.at(-1)!.rkey }) }
}

const positions = new Map<string, number>()

function keyOf(i: number): string {
  const key = tid(FIRST_RECORD_US + i, 0)
  positions.set(key, i)
  return key
}

function sendBlob(response: ServerResponse, blob: Buffer | 'silent' | undefined): void {
  if (blob === 'silent') return
  response.writeHead(blob ? 200 : 400, { 'content-type': 'application/octet-stream' })
  response.end(blob)
}

async function openSilentHosts() {
  const sockets = new Set<Socket>()
  let requested = 0
  const hosts = Array.from({ length: SILENT_HOSTS }, () =>
    createTcpServer((socket) => {
      requested++
      sockets.add(socket)
      socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    }),
  )
  const ports = await Promise.all(hosts.map((host) => listen(host, WEB_ADDRESS)))
  return {
    dids: ports.map((port) => `did:web:localhost%3A${port}`),
    asked: () => requested,
    close: () => {
      for (const socket of sockets) socket.destroy()
      for (const host of hosts) host.close()
    },
  }
}

async function listen(
  server: Server | ReturnType<typeof createTcpServer>,
  address: string,
): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, address, () => resolve()))
  return (server.address() as AddressInfo).port
}

function sumOf(numbers: Iterable<number>): number {
  let sum = 0
  for (const number of numbers) sum += number
  return sum
}

function inBase32(number: number): string {
  const rest = number >= 32 ? inBase32(Math.floor(number / 32)) : ''
  return rest + ALPHABET[number % 32]!
}
