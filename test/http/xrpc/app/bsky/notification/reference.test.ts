// Random worlds in which every account is a member: our listNotifications, compared with the reference's own
// handler, hydrator and views over the same notifications.

import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createNotifications } from '../../../../../../src/answers/skeleton/notifications.ts'
import { unpackRkey } from '../../../../../../src/base/atproto/keys.ts'
import type { Db } from '../../../../../../src/data/store/db.ts'
import { reasonOf } from '../../../../../../src/data/store/notifications/notification-reasons.ts'
import { subjectCollectionOf } from '../../../../../../src/data/store/notifications/notification-subjects.ts'
import { listNotifications } from '../../../../../../src/http/xrpc/app/bsky/notification/listNotifications.ts'
import type { AppContext } from '../../../../../../src/http/xrpc/app-context.ts'
import { createCall } from '../../../../../../src/http/xrpc/call.ts'
import { type HydratedWorld, hydrateWorld, overTheWire } from '../../../../../support/hydration.ts'
import { indexWorld } from '../../../../../support/indexed-world.ts'
import { createRandom } from '../../../../../support/random.ts'
import { randomWorld } from '../../../../../support/random-world.ts'
import {
  type Reference,
  referenceHome,
  referenceIsInstalled,
  referenceOver,
} from '../../../../../support/reference-appview.ts'
import type { World } from '../../../../../support/social-world.ts'

const FIRST_SEED = Number(process.env['SEED'] ?? 1)
const SEEDS = Array.from({ length: Number(process.env['SEEDS'] ?? 4) }, (_, i) => FIRST_SEED + i)
const STEPS = 500
const REASONS = ['like', 'repost', 'follow', 'reply', 'quote', 'mention']

if (!referenceIsInstalled) {
  console.warn('SKIPPED: no reference to compare with; run npm ci in test/e2e')
}

type Params = { limit: number; cursor?: string; priority?: boolean; reasons?: string[] }
type Answer = { notifications: { reason: string }[]; cursor?: string }
type Handler = (request: object) => Promise<{ body: Answer }>
type Row = {
  sortAt: number
  reason: number
  author: string
  collection: string
  rkey: Buffer | string
  subjectCollection: number | null
  subjectRkey: Buffer | string | null
}

const seen = new Set<string>()

describe.skipIf(!referenceIsInstalled)('lists the same as the reference', () => {
  test.each(SEEDS)('in the world with seed %i', async (seed) => {
    const random = createRandom(seed)
    const world = randomWorld(random, STEPS)
    const members = [...world.accounts.keys()]
    const ours = hydrateWorld(world, (db, complete) => indexWorld(db, complete, members))
    const reference = await referenceOver(world, ours.written.order)
    for (const viewer of members.filter((did) => ours.written.uid(did) !== 0)) {
      const lastSeen = random.chance(0.5) ? Date.UTC(2026, 0, 1, random.below(9)) : undefined
      setSeen(ours, viewer, lastSeen)
      const handler = await referenceHandler({ world, ours, reference, viewer, lastSeen })
      for (const params of [{ limit: 100 }, { limit: 100, priority: true }]) {
        const mine = answerOf(ours, viewer, params)
        const { body } = await handler({ params, auth: { credentials: { iss: viewer } } })
        expect(body.notifications.length).toBeLessThan(100)
        expect(inOrder(overTheWire(mine)), viewer).toEqual(inOrder(overTheWire(body)))
        for (const { reason } of mine.notifications) seen.add(reason)
      }
    }
    ours.close()
  })

  test('covering most reasons', () => {
    expect(REASONS.filter((reason) => !seen.has(reason))).toEqual([])
  })
})

/** Sorts the notifications, since those of one moment have no defined order. */
function inOrder(answer: unknown): unknown {
  const { notifications, ...rest } = answer as Answer & {
    notifications: { indexedAt: string; uri: string }[]
  }
  const position = (item: { indexedAt: string; uri: string; reason: string }) =>
    `${item.indexedAt} ${item.uri} ${item.reason}`
  return {
    ...rest,
    notifications: [...notifications].sort((a, b) => (position(a) < position(b) ? 1 : -1)),
  }
}

