// A process's bytes at /metrics and while it reads a stream, and in its rows after a stop.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { openReader } from '../../../src/data/store/db.ts'
import { streamBytes } from '../../../src/data/store/stream/stream-bytes.ts'
import { eventually, until } from '../../support/eventually.ts'
import { cidOf } from '../../support/records.ts'
import { startTimelinesProcess, type TimelinesProcess } from '../../support/timelines-process.ts'

let slipstream: TimelinesProcess

beforeAll(async () => {
  slipstream = await startTimelinesProcess(['ann', 'bob'], { METRICS: 'open' })
  await slipstream.start()
  await until(() => slipstream.double.openConnections() > 0)
})
afterAll(() => slipstream.close())

async function metric(name: string, labels: string): Promise<number | undefined> {
  const text = await (await fetch(`${slipstream.origin()}/metrics`)).text()
  const value = new RegExp(`^slipstream_${name}\\{${labels}\\} (.*)$`, 'm').exec(text)?.[1]
  return value === undefined ? undefined : Number(value)
}

test('bytes are shown by host, wire and use, and by collection', async () => {
  const likes = 'kind="app.bsky.feed.like",form='
  const before = (await metric('stream_frame_bytes_total', `${likes}"plain"`)) ?? 0
  for (let i = 0; i < 50; i++) {
    const uri = `at://${slipstream.didOf('ann')}/app.bsky.feed.post/3lb${i}`
    slipstream.emit('bob', 'app.bsky.feed.like', { subject: { uri, cid: cidOf(uri) } })
  }
  await eventually(async () => {
    const plain = await metric('stream_frame_bytes_total', `${likes}"plain"`)
    expect(plain).toBeGreaterThan(before + 50 * 200)
  })
  const received = await metric('stream_frame_bytes_total', `${likes}"received"`)
  const source = `host="${slipstream.double.url}",wire="v2",use="stream"`
  expect(await metric('stream_socket_bytes_total', source)).toBeGreaterThan(received!)
})

test('what connections receive and send is counted, while they are open and after', async () => {
  const url = `${slipstream.origin()}/xrpc/_health`
  const sent = async () => (await metric('connection_bytes_total', 'direction="sent"')) ?? 0
  const received = () => metric('connection_bytes_total', 'direction="received"')
  const before = await sent()
  const headers = { 'x-padding': 'x'.repeat(5_000) }
  for (const connection of ['keep-alive', 'close']) {
    for (let i = 0; i < 20; i++) await fetch(url, { headers: { ...headers, connection } })
  }
  await eventually(async () => {
    expect(await received()).toBeGreaterThan(40 * 5_000)
    expect(await sent()).toBeGreaterThan(before + 40 * 100)
  })
})

test('a stop saves them, and the figures are read without a server', async () => {
  const dataDir = slipstream.settings.DATA_DIR
  await slipstream.stop()
  const db = openReader(dataDir)
  const { today, sources, collections } = streamBytes(db, Date.now())
  db.close()
  expect(sources).toMatchObject([{ host: slipstream.double.url, wire: 'v2', use: 'stream' }])
  expect(today).toBeGreaterThan(1000)
  expect(collections.map(({ kind }) => kind)).toContain('app.bsky.feed.like')
})
