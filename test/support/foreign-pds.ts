// How other servers than Bluesky's answer the methods that read a repository, after their sources
// (docs/OTHER-PDS.md names versions): the order of listings, their cursors, missing methods and errors.

import { tidOfMicros, tidTimeMs } from '../../src/base/atproto/tid.ts'
import { DAY_MS } from '../../src/base/util/durations.ts'
import type { Answer, HostedAccount, PdsRequest } from './pds-answers.ts'
import { repoFileOf } from './repo-file.ts'

/** Answers a request in place of the double's own answer; undefined leaves it to that. */
export type Software = (
  accounts: ReadonlyMap<string, HostedAccount>,
  request: PdsRequest,
) => Answer | undefined

type Listed = { rkey: string; cid: string; value: Record<string, unknown>; write: string }
type Listing = {
  limit: number
  collection: string
  cursor: string | undefined
  isReverse: boolean
}
/** A page of records, and the cursor of the next one. */
type Lister = (all: Listed[], of: Listing) => { page: Listed[]; cursor: string | undefined }

const LIST = 'com.atproto.repo.listRecords'
const LATEST = 'com.atproto.sync.getLatestCommit'
const DESCRIBE = 'com.atproto.repo.describeRepo'
const GET = 'com.atproto.repo.getRecord'
const REPO = 'com.atproto.sync.getRepo'

const byKey = (a: Listed, b: Listed) => (a.rkey < b.rkey ? -1 : 1)
const byWrite = (a: Listed, b: Listed) => (`${a.write}${a.rkey}` < `${b.write}${b.rkey}` ? -1 : 1)

/** Rising keys; the cursor is the last key with its collection, and inclusive. */
const listAsArroba: Lister = (all, { cursor, collection, limit }) => {
  const path = ({ rkey }: Listed) => `${collection}/${rkey}`
  const page = all
    .sort(byKey)
    .filter((entry) => path(entry) >= (cursor ?? ''))
    .slice(0, limit)
  return { page, cursor: page.length === limit ? path(page.at(-1)!) : undefined }
}

/** By last write, newest first; the cursor is the time of a write. */
const listAsCocoon: Lister = (all, { cursor, isReverse, limit }) => {
  const ordered = isReverse ? all.sort(byWrite) : all.sort(byWrite).reverse()
  const isLeft = ({ write }: Listed) => (isReverse ? write > cursor! : write < cursor!)
  const page = ordered.filter((entry) => cursor === undefined || isLeft(entry)).slice(0, limit)
  return { page, cursor: page.length === limit ? page.at(-1)!.write : undefined }
}

/** By last write, newest first; the cursor is its revision and the path. */
const listAsPegasus: Lister = (all, { cursor, collection, isReverse, limit }) => {
  const ordered = isReverse ? all.sort(byWrite) : all.sort(byWrite).reverse()
  const position = ({ write, rkey }: Listed) => `${write}${collection}/${rkey}`
  const isLeft = (entry: Listed) =>
    isReverse ? position(entry) > cursor! : position(entry) < cursor!
  const page = ordered.filter((entry) => cursor === undefined || isLeft(entry)).slice(0, limit)
  return { page, cursor: page.length === limit ? position(page.at(-1)!) : undefined }
}

/** Falling keys, and a cursor only if there is more. */
const listByKey: Lister = (all, { cursor, isReverse, limit }) => {
  const ordered = isReverse ? all.sort(byKey) : all.sort(byKey).reverse()
  const isLeft = ({ rkey }: Listed) => (isReverse ? rkey > cursor! : rkey < cursor!)
  const left = ordered.filter((entry) => cursor === undefined || isLeft(entry))
  const page = left.slice(0, limit)
  return { page, cursor: left.length > limit ? page.at(-1)!.rkey : undefined }
}

/** snarfed/arroba 3.1; with DISABLE_GETREPO as at Bridgy Fed if `hasNoFile`. */
export function arroba({ hasNoFile = false, reachesDirectory = true } = {}): Software {
  return (accounts, request) => {
    const { method, query } = request
    if (query['reverse'] === 'true')
      return refuse(400, 'InvalidRequest', 'reverse not supported yet')
    if (method === REPO && hasNoFile)
      return refuse(501, 'MethodNotImplemented', 'temporarily disabled')
    const account = accountOf(accounts, request)
    if (account?.state !== 'active') return refuse(400, 'RepoNotFound', 'not found')
    if (method === LATEST) return ok({ cid: 'bafyreifake', rev: arrobaRev(account.rev) })
    if (method === DESCRIBE && !reachesDirectory) return { status: 500, body: '<!doctype html>' }
    return readAs(account, request, listAsArroba)
  }
}

const FIRST_US = (Date.now() - 60 * DAY_MS) * 1000

/** Its revisions are numbers from 1 on, so as TIDs they are of early 1970. */
export function arrobaRev(rev: string): string {
  return tidOfMicros(Math.max(1, tidTimeMs(rev) * 1000 - FIRST_US), 0)
}

/** haileyok/cocoon: an unknown account is an error of the server. */
export const cocoon: Software = (accounts, request) => {
  const { method } = request
  const account = accountOf(accounts, request)
  if (account?.state === 'active') return readAs(account, request, listAsCocoon)
  if (method === LIST) return ok({ records: [] })
  if (method === DESCRIBE) return refuse(400, 'RepoNotFound', 'RepoNotFound')
  if (method === GET) return refuse(400, 'RecordNotFound', 'Could not locate record')
  return refuse(500, 'InternalServerError', 'Internal Server Error')
}

