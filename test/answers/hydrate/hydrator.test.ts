// Hydration as a loader: batched whatever the page holds, consistent with one moment, and unaffected by
// unusable or missing rows.

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createHydrator } from '../../../src/answers/hydrate/hydrator.ts'
import { createReader } from '../../../src/answers/hydrate/reader.ts'
import type { FeedState } from '../../../src/answers/hydrate/types.ts'
import { createMediaUrls } from '../../../src/answers/views/media-urls.ts'
import { postView } from '../../../src/answers/views/posts/post-view.ts'
import type { Db } from '../../../src/data/store/db.ts'
import { postItem, repostItem } from '../../../src/data/store/timelines/item-ids.ts'
import { atOneMoment } from '../../../src/data/store/transact.ts'
import { type HydratedWorld, hydrateWorld } from '../../support/hydration.ts'
import { createRandom } from '../../support/random.ts'
import { randomWorld } from '../../support/random-world.ts'
import { referenceUrlPatterns } from '../../support/reference-appview.ts'
import { createWorld, type World } from '../../support/social-world.ts'

let open: HydratedWorld[] = []
let world: World

beforeEach(() => {
  world = createWorld()
})
afterEach(() => {
  for (const world of open) world.close()
  open = []
})

function hydrated(given = world): HydratedWorld {
  const world = hydrateWorld(given)
  open.push(world)
  return world
}

/** The same connection; records the text of every statement that runs. */
function noting(db: Db, runs: string[]): Db {
  const noted = (text: string, statement: object): object =>
    new Proxy(statement, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name)
        if (typeof value !== 'function') return value
        return (...given: unknown[]) => {
          if (name === 'all' || name === 'get') runs.push(text)
          const result: unknown = value.apply(target, given)
          return result === target ? noted(text, target) : result
        }
      },
    })
  return new Proxy(db, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      if (name === 'prepare') return (text: string) => noted(text, target.prepare(text))
      return value.bind(target)
    },
  })
}

function everyItem({ written }: HydratedWorld, given: World): number[] {
  return [
    ...given.of('app.bsky.feed.post').map(({ uri }) => postItem(written.post(uri))),
    ...given.of('app.bsky.feed.repost').map(({ uri }) => repostItem(written.repost(uri))),
  ]
}

