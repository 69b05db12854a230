// Fills a data folder with the worst rows and the private state of their member.

import { openSeeder } from '../../../bench/world/seeding.ts'
import { HOUR_MS, MINUTE_MS } from '../../../src/base/util/durations.ts'
import type { IndexContext } from '../../../src/ingest/indexing/index-context.ts'
import { bookmark, mute, muteList } from '../../../src/ingest/indexing/members/private-state.ts'
import { applyLabels } from '../../../src/ingest/indexing/moderation/label.ts'
import { createActs, crowd } from './acts.ts'
import { type Cast, HERMIT, LABELER, MEMBER, MEMBERS, WHALE, worstEvents } from './worst-rows.ts'

const AWAY_MS = 10 * MINUTE_MS
/** Within what the server keeps, and long enough that only few records share a moment unless they are to. */
const PAST_MS = 40 * HOUR_MS
/** More than there are. */
const EVENTS_A_ROW = 35
const FEWEST_EVENTS = 50_000
const LABELS_OF_ONE = 20

/** @param rows - how many there are of what there may be most of */
export function fillDataFolder(dataDir: string, rows: number, isSearchable = false): Cast {
  const cast: Cast = {
    actors: [],
    posts: [],
    large: [],
    lists: [],
    ownLists: [],
    feeds: [],
    packs: [],
    many: [],
    rows,
  }
  const seeder = openSeeder(dataDir, 'network')
  const acts = createActs({
    startUs: (Date.now() - AWAY_MS - PAST_MS) * 1000,
    stepUs: Math.floor((PAST_MS * 1000) / (rows * EVENTS_A_ROW + FEWEST_EVENTS)),
  })
  seeder.addMembers(MEMBERS)
  seeder.fillFollows(follows(rows))
  seeder.apply(worstEvents({ acts, cast, rows }))
  seeder.run((ctx) => writePrivateState(ctx, cast, rows))
  seeder.finish({ isSearchable })
  return cast
}

function* follows(rows: number): Generator<[string, string]> {
  for (let i = 0; i < rows; i++) {
    yield [crowd(i), WHALE]
    yield [WHALE, crowd(i)]
    yield [HERMIT, crowd(i)]
    if (i < rows / 2) yield [MEMBER, crowd(i)]
  }
}

function writePrivateState(ctx: IndexContext, { posts, large, lists }: Cast, rows: number): void {
  for (let i = 0; i < rows; i += 2) mute(ctx, MEMBER, crowd(i))
  for (const list of lists) muteList(ctx, MEMBER, list)
  for (const uri of [...posts, ...large])
    bookmark(ctx, MEMBER, {
      uri,
      cid: 'bafyreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku',
    })
  const cts = new Date(ctx.now).toISOString()
  for (let i = 0; i < rows / 10; i++) {
    const labels = Array.from({ length: LABELS_OF_ONE }, (_, n) => ({
      uri: crowd(i),
      val: `label-${n}`,
      neg: false,
      cts,
      cid: undefined,
      exp: undefined,
    }))
    applyLabels(ctx, LABELER, labels)
  }
}
