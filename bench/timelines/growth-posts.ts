// How a page of the home timeline grows with the posts in the database and with the accounts that its reader
// follows: the page again (from the ring and cached views), with nothing cached, and from rows, as below the
// ring's end. Handler alone, without HTTP, on the database of get-timeline.ts. Drawn by write-plots.ts, like
// growth.ts.

import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { INVALIDATION } from '../../src/data/shared-memory/invalidation-kinds.ts'
import { openReader, openWriter } from '../../src/data/store/db.ts'
import { didOf } from '../../test/support/records.ts'
import { addViewer, createAsking, createMemory, seed } from '../get-timeline.ts'
import type { BenchOptions, BenchResult } from '../runner/result.ts'
import { bestNs } from '../support/cpu-time.ts'

const PAGES = 100
const FOLLOWS = 1_000
const AUTHORS = 2_000
/** Of a busy author's items, three quarters are posts. The quiet accounts of the seed have 4,000 in all. */
const POSTS_OF_ITEMS = 0.75
const QUIET_ACCOUNTS = 1_000
const QUIET_POSTS = 4_000

export function bench({ full, wants }: BenchOptions): BenchResult[] {
  const results: BenchResult[] = []
  for (let power = 4; wants('growth.posts') && power <= (full ? 6 : 5); power++) {
    const items = (10 ** power - QUIET_POSTS) / POSTS_OF_ITEMS
    const postsEach = Math.ceil(items / AUTHORS)
    const name = `growth.posts.1e${power}`
    results.push(...inWorld({ busy: AUTHORS, postsEach }, (world) => measurePosts(world, name)))
  }
  if (wants('growth.follows')) {
    const most = full ? 5 : 4
    const powers = Array.from({ length: most }, (_, i) => i + 1)
    results.push(
      ...inWorld({ busy: 10 ** most, postsEach: 3 }, (world) =>
        powers.flatMap((power) => measureReader(world, 10 ** power, `growth.follows.1e${power}`)),
      ),
    )
  }
  return results
}

type World = {
  dataDir: string
  db: ReturnType<typeof openWriter>
  memory: ReturnType<typeof createMemory>
}

function inWorld(
  size: { busy: number; postsEach: number },
  measure: (world: World) => BenchResult[],
): BenchResult[] {
  const dataDir = mkdtempSync(join(tmpdir(), 'slipstream-bench-'))
  const db = openWriter(dataDir)
  const memory = createMemory()
  seed(db, memory, size)
  const results = measure({ dataDir, db, memory })
  db.close()
  rmSync(dataDir, { recursive: true, force: true })
  return results
}

function measurePosts(world: World, name: string): BenchResult[] {
  const { dataDir, db } = world
  db.pragma('wal_checkpoint(TRUNCATE)')
  const bytes = statSync(join(dataDir, 'slipstream.sqlite')).size
  const count = db.prepare<[], number>('SELECT count(*) FROM posts').pluck().get()!
  const perPost = { name: `${name}.disk.bytes`, value: bytes / count, unit: 'B' }
  return [perPost, ...measureReader(world, FOLLOWS, name)]
}

/** A reader of the busy authors. */
function measureReader({ dataDir, db, memory }: World, follows: number, name: string) {
  const viewer = didOf(name)
  addViewer(db, memory, viewer, { follows, from: QUIET_ACCOUNTS })
  const reader = openReader(dataDir)
  const ask = createAsking(reader, memory)
  const page = () => ask(viewer)
  const anew = () => {
    memory.invalidations.add(INVALIDATION.everything, 0, 0)
    ask(viewer)
  }
  const again = millisecondsOf(page)
  const uncached = millisecondsOf(anew)
  memory.timelines.close(memory.actors.uidOf(viewer))
  const fromRows = millisecondsOf(page)
  reader.close()
  return [
    { name: `${name}.page_again.ms`, value: again, unit: 'ms' },
    { name: `${name}.page_uncached.ms`, value: uncached, unit: 'ms' },
    { name: `${name}.page_from_rows.ms`, value: fromRows, unit: 'ms' },
  ]
}

function millisecondsOf(page: () => unknown): number {
  const ns = bestNs(PAGES, () => {
    for (let i = 0; i < PAGES; i++) page()
  })
  return ns / 1e6
}
