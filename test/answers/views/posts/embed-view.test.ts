// How a post shows its embeds, case by case.

import { afterEach, expect, test } from 'vitest'
import { postView } from '../../../../src/answers/views/posts/post-view.ts'
import { VIOLATES_POSTGATE } from '../../../../src/data/store/posts/post-flags.ts'
import { type HydratedWorld, hydrateWorld, overTheWire } from '../../../support/hydration.ts'
import { blob, blobCidOf, createWorld, type World } from '../../../support/social-world.ts'

let open: HydratedWorld | undefined
afterEach(() => {
  open?.close()
  open = undefined
})

/** biome-ignore lint/suspicious/noExplicitAny: JSON is looked into at will here. */
type Seen = any

function embedOf(world: World, uri: string, viewer?: string): Seen {
  open?.close()
  open = hydrateWorld(world)
  const state = open.hydrator.posts([open.written.post(uri)], open.reader(viewer))
  return (overTheWire(postView(state, open.written.post(uri))) as Seen).embed
}

function twoPeople() {
  const world = createWorld()
  return { world, ann: world.account('ann'), bob: world.account('bob') }
}

test('pictures have two addresses, with the unescaped DID', () => {
  const { world, ann } = twoPeople()
  const image = { image: blob('one'), alt: 'a cat', aspectRatio: { width: 3, height: 2 } }
  const legacy = { image: { cid: blobCidOf('two'), mimeType: 'image/png' }, alt: '' }
  const post = world.post(ann, {
    embed: { $type: 'app.bsky.embed.images', images: [image, legacy] },
  })
  const [first, second] = embedOf(world, post).images
  expect(first).toEqual({
    thumb: `https://img.test/feed_thumbnail/plain/${ann}/${blobCidOf('one')}`,
    fullsize: `https://img.test/feed_fullsize/plain/${ann}/${blobCidOf('one')}`,
    alt: 'a cat',
    aspectRatio: { width: 3, height: 2 },
  })
  expect(second.thumb).toContain(blobCidOf('two'))
  expect('aspectRatio' in second).toBe(false)
})

test('a gallery is cut to ten, and unknown items are dropped', () => {
  const { world, ann } = twoPeople()
  const $type = 'app.bsky.embed.gallery'
  const ratio = { width: 1, height: 1 }
  const item = (alt: string) => ({
    $type: `${$type}#image`,
    image: blob(alt),
    alt,
    aspectRatio: ratio,
  })
  const items = [{ $type: `${$type}#hologram` }, ...Array.from('abcdefghijkl', item)]
  const post = world.post(ann, { embed: { $type, items } })
  const visible = embedOf(world, post).items.map(({ alt }: Seen) => alt)
  expect(visible).toEqual([...'abcdefghi'])
})

test('a video has addresses with the percent-encoded DID', () => {
  const { world, ann } = twoPeople()
  const video = blob('film', 'video/mp4')
  const post = world.post(ann, { embed: { $type: 'app.bsky.embed.video', video, alt: 'a film' } })
  const path = `https://vid.test/${encodeURIComponent(ann)}/${blobCidOf('film')}`
  expect(embedOf(world, post)).toEqual({
    $type: 'app.bsky.embed.video#view',
    cid: blobCidOf('film'),
    playlist: `${path}/playlist.m3u8`,
    thumbnail: `${path}/thumbnail.jpg`,
    alt: 'a film',
  })
})

test('quotes are shown two deep', () => {
  const { world, ann, bob } = twoPeople()
  const first = world.post(ann, { text: 'first' })
  const second = world.quote(bob, first, { text: 'second' })
  const third = world.quote(ann, second, { text: 'third' })
  const fourth = world.quote(bob, third, { text: 'fourth' })
  const outer = embedOf(world, fourth).record
  expect(outer).toMatchObject({ uri: third, value: { text: 'third' }, quoteCount: 1 })
  const inner = outer.embeds[0].record
  expect(inner).toMatchObject({ uri: second, author: { did: bob } })
  expect('embeds' in inner).toBe(false)
  expect(embedOf(world, second).record.embeds).toEqual([])
})

