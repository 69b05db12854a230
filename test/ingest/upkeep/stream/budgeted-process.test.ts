// A process whose stream leaves out strangers’ likes: what it asks of its host, before and after kill -9, and
// what it shows.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { putStreamChoice } from '../../../../src/data/store/stream/stream-choices.ts'
import { openEmpty } from '../../../support/empty-database.ts'
import { eventually } from '../../../support/eventually.ts'
import { startTimelinesProcess, type TimelinesProcess } from '../../../support/timelines-process.ts'

const LIKES = 'collections=app.bsky.feed.like'
let slipstream: TimelinesProcess

beforeAll(async () => {
  const settings = { INDEX_SCOPE: 'community', STREAM_BUDGET_GB_MONTH: '1', METRICS: 'open' }
  slipstream = await startTimelinesProcess(['ann', 'bob'], settings)
  const db = openEmpty(slipstream.settings.DATA_DIR)
  putStreamChoice(db, Date.now(), { level: 1, resume: undefined })
  db.close()
  await slipstream.start()
})
afterAll(() => slipstream.close())

function openUrls(): string[] {
  return slipstream.double.connections().flatMap(({ open, url }) => (open ? [url] : []))
}

async function expectTwoStreams(): Promise<void> {
  await eventually(() => {
    const urls = openUrls()
    expect(urls).toHaveLength(2)
    const [main] = urls.filter((url) => !url.includes('dids='))
    const [authors] = urls.filter((url) => url.includes('dids='))
    expect(main).not.toContain(LIKES)
    expect(main).toContain('collections=app.bsky.feed.post')
    expect(authors).toContain(LIKES)
    expect(authors).not.toContain('collections=app.bsky.feed.post')
    for (const name of ['ann', 'bob']) expect(authors).toContain(`dids=${slipstream.didOf(name)}`)
  })
}

test('likes are asked of members alone, all else of everybody, also after a kill', async () => {
  await expectTwoStreams()
  await slipstream.kill()
  await eventually(() => expect(openUrls()).toEqual([]))
  await slipstream.start()
  await expectTwoStreams()
})

test('the metrics show what is left out', async () => {
  await eventually(async () => {
    const text = await (await fetch(`${slipstream.origin()}/metrics`)).text()
    expect(text).toMatch(/^slipstream_stream_left_out_level 1$/m)
  })
})
