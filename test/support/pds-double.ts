// A PDS over real HTTP that holds the repositories a test creates: com.atproto.repo.getRecord, listRecords
// and describeRepo, com.atproto.sync.getLatestCommit, getRepoStatus and identity.resolveHandle, with the real PDS's order,
// cursors and error names. It measures how clients treat it (concurrent requests, refused requests) and
// misbehaves on demand.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Software } from './foreign-pds.ts'
import {
  type AccountState,
  answerTo,
  type HostedAccount,
  type PdsRequest,
  passOn,
  RESOLVE_HANDLE,
} from './pds-answers.ts'
import { createFaults, type Fault, lie, misbehaves, send } from './pds-misbehaviour.ts'
import { createTraffic, type PdsStats, type RateLimit } from './pds-traffic.ts'
import { type Commit, createRepository, type Repository } from './simulated-network/repository.ts'

export type PdsAccount = HostedAccount & {
  put(write: Parameters<Repository['put']>[0]): Commit
  remove(collection: string, rkey: string, atMs: number): Commit | undefined
}

export type PdsDouble = {
  origin: string
  create(account: { did: string; handle: string }): PdsAccount
  account(did: string): PdsAccount | undefined
  /** Answers as another server does (foreign-pds.ts). */
  runs(software: Software): void
  misbehave(fault: Fault): void
  behave(): void
  /** Delays each response by that long. */
  lag(milliseconds: number): void
  /** Refuses more than `limit` requests in a window with 429, and counts down in RateLimit headers. */
  rateLimit(rule: RateLimit | undefined): void
  /** Called before each response is made, so that a test can act in between. */
  onRequest(listen: ((request: PdsRequest) => void | Promise<void>) | undefined): void
  /** Called when a response is ready, before it is sent. */
  onAnswer(listen: ((request: PdsRequest) => void) | undefined): void
  stats(): PdsStats
  /** Services, as `DID#id`, that it can resolve when asked to proxy a call. */
  findable: Set<string>
  /** Peak number of concurrent requests to methods with this prefix. */
  maxConcurrentOf(prefix: string): number
  close(): Promise<void>
}

/** Shared by the server and the acts of a test. */
type Dependencies = {
  readonly accounts: Map<string, PdsAccount>
  readonly findable: Set<string>
  readonly faults: ReturnType<typeof createFaults>
  readonly traffic: ReturnType<typeof createTraffic>
  software: Software
  lagMs: number
  listener: ((request: PdsRequest) => void | Promise<void>) | undefined
  afterwards: ((request: PdsRequest) => void) | undefined
}

let lastClockId = 0

export async function startPdsDouble(): Promise<PdsDouble> {
  const parts: Dependencies = {
    accounts: new Map(),
    findable: new Set(),
    faults: createFaults(),
    traffic: createTraffic(),
    software: () => undefined,
    lagMs: 0,
    listener: undefined,
    afterwards: undefined,
  }
  const server = createServer((incoming, response) => {
    const request = readRequest(incoming)
    response.once('close', parts.traffic.begin(request))
    setTimeout(() => void serve(parts, request, response), parts.lagMs)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    ...actsOn(parts),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function serve(
  parts: Dependencies,
  request: PdsRequest,
  response: ServerResponse,
): Promise<void> {
  const { accounts, findable, faults, traffic } = parts
  await parts.listener?.(request)
  const { refused, headers } = traffic.countDown(request)
  if (refused) {
    return send(response, { status: 429, body: { error: 'RateLimitExceeded' }, headers })
  }
  const how = faults.take(request)
  if (how && (await misbehaves(how, response))) return
  const ofSoftware = request.method === RESOLVE_HANDLE ? undefined : parts.software
  const answer =
    passOn(findable, request) ?? ofSoftware?.(accounts, request) ?? answerTo(accounts, request)
  parts.afterwards?.(request)
  send(response, { ...lie(answer, how), headers })
}

function actsOn(parts: Dependencies): Omit<PdsDouble, 'origin' | 'close'> {
  const { accounts, findable, faults, traffic } = parts
  return {
    create(account) {
      const created = createAccount(account)
      accounts.set(account.did, created)
      return created
    },
    account: (did) => accounts.get(did),
    runs(software) {
      parts.software = software
    },
    misbehave: faults.add,
    behave: faults.clear,
    lag(milliseconds) {
      parts.lagMs = milliseconds
    },
    rateLimit: traffic.rateLimit,
    onRequest(listen) {
      parts.listener = listen
    },
    onAnswer(listen) {
      parts.afterwards = listen
    },
    stats: () => structuredClone(traffic.stats),
    findable,
    maxConcurrentOf: traffic.maxConcurrentOf,
  }
}

/** A repository that keeps the revision of its last commit. */
function createAccount(account: { did: string; handle: string }): PdsAccount {
  const repository = createRepository({ ...account, clockId: ++lastClockId })
  const lastWrites = new Map<string, string>()
  const noted = <T extends Commit | undefined>(commit: T): T => {
    if (commit) created.rev = commit.rev
    if (commit) lastWrites.set(`${commit.collection}/${commit.rkey}`, commit.rev)
    return commit
  }
  const created = {
    did: repository.did,
    handle: repository.handle,
    collections: repository.collections,
    rev: '',
    lastWrites,
    state: 'active' as AccountState,
    put: (write: Parameters<Repository['put']>[0]) => noted(repository.put(write)),
    remove: (collection: string, rkey: string, atMs: number) =>
      noted(repository.remove(collection, rkey, atMs)),
  }
  return created
}

function readRequest({ url = '/', headers }: IncomingMessage): PdsRequest {
  const { pathname, searchParams } = new URL(url, 'http://pds')
  const method = pathname.replace('/xrpc/', '')
  const proxy = headers['atproto-proxy']
  const query = Object.fromEntries(searchParams)
  return { method, query, ...(typeof proxy === 'string' && { proxy }) }
}
