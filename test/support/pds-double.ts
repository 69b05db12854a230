// A PDS over real HTTP that holds the repositories a test creates: com.atproto.repo.getRecord, listRecords
// and describeRepo, com.atproto.sync.getLatestCommit and identity.resolveHandle, with the real PDS's order,
// cursors and error names. It measures how clients treat it (concurrent requests, refused requests) and
// misbehaves on demand.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Commit, createRepository, type Repository } from './simulated-network/repository.ts'

export type AccountState = 'active' | 'takendown' | 'suspended' | 'deactivated' | 'gone'

export type PdsAccount = Pick<Repository, 'did' | 'handle' | 'collections'> & {
  put(write: Parameters<Repository['put']>[0]): Commit
  remove(collection: string, rkey: string, atMs: number): Commit | undefined
  /** Revision of the last commit; '' before the first. */
  readonly rev: string
  state: AccountState
}

export type Misbehaviour =
  | { status: number; headers?: Record<string, string>; error?: string }
  | { redirect: string }
  | 'hang'
  | 'hang-up'
  | 'endless'
  | 'garbage'
  | 'lying-did'
  | 'lying-cid'
  | 'lying-collection'
  | 'circling-cursor'

export type Fault = {
  /**
   * Last part of the method's name, e.g. `listRecords`; every method except resolveHandle if
   * omitted.
   */
  method?: string
  did?: string
  collection?: string
  /** Number of responses to spoil; all if omitted. */
  times?: number
  how: Misbehaviour
}