describe('a page', () => {
  test('costs a bounded number of statements for any number of items', () => {
    const full = randomWorld(createRandom(3), 600)
    const world = hydrated(full)
    const runs: string[] = []
    const { actors, graph } = world.written
    const urls = createMediaUrls(referenceUrlPatterns)
    const hydrator = createHydrator({ db: noting(world.db, runs), actors, graph, urls })
    const items = everyItem(world, full)
    expect(items.length).toBeGreaterThan(150)
    hydrator.feed(items, world.reader([...full.accounts.keys()][0]))
    // Lists are looked up by key, one at a time, because few posts embed one and few gates name
    // one.
    const byKey = runs.filter((text) => text.startsWith('SELECT id FROM lists'))
    // Packed likes, follows and blocks are read by creator and by subject: a few reads per account.
    const probes = runs.filter((text) => /FROM \w+_by_(creator|subject)/.test(text))
    expect(probes.length).toBeLessThan(6 * (items.length + full.accounts.size))
    expect(runs.length - byKey.length - probes.length).toBeLessThan(32)
    const others = runs.filter((text) => !byKey.includes(text) && !probes.includes(text))
    for (const text of new Set(others)) {
      expect(others.filter((other) => other === text).length).toBeLessThanOrEqual(4)
    }
  })

  test('leaves out dangling ids and keeps the rest', () => {
    const ann = world.account('ann')
    const post = world.post(ann)
    const entry = hydrated()
    const item = postItem(entry.written.post(post))
    const state = entry.hydrator.feed(
      [postItem(900), item, repostItem(900)],
      createReader(undefined),
    )
    expect([...state.posts.values()].map(({ uri }) => uri)).toEqual([post])
    expect(state.items.has(repostItem(900))).toBe(false)
    expect(entry.hydrator.feed([], createReader(undefined)).posts.size).toBe(0)
    expect(entry.hydrator.profiles([900, 0], createReader(undefined)).actors.size).toBe(0)
  })

  test('holds parent, root, the grandparent’s author and quotes two deep, and no more', () => {
    const names = ['a', 'b', 'c', 'd'].map((name) => world.account(`person${name}`))
    const root = world.post(names[0]!)
    const second = world.reply(names[1]!, { root, parent: root })
    const third = world.reply(names[2]!, { root, parent: second })
    const fourth = world.reply(names[3]!, { root, parent: third })
    const quoted = [world.post(names[0]!)]
    for (let i = 0; i < 3; i++) quoted.push(world.quote(names[0]!, quoted[i]!))
    const reply = world.reply(names[0]!, { root, parent: fourth }, embedOf(quoted[3]!))
    const item = hydrated()
    const { posts, postRefs } = item.hydrator.feed(
      [postItem(item.written.post(reply))],
      createReader(undefined),
    )
    const uris = [...posts.values()].map(({ uri }) => uri)
    expect(new Set(uris)).toEqual(new Set([reply, fourth, root, quoted[3], quoted[2]]))
    const grandparent = postRefs.get(item.written.post(third))
    expect(grandparent).toMatchObject({
      uid: item.written.uid(names[2]!),
      uri: third,
      isStub: false,
    })
  })

  test('distinguishes a post that was never seen from a deleted one', () => {
    const [ann, bob] = [world.account('ann'), world.account('bob')]
    const never = `at://${bob}/app.bsky.feed.post/3kaaaaaaaaa22`
    const gone = world.post(bob)
    const reply = world.reply(ann, { root: never, parent: gone })
    const item = hydrated()
    item.writer.prepare('UPDATE posts SET state = 2 WHERE id = ?').run(item.written.post(gone))
    const { postRefs, posts } = item.hydrator.feed(
      [postItem(item.written.post(reply))],
      createReader(undefined),
    )
    expect([...posts.values()].map(({ uri }) => uri)).toEqual([reply])
    const stubs = [...postRefs.values()].filter(({ isStub }) => isStub)
    expect(stubs.map(({ uri }) => uri)).toEqual([never])
  })

  test('reads one snapshot, without concurrent writes', () => {
    const ann = world.account('ann')
    const post = world.post(ann, { text: 'before' })
    const item = hydrated()
    const id = item.written.post(post)
    const textIn = (state: FeedState) => state.posts.get(id)?.record.text
    const both = atOneMoment(item.db, () => {
      const first = textIn(item.hydrator.posts([id], createReader(undefined)))
      item.writer
        .prepare(
          "UPDATE posts SET cid = randomblob(32), record = replace(record, 'before', 'after')",
        )
        .run()
      return [first, textIn(item.hydrator.posts([id], createReader(undefined)))]
    })
    expect(both()).toEqual(['before', 'before'])
    expect(textIn(item.hydrator.posts([id], createReader(undefined)))).toBe('after')
  })
})

describe('an unusable row', () => {
  test('is treated as missing, and counted', () => {
    const ann = world.account('ann')
    const [torn, unsound, good] = [1, 2, 3].map(() => world.post(ann)) as [string, string, string]
    world.profile(ann)
    const item = hydrated()
    const ids = [torn, unsound, good].map((uri) => item.written.post(uri))
    const spoil = item.writer.prepare('UPDATE posts SET record = ? WHERE id = ?')
    spoil.run(Buffer.from('{"text":'), ids[0])
    spoil.run(Buffer.from('{"createdAt":"2026-01-01T00:00:00Z","text":7}'), ids[1])
    item.writer.prepare("UPDATE profiles SET record = '[]'").run()
    const state = item.hydrator.posts(ids, createReader(undefined))
    expect(ids.map((id) => postView(state, id)?.uri)).toEqual([undefined, undefined, good])
    expect(item.unusable).toEqual(['post', 'post', 'profile'])
    expect(state.actors.get(item.written.uid(ann))?.profile).toBeUndefined()
  })
})

function embedOf(uri: string) {
  return { embed: { $type: 'app.bsky.embed.record', record: world.ref(uri) } }
}
