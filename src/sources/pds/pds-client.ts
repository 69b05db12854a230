// Our requests to an account's PDS: one record, a page of a collection, a repository's revision. Answers are
// not trusted: they must name the requested repository and collection, pages must move forward, and a record
// that does not hash to its CID is left out and counted, since one must not hide the others. Lexicons:
// com.atproto.repo.{getRecord,listRecords,describeRepo}, com.atproto.sync.{getLatestCommit,getRepo}.

import { isValidHandle, isValidRecordKey } from '@atproto/syntax'
import { type AccountStatus, excessOf } from '@slipstream/jetstream'
import { UnencodableError } from '../../base/atproto/dag-cbor/encode.ts'
import { cidOfRecord } from '../../base/atproto/record-cid.ts'
import { tidTimeMs } from '../../base/atproto/tid.ts'
import { DAY_MS } from '../../base/util/durations.ts'
import { asObject, isObject, type JsonObject, parseJson } from '../../base/util/json-object.ts'
import { createLimiter } from '../../base/util/limiter.ts'
import { FetchError } from '../identity/fetch-error.ts'
import type { FetchedResponse, GuardedFetch } from '../identity/guarded-fetch.ts'
import { retryAfterMs } from '../identity/rate-limit-headers.ts'
import { PdsError } from './pds-error.ts'

/** The repository to read, and its PDS. */
export type RepoTarget = {
  uid: number
  did: string
  pds: string
  /** After enough retries: leaves out records that still do not hash to their CIDs. */
  leavesOutMismatched?: boolean
  /** `pds` is a mirror in place of it (mirrors.ts), and may be behind. */
  isMirror?: boolean
}

/** `asOfMs`: when it was so, if that is not now. */
export type PdsRecord = { rkey: string; cid: string; record: JsonObject; asOfMs?: number }

export type RecordPage = {
  /** Every key of the page, in the order sent. The lexicon promises none. */
  keys: string[]
  /** The usable ones, in the order sent. */
  records: PdsRecord[]
  /** Existing keys whose records are unusable. */
  broken: string[]
  /** How many of those do not hash to their CIDs: on a retry the server may send the right ones. */
  mismatched: number
  /** undefined: this was the last page. */
  cursor: string | undefined
}

/** Origin of the PDS, and DID of the repository. */
type Repo = { pds: string; did: string }

export type PdsClient = {
  getRecord(repo: Repo, key: { collection: string; rkey: string }): Promise<PdsRecord>
  listRecords(
    repo: Repo,
    page: { collection: string; limit?: number; cursor?: string; reverse?: boolean },
  ): Promise<RecordPage>
  describeRepo(repo: Repo): Promise<{ handle: string; collections: string[] }>
  /**
   * The repository's current revision. Every later answer shows the repository as of this revision
   * or a later one. undefined if the PDS has no such method, or answers nonsense.
   */
  getLatestRev(repo: Repo): Promise<string | undefined>
  /**
   * Passes the repository as a CAR file to `use`, and resolves to its result. Only a few such files
   * are in memory at once.
   */
  withRepo<T>(repo: Repo, use: (car: Buffer) => Promise<T>): Promise<T>
}

export const MAX_PAGE = 100

const MAX_PAGE_BYTES = 8 * 1024 * 1024
/** In one answer: a hundred posts have some 5,000, and a million take seconds to parse. */
const MAX_VALUES = 100_000
const MAX_RECORD_BYTES = 2 * 1024 * 1024
/** A hundred thousand posts or so; a larger repository is only listed. */
const MAX_REPO_BYTES = 48 * 1024 * 1024
const MAX_REPOS_AT_ONCE = 2
const TIMEOUT_MS = 20_000
/** A repository may take that much longer than a page. */
const REPO_TIMES = 4
const MAX_CURSOR_LENGTH = 2048
const MAX_COLLECTIONS = 10_000
/** A revision further ahead of our clock is nonsense, and would outrank all later ones. */
const MAX_REV_AHEAD_MS = DAY_MS

const STATUS_OF_ERROR: Record<string, AccountStatus | undefined> = {
  RepoNotFound: undefined,
  RepoTakendown: 'takendown',
  RepoSuspended: 'suspended',
  RepoDeactivated: 'deactivated',
  AccountNotFound: undefined,
  AccountTakedown: 'takendown',
}

type Query = Record<string, string | number | boolean | undefined>
type Request = (
  repo: Repo,
  what: { method: string; query: Query; maxBytes: number; timeoutMs?: number },
) => Promise<FetchedResponse>
type Ask = (repo: Repo, method: string, query: Query, maxBytes?: number) => Promise<JsonObject>

