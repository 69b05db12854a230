// A short search for costly requests: no method or route holds the serving thread for long, over the worst
// rows, small. Judged by the thread's own processor time, several times what any turn takes here, and less
// than any of the faults took that this machine found. `npm run torture -- --kind costly` runs the long one.

import { expect, test } from 'vitest'
import { queryNames } from '../support/costly/query-names.ts'
import { runCostly } from '../support/costly/run.ts'

const ROWS = 10_000
const BOUND_MS = 200
/** A thousand requests, one after another, on a machine that may do four other things. */
const TIMEOUT_MS = 1_800_000
const SEED = Number(process.env['SEED'] ?? 4_700)
/** Their data would have to be fetched, or they answer no one here. */
const WITHOUT_ANSWERS = 12

test(`no request holds the serving thread for long (seed ${SEED})`, {
  timeout: TIMEOUT_MS,
}, async () => {
  const { findings, longest, statuses } = await runCostly({
    rows: ROWS,
    boundMs: BOUND_MS,
    seeds: [SEED],
    drawn: 1,
    mostOfEach: 5,
  })
  const notified = findings.map(({ request, againMs, hottest }) => ({
    ...request,
    againMs,
    hottest,
  }))
  expect(notified).toEqual([])
  expect(statuses[500]).toBeUndefined()
  expect(statuses[200]).toBeGreaterThan(500)
  const answered = queryNames().filter((nsid) => nsid in longest)
  expect(answered.length).toBeGreaterThan(queryNames().length - WITHOUT_ANSWERS)
  expect(longest['/v1/timelines']).toBeGreaterThan(0)
  expect(longest['/v1/graph/adjacency']).toBeGreaterThan(0)
  for (const requested of [
    '/v1/timelines/stream',
    '/v1/timelines/post',
    '/v1/graphs/costly/adjacency',
    '/profile',
    'app.bsky.bookmark.createBookmark',
    'bsky.Service/getTimeline',
    'bsync.Service/scanOperations',
  ]) {
    expect([requested, longest[requested]]).toEqual([requested, expect.any(Number)])
  }
})