function setSeen({ writer, written }: HydratedWorld, viewer: string, at: number | undefined): void {
  writer
    .prepare('UPDATE notification_settings SET seen_at = ? WHERE uid = ?')
    .run(at ?? null, written.uid(viewer))
}

function answerOf(
  { db, hydrator, written }: HydratedWorld,
  viewer: string,
  params: Params,
): Answer {
  const { actors, graph } = written
  const notifications = createNotifications({ db, graph })
  const moderationServices = new Set<string>()
  const app = { actors, hydrator, notifications, moderationServices } as unknown as AppContext
  const request = { viewer, params, input: undefined, labelers: undefined, token: undefined }
  const context = {
    ...request,
    signal: new AbortController().signal,
    header: () => undefined,
    headersWith: () => ({}),
  }
  const { body } = listNotifications.handler(app, createCall(app, context)) as { body: Answer }
  return body
}

/** The reference's handler, over every notification that the index holds. */
async function referenceHandler(options: {
  world: World
  ours: HydratedWorld
  reference: Reference
  viewer: string
  lastSeen: number | undefined
}): Promise<Handler> {
  const { world, ours, reference, viewer, lastSeen } = options
  const { hydrator, views, context } = reference
  const all = rowsOf(ours.writer, viewer)
  const follows = new Set(
    world
      .of('app.bsky.graph.follow')
      .filter(({ did }) => did === viewer)
      .map(({ value }) => value['subject']),
  )
  const { dataplane } = hydrator as unknown as { dataplane: Record<string, unknown> }
  const records = dataplane['getListRecords']
  Object.assign(dataplane, {
    getLikeRecords: records,
    getFollowRecords: records,
    getVerificationRecords: records,
    getNotificationSeen: async () =>
      lastSeen === undefined ? {} : { timestamp: { toDate: () => new Date(lastSeen) } },
    getNotifications: async ({ priority }: { priority: boolean }) => ({
      notifications: all
        .filter(({ reasonSubject }) => !reasonSubject || world.records.has(reasonSubject))
        .filter(({ uri }) => !priority || follows.has(uri.split('/')[2])),
    }),
  })
  Object.assign(hydrator, { createContext: async () => context(viewer) })
  const module = (await import(
    join(referenceHome, 'api/app/bsky/notification/listNotifications.js')
  )) as { default: (server: object, ctx: object) => void }
  let handler: Handler | undefined
  const server = { add: (_: unknown, method: { handler: Handler }) => (handler = method.handler) }
  module.default(server, {
    hydrator,
    views,
    authVerifier: { standard: undefined },
    reqLabelers: () => ({ dids: [], redact: new Set() }),
    cfg: { notificationsDelayMs: 0, threadTagsHide: new Set() },
  })
  return handler!
}

function rowsOf(db: Db, viewer: string) {
  const rows = db
    .prepare<[string], Row>(
      `SELECT n.sort_at AS sortAt, n.reason, a.did AS author, n.rkey,
        CASE n.collection WHEN 2 THEN 'app.bsky.feed.post' WHEN 3 THEN 'app.bsky.feed.repost'
          WHEN 4 THEN 'app.bsky.feed.like' WHEN 7 THEN 'app.bsky.graph.follow' END AS collection,
        n.subject_collection AS subjectCollection, n.subject_rkey AS subjectRkey
      FROM notifications n JOIN actors a ON a.uid = n.author
      JOIN actors me ON me.uid = n.uid WHERE me.did = ? ORDER BY n.sort_at DESC, n.id DESC`,
    )
    .all(viewer)
  return rows.map((row) => ({
    uri: `at://${row.author}/${row.collection}/${unpackRkey(row.rkey)}`,
    reason: reasonOf(row.reason),
    reasonSubject:
      row.subjectRkey === null
        ? undefined
        : `at://${viewer}/${subjectCollectionOf(row.subjectCollection!)}/${unpackRkey(row.subjectRkey)}`,
    timestamp: { toDate: () => new Date(row.sortAt) },
  }))
}