/** @throws PdsError from every method. */
export function createPdsClient(options: {
  fetch: GuardedFetch
  signal?: AbortSignal
  timeoutMs?: number
  now?: () => number
}): PdsClient {
  const { fetch, signal, timeoutMs = TIMEOUT_MS, now = Date.now } = options
  const repos = createLimiter({ maxRunning: MAX_REPOS_AT_ONCE, maxRunningEach: 1 })

  const request: Request = async (repo, { method, query, ...limits }) => {
    const url = `${repo.pds}/xrpc/${method}?${toQueryString(query)}`
    try {
      return await fetch(url, { timeoutMs, signal, ...limits })
    } catch (error) {
      throw toPdsError(error, signal)
    }
  }

  const ask: Ask = async (repo, method, query, maxBytes = MAX_RECORD_BYTES) => {
    const response = await request(repo, { method, query, maxBytes })
    const body = parseBody(response)
    if (isGood(response) && body) return body
    throw refusal({ method, response, body: body ?? {}, now: now() })
  }

  async function getRepo(repo: Repo): Promise<Buffer> {
    const method = 'com.atproto.sync.getRepo'
    const limits = { maxBytes: MAX_REPO_BYTES, timeoutMs: timeoutMs * REPO_TIMES }
    const response = await request(repo, { method, query: { did: repo.did }, ...limits })
    if (isGood(response)) return response.body
    throw refusal({ method, response, body: parseBody(response) ?? {}, now: now() })
  }

  return {
    getRecord: (repo, key) => getRecord(ask, repo, key),
    listRecords: (repo, page) => listRecords(ask, repo, page),
    describeRepo: (repo) => describeRepo(ask, repo),
    getLatestRev: (repo) => getLatestRev(ask, repo, now),
    withRepo: (repo, use) => repos.run(async () => use(await getRepo(repo)), repo.pds),
  }
}

async function getRecord(
  ask: Ask,
  repo: Repo,
  key: { collection: string; rkey: string },
): Promise<PdsRecord> {
  const { collection, rkey } = key
  const query = { repo: repo.did, collection, rkey }
  const answer = await ask(repo, 'com.atproto.repo.getRecord', query).catch(noFact)
  if (keyOf(answer, { did: repo.did, collection }) !== rkey) {
    throw new PdsError('bad-answer', `${repo.pds} sent another record than ${rkey}`)
  }
  const record = checkedRecord(answer, { rkey, collection })
  if (typeof record === 'object') return record
  throw new PdsError('bad-answer', `${repo.pds} sent a record that is not what its CID says`)
}

/** Only a server's own word that there is no such record is one. */
function noFact(error: unknown): never {
  const isNone = error instanceof PdsError && error.isNoAnswer
  throw isNone ? new PdsError('bad-answer', error.message, { cause: error }) : error
}

async function listRecords(
  ask: Ask,
  repo: Repo,
  page: { collection: string; limit?: number; cursor?: string; reverse?: boolean },
): Promise<RecordPage> {
  const { collection, limit = MAX_PAGE, cursor, reverse } = page
  const query = { repo: repo.did, collection, limit, cursor, reverse }
  const answer = await ask(repo, 'com.atproto.repo.listRecords', query, MAX_PAGE_BYTES)
  const listed = listOf(answer['records'])
  // Some servers ignore the limit, or have a lower one; the page's bytes are limited all the same.
  if (!listed) {
    throw new PdsError('bad-answer', `${repo.pds} sent no page of ${collection}`)
  }
  const keys: string[] = []
  const records: PdsRecord[] = []
  const broken: string[] = []
  let mismatched = 0
  for (const item of listed) {
    const rkey = keyOf(item, { did: repo.did, collection })
    if (rkey === undefined) {
      throw new PdsError('bad-answer', `${repo.pds} listed what is not of ${repo.did}`)
    }
    // What no record may be named, must not hide the others.
    if (!isValidRecordKey(rkey)) continue
    keys.push(rkey)
    const record = checkedRecord(item as JsonObject, { rkey, collection })
    if (typeof record === 'object') records.push(record)
    else broken.push(rkey)
    if (record === 'mismatched') mismatched++
  }
  const next = nextCursor(answer['cursor'], repo, { cursor, isEmpty: keys.length === 0 })
  return { keys, records, broken, mismatched, cursor: next }
}

async function describeRepo(
  ask: Ask,
  repo: Repo,
): Promise<{ handle: string; collections: string[] }> {
  const answer = await ask(repo, 'com.atproto.repo.describeRepo', { repo: repo.did })
  const { did, handle } = answer
  const collections = listOf(answer['collections'])
  if (did !== repo.did || typeof handle !== 'string' || !collections) {
    throw new PdsError('bad-answer', `${repo.pds} described another repository`)
  }
  const names = collections.filter(
    (collection): collection is string => typeof collection === 'string',
  )
  return { handle, collections: names.slice(0, MAX_COLLECTIONS) }
}

async function getLatestRev(ask: Ask, repo: Repo, now: () => number): Promise<string | undefined> {
  try {
    const { rev } = await ask(repo, 'com.atproto.sync.getLatestCommit', { did: repo.did })
    return typeof rev === 'string' && tidTimeMs(rev) < now() + MAX_REV_AHEAD_MS ? rev : undefined
  } catch (error) {
    const isUnknownMethod = error instanceof PdsError && error.reason === 'not-found'
    if (isUnknownMethod) return undefined
    throw error
  }
}