/** futurGH/pegasus. */
export const pegasus: Software = (accounts, request) => {
  const account = accountOf(accounts, request)
  if (account?.state === 'active') return readAs(account, request, listAsPegasus)
  return refuse(400, 'InvalidRequest', 'target repository not found')
}

/** blacksky-algorithms/rsky: whatever is wrong is an error of the server. */
export const rsky: Software = (accounts, request) => {
  const account = accountOf(accounts, request)
  if (account?.state === 'active') return readAs(account, request, listByKey)
  if (request.method === GET) return refuse(400, 'RecordNotFound', 'Could not locate record')
  return refuse(500, 'InternalServerError', 'Something went wrong')
}

/** DavidBuchanan314/millipds: an unknown account has an empty listing; errors are plain text. */
export const millipds: Software = (accounts, request) => {
  const account = accountOf(accounts, request)
  if (account?.state === 'active') return readAs(account, request, listByKey)
  return request.method === LIST ? ok({ records: [] }) : { status: 404, body: 'did not found' }
}

/** Servers that are not known to exist, but keep to the lexicon. */
export const inventions = {
  /** Rising keys, an exclusive cursor, and `reverse` works. */
  rising: listing((all, { isReverse, ...of }) => listByKey(all, { ...of, isReverse: !isReverse })),
  /** Never more than `most` records a page, and always a cursor, like Bluesky's. */
  capped: (most: number) =>
    listing((all, of) => {
      const { page } = listByKey(all, { ...of, limit: Math.min(most, of.limit) })
      return { page, cursor: page.at(-1)?.rkey }
    }),
  /** Everything at once, whatever the limit. */
  unlimited: listing((all, of) => listByKey(all, { ...of, limit: Number.POSITIVE_INFINITY })),
  /** Falling keys and an inclusive cursor. */
  inclusive: listing((all, { cursor, limit }) => {
    const left = all
      .sort(byKey)
      .reverse()
      .filter(({ rkey }) => cursor === undefined || rkey <= cursor)
    const page = left.slice(0, limit)
    return { page, cursor: left.length > limit ? page.at(-1)!.rkey : undefined }
  }),
  /** In no order at all; the cursor is a number. */
  scattered: listing((all, { cursor, limit }) => {
    const from = Number(cursor ?? 0)
    const page = all.sort((a, b) => (a.cid < b.cid ? -1 : 1)).slice(from, from + limit)
    return { page, cursor: from + limit < all.length ? String(from + limit) : undefined }
  }),
  /** Falling keys; at the end, the cursor of the request comes back with an empty page. */
  echoing: listing((all, of) => {
    const { page } = listByKey(all, of)
    return { page, cursor: page.at(-1)?.rkey ?? of.cursor }
  }),
  /** Falling keys; the cursor is the first key of the next page. */
  ahead: listing((all, { cursor, limit }) => {
    const ordered = all.sort(byKey).reverse()
    const left = ordered.filter(({ rkey }) => cursor === undefined || rkey <= cursor)
    return { page: left.slice(0, limit), cursor: left[limit]?.rkey }
  }),
  /** By last write, whose times tie: what shares a time with the end of a page is lost. */
  tied: listing((all, { cursor, limit }) => {
    const rounded = all.map((entry) => ({ ...entry, write: entry.write.slice(0, 7) }))
    return listAsCocoon(rounded, { cursor, limit, collection: '', isReverse: false })
  }),
}

/** A server whose answers another program rewrites on the way. */
export function rewriting(software: Software, rewrite: (answer: Answer) => Answer): Software {
  return (accounts, request) => {
    const answer = software(accounts, request)
    return answer && request.method === LIST ? rewrite(answer) : answer
  }
}

/** A server that lists like another one, but has no getRepo. */
export function withoutFile(software: Software): Software {
  return (accounts, request) =>
    request.method === REPO
      ? refuse(501, 'MethodNotImplemented', 'not here')
      : software(accounts, request)
}

function listing(lister: Lister): Software {
  return (accounts, request) => {
    const account = accountOf(accounts, request)
    return account?.state === 'active' ? readAs(account, request, lister) : undefined
  }
}

function readAs(account: HostedAccount, { method, query }: PdsRequest, lister: Lister) {
  if (method === REPO)
    return { status: 200, body: repoFileOf(account, (blocks) => blocks.reverse()) }
  if (method !== LIST) return undefined
  const { collection = '', cursor } = query
  const limit = Number(query['limit'] ?? 50)
  const all = [...(account.collections.get(collection)?.values() ?? [])].map((record) => ({
    ...record,
    write: account.lastWrites.get(`${collection}/${record.rkey}`) ?? '',
  }))
  const listed = lister(all, { collection, cursor, limit, isReverse: query['reverse'] === 'true' })
  const records = listed.page.map(({ rkey, cid, value }) => {
    return { uri: `at://${account.did}/${collection}/${rkey}`, cid, value }
  })
  return ok({ records, ...(listed.cursor !== undefined && { cursor: listed.cursor }) })
}

function accountOf(accounts: ReadonlyMap<string, HostedAccount>, { query }: PdsRequest) {
  return accounts.get(query['repo'] ?? query['did'] ?? '')
}

function ok(body: unknown): Answer {
  return { status: 200, body }
}

function refuse(status: number, error: string, message: string): Answer {
  return { status, body: { error, message } }
}
