// How a resolver uses members' identities that outlive it: a directory in this process, a map for the rows,
// and a resolver for each process or thread, with a simulated clock.

import { expect, test } from 'vitest'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/base/util/durations.ts'
import { FetchError } from '../../../src/sources/identity/fetch-error.ts'
import { IdentityUnavailableError } from '../../../src/sources/identity/fetch-identity.ts'
import type { GuardedFetch } from '../../../src/sources/identity/guarded-fetch.ts'
import type { CachedIdentities } from '../../../src/sources/identity/identity-memory.ts'
import { createResolver } from '../../../src/sources/identity/resolver.ts'
import { until } from '../../support/eventually.ts'
import { didDocument, plcDid } from '../../support/plc-double.ts'

const alice = plcDid('alice')
const KEYS = ['first', 'second'].map((name) => `did:key:zQ3s${name.padEnd(45, 'x')}`)

type Directory = { key: string | undefined | 'away' | 'silent'; requested: number }

function createWorld() {
  let ahead = 0
  const now = () => Date.now() + ahead
  const directory: Directory = { key: KEYS[0], requested: 0 }
  const members = new Set([alice])
  const rows = new Map<string, Parameters<CachedIdentities['put']>[1]>()
  const identities: CachedIdentities = {
    find(did) {
      const { identity, asOf } = rows.get(did) ?? { asOf: 0 }
      return identity && { identity, asOf }
    },
    put: (did, found) => void rows.set(did, found),
  }
  const fetch: GuardedFetch = async (url) => {
    const { key } = directory
    directory.requested += 1
    if (key === 'away') throw new FetchError('timeout', url)
    if (key === 'silent') await new Promise(() => undefined)
    const did = url.slice(url.indexOf('did:'))
    const account = { did, handle: 'a.test', pds: 'https://pds.test', signingKey: key ?? '' }
    const body = Buffer.from(JSON.stringify(didDocument(account)))
    return { status: key ? 200 : 410, headers: new Headers(), body, url }
  }
  const isMember = (did: string) => members.has(did)
  return {
    directory,
    members,
    rows,
    advance: (ms: number) => {
      ahead += ms
    },
    /** Creates another resolver, as after a restart or in another thread. */
    another() {
      const resolver = createResolver({
        fetch,
        plcUrl: 'https://plc.test',
        now,
        isMember,
        identities,
      })
      const keyOf = async (did: string) => (await resolver.resolve(did))?.signingKey
      return { ...resolver, keyOf }
    },
  }
}

test('asks the directory first, and uses the kept identity if it is unreachable', async () => {
  const world = createWorld()
  await world.another().keyOf(alice)
  world.directory.key = KEYS[1]
  expect(await world.another().keyOf(alice)).toBe(KEYS[1])
  world.directory.key = 'away'
  world.advance(DAY_MS - MINUTE_MS)
  const { keyOf } = world.another()
  expect(await keyOf(alice)).toBe(KEYS[1])
  world.advance(2 * MINUTE_MS)
  await expect(keyOf(alice)).rejects.toThrow(IdentityUnavailableError)
  await expect(world.another().keyOf(alice)).rejects.toThrow(IdentityUnavailableError)
})

test('waits for a silent directory only once, and renews even a recent identity when it answers', async () => {
  const world = createWorld()
  await world.another().keyOf(alice)
  world.directory.key = 'silent'
  const silent = world.another()
  expect(await silent.keyOf(alice)).toBe(KEYS[0])
  expect(await silent.keyOf(alice)).toBe(KEYS[0])
  expect(world.directory.requested).toBe(2)
  world.directory.key = 'away'
  const { keyOf } = world.another()
  expect(await keyOf(alice)).toBe(KEYS[0])
  world.directory.key = KEYS[1]
  world.advance(MINUTE_MS)
  await until(async () => (await keyOf(alice)) === KEYS[1])
})

test('does not revive a tombstoned or doubted account from an older row', async () => {
  const world = createWorld()
  const first = world.another()
  await first.keyOf(alice)
  const before = world.rows.get(alice)!
  world.advance(MINUTE_MS)
  world.directory.key = undefined
  expect((await first.resolve(alice, { forceRefresh: true }))?.signingKey).toBeUndefined()
  expect(world.rows.get(alice)?.identity).toBeUndefined()
  // As if the writer had no room for it.
  world.rows.set(alice, before)
  world.directory.key = 'away'
  world.advance(MINUTE_MS)
  await expect(first.keyOf(alice)).rejects.toThrow(IdentityUnavailableError)
  const second = world.another()
  second.doubt(alice)
  expect(await second.keyOf(alice)).toBe(KEYS[0])
  world.advance(6 * MINUTE_MS)
  await expect(second.keyOf(alice)).rejects.toThrow(IdentityUnavailableError)
})

test('uses an identity that another thread learned later if this one has no valid one', async () => {
  const world = createWorld()
  const first = world.another()
  await first.keyOf(alice)
  world.advance(DAY_MS + HOUR_MS)
  await world.another().keyOf(alice)
  world.directory.key = 'away'
  world.advance(MINUTE_MS)
  expect(await first.keyOf(alice)).toBe(KEYS[0])
})

test('keeps members only, and a newcomer from their first request as a member', async () => {
  const world = createWorld()
  const newcomer = plcDid('newcomer')
  const { keyOf } = world.another()
  await keyOf(newcomer)
  expect(world.rows.size).toBe(0)
  world.members.add(newcomer)
  await keyOf(newcomer)
  world.directory.key = 'away'
  expect(await world.another().keyOf(newcomer)).toBe(KEYS[0])
  world.members.delete(newcomer)
  await expect(world.another().keyOf(newcomer)).rejects.toThrow(IdentityUnavailableError)
})
