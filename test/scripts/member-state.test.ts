// A member's private state moves from one Slipstream to another: through the data folder, and through the
// member's PDS.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { signIn } from '../../scripts/member-state/appview.ts'
import { fetchState } from '../../scripts/member-state/fetch-state.ts'
import { pushState } from '../../scripts/member-state/push-state.ts'
import type { WriterRequest } from '../../src/bridge/messages.ts'
import { openWriter } from '../../src/data/store/db.ts'
import { lockDataDir } from '../../src/data/store/files/lock.ts'
import { type MemberState, parseState } from '../../src/ingest/indexing/member-state/document.ts'
import { readState } from '../../src/ingest/indexing/member-state/read-state.ts'
import { writeState } from '../../src/ingest/indexing/member-state/write-state.ts'
import { privateAct } from '../support/private-acts.ts'
import { createRandom } from '../support/random.ts'
import { cidOf, didOf } from '../support/records.ts'
import { testSeed } from '../support/seed.ts'
import { createServingWorld, type ServingWorld } from '../support/serving-world.ts'
import type { World } from '../support/world.ts'

const alice = didOf('alice')
const SCRIPT = join(import.meta.dirname, '../../scripts/member-state.ts')

const cleanups: (() => void)[] = []
afterEach(() => {
  for (const clean of cleanups.splice(0)) clean()
})

function start(): ServingWorld {
  const world = createServingWorld({ scope: 'network', members: ['alice'] })
  cleanups.push(() => world.dispose())
  return world
}

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'slipstream-state-'))
  cleanups.push(() => rmSync(folder, { recursive: true }))
  return folder
}

/** Gives Alice every kind of private state, through the requests that her client's calls become. */
function live(world: World): void {
  const random = createRandom(testSeed('private life'))
  for (let i = 0; i < 9; i++) {
    const did = world.account(`person-${i}`)
    world.profile(did, { displayName: `person ${i}` })
    world.post(did)
    world.list(did, `list ${i}`)
  }
  for (let i = 0; i < 60; i++) {
    world.tick()
    privateAct(world, random, [alice])
  }
  const [first, other] = [world.account('person-1'), world.account('person-2')]
  const root = world.post(first).uri
  // The random acts above may have undone everything.
  const list = world.list(first, 'for sure').uri
  const scope = { onlyReposts: false, onlyQuoteposts: false }
  const draft = JSON.stringify({ posts: [{ text: 'half a th' }] })
  const defs = 'app.bsky.actor.defs'
  const preferences = JSON.stringify([{ $type: `${defs}#adultContentPref`, enabled: true }])
  const patch = { like: { include: 'follows', list: true, push: false } }
  const requests: WriterRequest[] = [
    { id: 1, did: alice, kind: 'mute', subjectDid: first, ...scope },
    { id: 1, did: alice, kind: 'mute-list', list },
    { id: 1, did: alice, kind: 'bookmark', uri: root, cid: cidOf(root) },
    { id: 1, did: alice, kind: 'mute-thread', root },
    { id: 1, did: alice, kind: 'create-draft', draftId: '3kaaaaaaaaaaa', draft },
    { id: 1, did: alice, kind: 'create-draft', draftId: '3kaaaaaaaaaab', draft },
    { id: 1, did: alice, kind: 'update-draft', draftId: '3kaaaaaaaaaaa', draft },
    { id: 1, did: alice, kind: 'actor-preferences', preferences },
    { id: 1, did: alice, kind: 'notification-preferences', patch },
    { id: 1, did: alice, kind: 'notification-priority', priority: true },
    { id: 1, did: alice, kind: 'notifications-seen', seenAt: world.now() - 5 },
    { id: 1, did: alice, kind: 'activity-subscription', subject: first, post: true, reply: false },
    { id: 1, did: alice, kind: 'activity-subscription', subject: other, post: true, reply: true },
  ]
  for (const request of requests) {
    world.tick()
    world.request(request)
  }
}

function counts(state: MemberState): number[] {
  const { mutes, listMutes, threadMutes, bookmarks, drafts, activitySubscriptions } = state
  return [mutes, listMutes, threadMutes, bookmarks, drafts, activitySubscriptions].map(
    ({ length }) => length,
  )
}

test('state survives export and import unchanged, even if imported twice, and a restart', () => {
  const { world } = start()
  live(world)
  const state = readState(world.db, alice)
  expect(Math.min(...counts(state))).toBeGreaterThan(0)
  world.restart()
  expect(readState(world.db, alice)).toEqual(state)
  const db = openWriter(emptyFolder())
  for (let i = 0; i < 2; i++) {
    writeState(db, parseState(JSON.stringify(state)), 'community')
    expect(readState(db, alice)).toEqual(state)
  }
  const bookmarked = db.prepare<[], number>('SELECT sum(bookmarks) FROM post_counts').pluck().get()
  expect(bookmarked).toBe(state.bookmarks.length)
  const member = db.prepare<[], number>('SELECT count(*) FROM members').pluck().get()
  expect(member).toBe(1)
  db.close()
})

