// A lower quality in a process with two serving threads, one of which encodes: it is made whichever thread is
// asked, and the other lists it too.

import { readFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type BlobHost, startBlobHost } from '../../support/blob-host.ts'
import { eventually } from '../../support/eventually.ts'
import { startTimelinesProcess, type TimelinesProcess } from '../../support/timelines-process.ts'

/** Only for hangs: the encoder yields to everything else on the machine. */
const TIMEOUT_MS = 1_800_000
const PATIENT = { withinMs: TIMEOUT_MS - 60_000, pollMs: 250 }
const MAX_CONNECTIONS = 200

let slipstream: TimelinesProcess
let host: BlobHost
let files = 0

beforeEach(async () => {
  host = await startBlobHost()
  slipstream = await startTimelinesProcess(['ann'], {
    VIDEOS: 'own',
    VIDEO_LOWER_QUALITIES: '144',
    SERVE_THREADS: '2',
  })
  slipstream.plc.edit(slipstream.didOf('ann'), ({ service, ...document }) => ({
    ...document,
    service: [{ ...(service as object[])[0]!, serviceEndpoint: host.url }],
  }))
  await slipstream.start()
})
afterEach(async () => {
  await slipstream.close()
  await host.close()
})

/** A different one each time, with a header that claims four times the width and height. */
function video(): string {
  const bytes = readFileSync(join(import.meta.dirname, '../../fixtures/video/silent.mp4'))
  const size = bytes.indexOf('avc1', bytes.indexOf('stsd')) + 4 + 24
  bytes.writeUInt16BE(256, size)
  bytes.writeUInt16BE(256, size + 2)
  files += 1
  return host.put(Buffer.concat([bytes, Buffer.alloc(8 * files)]))
}

/** A connection to one of the threads, kept open by the server for all its answers. */
function connect() {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  return {
    ask: (path: string) =>
      new Promise<{ status: number; text: string }>((resolve, reject) => {
        const url = `${slipstream.origin()}/video/${slipstream.didOf('ann')}/${path}`
        get(url, { agent }, async (response) => {
          const text = (await response.toArray()).join('')
          resolve({ status: response.statusCode ?? 0, text })
        }).on('error', reject)
      }),
    close: () => agent.destroy(),
  }
}

type Connection = ReturnType<typeof connect>

async function qualitiesOf(connection: Connection, cid: string): Promise<string[]> {
  const { status, text } = await connection.ask(`${cid}/playlist.m3u8`)
  expect(status, text).toBe(200)
  return text.split('\n').filter((line) => line.endsWith('video.m3u8'))
}

/** Each thread remembers refused videos separately, which tells them apart. */
async function isElsewhere(connection: Connection, other: Connection): Promise<boolean> {
  files += 1
  const cid = host.put(Buffer.from(`no video ${files}`))
  expect((await connection.ask(cid)).status).toBe(400)
  const before = host.requests()
  expect((await other.ask(cid)).status).toBe(400)
  return host.requests() > before
}

async function connectElsewhere(connection: Connection): Promise<Connection> {
  for (let i = 0; i < MAX_CONNECTIONS; i++) {
    const other = connect()
    if (await isElsewhere(connection, other)) return other
    other.close()
  }
  throw new Error('all connections reached the same thread')
}

test('a quality requested at one thread is available at both', {
  timeout: TIMEOUT_MS,
}, async () => {
  let here = connect()
  for (const round of ['one', 'the other']) {
    const cid = video()
    await eventually(async () => {
      expect(await qualitiesOf(here, cid), round).toEqual(['0/video.m3u8', '144/video.m3u8'])
    }, PATIENT)
    const there = await connectElsewhere(here)
    expect(await qualitiesOf(there, cid), round).toHaveLength(2)
    const { status, text } = await there.ask(`${cid}/144/video.m3u8`)
    expect([status, text]).toEqual([200, expect.stringContaining('0.m4s')])
    here.close()
    here = there
  }
  here.close()
})
