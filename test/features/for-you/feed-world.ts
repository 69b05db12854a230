// A server with For You, over a small world of people: likes go to rows and to the engine.

import { hear } from '../../../src/features/for-you/engine/hear.ts'
import { createState } from '../../../src/features/for-you/engine/layout.ts'
import { createForYouFeed } from '../../../src/features/for-you/for-you-feed.ts'
import { didWords, keyOfUri } from '../../../src/features/for-you/post-keys.ts'
import { didOf } from '../../support/records.ts'
import { createServingWorld, type ServingOptions } from '../../support/serving-world.ts'
import type { PostInput, RecordId } from '../../support/world.ts'

export const DISCOVER = 'at://did:plc:z72i7hdynmk6r22z27h6tvur/app.bsky.feed.generator/whats-hot'
export const SERVICE = 'did:web:appview.example.org'
const GET_FEED = 'app.bsky.feed.getFeed'

export type FeedPage = {
  feed: { post: { uri: string; author: { did: string } }; feedContext?: string; reqId?: string }[]
  cursor?: string
}

export function startForYou(
  members: string[] = ['alice'],
  addresses = [DISCOVER],
  more: ServingOptions = {},
) {
  const w = createServingWorld({ scope: 'network', members, ...more })
  const state = createState(4 << 20, 1)
  const { app, world } = w
  /** Of the tokens shown to the generator. */
  const askers: ({ name?: string | undefined } | undefined)[] = []
  const feed = createForYouFeed({
    db: world.reader,
    actors: world.memory.actors,
    graph: world.memory.graph,
    writer: app.writer,
    log: { warn: () => undefined } as never,
    app,
    state,
    isMember: (did) => members.some((name) => didOf(name) === did),
    serviceAuth: {
      verify(token, _, { asker } = {}) {
        askers.push(asker)
        return verifyDid(token)
      },
    },
    addresses,
    service: SERVICE,
    now: world.now,
  })
  app.ownFeeds.add(feed)
  const known = new Set<string>()

  /** An account that exists, with a name. */
  function person(name: string): string {
    const did = didOf(name)
    if (known.has(name)) return did
    known.add(name)
    w.profile(did, { displayName: name })
    w.handle(did, `${name}.test`)
    return did
  }

  function like(by: string, post: RecordId): void {
    const did = person(by)
    w.like(did, post)
    hear(state, {
      liker: didWords(did)!,
      post: keyOfUri(post.uri)!,
      timeMs: world.now(),
      isMembers: members.includes(by),
    })
  }

  async function page(
    query: { limit?: number; cursor?: string } = {},
    viewer: string | undefined = 'alice',
    headers: Record<string, string> = {},
  ): Promise<FeedPage> {
    const did = viewer === 'nobody' ? undefined : didOf(viewer)
    const { status, body } = await w.ask<FeedPage>(
      GET_FEED,
      { feed: DISCOVER, ...query },
      did,
      headers,
    )
    if (status !== 200) throw new Error(JSON.stringify(body))
    return body
  }

  const post = (by: string, input?: PostInput | string) => w.post(person(by), input)

  return { askers, w, state, person, like, page, post }
}

/** A token is the DID itself. */
async function verifyDid(token: string): Promise<never> {
  if (!token.startsWith('did:')) throw new Error('no DID')
  return { did: token } as never
}

export const urisOf = ({ feed }: FeedPage) => feed.map(({ post }) => post.uri)
