// A video service over real HTTP, like Bluesky's: a playlist of two variants behind a redirect, MPEG-TS
// segments, a thumbnail, and every misbehaviour on demand. It records the requests it receives.

import { readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import sharp from 'sharp'

export type VideoServiceDouble = {
  /** The URL to configure as the service's address. */
  base: string
  /** Replaces the responses for paths with this ending. */
  answer(ending: string, body: string | Buffer | { redirect: string }): void
  /** Answers everything with this status from now on; undefined restores good behaviour. */
  fail(status: number | undefined): void
  requested: string[]
  close(): Promise<void>
}

const fixtures = join(import.meta.dirname, '../../../fixtures/video/service')

export const SERVICE_MASTER = `#EXTM3U
#EXT-X-VERSION:3
#EXT-X-STREAM-INF:BANDWIDTH=60000,CODECS="avc1.64000a,mp4a.40.2",RESOLUTION=64x36
360p/video.m3u8?session_id=abc
#EXT-X-STREAM-INF:BANDWIDTH=120000,CODECS="avc1.64000a,mp4a.40.2",RESOLUTION=128x72
720p/video.m3u8?session_id=abc
`

export async function startVideoService(): Promise<VideoServiceDouble> {
  const answers = new Map<string, string | Buffer | { redirect: string }>()
  const requested: string[] = []
  let failure: number | undefined
  const picture = { create: { width: 64, height: 36, channels: 3, background: '#a33' } } as const
  const preview = await sharp(picture).jpeg().toBuffer()

  function bodyOf(path: string) {
    const own = [...answers].find(([ending]) => path.endsWith(ending))
    if (own) return own[1]
    if (path.startsWith('/watch/')) return { redirect: path.replace('/watch/', '/hls/') }
    if (path.endsWith('playlist.m3u8')) return SERVICE_MASTER
    if (path.endsWith('thumbnail.jpg')) return preview
    const [, quality, file] = /\/(360p|720p)\/(video(?:\d\.ts|\.m3u8))$/.exec(path) ?? []
    return quality && file
      ? readFileSync(join(fixtures, quality, file.replace(/ts$/, 'mpegts')))
      : undefined
  }

  function send(response: ServerResponse, path: string): void {
    const body = failure === undefined ? bodyOf(path) : undefined
    const headers = { 'access-control-allow-origin': '*' }
    if (body === undefined) response.writeHead(failure ?? 404, headers).end()
    else if (typeof body === 'object' && 'redirect' in body) {
      response.writeHead(302, { ...headers, location: body.redirect }).end()
    } else response.writeHead(200, headers).end(body)
  }

  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://host')
    requested.push(pathname)
    send(response, pathname)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}/watch`,
    answer: (ending, body) => void answers.set(ending, body),
    fail(status) {
      failure = status
    },
    requested,
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
