// A member who follows twenty accounts with names, and whose newest page is warm: every view cached, nothing to wait
// for. Parts are those of the tree that is measured.

import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { StreamEvent } from '@slipstream/jetstream'
import type { LoggedEmission } from '../../test/support/jetstream-double/emission.ts'

export type Scene = {
  /** Reads the member's home timeline. */
  answer(): Promise<string>
  /** Has that many posts by followed accounts arrive, in one batch of frames. */
  events(count: number): void
  dispose(): void
}

const AUTHORS = 20
const POSTS = 100
const PAGE = 'http://localhost/xrpc/app.bsky.feed.getTimeline?limit=50'

export async function createScene(tree: string): Promise<Scene> {
  const { createServingWorld, decodeV2, frameV2 } = await loadParts(tree)
  const world = createServingWorld({ members: ['reader'] })
  const reader = world.account('reader')
  const authors = Array.from({ length: AUTHORS }, (_, i) => world.account(`author${i}`))
  for (const [i, did] of authors.entries()) {
    world.follow(reader, did)
    world.profile(did, { displayName: `Author ${i}` })
    world.handle(did, `author${i}.test`)
  }
  world.handle(reader, 'reader.test')
  let made = 0
  let seq = 0
  const post = () => world.post(authors[made++ % AUTHORS]!, `post ${made}`)
  const frameOf = (event: StreamEvent) => frameV2({ ...event, seq: ++seq } as LoggedEmission)
  for (let i = 0; i < POSTS; i++) post()
  let requested = 0
  return {
    async answer() {
      const headers = { authorization: `Bearer ${reader}` }
      // Each a page of its own: one that is asked for again would be sent as it was.
      const url = `${PAGE}&algorithm=${++requested}`
      const response = await world.server.fetch(new Request(url, { headers }))
      const text = await response.text()
      if (response.status !== 200) throw new Error(`the page could not be read: ${text}`)
      return text
    },
    events(count) {
      const frames = world
        .hold(() => {
          for (let i = 0; i < count; i++) post()
        })
        .map(frameOf)
      const decoded = frames.map((frame) => decodeV2(JSON.parse(frame)))
      const events = decoded.filter(isEvent)
      if (events.length < count) throw new Error(`frames were refused: ${String(decoded[0])}`)
      world.apply(events)
    },
    dispose: () => world.dispose(),
  }
}

async function loadParts(tree: string) {
  const load = <T>(path: string) => import(pathToFileURL(join(tree, path)).href) as Promise<T>
  const [world, decoder, double] = await Promise.all([
    load<typeof import('../../test/support/serving-world.ts')>('test/support/serving-world.ts'),
    load<typeof import('../../packages/jetstream/src/frames/decode-v2.ts')>(
      'packages/jetstream/src/frames/decode-v2.ts',
    ),
    load<typeof import('../../test/support/jetstream-double/emission.ts')>(
      'test/support/jetstream-double/emission.ts',
    ),
  ])
  return { ...world, ...decoder, ...double }
}

function isEvent(decoded: object | string): decoded is StreamEvent {
  return typeof decoded === 'object' && 'kind' in decoded && 'did' in decoded
}
