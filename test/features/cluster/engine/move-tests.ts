// A deployment that moves to a real engine by the command line, from one server to two, and back to one:
// earlier state, state added meanwhile, its numbers and cursors.

import { expect, test } from 'vitest'
import type { Engine } from '../../../../src/features/cluster/engine/connect.ts'
import { createFollowingEpochs } from '../../../../src/features/cluster/engine/following-epochs.ts'
import { createFollowingLog } from '../../../../src/features/cluster/engine/following-log.ts'
import type { MemberState } from '../../../../src/ingest/indexing/member-state/document.ts'
import { cliJson, runCli } from '../../../support/cli.ts'
import { didOf } from '../../../support/records.ts'
import { signServiceJwt } from '../../../support/service-jwt.ts'
import {
  becomes,
  startTimelinesProcess,
  type TimelinesProcess,
} from '../../../support/timelines-process.ts'

type ClusterState = { connect: () => Promise<Engine>; address: () => string }

const SCOPES = ['read:*', 'post:custom:*']
const THREADS = { SERVE_THREADS: '1' }

/** @param logs - a keyspace in which only the logs are checked */
export function testMoves({ address }: ClusterState, logs: ClusterState): void {
  test('numbers from before a log begin it, however far apart they are, and new ones are above', async () => {
    const engine = await logs.connect()
    const [log, epochs] = [createFollowingLog(engine, 9_000), createFollowingEpochs(engine)]
    const [bucket, member] = [1_077, didOf('moved')]
    const uris = (numbers: readonly number[]) => numbers.map((n) => `at://${member}/x/${n}`)
    const numbers = Array.from({ length: 300 }, (_, i) => 1 + i * 29)
    await epochs.begin(new Map([[bucket, 1]]))
    const put = (
      flush: number,
      number: number,
      own: readonly number[] | undefined,
      count: number,
    ) => {
      const items = uris(own ?? Array.from({ length: count }, (_, i) => number + i))
      const write = { member, epoch: 1, flush, number, items: items.map((uri) => ({ uri, at: 1 })) }
      return log.put({ ...write, ...(own && { numbers: own }) })
    }
    await put(1, 9_000, numbers, 0)
    await put(2, 9_001, undefined, 1_500)
    await epochs.commit([{ bucket, epoch: 1, flush: 2, position: undefined }])
    const committed = await epochs.committed(bucket)
    const read = async (at: number, isForward: boolean, limit: number) => {
      const slice = await log.read({ member, at, isForward, limit }, committed)
      return { ...slice, entries: slice.entries.map(({ number }) => number) }
    }
    const later = Array.from({ length: 1_500 }, (_, i) => 9_001 + i)
    const all = [...numbers, ...later]
    expect(await read(0, true, 10_000)).toEqual({ entries: all, isEnd: true })
    expect(await read(2 ** 40, false, 10_000)).toEqual({ entries: all.toReversed(), isEnd: true })
    expect((await read(30, true, 2)).entries).toEqual([59, 88])
    expect((await read(9_001, false, 2)).entries).toEqual([8_672, 8_643])
    expect((await read(8_999, true, 1)).entries).toEqual([9_001])
  })

  test('a deployment moves to the engine and back without readers, posters or members missing anything', async () => {
    const alone = await startTimelinesProcess(['alice', 'bob'], THREADS)
    const { settings } = alone
    const dataDir = settings.DATA_DIR
    await alone.start()
    const before = await live(alone)
    await alone.stop()
    const shared = { ...THREADS, ENGINE: address() }
    const moved = await cliJson<object>({ ...settings, ENGINE: address() }, ['move-to-engine'])
    expect(moved).toMatchObject({ members: 2, timelines: 1, events: 3, isNumberedOn: true })
    const again = await runCli({ ...settings, ENGINE: address() }, ['move-to-engine'])
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('already')])
    const unset = await runCli(settings, ['token', 'create', 'late', '--scope', 'read:*'])
    expect([unset.code, unset.stderr]).toEqual([78, expect.stringContaining('move-from-engine')])
    const first = await startTimelinesProcess([], { ...shared, DATA_DIR: dataDir }, alone)
    const second = await startTimelinesProcess([], shared, alone)
    await Promise.all([first.start(), second.start()])
    const meanwhile = await liveShared(alone, { before, servers: [first, second] })
    await Promise.all([first.stop(), second.stop()])
    const back = await cliJson<object>({ ...settings, ENGINE: address() }, ['move-from-engine'])
    expect(back).toMatchObject({ members: 2, timelines: 2, isGivenUp: false })
    await alone.start()
    expect(await stateOf(alone)).toEqual(meanwhile.state)
    const { body } = await alone.page('custom:news', 'direction=forward', before.token)
    expect(idsOf(body.events)).toEqual(['1 a', '2 b', '3 c', '4 d'])
    const { body: rest } = await alone.page(
      'custom:news',
      `cursor=${meanwhile.cursor}`,
      before.token,
    )
    expect(idsOf(rest.events)).toEqual(['4 d'])
    const known = await alone.post('news', note('d'), before.token)
    const next = await alone.post('news', note('e'), before.token)
    expect([known.body.sequence_id, next.body.sequence_id]).toEqual(['4', '5'])
    const rkey = alone.emit('bob', 'app.bsky.feed.post', { text: 'after' })
    const news = await following(alone, before.token, meanwhile.reached, rkey)
    expect(news).toHaveLength(1)
    await alone.close()
  })
}

