import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createGuardedFetch } from '../../../src/sources/identity/guarded-fetch.ts'
import { createPdsClient, type PdsClient } from '../../../src/sources/pds/pds-client.ts'
import { PdsError } from '../../../src/sources/pds/pds-error.ts'
import { type PdsAccount, type PdsDouble, startPdsDouble } from '../../support/pds-double.ts'
import { didOf } from '../../support/records.ts'

const POST = 'app.bsky.feed.post'
const did = didOf('alice')
const createdAt = '2026-11-01T12:00:00.000Z'

let pds: PdsDouble
let alice: PdsAccount
let client: PdsClient
let repo: { pds: string; did: string }

beforeEach(async () => {
  pds = await startPdsDouble()
  alice = pds.create({ did, handle: 'alice.test' })
  repo = { pds: pds.origin, did }
  client = createPdsClient({
    fetch: createGuardedFetch({ allowPrivateHosts: true }),
    timeoutMs: 1500,
  })
})

afterEach(() => pds.close())

function write(count: number): string[] {
  return Array.from({ length: count }, (_, i) => {
    const value = { text: `post ${i}`, createdAt }
    return alice.put({ collection: POST, value, atMs: 1_700_000_000_000 + i }).rkey
  })
}

async function failureOf(asking: Promise<unknown>): Promise<PdsError> {
  const error = await asking.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(PdsError)
  return error as PdsError
}

describe('listing a collection', () => {
  it('pages through everything, newest first or oldest first', async () => {
    const written = write(250)
    for (const reverse of [false, true]) {
      const seen: string[] = []
      let cursor: string | undefined
      do {
        const page = await client.listRecords(repo, { collection: POST, cursor, reverse })
        seen.push(...page.records.map(({ rkey }) => rkey))
        cursor = page.cursor
      } while (cursor)
      expect(seen).toEqual(reverse ? written : written.toReversed())
    }
  })

  it('leaves out a record that does not match its CID, and names its key', async () => {
    const [first, second] = write(2)
    pds.misbehave({ how: 'lying-cid' })
    const page = await client.listRecords(repo, { collection: POST })
    expect(page.records).toEqual([])
    expect(page.broken).toEqual([second, first])
  })
})

describe('a PDS gains nothing by', () => {
  const faults: [Parameters<PdsDouble['misbehave']>[0]['how'], PdsError['reason']][] = [
    ['lying-did', 'bad-answer'],
    ['lying-collection', 'bad-answer'],
    ['garbage', 'bad-answer'],
    ['endless', 'bad-answer'],
    ['hang', 'unreachable'],
    ['hang-up', 'unreachable'],
    [{ status: 500 }, 'unreachable'],
    [{ status: 502 }, 'unreachable'],
    [{ status: 429 }, 'rate-limited'],
    [{ status: 403 }, 'bad-answer'],
  ]

  it.each(faults)('%j: listRecords', async (how, reason) => {
    write(3)
    pds.misbehave({ how })
    const error = await failureOf(client.listRecords(repo, { collection: POST }))
    expect(error.reason).toBe(reason)
  })

  it.each(faults)('%j: getRecord', async (how, reason) => {
    const [rkey] = write(1)
    pds.misbehave({ how })
    const error = await failureOf(client.getRecord(repo, { collection: POST, rkey: rkey! }))
    expect(error.reason).toBe(reason)
  })

  it('sending a record that does not hash to its CID', async () => {
    const [rkey] = write(1)
    pds.misbehave({ how: 'lying-cid' })
    const error = await failureOf(client.getRecord(repo, { collection: POST, rkey: rkey! }))
    expect(error.reason).toBe('bad-answer')
  })

  it('paging in circles', async () => {
    write(3)
    pds.misbehave({ how: 'circling-cursor' })
    const first = await client.listRecords(repo, { collection: POST })
    const { cursor } = first
    const error = await failureOf(client.listRecords(repo, { collection: POST, cursor }))
    expect(error.reason).toBe('bad-answer')
  })

  it('redirecting us into our own network', async () => {
    const inside = await startPdsDouble()
    const target = inside.create({ did, handle: 'alice.test' })
    const { rkey } = target.put({ collection: POST, value: { text: 'x', createdAt }, atMs: 1e12 })
    const path = `/xrpc/com.atproto.repo.getRecord?repo=${did}&collection=${POST}&rkey=${rkey}`
    pds.misbehave({ how: { redirect: `${inside.origin}${path}` } })
    const fetch = createGuardedFetch({ allowPrivateHosts: false, trustedOrigins: [pds.origin] })
    const guarded = createPdsClient({ fetch })
    const error = await failureOf(guarded.getRecord(repo, { collection: POST, rkey }))
    expect(error.reason).toBe('unreachable')
    expect(inside.stats().requests).toBe(0)
    await inside.close()
  })
})

