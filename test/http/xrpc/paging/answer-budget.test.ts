// Pages of items as large as items may be end early, with a cursor, and all of them are on some page.

import { expect, onTestFinished, test } from 'vitest'
import { blobOf, didOf } from '../../../support/records.ts'
import { searchable } from '../../../support/searching.ts'
import { allPages, createServingWorld } from '../../../support/serving-world.ts'

const [alice, bob] = [didOf('alice'), didOf('bob')]
const POSTS = 90
const LONG = 90_000

function start() {
  const w = createServingWorld({ scope: 'network', members: ['alice'] })
  onTestFinished(() => w.dispose())
  for (const did of [alice, bob]) w.profile(did, {})
  const uris: string[] = []
  for (let i = 0; i < POSTS; i++) {
    const images = [{ image: blobOf(`${i}`), alt: 'a'.repeat(LONG) }]
    const embed = { $type: 'app.bsky.embed.images', images }
    uris.unshift(w.post(bob, { text: 'wordy', embed }).uri)
  }
  return { w, uris }
}

type Item = { uri: string; post?: { uri: string } }
type Page = { feed?: Item[]; posts?: Item[]; cursor?: string }

const pages: [string, object][] = [
  ['app.bsky.feed.getAuthorFeed', { actor: bob }],
  ['app.bsky.feed.searchPosts', { q: 'wordy', sort: 'latest' }],
]

test.each([
  ...pages.map(([nsid, query]) => ({ nsid, query, viewer: alice, least: 30, most: POSTS })),
  { nsid: pages[0]![0], query: pages[0]![1], viewer: undefined, least: 10, most: 30 },
])('$nsid, at most $most a page', async ({ nsid, query, viewer, least, most }) => {
  const { w, uris } = start()
  searchable(w)
  const sizes: number[] = []
  const items = await allPages(
    (cursor) => w.get<Page>(nsid, { ...query, limit: 100, cursor }, viewer),
    ({ feed, posts }) => {
      const found = feed ?? posts ?? []
      sizes.push(found.length)
      return found
    },
  )
  expect(items.map(({ uri, post }) => post?.uri ?? uri)).toEqual(uris)
  expect(sizes[0]).toBeGreaterThan(least)
  expect(sizes[0]).toBeLessThan(most)
})