test('a quoted post that is deleted, or whose author is hidden, is not found', () => {
  for (const spoil of ['remove', 'hide']) {
    const { world, ann, bob } = twoPeople()
    const post = world.post(ann)
    const quote = world.quote(bob, post)
    if (spoil === 'remove') world.remove(post)
    else world.accounts.get(ann)!.status = 'deactivated'
    expect(embedOf(world, quote)).toEqual({
      $type: 'app.bsky.embed.record#view',
      record: { $type: 'app.bsky.embed.record#viewNotFound', uri: post, notFound: true },
    })
  }
})

test('a block hides a quote: the viewer’s, or one between the two authors', () => {
  for (const between of ['viewer', 'authors']) {
    const { world, ann, bob } = twoPeople()
    const cat = world.account('cat')
    const post = world.post(ann)
    const quote = world.quote(bob, post)
    const block = between === 'viewer' ? world.block(cat, ann) : world.block(ann, bob)
    const viewer =
      between === 'viewer' ? { blockedBy: false, blocking: block } : { blockedBy: false }
    expect(embedOf(world, quote, cat).record).toEqual({
      $type: 'app.bsky.embed.record#viewBlocked',
      uri: post,
      blocked: true,
      author: { did: ann, viewer },
    })
  }
})

test('a quote is detached by the postgate’s list, or if embedding was not allowed', () => {
  const { world, ann, bob } = twoPeople()
  const post = world.post(ann)
  const [listed, forbidden, free] = [1, 2, 3].map(() => world.quote(bob, post)) as [
    string,
    string,
    string,
  ]
  world.postgate(post, { detachedEmbeddingUris: [listed] })
  world.flags.set(forbidden, VIOLATES_POSTGATE)
  const detached = { $type: 'app.bsky.embed.record#viewDetached', uri: post, detached: true }
  expect(embedOf(world, listed).record).toEqual(detached)
  expect(embedOf(world, forbidden).record).toEqual(detached)
  expect(embedOf(world, free).record.$type).toBe('app.bsky.embed.record#viewRecord')
})

test('a list is shown with its creator; generators, labelers and packs are not found', () => {
  const { world, ann, bob } = twoPeople()
  const list = world.list(ann, { name: 'people', description: 'I know', avatar: blob('face') })
  world.listItem(list, bob)
  world.listItem(list, bob) // a repeated like counts once
  expect(embedOf(world, world.quote(bob, list), bob).record).toMatchObject({
    $type: 'app.bsky.graph.defs#listView',
    uri: list,
    name: 'people',
    description: 'I know',
    avatar: `https://img.test/avatar/plain/${ann}/${blobCidOf('face')}`,
    listItemCount: 1,
    creator: { did: ann },
    viewer: { muted: false },
  })
  for (const kind of ['feed.generator', 'labeler.service', 'graph.starterpack', 'graph.list']) {
    const uri = `at://${ann}/app.bsky.${kind}/self`
    const quote = world.quote(bob, uri)
    expect(embedOf(world, quote).record.$type).toBe('app.bsky.embed.record#viewNotFound')
  }
})

test('a record with media shows both', () => {
  const { world, ann, bob } = twoPeople()
  const post = world.post(ann)
  const external = { uri: 'https://a.test/x', title: 'X', description: '', thumb: blob('t') }
  const quote = world.post(bob, {
    embed: {
      $type: 'app.bsky.embed.recordWithMedia',
      record: { record: world.ref(post) },
      media: { $type: 'app.bsky.embed.external', external },
    },
  })
  expect(embedOf(world, quote)).toMatchObject({
    $type: 'app.bsky.embed.recordWithMedia#view',
    media: { $type: 'app.bsky.embed.external#view', external: { uri: 'https://a.test/x' } },
    record: { record: { $type: 'app.bsky.embed.record#viewRecord', uri: post } },
  })
})
