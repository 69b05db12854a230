// Our playlists in front of a video service: its playlists are read, checked and rewritten; players get the
// pieces by redirect or through us; and nothing in its answers leads to another host.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createGuardedFetch } from '../../../src/sources/identity/guarded-fetch.ts'
import { bytesOf, namedBy } from '../../support/playlists.ts'
import { type MediaWorld, startMediaWorld } from './support/media-world.ts'
import {
  SERVICE_MASTER,
  startVideoService,
  type VideoServiceDouble,
} from './support/video-service-double.ts'

const CID = `bafkrei${'a'.repeat(52)}`
const LIST = '#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\nvideo0.ts\n#EXT-X-ENDLIST\n'

let service: VideoServiceDouble
let world: MediaWorld

beforeAll(async () => {
  service = await startVideoService()
  world = await startMediaWorld({ videos: videosFrom('proxy') })
})
afterAll(async () => {
  await world.close()
  await service.close()
})

function videosFrom(kind: 'cdn' | 'proxy', base = service.base) {
  const fetch = createGuardedFetch({
    allowPrivateHosts: false,
    trustedOrigins: [new URL(base).origin],
  })
  return { kind, base, fetch }
}

const address = (part: string, of = world) => `${of.url}/video/${of.did}/${CID}/${part}`
const ask = (url: string) => fetch(url, { redirect: 'manual' })

/** A separate world whose service gives these answers for paths with these endings. */
async function withAnswers(
  answers: Record<string, string | Buffer | { redirect: string }>,
  use: (of: MediaWorld, its: VideoServiceDouble) => Promise<void>,
  kind: 'cdn' | 'proxy' = 'proxy',
): Promise<void> {
  const its = await startVideoService()
  for (const [ending, answer] of Object.entries(answers)) its.answer(ending, answer)
  const of = await startMediaWorld({ before: world, videos: videosFrom(kind, its.base) })
  try {
    await use(of, its)
  } finally {
    await of.close()
    await its.close()
  }
}

describe('through us', () => {
  test('its qualities are listed with the service’s attributes, and nothing else', async () => {
    const text = (await bytesOf(address('playlist.m3u8'))).toString()
    expect(text).toContain(
      'BANDWIDTH=60000,CODECS="avc1.64000a,mp4a.40.2",RESOLUTION=64x36\n0/video',
    )
    expect(text).toContain('RESOLUTION=128x72\n1/video.m3u8')
    expect(text).not.toMatch(/session_id|360p/)
  })

  test('each piece is the service’s, byte for byte, and fetched once', async () => {
    const [low, high] = await namedBy(address('playlist.m3u8'))
    for (const [i, list] of [low!, high!].entries()) {
      const pieces = await namedBy(list)
      expect(pieces).toHaveLength(3)
      const twice = await Promise.all([...pieces, ...pieces].map(bytesOf))
      const theirs = service.requested.filter((path) => path.includes(['360p', '720p'][i]!))
      expect(theirs.filter((path) => path.endsWith('.ts'))).toHaveLength(3)
      for (const piece of twice) expect([piece[0], piece.length % 188]).toEqual([0x47, 0])
      expect(twice[0]!.equals(twice[1]!)).toBe(false)
      expect(twice[0]!.equals(twice[3]!)).toBe(true)
    }
    expect((await fetch(`${address('0/0.ts')}`)).headers.get('content-type')).toBe('video/mp2t')
  })

  test('playlists are fetched once in five minutes', async () => {
    const requested = () =>
      service.requested.filter((path) => path.endsWith('playlist.m3u8')).length
    const before = requested()
    for (let i = 0; i < 5; i++) await bytesOf(address('playlist.m3u8'))
    expect(requested()).toBe(before)
    world.advance(301_000)
    await bytesOf(address('playlist.m3u8'))
    expect(requested()).toBeGreaterThan(before)
  })

  test('its preview is a re-encoded picture', async () => {
    const response = await fetch(address('thumbnail.jpg'))
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/jpeg'])
    expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(200)
  })

  test('cached pieces still play without the service, and nothing else does', async () => {
    await bytesOf(address('1/0.ts'))
    service.fail(503)
    expect((await bytesOf(address('1/0.ts'))).length).toBeGreaterThan(1000)
    world.advance(301_000)
    const response = await ask(address('playlist.m3u8'))
    expect([response.status, await response.json()]).toMatchObject([
      502,
      { error: 'UpstreamError' },
    ])
    service.fail(undefined)
    world.advance(61_000)
    await bytesOf(address('playlist.m3u8'))
  })

  test('accounts that are unknown or hidden are refused', async () => {
    const stranger = `${world.url}/video/did:plc:${'z'.repeat(24)}/${CID}`
    expect((await ask(`${stranger}/playlist.m3u8`)).status).toBe(404)
    world.setHidden(true)
    for (const part of ['playlist.m3u8', '0/video.m3u8', '0/0.ts', 'thumbnail.jpg']) {
      expect((await ask(address(part))).status).toBe(404)
    }
    world.setHidden(false)
  })
})

