// Pages that are made after the start before anyone asks: whose, what they leave behind, and how they end.

import { afterEach, expect, test } from 'vitest'
import type { Logger } from '../../../src/base/obs/log.ts'
import { threadMs } from '../../../src/base/util/thread-time.ts'
import type { AppContext } from '../../../src/http/xrpc/app-context.ts'
import { warmUp } from '../../../src/http/xrpc/warm-up.ts'
import { eventually } from '../../support/eventually.ts'
import { didOf } from '../../support/records.ts'
import { createServingWorld, type ServingWorld } from '../../support/serving-world.ts'

const TIMELINE = 'app.bsky.feed.getTimeline'

const [alice, bob, carol] = ['alice', 'bob', 'carol'].map(didOf) as [string, string, string]

let world: ServingWorld | undefined
let warming: { close(): void } | undefined
afterEach(() => {
  warming?.close()
  world?.dispose()
})

/** Both members follow Carol, and Bob was seen last. */
function start() {
  const w = createServingWorld({ members: ['alice', 'bob'], queuesFetchRequests: true })
  world = w
  w.follow(alice, carol)
  w.follow(bob, carol)
  for (let i = 0; i < 40; i++) w.post(carol, `post ${i}`)
  const seen = w.world.db.prepare('UPDATE members SET last_seen_at = ? WHERE uid = ?')
  seen.run(2_000, w.uid(bob))
  seen.run(1_000, w.uid(alice))
  return w
}

/** Notes whose timelines are read, and fails from the given page on. */
function watched(app: AppContext, failsAt = Infinity) {
  const viewers: number[] = []
  const limits: number[] = []
  const timelineSteps: AppContext['timelineSteps'] = (request) => {
    viewers.push(request.viewer)
    limits.push(request.limit)
    if (viewers.length >= failsAt) throw new Error('no such page')
    return app.timelineSteps(request)
  }
  return { app: { ...app, timelineSteps }, viewers, limits, ...createLog() }
}

/** What was logged: a message, and the error. */
function createLog() {
  const lines: [string, unknown][] = []
  const error = ({ err }: { err: unknown }, message: string) => lines.push([message, err])
  return { lines, log: { error } as unknown as Pick<Logger, 'error'> }
}

test('members’ pages are made before they ask, of those seen last first', async () => {
  const w = start()
  const { app, viewers, limits, log, lines } = watched(w.app)
  warming = warmUp(app, log)
  expect(viewers).toEqual([])
  // The first member's page grows, so that no turn does all that is done once.
  const ofBob = Array.from({ length: 6 }, () => w.uid(bob))
  await eventually(() => expect(viewers).toEqual([...ofBob, w.uid(alice)]))
  expect(limits).toEqual([...limits].sort((first, other) => first - other))
  expect(limits[0]).toBe(1)
  const before = w.app.viewCache.usage()
  for (const did of [alice, bob]) {
    const { feed } = await w.get<{ feed: unknown[] }>(TIMELINE, { limit: 30 }, did)
    expect(feed.length).toBe(30)
  }
  const after = w.app.viewCache.usage()
  expect(after.hits - before.hits).toBe(60)
  expect(after.misses).toBe(before.misses)
  expect(lines).toEqual([])
})

test('a page that nobody asked for makes nobody fetch what it lacks', async () => {
  const w = start()
  const { app, viewers, log } = watched(w.app)
  warming = warmUp(app, log)
  await eventually(() => expect(new Set(viewers).size).toBe(2))
  expect(w.sent).toEqual([])
  await w.get(TIMELINE, {}, alice)
  await eventually(() => expect(w.sent.map(({ kind }) => kind)).toContain('fetch-requested'))
})

test('a page that takes long hands the thread back between its steps', async () => {
  const w = start()
  let turns = 0
  const next = setInterval(() => turns++, 0)
  const seen: number[] = []
  const timelineHeads: AppContext['timelineHeads'] = () =>
    (function* () {
      for (let i = 0; i < 3; i++) {
        const before = threadMs()
        while (threadMs() - before < 40);
        seen.push(turns)
        yield
      }
      return { until: 0, heads: [], first: undefined as never }
    })()
  const { app, log } = watched({ ...w.app, timelineHeads })
  warming = warmUp(app, log)
  await eventually(() => expect(seen.length).toBeGreaterThan(2))
  clearInterval(next)
  expect(seen[2]).toBeGreaterThan(seen[0]!)
})

test('the first page that fails is reported, and is the last', async () => {
  const w = start()
  const { app, viewers, log, lines } = watched(w.app, 1)
  warming = warmUp(app, log)
  const expected = ['a page could not be made in advance', new Error('no such page')]
  await eventually(() => expect(lines).toEqual([expected]))
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(viewers.length).toBe(1)
})

test('it ends quietly when the server closes', async () => {
  const w = start()
  const { app, viewers, log, lines } = watched(w.app)
  warmUp(app, log).close()
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(viewers).toEqual([])
  expect(lines).toEqual([])
})
