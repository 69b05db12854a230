// Watch counts in a real process: on two serving threads and across kill -9, which loses the requests of the
// last seconds and counts none twice.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type BlobHost, startBlobHost } from '../../support/blob-host.ts'
import { eventually, until } from '../../support/eventually.ts'
import { bytesOf, namedBy } from '../../support/playlists.ts'
import { signServiceJwt } from '../../support/service-jwt.ts'
import { startTimelinesProcess, type TimelinesProcess } from '../../support/timelines-process.ts'

const VIDEO = readFileSync(join(import.meta.dirname, '../../fixtures/video/silent.mp4'))
const STATS = 'io.slipstream.video.getStats'

let slipstream: TimelinesProcess
let host: BlobHost
let cid: string
let rkey: string

beforeEach(async () => {
  host = await startBlobHost()
  slipstream = await startTimelinesProcess(['ann'], {
    VIDEOS: 'own',
    SERVE_THREADS: '2',
    METRICS: 'open',
  })
  cid = host.put(VIDEO)
  slipstream.plc.edit(slipstream.didOf('ann'), ({ service, ...document }) => ({
    ...document,
    service: [{ ...(service as object[])[0]!, serviceEndpoint: host.url }],
  }))
  await slipstream.start()
  await until(() => slipstream.double.openConnections() > 0)
  const video = { $type: 'blob', mimeType: 'video/mp4', size: 10, ref: { $link: cid } }
  rkey = slipstream.emit('ann', 'app.bsky.feed.post', {
    text: 'moving',
    embed: { $type: 'app.bsky.embed.video', video },
  })
})
afterEach(async () => {
  await slipstream.close()
  await host.close()
})

/** A new viewer's pieces, once the post is indexed, and their total length. */
async function begin(): Promise<{ pieces: string[]; seconds: number }> {
  const master = `${slipstream.origin()}/video/${slipstream.didOf('ann')}/${cid}/playlist.m3u8?post=${rkey}`
  return eventually(async () => {
    const [variant] = await namedBy(master)
    expect(variant).toContain('&s=')
    const lengths = (await bytesOf(variant!)).toString().matchAll(/#EXTINF:([\d.]+),/g)
    const seconds = [...lengths].reduce((sum, [, value]) => sum + Number(value), 0)
    return { pieces: await namedBy(variant!), seconds: Math.round(seconds) }
  })
}

/** Uses a new connection for each, so that both threads get some. */
async function askAll(pieces: readonly string[]): Promise<void> {
  for (const url of pieces) {
    const response = await fetch(url, { headers: { connection: 'close' } })
    expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(0)
    expect(response.status).toBe(200)
  }
}

async function figures(): Promise<{ seconds: number; sessions: number } | undefined> {
  const { did, keypair } = slipstream.accountOf('ann')
  const token = await signServiceJwt(keypair, { iss: did, aud: 'did:web:localhost', lxm: STATS })
  const { body, status } = await slipstream.ask<{ stats: { seconds: number; sessions: number }[] }>(
    ...(['GET', `/xrpc/${STATS}`, { token }] as const),
  )
  expect(status, JSON.stringify(body)).toBe(200)
  const [stat, ...others] = body.stats
  expect(others).toEqual([])
  return stat && { seconds: stat.seconds, sessions: stat.sessions }
}

test('saved counts survive kill -9, and earlier sessions no longer count', async () => {
  const { pieces, seconds: complete } = await begin()
  await askAll([...pieces, ...pieces])
  const once = { seconds: complete, sessions: 1 }
  await eventually(async () => expect(await figures()).toEqual(once))
  await eventually(
    async () => {
      const metrics = await (await fetch(`${slipstream.origin()}/metrics`)).text()
      const seconds = /^slipstream_video_watched_seconds_total (.*)$/m.exec(metrics)?.[1]
      expect(Math.round(Number(seconds))).toBe(complete)
      expect(metrics).toMatch(/^slipstream_video_playlists_total\{from="here"\} [1-9]/m)
    },
    { pollMs: 500 },
  )

  await slipstream.kill()
  await slipstream.start()
  expect(await figures()).toEqual(once)
  const later = await begin()
  const { port } = new URL(later.pieces[0]!)
  await askAll(pieces.map((url) => url.replace(/:\d+\//, `:${port}/`)))
  await askAll(later.pieces)
  const twice = { seconds: complete * 2, sessions: 2 }
  await eventually(async () => expect(await figures()).toEqual(twice))
})

test('stopping saves the remaining counts', async () => {
  await askAll((await begin()).pieces.slice(0, 1))
  await slipstream.stop()
  await slipstream.start()
  expect((await figures())?.sessions).toBe(1)
})