test('the script exports from a folder and imports into another that is not in use', () => {
  const { world } = start()
  live(world)
  const run = (dataDir: string, args: string[], input = '') =>
    spawnSync(process.execPath, [SCRIPT, ...args], {
      input,
      encoding: 'utf8',
      cwd: tmpdir(),
      env: { PATH: process.env['PATH'], SLIPSTREAM_DATA_DIR: dataDir },
    })
  const exported = run(world.dataDir, ['export', alice])
  expect(exported).toMatchObject({ status: 0, stderr: '' })
  expect(parseState(exported.stdout)).toEqual(readState(world.db, alice))
  const folder = emptyFolder()
  const lock = lockDataDir(folder)
  expect(run(folder, ['import'], exported.stdout)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('Stop it first'),
  })
  lock.release()
  expect(run(folder, ['import'], exported.stdout).status).toBe(0)
  expect(run(folder, ['export', alice]).stdout).toBe(exported.stdout)
  expect(run(folder, ['import'], '{"format":"x"}').status).toBe(1)
  expect(run(folder, ['export', didOf('nobody')]).status).toBe(1)
})

test.each([
  ['mutes', [{ did: 'alice' }]],
  ['listMutes', [{ list: 'at://did:plc:a/app.bsky.feed.post/b' }]],
  ['bookmarks', [{ uri: 'at://did:plc:a/app.bsky.feed.post/b' }]],
  ['bookmarks', [{ uri: 'at://did:plc:a/app.bsky.feed.post/b', cid: 'x' }]],
  ['drafts', [{ id: '3kaaaaaaaaaaa', draft: { posts: 'none' } }]],
  ['preferences', [1]],
  ['bookmarks', 'none'],
  ['threadMutes', [null]],
  ['mutes', [{ did: alice, createdAt: 'yesterday' }]],
] as const)('refuses a document whose %s are %j', (name, value) => {
  const { world } = start()
  live(world)
  const state = { ...readState(world.db, alice), [name]: value }
  expect(() => parseState(JSON.stringify(state))).toThrow(/bad (\w+):/)
})

/** Starts the member's PDS, which knows her password and proxies to these AppViews. */
async function startPds(appViews: Record<string, ServingWorld>): Promise<string> {
  const server = createServer((request, response) => {
    answer(request).then(async ([status, body]) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(body)
    })
  })
  async function answer(request: IncomingMessage): Promise<[status: number, body: string]> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    if (request.url === '/xrpc/com.atproto.server.createSession') {
      const { identifier, password } = JSON.parse(body.toString())
      if (identifier !== 'alice.test' || password !== 'secret') return [401, '{"error":"No"}']
      return [200, JSON.stringify({ did: alice, accessJwt: 'token' })]
    }
    const world = appViews[String(request.headers['atproto-proxy'])]
    if (!world || request.headers.authorization !== 'Bearer token') return [400, '{}']
    const headers = { authorization: `Bearer ${alice}`, 'content-type': 'application/json' }
    const { method = 'GET', url } = request
    const passed = { method, headers, ...(method === 'POST' && { body }) }
    const answered = await world.server.fetch(new Request(`http://localhost${url}`, passed))
    return [answered.status, await answered.text()]
  }
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  cleanups.push(() => void (server as Server).close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('fetches the state from another AppView and sends it to ours through the member’s PDS', async () => {
  const [theirs, ours] = [start(), start()]
  live(theirs.world)
  const quietHours = { from: '22:30', until: '07:00', timeZone: 'Europe/Berlin' }
  await theirs.tell('io.slipstream.notification.putQuietHours', quietHours, alice)
  const timeline = 'following'
  const position = `1700000000000__${cidOf('a post')}`
  await theirs.tell('io.slipstream.feed.putPosition', { timeline, position }, alice)
  for (let i = 0; i < 9; i++) ours.profile(ours.account(`person-${i}`))
  ours.tick(60_000)
  const pds = await startPds({ 'did:web:theirs#bsky_appview': theirs, 'did:web:ours#x': ours })
  const member = { pds, identifier: 'alice.test', password: 'secret' }
  await expect(signIn({ ...member, password: 'x', appView: 'did:web:ours#x' })).rejects.toThrow(
    '401',
  )
  const skipped: string[] = []
  const from = await signIn({ ...member, appView: 'did:web:theirs' })
  const fetched = await fetchState(from, (what) => skipped.push(what))
  const known = readState(theirs.db, alice)
  expect(fetched).toMatchObject({
    mutes: known.mutes
      .filter(({ onlyReposts, onlyQuoteposts }) => !onlyReposts && !onlyQuoteposts)
      .map(({ did }) => ({ did })),
    bookmarks: known.bookmarks,
    // No list applies a stored priority, and so none tells of it.
    notifications: { ...known.notifications, priority: false },
  })
  const listed = (state: MemberState) => state.listMutes.map(({ list }) => list).sort()
  expect(listed(fetched)).toEqual(listed(known))
  const to = await signIn({ ...member, appView: 'did:web:ours#x' })
  await pushState(to, parseState(JSON.stringify(fetched)), (what) => skipped.push(what))
  expect(skipped).toEqual([])
  const notified = readState(ours.db, alice)
  const withoutTimes = ({ mutes, bookmarks, drafts, activitySubscriptions }: MemberState) => ({
    // All were created at the same moment, so their order is random.
    mutes: mutes.map(({ did }) => did).sort(),
    bookmarks: bookmarks.map(({ uri, cid }) => ({ uri, cid })),
    drafts: drafts.map(({ draft }) => draft),
    activitySubscriptions: activitySubscriptions.map(({ did, post }) => ({ did, post })),
  })
  expect(withoutTimes(notified)).toEqual(withoutTimes(fetched))
  expect(listed(notified)).toEqual(listed(fetched))
  expect(notified.notifications).toEqual(fetched.notifications)
  const updatedAt = expect.any(String)
  const positions = [{ timeline, position, updatedAt }]
  expect(notified.features).toEqual({ push: { quietHours }, read: { positions } })
})