describe('by redirect', () => {
  test('players are redirected to the service for each piece, and only for that', async () => {
    await withAnswers(
      {},
      async (of, its) => {
        const [low] = await namedBy(address('playlist.m3u8', of))
        for (const piece of await namedBy(low!)) {
          const response = await ask(piece)
          expect(response.status).toBe(302)
          const location = new URL(response.headers.get('location')!)
          expect(location.origin).toBe(new URL(its.base).origin)
          expect(location.pathname).toMatch(/^\/hls\/.*\/360p\/video\d\.ts$/)
        }
        expect(its.requested.filter((path) => path.endsWith('.ts'))).toEqual([])
      },
      'cdn',
    )
  })

  test('if ours cannot be made, the player is redirected to the service’s', async () => {
    await withAnswers(
      { 'playlist.m3u8': 'no playlist' },
      async (of, its) => {
        const theirs = `${its.base}/${encodeURIComponent(of.did)}/${CID}/playlist.m3u8`
        const response = await ask(address('playlist.m3u8', of))
        expect([response.status, response.headers.get('location')]).toEqual([302, theirs])
        const stranger = `did:plc:${'z'.repeat(24)}`
        const unknown = await ask(`${of.url}/video/${stranger}/${CID}/playlist.m3u8`)
        expect(unknown.headers.get('location')).toContain(encodeURIComponent(stranger))
        of.setHidden(true)
        expect((await ask(address('playlist.m3u8', of))).status).toBe(404)
        of.setHidden(false)
      },
      'cdn',
    )
  })
})