describe('what a refusal means', () => {
  it('tells a missing record from a missing repository', async () => {
    write(1)
    const key = { collection: POST, rkey: 'nothere' }
    expect((await failureOf(client.getRecord(repo, key))).reason).toBe('not-found')
    const stranger = { pds: pds.origin, did: didOf('stranger') }
    expect((await failureOf(client.getLatestRev(stranger))).reason).toBe('gone')
    const listing = client.listRecords(stranger, { collection: POST })
    expect((await failureOf(listing)).reason).toBe('gone')
  })

  it.each([
    { status: 501, error: 'MethodNotImplemented' },
    { status: 405, error: '' },
    { status: 404, headers: { 'content-type': 'text/html; charset=utf-8' } },
  ])('takes %j for no word about the record', async (how) => {
    const [rkey] = write(1)
    pds.misbehave({ how })
    const error = await failureOf(client.getRecord(repo, { collection: POST, rkey: rkey! }))
    expect(error.reason).toBe('bad-answer')
  })

  it.each(['takendown', 'suspended', 'deactivated'] as const)(
    'knows %s accounts',
    async (state) => {
      write(1)
      alice.state = state
      const error = await failureOf(client.getLatestRev(repo))
      expect(error).toMatchObject({ reason: 'gone', accountStatus: state })
    },
  )

  it.each([
    ['7', 7_000],
    ['1e308', 86_400_000],
  ])('returns how long to wait if the server said %s, a day at most', async (message, waitMs) => {
    pds.misbehave({ how: { status: 429, headers: { 'retry-after': message } } })
    const error = await failureOf(client.getLatestRev(repo))
    expect(error.retryAfterMs).toBe(waitMs)
  })
})

it('knows the revision and the collections of a repository', async () => {
  const [rkey] = write(1)
  expect(await client.getLatestRev(repo)).toBe(rkey)
  expect(await client.describeRepo(repo)).toEqual({ handle: 'alice.test', collections: [POST] })
})

it.each([
  [{ collections: null }, 'com.atproto.repo.describeRepo'],
  [{ records: null, cursor: '' }, 'com.atproto.repo.listRecords'],
])('takes null, as programs in Go write it, for an empty list: %j', async (empty, method) => {
  const handle = 'alice.test'
  pds.runs((_, request) =>
    request.method === method ? { status: 200, body: { did, handle, ...empty } } : undefined,
  )
  if ('collections' in empty)
    expect(await client.describeRepo(repo)).toEqual({ handle, collections: [] })
  else {
    const page = await client.listRecords(repo, { collection: POST })
    expect(page).toMatchObject({ keys: [], records: [], cursor: undefined })
  }
})

it('takes a record whose CID the server leaves out, as the lexicon allows', async () => {
  const [rkey] = write(1)
  const key = { collection: POST, rkey: rkey! }
  const record = await client.getRecord(repo, key)
  pds.runs((_, { method }) => {
    if (!method.endsWith('getRecord')) return undefined
    const uri = `at://${did}/${POST}/${rkey}`
    return { status: 200, body: { uri, value: record.record } }
  })
  expect(await client.getRecord(repo, key)).toEqual(record)
})

it.each([
  { status: 405, error: 'MethodNotAllowed' },
  { status: 400, error: 'MethodNotImplemented' },
])('works without the revision if a PDS refuses the method with %j', async (how) => {
  pds.misbehave({ method: 'getLatestCommit', how })
  expect(await client.getLatestRev(repo)).toBeUndefined()
})

it('works without the revision if a PDS has no such method', async () => {
  pds.misbehave({ method: 'getLatestCommit', how: { status: 501, error: 'MethodNotImplemented' } })
  expect(await client.getLatestRev(repo)).toBeUndefined()
})