export type PdsDouble = {
  origin: string
  create(account: { did: string; handle: string }): PdsAccount
  account(did: string): PdsAccount | undefined
  misbehave(fault: Fault): void
  behave(): void
  /** Delays each response by that long. */
  lag(milliseconds: number): void
  /** Refuses more than `limit` requests in a window with 429, and counts down in RateLimit headers. */
  rateLimit(rule: { limit: number; windowMs: number } | undefined): void
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

export type PdsRequest = {
  method: string
  query: Record<string, string>
  /** The service to proxy the call to. */
  proxy?: string
}

export type PdsStats = {
  requests: number
  byMethod: Record<string, number>
  /** Peak number of concurrent requests. */
  maxConcurrent: number
  /** Requests refused with 429 by the rate limit. */
  refused: number
  /** Requests sent while a Retry-After was still running. */
  noRetry: number
}

type Answer = { status: number; body: unknown; headers?: Record<string, string> }

const ERROR_OF_STATE: Record<Exclude<AccountState, 'active'>, string> = {
  takendown: 'RepoTakendown',
  suspended: 'RepoSuspended',
  deactivated: 'RepoDeactivated',
  gone: 'RepoNotFound',
}

/** Called by the resolver, which does not throttle itself. */
const RESOLVE_HANDLE = 'com.atproto.identity.resolveHandle'

let lastClockId = 0

export async function startPdsDouble(): Promise<PdsDouble> {
  const accounts = new Map<string, PdsAccount>()
  let faults: Fault[] = []
  let lagMs = 0
  let listener: ((request: PdsRequest) => void | Promise<void>) | undefined
  let afterwards: ((request: PdsRequest) => void) | undefined
  let rule: { limit: number; windowMs: number } | undefined
  let window = { startedAt: 0, count: 0 }
  const open: string[] = []
  const findable = new Set<string>()
  const peaks = new Map<string, number>()
  const stats: PdsStats = { requests: 0, byMethod: {}, maxConcurrent: 0, refused: 0, noRetry: 0 }

  function takeFault(request: PdsRequest): Misbehaviour | undefined {
    const { method, query } = request
    const did = query['repo'] ?? query['did']
    const fault = faults.find(
      (one) =>
        (one.method ? method.endsWith(`.${one.method}`) : method !== RESOLVE_HANDLE) &&
        (!one.did || one.did === did) &&
        (!one.collection || one.collection === query['collection']),
    )
    if (!fault) return undefined
    if (fault.times !== undefined && --fault.times <= 0) faults = faults.filter((f) => f !== fault)
    return fault.how
  }

  function countDown({ method }: PdsRequest): {
    refused: boolean
    headers: Record<string, string>
  } {
    if (!rule || method === RESOLVE_HANDLE) return { refused: false, headers: {} }
    const now = Date.now()
    if (now >= window.startedAt + rule.windowMs) window = { startedAt: now, count: 0 }
    window.count += 1
    const resetAt = window.startedAt + rule.windowMs
    const refused = window.count > rule.limit
    if (refused) stats.refused += 1
    if (window.count > rule.limit + 1) stats.noRetry += 1
    return {
      refused,
      headers: {
        'ratelimit-limit': String(rule.limit),
        'ratelimit-remaining': String(Math.max(0, rule.limit - window.count)),
        'ratelimit-reset': String(Math.ceil(resetAt / 1000)),
        ...(refused && { 'retry-after': String(Math.ceil((resetAt - now) / 1000)) }),
      },
    }
  }

  async function serve(request: PdsRequest, response: ServerResponse): Promise<void> {
    await listener?.(request)
    const { refused, headers } = countDown(request)
    if (refused) {
      return send(response, { status: 429, body: { error: 'RateLimitExceeded' }, headers })
    }
    const how = takeFault(request)
    if (how && (await misbehaves(how, response))) return
    const answer = passOn(findable, request) ?? answerTo(accounts, request)
    afterwards?.(request)
    send(response, { ...lie(answer, how), headers })
  }

  const server = createServer((incoming: IncomingMessage, response: ServerResponse) => {
    const request = readRequest(incoming)
    stats.requests += 1
    stats.byMethod[request.method] = (stats.byMethod[request.method] ?? 0) + 1
    open.push(request.method)
    stats.maxConcurrent = Math.max(stats.maxConcurrent, open.length)
    notePeaks(open, peaks)
    response.once('close', () => {
      open.splice(open.indexOf(request.method), 1)
    })
    setTimeout(() => void serve(request, response), lagMs)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  return {
    origin: `http://127.0.0.1:${port}`,
    create(account) {
      const created = createAccount(account)
      accounts.set(account.did, created)
      return created
    },
    account: (did) => accounts.get(did),
    misbehave(fault) {
      faults.push({ ...fault })
    },
    behave() {
      faults = []
    },
    lag(milliseconds) {
      lagMs = milliseconds
    },
    rateLimit(next) {
      rule = next
      window = { startedAt: 0, count: 0 }
    },
    onRequest(listen) {
      listener = listen
    },
    onAnswer(listen) {
      afterwards = listen
    },
    stats: () => structuredClone(stats),
    findable,
    maxConcurrentOf: (prefix) => peaks.get(prefix) ?? 0,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Keeps a peak for every prefix of the methods' names. */
function notePeaks(open: string[], peaks: Map<string, number>): void {
  const now = new Map<string, number>()
  for (const method of open) {
    const parts = method.split('.')
    for (let i = 1; i <= parts.length; i++) {
      const prefix = parts.slice(0, i).join('.')
      now.set(prefix, (now.get(prefix) ?? 0) + 1)
    }
  }
  for (const [prefix, count] of now) peaks.set(prefix, Math.max(peaks.get(prefix) ?? 0, count))
}

/** A repository that keeps the revision of its last commit. */
function createAccount(account: { did: string; handle: string }): PdsAccount {
  const repository = createRepository({ ...account, clockId: ++lastClockId })
  const noted = <T extends Commit | undefined>(commit: T): T => {
    if (commit) created.rev = commit.rev
    return commit
  }
  const created = {
    did: repository.did,
    handle: repository.handle,
    collections: repository.collections,
    rev: '',
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

/**
 * Like the real PDS, resolves the service before it asks for a token. No request here has a token.
 */
function passOn(findable: ReadonlySet<string>, { proxy }: PdsRequest): Answer | undefined {
  if (proxy === undefined) return undefined
  if (!findable.has(proxy)) return refuse('InvalidRequest', 'could not resolve proxy did')
  return { status: 401, body: { error: 'AuthMissing', message: 'Authentication Required' } }
}

function answerTo(accounts: Map<string, PdsAccount>, { method, query }: PdsRequest): Answer {
  const account = accounts.get(query['repo'] ?? query['did'] ?? '')
  switch (method) {
    case 'com.atproto.repo.getRecord':
      return getRecord(account, query)
    case 'com.atproto.repo.listRecords':
      if (account?.state !== 'active') {
        return refuse('InvalidRequest', `Could not find repo: ${query['repo']}`)
      }
      return ok(listRecords(account, query))
    case 'com.atproto.repo.describeRepo':
      return available(account, ({ did, handle, collections }) => ({
        did,
        handle,
        didDoc: {},
        collections: [...collections.keys()],
        handleIsCorrect: true,
      }))
    case 'com.atproto.sync.getLatestCommit':
      return available(account, ({ rev }) => ({ cid: 'bafyreifake', rev: rev || '2222222222222' }))
    case RESOLVE_HANDLE: {
      const named = [...accounts.values()].find(({ handle }) => handle === query['handle'])
      return named ? ok({ did: named.did }) : refuse('HandleNotFound', 'Unable to resolve handle')
    }
    default:
      return { status: 501, body: { error: 'MethodNotImplemented', message: method } }
  }
}

/**
 * Without an AppView to ask, the real PDS gives the same error for repositories that it does not
 * host.
 */
function getRecord(account: PdsAccount | undefined, query: Record<string, string>): Answer {
  const { collection = '', rkey = '' } = query
  if (account?.state !== 'active') return refuse('InvalidRequest', 'Could not locate record')
  const record = account.collections.get(collection)?.get(rkey)
  const uri = `at://${account.did}/${collection}/${rkey}`
  if (!record) return refuse('RecordNotFound', `Could not locate record: ${uri}`)
  return ok({ uri, cid: record.cid, value: record.value })
}

/** Ordered by key, newest first unless `reverse`; the cursor is the last key of the page. */
function listRecords(account: PdsAccount, query: Record<string, string>) {
  const { collection = '', cursor, reverse } = query
  const limit = Math.min(Math.max(Number(query['limit'] ?? 50) || 50, 1), 100)
  const direction = reverse === 'true' ? 1 : -1
  const records = [...(account.collections.get(collection)?.values() ?? [])]
    .filter(({ rkey }) => cursor === undefined || (direction > 0 ? rkey > cursor : rkey < cursor))
    .sort((a, b) => (a.rkey < b.rkey ? -direction : direction))
    .slice(0, limit)
  const last = records.at(-1)
  return {
    records: records.map(({ rkey, cid, value }) => ({
      uri: `at://${account.did}/${collection}/${rkey}`,
      cid,
      value,
    })),
    ...(last && { cursor: last.rkey }),
  }
}

function available(account: PdsAccount | undefined, view: (a: PdsAccount) => unknown): Answer {
  if (!account) return refuse('RepoNotFound', 'Could not find repo')
  if (account.state !== 'active') return refuse(ERROR_OF_STATE[account.state], 'not available')
  return ok(view(account))
}

function ok(body: unknown): Answer {
  return { status: 200, body }
}

function refuse(error: string, message: string): Answer {
  return { status: 400, body: { error, message } }
}

/**
 * Responds badly at the HTTP level. @returns false where the response's content must be altered
 * instead.
 */
async function misbehaves(how: Misbehaviour, response: ServerResponse): Promise<boolean> {
  if (typeof how === 'object') {
    if ('redirect' in how)
      send(response, { status: 302, body: {}, headers: { location: how.redirect } })
    else {
      const body = { error: how.error ?? 'InternalServerError' }
      send(response, { status: how.status, body, headers: how.headers ?? {} })
    }
    return true
  }
  if (how === 'hang') return true
  if (how === 'hang-up') response.destroy()
  else if (how === 'garbage') response.end('<html>not what you wanted</html>')
  else if (how === 'endless') pourForEver(response)
  else return false
  return true
}

function pourForEver(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  const chunk = Buffer.alloc(64 * 1024, 0x20)
  const pour = () => {
    while (!response.destroyed && response.write(chunk));
  }
  response.on('drain', pour)
  pour()
}

function lie(answer: Answer, how: Misbehaviour | undefined): Answer {
  if (typeof how !== 'string' || answer.status !== 200) return answer
  const body = answer.body as Record<string, unknown>
  if (how === 'circling-cursor') return { ...answer, body: { ...body, cursor: 'round' } }
  const bend = (one: Record<string, unknown>) => lieAbout(one, how)
  const records = body['records'] as Record<string, unknown>[] | undefined
  return { ...answer, body: records ? { ...body, records: records.map(bend) } : bend(body) }
}

function lieAbout(one: Record<string, unknown>, how: string): Record<string, unknown> {
  const uri = String(one['uri'] ?? '')
  if (how === 'lying-did') return { ...one, uri: uri.replace(/did:[^/]+/, 'did:plc:somebodyelse') }
  if (how === 'lying-collection') return { ...one, uri: uri.replace('app.bsky', 'com.example') }
  if (how !== 'lying-cid') return one
  const value = { ...(one['value'] as object), text: 'not what was signed' }
  return { ...one, value }
}

function send(response: ServerResponse, { status, body, headers }: Answer): void {
  if (response.destroyed) return
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers })
  response.end(JSON.stringify(body))
}