describe('a hostile service', () => {
  const many = (count: number, line: (i: number) => string) =>
    Array.from({ length: count }, (_, i) => line(i)).join('')
  const masters: Record<string, string> = {
    'HTML instead of a playlist': '<html>',
    'no content': '',
    'only a header': '#EXTM3U\n',
    'a quality without an address': '#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n',
    'a quality without a bandwidth': '#EXTM3U\n#EXT-X-STREAM-INF:CODECS="x"\nv.m3u8\n',
    'an absurd bandwidth': '#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=99999999999\nv.m3u8\n',
    'a thousand qualities': `#EXTM3U\n${many(1000, (i) => `#EXT-X-STREAM-INF:BANDWIDTH=1\n${i}.m3u8\n`)}`,
    'sound in another list': '#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO="a"\nv.m3u8\n',
    'an overlong line': `#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1,${'A'.repeat(5000)}\nv.m3u8\n`,
    'two megabytes of comments': `#EXTM3U\n${many(30_000, () => '# a comment of some length, again and again, and more\n')}`,
    'half a million empty lines': `#EXTM3U\n${'\n'.repeat(500_000)}`,
    'a local file': '#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nfile:///etc/passwd\n',
    'a script': '#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\njavascript:alert(1)\n',
    'another port of the same host': '#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nCANARY/v.m3u8\n',
    credentials: '#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nhttp://a:b@127.0.0.1/v.m3u8\n',
    'a session key': '#EXTM3U\n#EXT-X-SESSION-KEY:METHOD=AES-128,URI="k"\n',
  }
  const media: Record<string, string> = {
    'no end tag': LIST.replace('#EXT-X-ENDLIST', ''),
    'no duration': LIST.replace('#EXTINF:2,\n', ''),
    'a duration that is not a number': LIST.replace('#EXTINF:2,', '#EXTINF:NaN,'),
    'a negative duration': LIST.replace('#EXTINF:2,', '#EXTINF:-1,'),
    'an hour-long piece': LIST.replace('#EXTINF:2,', '#EXTINF:3600,'),
    'days of pieces': `#EXTM3U\n${many(3000, (i) => `#EXTINF:100,\n${i}.ts\n`)}#EXT-X-ENDLIST\n`,
    'ten thousand pieces': `#EXTM3U\n${many(9000, (i) => `#EXTINF:1,\n${i}.ts\n`)}#EXT-X-ENDLIST\n`,
    encryption: LIST.replace('#EXTINF', '#EXT-X-KEY:METHOD=AES-128,URI="CANARY/key"\n#EXTINF'),
    'byte ranges': LIST.replace('video0', '#EXT-X-BYTERANGE:1@0\nvideo0'),
    'a byte range as its head': LIST.replace(
      '#EXTINF',
      '#EXT-X-MAP:URI="i",BYTERANGE="1@0"\n#EXTINF',
    ),
    'two heads': LIST.replace('#EXTINF', '#EXT-X-MAP:URI="i"\n#EXT-X-MAP:URI="j"\n#EXTINF'),
    'pieces from another origin': LIST.replace('video0.ts', 'CANARY/video0.ts'),
    'pieces from another host, without a protocol': LIST.replace(
      'video0.ts',
      '//127.0.0.2/video0.ts',
    ),
    'cloud metadata': LIST.replace('video0.ts', 'http://169.254.169.254/latest/meta-data'),
    'a master within a master': SERVICE_MASTER,
  }

  async function withCanary(use: (canary: string) => Promise<void>): Promise<void> {
    let hits = 0
    const server = createServer((_, response) => {
      hits += 1
      response.end(LIST)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    expect(hits).toBe(0)
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }

  test.each(Object.entries(masters))(
    'whose first playlist has %s provides no video',
    async (_, text) => {
      await withCanary((canary) =>
        withAnswers({ 'playlist.m3u8': text.replaceAll('CANARY', canary) }, async (of) => {
          for (const part of ['playlist.m3u8', '0/video.m3u8', '0/0.ts', '0/init.mp4']) {
            const status = (await ask(address(part, of))).status
            expect([400, 404, 502], part).toContain(status)
          }
        }),
      )
    },
  )

  test.each(Object.entries(media))(
    'whose second playlist has %s provides no video',
    async (_, text) => {
      await withCanary((canary) =>
        withAnswers({ 'video.m3u8': text.replaceAll('CANARY', canary) }, async (of) => {
          expect((await ask(address('playlist.m3u8', of))).status).toBe(200)
          for (const part of ['0/video.m3u8', '0/0.ts', '0/init.mp4']) {
            expect([part, (await ask(address(part, of))).status]).toEqual([part, 502])
          }
        }),
      )
    },
  )

  test('whose redirects end elsewhere provides no video', async () => {
    await withCanary((canary) =>
      withAnswers({ 'playlist.m3u8': { redirect: `${canary}/playlist.m3u8` } }, async (of) => {
        expect((await ask(address('playlist.m3u8', of))).status).toBe(502)
      }),
    )
  })

  test('whose pieces are something else provides none of them', async () => {
    const page = Buffer.from('<!doctype html><script>alert(1)</script>')
    await withAnswers({ 'video0.ts': page, 'thumbnail.jpg': page }, async (of) => {
      expect((await ask(address('0/0.ts', of))).status).toBe(502)
      expect((await ask(address('thumbnail.jpg', of))).status).toBe(502)
      expect((await ask(address('0/1.ts', of))).status).toBe(200)
    })
  })
})
