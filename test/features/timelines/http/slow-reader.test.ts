// A client that stops reading its stream: the server buffers little for it in memory, and the client loses
// nothing.

import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { CallTime } from '../../../../src/base/util/turn.ts'
import { createLiveFeed } from '../../../../src/features/timelines/http/live-feed.ts'
import { createStreams } from '../../../../src/features/timelines/http/streams.ts'
import {
  createOpenSource,
  prepareReaders,
} from '../../../../src/features/timelines/sources/open-sources.ts'
import { createCursors } from '../../../../src/features/timelines/sources/signed-cursor.ts'
import { parseTimelineKey } from '../../../../src/features/timelines/sources/timeline-key.ts'
import { createAppend } from '../../../../src/features/timelines/writing/append.ts'
import { createWorld, type World } from '../../../support/world.ts'

const EVENTS = 600
const PAYLOAD_BYTES = 16_000
const MAX_QUEUED_BYTES = 400_000

let world: World
afterEach(() => world.dispose())

function postMany(): void {
  const append = createAppend()
  const payload = JSON.stringify('x'.repeat(PAYLOAD_BYTES))
  for (let i = 0; i < EVENTS; i++) {
    const body = Buffer.from(String(i))
    const post = { entityId: String(i), entityType: 'note', payload, producerTs: i, body }
    append(world.db, [{ ...post, name: 'large', key: undefined, numbered: undefined }], i)
  }
}

function openStreams() {
  const { actors, graph } = world.memory
  const parts = { db: world.reader, actors, graph, isDrawn: () => true }
  const readers = prepareReaders(parts)
  const keys = parseTimelineKey('custom:large')
  const source = createOpenSource(parts, readers)(keys[0]!)!
  const caller = {
    who: undefined,
    time: new CallTime({ turnMs: Infinity }),
    isSpent: () => false,
  }
  const asker = {
    name: 'token test',
    isMember: false,
    caller,
    may: () => true,
    isStillWelcome: () => true,
  }
  const streams = createStreams({
    feed: createLiveFeed(parts, readers),
    cursors: createCursors(() => [{ id: 1, secret: Buffer.from('secret') }]),
    begin: readers.begin,
    invalidations: world.invalidations.buffer,
    onError: (error) => {
      throw error
    },
  })
  const listen = (response: ServerResponse) =>
    streams.listen({ keys, sources: [source], from: { at: [0] }, asker }, response)
  return { streams, listen }
}

test('bounds the queue, and delivers everything in order once the client reads', async () => {
  world = createWorld()
  postMany()
  const { streams, listen } = openStreams()
  let response: ServerResponse | undefined
  let most = 0
  const server = createServer((_, answer) => {
    response = answer
    const { write } = answer
    answer.write = ((...args: Parameters<typeof write>) => {
      const isCapacity = write.apply(answer, args)
      most = Math.max(most, answer.writableLength)
      return isCapacity
    }) as typeof write
    listen(answer)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    .on('error', () => undefined)
    .pause()
  socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n')
  while (!response?.writableNeedDrain) await once(AbortSignal.timeout(10), 'abort')
  let text = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk.replaceAll('x', '')
  })
  socket.resume()
  while (!text.includes(`id: ${EVENTS}\n`)) await once(socket, 'data')
  expect([...text.matchAll(/^id: (\d+)\ndata: /gm)].map(([, id]) => Number(id))).toEqual(
    Array.from({ length: EVENTS }, (_, i) => i + 1),
  )
  expect(most).toBeGreaterThan(PAYLOAD_BYTES)
  expect(most).toBeLessThan(MAX_QUEUED_BYTES)
  socket.destroy()
  streams.close()
  server.close()
}, 60_000)
