// A reading thread that presents fragments all the time, and on request compares all of its output with views
// built from scratch. See test/answers/cache/threads.test.ts.

import { deepStrictEqual } from 'node:assert/strict'
import { workerData } from 'node:worker_threads'
import { openFollowGraph } from '@slipstream/follow-graph'
import { createViewCache } from '../../src/answers/cache/view-cache.ts'
import { createHydrator } from '../../src/answers/hydrate/hydrator.ts'
import { createReader } from '../../src/answers/hydrate/reader.ts'
import { jsonBytes } from '../../src/answers/views/json/ready-json.ts'
import { createMediaUrls } from '../../src/answers/views/media-urls.ts'
import { feedViewPost } from '../../src/answers/views/posts/feed-view-post.ts'
import { openActorTable } from '../../src/data/graph/actor-table.ts'
import { InvalidationReader } from '../../src/data/shared-memory/invalidation-ring.ts'
import { openReader } from '../../src/data/store/db.ts'
import { postItem, repostItem } from '../../src/data/store/timelines/item-ids.ts'
import { CONTROL, ORDER, type ReaderData } from './view-cache-reader-control.ts'

const { dataDir, viewers, ...shared } = workerData as ReaderData
const control = new Int32Array(shared.control)
const db = openReader(dataDir)
const actors = openActorTable(shared.actors)
const graph = openFollowGraph(shared.graph)
const urls = createMediaUrls({
  imageUrlPattern: 'https://i.test/{preset}/{did}/{cid}',
  videoPlaylistUrlPattern: 'https://v.test/{did}/{cid}',
  videoThumbnailUrlPattern: 'https://t.test/{did}/{cid}',
})
const newHydrator = () => createHydrator({ db, actors, graph, urls })
const viewCache = createViewCache({
  hydrator: newHydrator(),
  invalidations: new InvalidationReader(shared.invalidations),
  maxBytes: 96 << 20,
})

function allItems(): number[] {
  const ids = (table: string) => db.prepare<[], number>(`SELECT id FROM ${table}`).pluck().all()
  return [...ids('posts').map(postItem), ...ids('reposts').map(repostItem)]
}

function present(did: string, items: number[]): unknown[] {
  const views = viewCache.items(items, createReader({ did, uid: actors.uidOf(did) }))
  Atomics.add(control, CONTROL.presented, 1)
  return views.map((view) => view && JSON.parse(jsonBytes(view).toString()))
}

function compare(did: string): void {
  const items = allItems()
  const state = newHydrator().feed(items, createReader({ did, uid: actors.uidOf(did) }), {
    knownLikers: 'roots',
  })
  const views = items.map((item) => feedViewPost(state, item))
  const plain = views.map((view) => view && JSON.parse(JSON.stringify(view)))
  try {
    deepStrictEqual(present(did, items), plain)
  } catch (error) {
    console.error(error)
    Atomics.add(control, CONTROL.differences, 1)
  }
}

for (;;) {
  const order = Atomics.load(control, CONTROL.order)
  if (order === ORDER.stop) break
  if (order === ORDER.present) for (const did of viewers) present(did, allItems())
  else {
    for (const did of viewers) compare(did)
    Atomics.compareExchange(control, CONTROL.order, ORDER.compare, ORDER.present)
    Atomics.add(control, CONTROL.answers, 1)
    Atomics.notify(control, CONTROL.answers)
  }
}
db.close()