/** Uses every feature on a single server. */
async function live(alone: TimelinesProcess) {
  const token = await alone.token('echo', ...SCOPES)
  const alice = alone.didOf('alice')
  alone.emit('alice', 'app.bsky.graph.follow', { subject: alone.didOf('bob') })
  const rkeys = ['one', 'two', 'three'].map((text) =>
    alone.emit('bob', 'app.bsky.feed.post', { text }),
  )
  for (const id of ['a', 'b', 'c']) await alone.post('news', note(id), token)
  const document = await stateOf(alone)
  const mutes = [{ did: didOf('muted'), createdAt: '2026-11-01T00:00:00.000Z' }]
  await cliJson(alone.settings, ['member', 'import'], JSON.stringify({ ...document, mutes }))
  await cliJson(alone.settings, ['invite', 'create'])
  const posts = await following(alone, token, '0', rkeys.at(-1)!)
  expect(posts).toHaveLength(3)
  const { body } = await alone.page('custom:news', 'limit=2&direction=forward', token)
  const page = await alone.page(`following:${alice}`, 'limit=2&direction=forward', token)
  return {
    token,
    posts,
    state: await stateOf(alone),
    cursors: { news: body.next_cursor!, following: page.body.next_cursor! },
  }
}

type Before = Awaited<ReturnType<typeof live>>

/** Checks that both servers give the same for earlier cursors and tokens, and for new records. */
async function liveShared(
  alone: TimelinesProcess,
  { before, servers }: { before: Before; servers: [TimelinesProcess, TimelinesProcess] },
) {
  const { token, cursors } = before
  const [first, second] = servers
  await becomes(
    () => second.page('custom:news', 'limit=1', token),
    ({ status }) => status === 200,
  )
  for (const server of servers) {
    await expect.poll(() => stateOnRequest(server)).toEqual(before.state)
    const { body } = await server.page('custom:news', `cursor=${cursors.news}`, token)
    expect(idsOf(body.events)).toEqual(['3 c'])
    const known = await server.post('news', note('b'), token)
    expect(known.body.sequence_id).toBe('2')
    expect(await cliJson(server.settings, ['invite', 'list'])).toMatchObject({ invites: [{}] })
  }
  const posted = await second.post('news', note('d'), token)
  expect(posted.body.sequence_id).toBe('4')
  await second.post('other', note('x'), token)
  const page = `following:${alone.didOf('alice')}`
  const readOn = async () => (await first.page(page, `cursor=${cursors.following}`, token)).body
  // On a busy machine the engine may be too slow for a page.
  const { events } = await becomes(readOn, (pageJson) => pageJson.skipped?.length === 0)
  expect(events).toMatchObject([{ sequence_id: before.posts[2]!.sequence_id }])
  // The second server began after the first follow and has no PDS to ask here, but it may have
  // Alice's bucket.
  alone.emit('alice', 'app.bsky.graph.follow', { subject: alone.didOf('bob') })
  const rkey = alone.emit('bob', 'app.bsky.feed.post', { text: 'shared' })
  const last = before.posts.at(-1)!.sequence_id
  const news = await following(first, token, last, rkey)
  expect(news).toHaveLength(1)
  const reached = news[0]!.sequence_id
  const { body: end } = await first.page('custom:news', 'limit=3&direction=forward', token)
  return { reached, cursor: end.next_cursor!, state: await stateOf(first) }
}

/** Alice's timeline above a number, once this post is its last. */
async function following(server: TimelinesProcess, token: string, since: string, rkey: string) {
  const key = `following:${[...server.network.accounts.values()][0]!.did}`
  const read = async () => (await server.page(key, `since=${since}`, token)).body.events ?? []
  return becomes(read, (events) => events.at(-1)?.entity_id.endsWith(rkey) === true)
}

/** A server takes in a member's changes from other nodes when the member makes a request. */
async function stateOnRequest(server: TimelinesProcess): Promise<MemberState> {
  const { did, keypair } = [...server.network.accounts.values()][0]!
  const lxm = 'app.bsky.graph.getMutes'
  const token = await signServiceJwt(keypair, { iss: did, aud: 'did:web:localhost', lxm })
  expect((await server.ask('GET', `/xrpc/${lxm}`, { token })).status).toBe(200)
  return stateOf(server)
}

async function stateOf(server: TimelinesProcess): Promise<MemberState> {
  const { did } = [...server.network.accounts.values()][0]!
  const { code, stdout, stderr } = await runCli(server.settings, ['member', 'export', did])
  if (code !== 0) throw new Error(stderr)
  return JSON.parse(stdout) as MemberState
}

function idsOf(events: readonly { sequence_id: string; entity_id: string }[]): string[] {
  return events.map(({ sequence_id, entity_id }) => `${sequence_id} ${entity_id}`)
}

function note(id: string): Record<string, unknown> {
  const producer_ts = '2026-11-22T14:00:00.000Z'
  return { entity_id: id, entity_type: 'note', payload: { id }, producer_ts, idempotency_key: id }
}
