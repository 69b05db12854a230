// Lies that look like the truth: a record under another key, a deletion, a record that is dated before one that the account
// just wrote, an account that is said to be away or to have another name, and times that are wrong.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { cidOf, tidAt } from '../../support/records.ts'
import { type LyingWorld, POST, startLyingWorld, UNHURRIED } from './lying-world.ts'

const HOUR_US = 3_600_000_000

let world: LyingWorld

const uriOf = ({ did, rkey }: { did: string; rkey: string }) => `at://${did}/${POST}/${rkey}`
const forgeries = () => world.counted('unverified_total', 'reason="forged"')
const shows = (uri: string, isVisible: boolean) =>
  eventually(async () => expect(await world.isVisible(uri)).toBe(isVisible), UNHURRIED)

/** A post that the account wrote and the stream brought. */
async function truePost(name: string): Promise<string> {
  const reported = world.write(name, 'true', 0)
  world.slipstream.double.emit(reported)
  await shows(uriOf(reported), true)
  return uriOf(reported)
}

describe('of what accounts wrote', () => {
  beforeAll(async () => {
    world = await startLyingWorld(['ann', 'bob', 'cem', 'dee', 'eve'])
  })
  afterAll(() => world.close())

  test('a record under another key', async () => {
    const before = await forgeries()
    const reported = world.write('ann', 'said once', 0)
    world.slipstream.double.emit(reported)
    const other = { ...reported, rkey: tidAt(Date.now() * 1000 + 50) }
    world.slipstream.double.emit(other)
    await world.found('forged', before)
    await shows(uriOf(other), false)
    await shows(uriOf(reported), true)
  })

  test('a deletion', async () => {
    const before = await forgeries()
    const uri = await truePost('bob')
    const [did, rkey] = [world.slipstream.didOf('bob'), uri.split('/').at(-1)!]
    const rev = tidAt(Date.now() * 1000 + 1_000_000)
    world.slipstream.double.emit({ did, collection: POST, rkey, rev, operation: 'delete' })
    await world.found('forged', before)
    await shows(uri, true)
  })

  test('a record from just before what the account wrote', async () => {
    const reported = world.write('cem', 'true', 0)
    const record = { $type: POST, text: 'never said', createdAt: new Date().toISOString() }
    const made = { did: reported.did, collection: POST, rkey: '3zzzzzzzzzzzz', record }
    const rev = tidAt(Date.now() * 1000 - HOUR_US)
    world.slipstream.double.emit({ ...made, rev, operation: 'create', cid: cidOf(record) })
    world.slipstream.double.emit(reported)
    await shows(uriOf(made), true)
    await shows(uriOf(made), false)
    await shows(uriOf(reported), true)
  })

  test.each([
    ['deleted', 'dee', 0],
    ['takendown', 'eve', 24 * HOUR_US],
  ])('that an account is %s', async (status, name, aheadUs) => {
    const uri = await truePost(name)
    const did = world.slipstream.didOf(name)
    const timeUs = Date.now() * 1000 + aheadUs
    world.slipstream.double.emit({ did, kind: 'account', active: false, status, timeUs })
    await world.found('not-away', 0)
    await shows(uri, true)
    world.pds.account(did)!.state = 'deactivated'
    world.slipstream.double.emit({ did, kind: 'account', active: false, status: 'deactivated' })
    await shows(uri, false)
  })

  test('that an account has another name', async () => {
    const [did, uri] = [world.slipstream.didOf('ann'), await truePost('ann')]
    const handle = 'impostor.example.org'
    world.slipstream.double.emit({ did, kind: 'identity', handle })
    world.slipstream.double.emit(world.write('ann', 'after the name', 0))
    await shows(uri, true)
    const profile = await world.ask('app.bsky.actor.getProfile', { actor: did })
    expect(profile.body).toMatchObject({ handle: world.slipstream.accountOf('ann').handle })
  })
})

describe('of times', () => {
  beforeAll(async () => {
    world = await startLyingWorld(['ann', 'bob'])
  })
  afterAll(() => world.close())

  test('a host that says that it is always a little behind is checked all the same', async () => {
    const record = { $type: POST, text: 'never said', createdAt: new Date().toISOString() }
    const made = { did: world.slipstream.didOf('ann'), collection: POST, rkey: '3zzzzzzzzzzzz' }
    const timeUs = Date.now() * 1000 - 40_000_000
    const { double } = world.slipstream
    double.emit({ ...made, operation: 'create', cid: cidOf(record), record, timeUs })
    await world.found('forged', 0)
    await shows(uriOf(made), false)
  })
})
