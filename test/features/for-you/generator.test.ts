// For You as a feed generator: other servers ask with a token of their reader, who becomes no member by that.

import { afterEach, describe, expect, test } from 'vitest'
import { CallTime } from '../../../src/base/util/turn.ts'
import { generatorMethods, generatorUri } from '../../../src/features/for-you/generator.ts'
import { bindMethods } from '../../../src/http/xrpc/methods.ts'
import { didOf } from '../../support/records.ts'
import { SERVICE, startForYou } from './feed-world.ts'

const PUBLISHER = didOf('publisher')
const FEED = generatorUri(PUBLISHER)
const FRIENDS = ['bob', 'carol', 'dave']

type Started = ReturnType<typeof startForYou>
type Skeleton = { feed: { post: string; feedContext?: string }[]; cursor?: string }

let started: Started | undefined
afterEach(() => started?.w.dispose())

function start() {
  const world = startForYou(['alice'], [FEED])
  started = world
  const methods = bindMethods(world.w.app, generatorMethods(PUBLISHER, SERVICE))
  const ask = async (nsid: string, params: object = {}, token?: string, more: object = {}) => {
    const method = methods.find((each) => each.nsid === nsid)!
    const header = (name: string) =>
      name === 'authorization' && token !== undefined ? `Bearer ${token}` : undefined
    const context = {
      params: { limit: 50, ...params },
      header,
      viewer: undefined,
      ...more,
    } as never
    const { body } = (await method.handler(context)) as { body: unknown }
    return body as Skeleton
  }
  const skeleton = (params: object = {}, token?: string, more: object = {}) =>
    ask('app.bsky.feed.getFeedSkeleton', { feed: FEED, ...params }, token, more)
  return { ...world, ask, skeleton }
}

function community({ post, like }: Started, reader: string): string[] {
  const shared = [0, 1, 2, 3, 4].map((i) => post(`old-${i}`))
  for (const record of shared) for (const by of [reader, ...FRIENDS]) like(by, record)
  const further = [0, 1, 2, 3, 4, 5].map((i) => post(`author-${i}`))
  for (const record of further) for (const by of FRIENDS) like(by, record)
  return further.map(({ uri }) => uri)
}

describe('a feed generator', () => {
  test('chooses, and judges the choices, in turns of the call', async () => {
    const scene = start()
    community(scene, 'stranger')
    const time = new CallTime({ turnMs: 20 })
    await scene.skeleton({ limit: 4 }, didOf('stranger'), { time })
    expect(time.turns).toBeGreaterThan(2)
  })

  test('looks issuers of tokens up as those of DIDs that a call names', async () => {
    const scene = start()
    await scene.skeleton({ limit: 4 }, didOf('stranger'), { who: { key: 'an address' } })
    expect(scene.askers.map((asker) => asker?.name)).toEqual(['an address'])
  })

  test('says what it is', async () => {
    expect(await start().ask('app.bsky.feed.describeFeedGenerator')).toEqual({
      did: SERVICE,
      feeds: [{ uri: FEED }],
    })
  })

  test('chooses for a stranger by the likes that it heard, page by page, and makes no member', async () => {
    const scene = start()
    const posts = community(scene, 'stranger')
    const first = await scene.skeleton({ limit: 4 }, didOf('stranger'))
    expect(first.feed).toHaveLength(4)
    expect(first.feed[0]!.feedContext).toBe('liked by 3 people who share up to 5 likes with you')
    const second = await scene.skeleton({ limit: 4, cursor: first.cursor }, didOf('stranger'))
    const all = [...first.feed, ...second.feed].map(({ post }) => post)
    expect(new Set(all)).toEqual(new Set(posts))
    expect(all).toHaveLength(6)
    expect(scene.w.sent.filter(({ kind }) => kind !== 'fetch-requested')).toEqual([])
  })

  test('leaves out who does not want to be recommended', async () => {
    const scene = start()
    const posts = community(scene, 'stranger')
    const type = 'app.bsky.actor.contentVisibilityDeclaration'
    scene.w.create(didOf('author-2'), type, { hideFromAlgorithmicRecommendations: true }, 'self')
    const { feed } = await scene.skeleton({}, didOf('stranger'))
    expect(feed).toHaveLength(5)
    expect(feed.map(({ post }) => post)).not.toContain(posts[2])
    // Nor a post of theirs that is not here.
    const here = scene.post('author-3')
    const uri = here.uri.replace(didOf('author-3'), didOf('author-2'))
    const elsewhere = { ...here, uri }
    for (const post of [here, elsewhere]) scene.like('alice', post)
    const { feed: members } = await scene.skeleton()
    expect(members.map(({ post }) => post)).toEqual([here.uri])
  })

  test('has members’ likes for a visitor, nothing under another name, and refuses bad tokens', async () => {
    const scene = start()
    const post = scene.post('author')
    scene.like('alice', post)
    expect((await scene.skeleton()).feed).toEqual([
      { post: post.uri, feedContext: 'liked by 1 member here' },
    ])
    await expect(scene.skeleton({ feed: `${FEED}x` })).rejects.toMatchObject({
      error: 'UnknownFeed',
    })
    await expect(scene.skeleton({}, 'bad')).rejects.toMatchObject({ error: 'AuthRequired' })
  })
})
