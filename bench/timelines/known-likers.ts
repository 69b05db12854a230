// What known likers add to a page of getTimeline: the handler alone, beside one in the same process to which nobody
// is a known liker, in turns. `warm` is a page whose views are cached but that is not kept whole, `kept` one that is
// asked for again unchanged, and `noted` one where six posts of the network get new counts in between. Each post of
// the page and each root has likes of a dozen accounts.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHydrator } from '../../src/answers/hydrate/hydrator.ts'
import { createMediaUrls } from '../../src/answers/views/media-urls.ts'
import { loadConfig } from '../../src/base/config/config.ts'
import { INVALIDATION } from '../../src/data/shared-memory/invalidation-kinds.ts'
import { type Db, openReader, openWriter } from '../../src/data/store/db.ts'
import { createRandom } from '../../test/support/random.ts'
import { didOf } from '../../test/support/records.ts'
import {
  type Ask,
  addViewer,
  createAsking,
  createMemory,
  likeFirstPages,
  type Memory,
  seed,
} from '../get-timeline.ts'
import { quantile } from '../runner/quantile.ts'
import type { BenchOptions, BenchResult } from '../runner/result.ts'
import { onceNs } from '../support/cpu-time.ts'

const VIEWERS = [
  { name: 'quiet_20', follows: 20, from: 0 },
  { name: 'follows_100', follows: 100, from: 1000 },
  { name: 'follows_1000', follows: 1000, from: 1000 },
  { name: 'follows_5000', follows: 5000, from: 1000 },
]
const PAGES_A_TURN = 50
const WARM_UP = 400
const NOTES_A_PAGE = 6

type Contestants = { with: Ask; without: Ask }

export function bench({ full }: BenchOptions): BenchResult[] {
  const dataDir = mkdtempSync(join(tmpdir(), 'slipstream-bench-'))
  const db = openWriter(dataDir)
  const memory = createMemory()
  seed(db, memory, { busy: 6_000, postsEach: 20 })
  const viewers = VIEWERS.map(({ name }) => didOf(name))
  for (const { name, ...followed } of VIEWERS) addViewer(db, memory, didOf(name), followed)
  likeFirstPages(db, memory, viewers)
  const reader = openReader(dataDir)
  const turns = full ? 80 : 24
  const results = [false, true].flatMap((cachesPages) => {
    const ask = contestants(reader, memory, cachesPages)
    return VIEWERS.flatMap(({ name }) => measureViewer(memory, ask, { name, cachesPages, turns }))
  })
  reader.close()
  db.close()
  rmSync(dataDir, { recursive: true, force: true })
  return results
}

function contestants(db: Db, memory: Memory, cachesPages: boolean): Contestants {
  const urls = createMediaUrls(loadConfig({}, '/nonexistent/.env'))
  const hydrator = createHydrator({ ...memory, db, urls })
  const knownLikers = { ...hydrator.knownLikers, lists: () => new Map() }
  return {
    with: createAsking(db, memory, undefined, { hydrator, cachesPages }),
    without: createAsking(db, memory, undefined, {
      hydrator: { ...hydrator, knownLikers },
      cachesPages,
    }),
  }
}

function measureViewer(
  memory: Memory,
  ask: Contestants,
  { name, cachesPages, turns }: { name: string; cachesPages: boolean; turns: number },
): BenchResult[] {
  const did = didOf(name)
  const random = createRandom(3)
  const note = () => {
    for (let i = 0; i < NOTES_A_PAGE; i++) {
      memory.invalidations.add(INVALIDATION.counts, random.below(100_000), 0)
    }
  }
  if (cachesPages) return inTurns(`${name}.kept`, ask, { turns, did, before: () => undefined })
  return [
    ...inTurns(`${name}.warm`, ask, { turns, did, before: () => undefined }),
    ...inTurns(`${name}.noted`, ask, { turns, did, before: note }),
  ]
}

/** @returns a page's time with known likers, and the middle of the ratios of neighbouring turns */
function inTurns(
  name: string,
  ask: Contestants,
  { turns, did, before }: { turns: number; did: string; before: () => void },
): BenchResult[] {
  const pages = (ask: Ask) => () => {
    for (let i = 0; i < PAGES_A_TURN; i++) {
      before()
      ask(did)
    }
  }
  for (let i = 0; i < WARM_UP / PAGES_A_TURN; i++) {
    pages(ask.with)()
    pages(ask.without)()
  }
  const times: number[] = []
  const ratios: number[] = []
  for (let turn = 0; turn < turns; turn++) {
    const isFirst = turn % 2 === 0
    const first = onceNs(PAGES_A_TURN, pages(isFirst ? ask.with : ask.without))
    const second = onceNs(PAGES_A_TURN, pages(isFirst ? ask.without : ask.with))
    times.push(isFirst ? first : second)
    ratios.push(isFirst ? first / second : second / first)
  }
  const figure = `knownLikers.${name}`
  return [
    {
      name: `${figure}.ms`,
      value:
        quantile(
          times.toSorted((a, b) => a - b),
          0.5,
        ) / 1e6,
      unit: 'ms',
    },
    {
      name: `${figure}.ratio`,
      value: quantile(
        ratios.toSorted((a, b) => a - b),
        0.5,
      ),
      unit: '',
    },
  ]
}
