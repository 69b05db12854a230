// A process's search metrics at /metrics, after searches.

import { expect, test } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { startTimelinesProcess } from '../../support/timelines-process.ts'

test('searches are counted by outcome, with their processor time', async () => {
  const slipstream = await startTimelinesProcess(['ann'], { METRICS: 'open' })
  try {
    await slipstream.start()
    const metric = async (name: string) => {
      const text = await (await fetch(`${slipstream.origin()}/metrics`)).text()
      return text.split('\n').find((line) => line.startsWith(`slipstream_${name} `))
    }
    expect(await metric('searches_total{outcome="ran"}')).toMatch(/ 0$/)
    for (const q of ['one', 'two']) {
      const answer = await slipstream.ask('GET', `/xrpc/app.bsky.feed.searchPosts?q=${q}`)
      expect(answer.status).toBe(200)
    }
    await eventually(
      async () => expect(await metric('searches_total{outcome="ran"}')).toMatch(/ [234]$/),
      { pollMs: 300 },
    )
    expect(await metric('searches_total{outcome="refused"}')).toMatch(/ 0$/)
    expect(await metric('searches_total{outcome="given-up"}')).toMatch(/ 0$/)
    expect(await metric('searches_waiting')).toMatch(/ 0$/)
    // One search of nothing may take less than the thread's clock can tell.
    await eventually(
      async () => {
        await slipstream.ask('GET', '/xrpc/app.bsky.feed.searchPosts?q=three')
        expect(await metric('search_seconds_total')).toMatch(/ [\d.e-]*[1-9]/)
      },
      { pollMs: 300 },
    )
  } finally {
    await slipstream.close()
  }
})
