// Accounts of one server whose every read fails: the others arrive all the same, the server is not hammered, and
// one that fails for everyone is left alone.

import { afterEach, describe, expect, it } from 'vitest'
import { type BackfillWorld, startBackfillWorld } from '../../support/backfill-world.ts'
import { until } from '../../support/eventually.ts'
import type { PdsAccount } from '../../support/pds-double.ts'
import type { Fault } from '../../support/pds-misbehaviour.ts'

const ACCOUNTS = 40
/** Each account's jobs make some ten requests, if all goes well. */
const REQUESTS_EACH = 12

let world: BackfillWorld

afterEach(() => world.close())

/** A member elsewhere follows forty accounts of one host, of which some are broken. */
async function start(broken: number, how: Fault['how'], methods: (string | undefined)[]) {
  world = await startBackfillWorld({
    hosts: 2,
    limits: { firstBackoffMs: 300, requestTimeoutMs: 400 },
  })
  const member = await world.person('member')
  const authors: PdsAccount[] = []
  for (let i = 0; i < ACCOUNTS; i++) {
    const author = await world.person(`author${i}`, 1)
    authors.push(author)
    world.post(author, `post of ${i}`)
    world.follow(member, author)
  }
  // Followed last, they are read first, one after the other.
  const failing = authors.slice(ACCOUNTS - broken)
  for (const { did } of failing) {
    for (const method of methods) world.hosts[1]!.misbehave({ did, how, ...(method && { method }) })
  }
  world.member(member)
  world.backfill.start()
  return { sound: authors.slice(0, ACCOUNTS - broken) }
}

function posts(accounts: PdsAccount[]): number {
  const count = world.db.prepare('SELECT count(*) FROM posts WHERE uid = ? AND state = 1').pluck()
  return accounts.filter((account) => count.get(world.uid(account)) === 1).length
}

describe.each([
  ['listRecords answers 500', { status: 500 }, ['listRecords']],
  ['every method answers 500', { status: 500 }, [undefined]],
  ['every method hangs up', 'hang-up', [undefined]],
  ['listRecords is silent', 'hang', ['listRecords']],
] as const)('of forty accounts of one server, if for half of them %s,', (_, how, methods) => {
  it('all others arrive', async () => {
    const { sound } = await start(20, how, [...methods])
    await until(() => posts(sound) === sound.length)
    expect(world.hosts[1]!.stats().requests).toBeLessThan(ACCOUNTS * REQUESTS_EACH)
  })
})

it('a server that fails for everyone is asked less and less', async () => {
  world = await startBackfillWorld({ hosts: 2, limits: { firstBackoffMs: 600_000 } })
  const member = await world.person('member')
  for (let i = 0; i < 60; i++) world.follow(member, await world.person(`author${i}`, 1))
  world.hosts[1]!.misbehave({ how: { status: 500 } })
  world.member(member)
  world.backfill.start()
  const waiting = world.db
    .prepare("SELECT count(*) FROM jobs WHERE kind = 'feed' AND not_before > ?")
    .pluck()
  // A second apart at first; an account that has failed is not asked again within minutes.
  await until(() => world.hosts[1]!.stats().requests >= 6)
  expect(world.hosts[1]!.maxConcurrentOf('com.atproto')).toBeLessThanOrEqual(4)
  await until(() => Number(waiting.get(Date.now() + 60_000)) > 0)
  expect(world.hosts[1]!.stats().requests).toBeLessThan(60)
})