/** Programs in Go write an empty list as null. */
function listOf(value: unknown): unknown[] | undefined {
  if (value === null) return []
  return Array.isArray(value) ? value : undefined
}

/**
 * The end of an answer's URI, a record key if all is well; undefined if it is not of this repository
 * and collection. A handle in it says nothing: the repository was requested by its DID.
 */
function keyOf(answer: unknown, of: { did: string; collection: string }): string | undefined {
  const uri = isObject(answer) ? answer['uri'] : undefined
  const [scheme, authority] = typeof uri === 'string' ? uri.split('//') : []
  const [name = '', ...path] = authority?.split('/') ?? []
  const isNamed = scheme === 'at:' && (name === of.did || isValidHandle(name))
  return isNamed && path[0] === of.collection ? path.slice(1).join('/') : undefined
}

/** The record, or why it is unusable: invalid for any reader, or not matching its CID, if it has one. */
function checkedRecord(
  answer: JsonObject,
  of: { rkey: string; collection: string },
): PdsRecord | 'unusable' | 'mismatched' {
  const { value } = answer
  if (!isObject(value) || value['$type'] !== of.collection) return 'unusable'
  const hashed = hashOf(value)
  if (hashed === undefined) return 'unusable'
  const cid = answer['cid'] ?? hashed
  return hashed === cid ? { rkey: of.rkey, cid, record: value } : 'mismatched'
}

function hashOf(record: JsonObject): string | undefined {
  try {
    return cidOfRecord(record)
  } catch (error) {
    if (error instanceof UnencodableError) return undefined
    throw error
  }
}

/** Some send the request's cursor back with an empty page, where nothing is left. */
function nextCursor(
  next: unknown,
  { pds }: Repo,
  page: { cursor: string | undefined; isEmpty: boolean },
): string | undefined {
  if (next === undefined || next === null || next === '') return undefined
  const cursor = Number.isSafeInteger(next) ? String(next) : next
  if (cursor === page.cursor && page.isEmpty) return undefined
  const leadsOn = typeof cursor === 'string' && cursor !== page.cursor
  if (leadsOn && cursor.length <= MAX_CURSOR_LENGTH) return cursor
  throw new PdsError('bad-answer', `${pds} pages in circles`)
}

/** A proxy on the way may say 203 of what it passes on. */
function isGood({ status }: FetchedResponse): boolean {
  return status >= 200 && status < 300
}

/** Programs on .NET begin a text with it. */
const BYTE_ORDER_MARK = /^\ufeff/

function parseBody({ body }: FetchedResponse): JsonObject | undefined {
  const text = body.toString('utf8').replace(BYTE_ORDER_MARK, '')
  return excessOf(text, { values: MAX_VALUES }) ? undefined : asObject(parseJson(text))
}

function refusal(refused: {
  method: string
  response: FetchedResponse
  body: JsonObject
  now: number
}): PdsError {
  const { method, response, body, now } = refused
  const { status, headers, url } = response
  const error = typeof body['error'] === 'string' ? body['error'] : ''
  const message = typeof body['message'] === 'string' ? body['message'].slice(0, 200) : ''
  const text = `${new URL(url).origin} answered ${method} with ${status} ${error} ${message}`.trim()
  if (status === 429) {
    return new PdsError('rate-limited', text, { retryAfterMs: retryAfterMs(headers, now) })
  }
  if (isGood(response)) return new PdsError('bad-answer', text)
  if (status >= 500 && status !== 501) return new PdsError('unreachable', text)
  if (Object.hasOwn(STATUS_OF_ERROR, error)) {
    return new PdsError('gone', text, { accountStatus: STATUS_OF_ERROR[error] })
  }
  if (/could not find repo/i.test(message)) return new PdsError('gone', text)
  const isMethodMissing = error === 'MethodNotImplemented' || status === 405 || status === 501
  const isMissing =
    isMethodMissing ||
    error === 'RecordNotFound' ||
    /could not locate record/i.test(message) ||
    status === 404
  const isNoAnswer = isMethodMissing || isPage(headers)
  return new PdsError(isMissing ? 'not-found' : 'bad-answer', text, { isNoAnswer })
}

/** No PDS writes HTML; what stands before it does. */
function isPage(headers: FetchedResponse['headers']): boolean {
  return headers.get('content-type')?.startsWith('text/html') ?? false
}

function toPdsError(error: unknown, signal: AbortSignal | undefined): unknown {
  if (error instanceof PdsError) return error
  if (!(error instanceof FetchError)) return error
  if (signal?.aborted) return new PdsError('stopped', error.message, { cause: error })
  const isBad = error.reason === 'too-large' || error.reason === 'encoding'
  return new PdsError(isBad ? 'bad-answer' : 'unreachable', error.message, { cause: error })
}

function toQueryString(query: Query): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, String(value))
  }
  return parameters.toString()
}
