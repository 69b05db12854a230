// Streams of timelines over a world, in this process and over a real socket.

import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CallTime } from '../../../../src/base/util/turn.ts'
import { InvalidationReader } from '../../../../src/data/shared-memory/invalidation-ring.ts'
import type { Asker } from '../../../../src/features/timelines/http/access.ts'
import { createLiveFeed } from '../../../../src/features/timelines/http/live-feed.ts'
import { createStreams } from '../../../../src/features/timelines/http/streams.ts'
import {
  createOpenSource,
  prepareReaders,
} from '../../../../src/features/timelines/sources/open-sources.ts'
import { createCursors } from '../../../../src/features/timelines/sources/signed-cursor.ts'
import { parseTimelineKey } from '../../../../src/features/timelines/sources/timeline-key.ts'
import type { EventJson } from '../../../support/timelines-process.ts'
import type { World } from '../../../support/world.ts'

/** A message of the stream with a body; `event` is `message` unless named. */
type Message = { event: string; id: string | undefined; data: EventJson }

const asker = {
  name: 'token test',
  isMember: false,
  caller: { who: undefined, time: new CallTime({ turnMs: Infinity }), isSpent: () => false },
  may: () => true,
  isStillWelcome: () => true,
}

/** @param by - who asks for all streams, if it matters */
export async function openStreams(world: World, by: Partial<Asker> = {}) {
  const { actors, graph } = world.memory
  const parts = { db: world.reader, actors, graph, isDrawn: () => true }
  const readers = prepareReaders(parts, new InvalidationReader(world.invalidations.buffer))
  const open = createOpenSource(parts, readers)
  const cursors = createCursors(() => [{ id: 1, secret: Buffer.from('secret') }])
  const streams = createStreams({
    feed: createLiveFeed(parts, readers),
    cursors,
    begin: readers.begin,
    invalidations: world.invalidations.buffer,
    onError: (error) => {
      throw error
    },
  })
  const server = createServer((incoming, response) => {
    const [path, last] = incoming.url!.split('?last=') as [string, string | undefined]
    const text = decodeURIComponent(path.slice(1))
    const keys = parseTimelineKey(text)
    readers.begin()
    const sources = keys.map((key) => open(key)!)
    const from = last === undefined ? undefined : cursors.read(text, last)
    streams.listen({ keys, sources, from, asker: { ...asker, ...by } }, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    /** Resolves once the stream has begun. @param last - the id to continue from */
    async listen(key: string, last?: string) {
      const messages: Message[] = []
      const query = last === undefined ? '' : `?last=${last}`
      const path = `/${encodeURIComponent(key)}${query}`
      const sent = request({ port, host: '127.0.0.1', path }).end()
      const [response] = (await once(sent, 'response')) as [NodeJS.ReadableStream]
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
        for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
          const message = messageOf(text.slice(0, end))
          if (message) messages.push(message)
          text = text.slice(end + 2)
        }
      })
      response.on('error', () => undefined)
      await once(response, 'data')
      return { messages, close: () => sent.destroy() }
    },
    close(): void {
      streams.close()
      server.closeAllConnections()
      server.close()
    },
  }
}

function messageOf(text: string): Message | undefined {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(text)?.[1]
  const data = field('data')
  if (data === undefined) return undefined
  return { event: field('event') ?? 'message', id: field('id'), data: JSON.parse(data) }
}
