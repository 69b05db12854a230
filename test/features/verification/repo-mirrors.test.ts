// Accounts whose own server is away, with a mirror that has their repositories: what they signed arrives, and a
// mirror that lies, is behind or lacks an account is no authority.

import { afterEach, beforeEach, expect, it } from 'vitest'
import { packRkey } from '../../../src/base/atproto/keys.ts'
import { isJobWaiting } from '../../../src/data/store/fetching/job-schedule.ts'
import { enqueueJobAgain } from '../../../src/data/store/fetching/jobs.ts'
import { isFollowing } from '../../../src/data/store/records/follows.ts'
import { createAccountKeys } from '../../../src/features/verification/firehose/keys.ts'
import { repoMirrors } from '../../../src/features/verification/repo-mirrors.ts'
import { type BackfillWorld, startBackfillWorld } from '../../support/backfill-world.ts'
import { until } from '../../support/eventually.ts'
import { type PdsAccount, type PdsDouble, startPdsDouble } from '../../support/pds-double.ts'
import { signRepositories } from '../../support/signed-repositories.ts'
import { cidOf, tid } from '../../support/simulated-network/repository.ts'

const AWAY = 'http://127.0.0.1:1'
const NAMES = ['reader', 'first', 'second']

let world: BackfillWorld
let mirror: PdsDouble
let people: PdsAccount[]

beforeEach(async () => {
  mirror = await startPdsDouble()
  world = await startBackfillWorld({
    mirrors: (resolver) => repoMirrors([mirror.origin], createAccountKeys(resolver)),
    limits: { firstBackoffMs: 300, requestTimeoutMs: 2_000 },
  })
  people = await Promise.all(
    NAMES.map(async (name) => {
      const handle = `${name}.example.com`
      const { did } = await world.plc.create({ handle, pds: AWAY })
      return mirror.create({ did, handle })
    }),
  )
})

afterEach(async () => {
  await world.close()
  await mirror.close()
})

/** The reader follows the others, and the mirror has all repositories as they are signed now. */
function prepare(): void {
  const [reader, ...authors] = people
  for (const author of authors) world.follow(reader!, author)
  signRepositories(
    mirror,
    world.plc,
    people.map(({ did }) => did),
  )
}

function begin(): void {
  world.member(people[0]!)
  world.backfill.start()
}

function postsOf(account: PdsAccount): number {
  const count = world.db.prepare('SELECT count(*) FROM posts WHERE uid = ? AND state = 1').pluck()
  return count.get(world.uid(account)) as number
}

function refusals(): number {
  const count = world.db.prepare("SELECT count(*) FROM jobs WHERE last_error LIKE '%did not sign%'")
  return count.pluck().get() as number
}

it('a newcomer’s follows and their posts are read there, and the newcomer’s row says so', async () => {
  const [reader, first, second] = people
  for (let i = 0; i < 5; i++) world.post(first!, `post ${i}`)
  world.post(second!, 'only')
  prepare()
  begin()
  await until(() => postsOf(first!) === 5 && postsOf(second!) === 1)
  const { uid } = world
  const follows = [first!, second!].map((author) =>
    isFollowing(world.db, uid(reader!), uid(author)),
  )
  expect(follows).toEqual([true, true])
  const row = world.backfill.coldStarts().find(({ did }) => did === reader!.did)
  expect(row?.mirror).toBe(mirror.origin)
})

it('what the account did not sign is not believed', async () => {
  const [, honest, forged] = people
  world.post(honest!, 'signed')
  world.post(forged!, 'signed with a key that is not the account’s')
  prepare()
  let other: unknown
  world.plc.edit(honest!.did, (document) => {
    other = document.verificationMethod
    return document
  })
  world.plc.edit(forged!.did, (own) => ({ ...own, verificationMethod: other }) as never)
  begin()
  await until(() => postsOf(honest!) === 1 && refusals() > 0)
  expect(postsOf(forged!)).toBe(0)
})

it('what the stream brought since is newer than a mirror that is behind', async () => {
  const [, author] = people
  const deleted = world.post(author!, 'deleted since')
  world.post(author!, 'still there')
  prepare()
  begin()
  await until(() => postsOf(author!) === 2)
  const { did, collection, rkey } = deleted
  const added = { kind: 'commit', did, collection, operation: 'create' } as const
  const record = { $type: collection, text: 'new', createdAt: new Date().toISOString() }
  const [first, second] = [tid(Date.now() * 1000, 1), tid(Date.now() * 1000 + 1, 1)]
  world.live(
    { kind: 'commit', did, collection, rkey, rev: first, operation: 'delete' },
    { ...added, rkey: second, rev: second, cid: cidOf(record), record },
  )
  expect(postsOf(author!)).toBe(2)
  const requested = mirror.stats().requests
  world.writer.commit(({ db }) => enqueueJobAgain(db, 'feed', world.uid(author!)))
  await world.restart()
  await until(
    () =>
      mirror.stats().requests > requested && !isJobWaiting(world.db, 'feed', world.uid(author!)),
  )
  const left = world.db.prepare(
    'SELECT count(*) FROM posts WHERE uid = ? AND rkey = ? AND state = 1',
  )
  expect(left.pluck().get(world.uid(author!), packRkey(rkey))).toBe(0)
  expect(postsOf(author!)).toBe(2)
})
