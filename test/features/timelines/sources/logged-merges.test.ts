// Merges of members' timelines that live on an engine: each has numbers and times of its own, in an order of its own,
// as nodes that wrote them received the records. A record that several hold comes once a walk, in either direction,
// wherever pages end, and going back gives the pages before.

import { createServer, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import type { LoggedEntry } from '../../../../src/features/cluster/engine/following-log.ts'
import { createStreams } from '../../../../src/features/timelines/http/streams.ts'
import { pageBytes } from '../../../../src/features/timelines/sources/event-json.ts'
import type { FollowingLogs } from '../../../../src/features/timelines/sources/logged-source.ts'
import {
  createOpenSource,
  prepareReaders,
} from '../../../../src/features/timelines/sources/open-sources.ts'
import { createCursors } from '../../../../src/features/timelines/sources/signed-cursor.ts'
import { parseTimelineKey } from '../../../../src/features/timelines/sources/timeline-key.ts'
import {
  createTimelines,
  type Timelines,
} from '../../../../src/features/timelines/sources/timelines.ts'
import { createRandom, type Random } from '../../../support/random.ts'
import { testSeed } from '../../../support/seed.ts'
import type { EventJson, PageJson } from '../../../support/timelines-process.ts'
import { createWorld, type World } from '../../../support/world.ts'

const SEED = testSeed('merges of logs')
const POSTS = 300

let world: World
afterEach(() => world.dispose())

type Posted = { uri: string; at: number }

/** The log of one member, in the order in which its node received the records. */
function logOf(random: Random, posts: readonly Posted[], lateBy: number): LoggedEntry[] {
  const received = posts.map(({ uri, at }, i) => {
    const { at: last } = posts[Math.min(posts.length - 1, i + lateBy)]!
    return { uri, at: at + random.below(1 + last - at) }
  })
  received.sort((a, b) => a.at - b.at)
  return received.map(({ uri, at }, i) => ({ uri, at, number: i + 1 }))
}

function logsOver(logs: ReadonlyMap<string, LoggedEntry[]>): FollowingLogs {
  return {
    tipOf: (did) => logs.get(did)!.length,
    async read(did, { at, isForward, limit }) {
      const all = logs.get(did)!
      const beyond = isForward
        ? all.filter(({ number }) => number > at)
        : all.filter(({ number }) => number < at).toReversed()
      return { entries: beyond.slice(0, limit), isEnd: beyond.length <= limit }
    },
  }
}

/** Alice and bob follow carol and dave, of whom alice's log alone has the last. */
function start(random: Random, lateBy: number) {
  world = createWorld({ scope: 'network', members: ['alice', 'bob'] })
  const [alice, bob, carol, dave] = ['alice', 'bob', 'carol', 'dave'].map((name) =>
    world.account(name),
  ) as [string, string, string, string]
  for (const by of [alice, bob]) for (const whom of [carol, dave]) world.follow(by, whom)
  const uris = Array.from({ length: POSTS }, () => world.post(random.pick([carol, dave])).uri)
  const arrivals = world.reader.prepare<[], number>('SELECT at FROM arrivals ORDER BY seq').pluck()
  const posts = arrivals.all().map((at, i) => ({ uri: uris[i]!, at }))
  const logs = new Map([
    [alice, logOf(random, posts, lateBy)],
    [bob, logOf(random, posts.slice(0, -20), lateBy)],
  ])
  const { actors, graph } = world.memory
  const parts = {
    db: world.reader,
    actors,
    graph,
    isDrawn: () => true,
    logs: logsOver(logs),
  }
  const timelines = createTimelines({
    db: world.reader,
    cursors: createCursors(() => [{ id: 1, secret: Buffer.from('secret') }]),
    open: createOpenSource(parts, prepareReaders(parts)),
  })
  return {
    timelines,
    uris: posts.map(({ uri }) => uri),
    key: `following:${alice}+following:${bob}+author:${carol}`,
  }
}

async function read(timelines: Timelines, request: Parameters<Timelines['page']>[0]) {
  return JSON.parse(pageBytes(await timelines.page(request)).toString()) as PageJson
}

type From = { direction: 'forward' | 'backward' } | { cursor: string }
type Walk = { timelines: Timelines; key: string; random: Random }

/** Reads to the end. */
async function walk({ timelines, key, random }: Walk, from: From) {
  const found: EventJson[] = []
  const starts: string[] = []
  for (let next: From | undefined = from; next; ) {
    const page: PageJson = await read(timelines, { key, limit: 1 + random.below(40), ...next })
    found.push(...page.events)
    starts.push(page.prev_cursor!)
    const cursor: string | null = page.next_cursor
    const isOver: boolean = cursor === null || ('cursor' in next && next.cursor === cursor)
    next = isOver || cursor === null ? undefined : { cursor }
  }
  return { uris: found.map(({ entity_id }) => entity_id), starts }
}

test.each([1, 20, 64])('records that come up to %i places apart', async (lateBy) => {
  const random = createRandom(SEED)
  const { timelines, uris, key } = start(random, lateBy)
  const all = uris.toSorted()
  const merged = { timelines, key, random }
  const up = await walk(merged, { direction: 'forward' })
  expect(up.uris.toSorted()).toEqual(all)
  const down = await walk(merged, { direction: 'backward' })
  expect(down.uris.toSorted()).toEqual(all)
  const place = 1 + random.below(up.starts.length - 1)
  const back = await walk(merged, { cursor: up.starts[place]! })
  expect(new Set(back.uris).size).toBe(back.uris.length)
})

/** A server whose only route is the stream of a merge, from a cursor on. */
function serve(timelines: Timelines, key: string) {
  const streams = createStreams({
    feed: { join: never, leave: never, look: () => [] } as never,
    cursors: timelines.cursors,
    begin: () => undefined,
    invalidations: new SharedArrayBuffer(64),
    onError: never,
  })
  const keys = parseTimelineKey(key)
  const caller = { isSpent: () => false, time: { goOn: (run: () => unknown) => run() } }
  const asker = { name: 'reader', isMember: false, caller, isStillWelcome: () => true } as never
  return createServer((request, response) => {
    const from = timelines.cursors.read(key, request.url!.slice(1))
    streams.listen({ keys, sources: timelines.sources(keys), from, asker }, response)
  }).once('close', () => streams.close())
}

function never(): never {
  throw new Error('not expected')
}

type Read = { uris: string[]; last: string }

/** Reads some events, then leaves, as a client whose connection breaks. */
async function readStream(port: number, cursor: string, count: number): Promise<Read> {
  const read: Read = { uris: [], last: cursor }
  const request = get({ port, host: '127.0.0.1', path: `/${cursor}` })
  const response = await new Promise<AsyncIterable<string>>((resolve) => {
    request.once('response', (incomingMessage) => resolve(incomingMessage.setEncoding('utf8')))
  })
  let text = ''
  for await (const chunk of response) {
    const parts = `${text}${chunk}`.split('\n\n')
    text = parts.pop()!
    for (const part of parts) {
      if (read.uris.length === count) break
      read.last = /^id: (.*)$/m.exec(part)?.[1] ?? read.last
      const data = /^data: (.*)$/m.exec(part)?.[1]
      if (data) read.uris.push((JSON.parse(data) as EventJson).entity_id)
    }
    if (read.uris.length === count) break
  }
  request.destroy()
  return read
}

test('a stream that begins where a page ended, and breaks off again and again', async () => {
  const random = createRandom(SEED)
  const { timelines, uris, key } = start(random, 20)
  const server = serve(timelines, key).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  try {
    const page = await read(timelines, { key, limit: 60, direction: 'forward' })
    const found = page.events.map(({ entity_id }) => entity_id)
    for (let cursor = page.next_cursor!; found.length < uris.length; ) {
      const left = uris.length - found.length
      const some = await readStream(port, cursor, Math.min(left, 1 + random.below(30)))
      found.push(...some.uris)
      cursor = some.last
    }
    expect(found.toSorted()).toEqual(uris.toSorted())
  } finally {
    server.close()
  }
})
