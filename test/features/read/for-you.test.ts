// The For You tab in a real browser, over a simulated network: five likes, and what those like who liked the same
// fills the page. Each post says why on request, and what the reader wants less of is gone at once.

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { reasonWords } from '../../../src/features/read/assets/for-you/words.ts'
import type { Reader } from '../../e2e/support/reader.ts'
import { chromiumPath } from '../../support/browser.ts'
import { type ClientWorld, startClientWorld } from '../../support/client-world.ts'
import { eventually } from '../../support/eventually.ts'
import type { SimulatedAccount } from '../../support/simulated-network/repository.ts'

const path = chromiumPath()
if (!path) console.warn('no Chromium here: For You is NOT tested (apt-get install chromium)')

const POST = 'app.bsky.feed.post'
const LIKE = 'app.bsky.feed.like'
const CLUSTER = 6
const AUTHORS = 14

test.each([
  ['liked by 2 people who share up to 1 like with you', 'one post in common'],
  ['liked by 1 person who shares up to 12 likes with you', 'up to 12 posts in common'],
])('“%s” is said as “%s”', (context, words) => {
  vi.stubGlobal('localStorage', { getItem: () => null })
  expect(reasonWords(context)).toContain(words)
  vi.unstubAllGlobals()
})

describe.skipIf(!path)('For You', () => {
  let world: ClientWorld
  let reader: Reader

  beforeAll(async () => {
    world = await startClientWorld()
    reader = await world.open({ locale: 'en-GB', timezoneId: 'UTC' })
    await world.signIn(reader)
  })
  afterAll(() => world?.close())

  function put(by: SimulatedAccount, collection: string, value: object) {
    const atMs = Date.now()
    const createdAt = new Date(atMs).toISOString()
    const commit = by.put({ collection, value: { $type: collection, createdAt, ...value }, atMs })
    world.simulation.emit(commit)
    return {
      uri: `at://${by.did}/${collection}/${commit.rkey}`,
      cid: (commit as { cid: string }).cid,
    }
  }

  /** Accounts that the member does not follow. */
  function strangers(): SimulatedAccount[] {
    const { network } = world.simulation
    const follows = world.member.collections.get('app.bsky.graph.follow')?.values() ?? []
    const followed = new Set([...follows].map(({ value }) => value['subject']))
    return network.repositories.filter(
      (repository) =>
        repository.did !== world.member.did && !followed.has(repository.did) && !repository.state,
    )
  }

  /** The member likes five posts, and those who like them, too, like others, which have this in their text. */
  async function likeWithCluster(text: string): Promise<void> {
    const [writer, ...others] = strangers()
    const [cluster, authors] = [others.slice(0, CLUSTER), others.slice(0, AUTHORS)]
    expect(authors).toHaveLength(AUTHORS)
    const shared = [1, 2, 3, 4, 5].map((i) => put(writer!, POST, { text: `shared ${i}` }))
    const liked = authors.map((by, i) => put(by, POST, { text: `${text} ${i}` }))
    for (const by of cluster)
      for (const subject of [...shared, ...liked]) put(by, LIKE, { subject })
    for (const subject of shared) put(world.member, LIKE, { subject })
    put(world.member, POST, { text: `behind the likes of ${text}` })
    const { page } = reader
    const behind = page.locator('.feed .post', { hasText: `behind the likes of ${text}` })
    await eventually(async () => {
      await page.goto(`${world.origin}/read`)
      await behind.first().waitFor({ timeout: 20_000 })
    })
    await page.getByRole('link', { name: 'For You' }).click()
  }

  /** Looks until so many have been there. What one page has shown is not on the next. */
  async function untilSeen(text: string, count: number): Promise<void> {
    const { page } = reader
    const seen = new Set<string | null>()
    await eventually(async () => {
      await page.locator('#main[aria-busy=false]').waitFor()
      const posts = page.locator('.feed .post', { hasText: text })
      for (const post of await posts.all()) seen.add(await post.getAttribute('data-uri'))
      if (seen.size < count) await page.reload()
      expect(seen.size).toBeGreaterThanOrEqual(count)
    })
  }

  test('five likes fill it with what those like who liked the same', async () => {
    await likeWithCluster('of the cluster')
    await untilSeen('of the cluster', 10)
    expect(await reader.page.title()).toContain('For You')
  })

  test('why it is there is a press away', async () => {
    await likeWithCluster('to be explained')
    await untilSeen('to be explained', 1)
    const item = reader.page.locator('.feed > li', { hasText: 'to be explained' }).first()
    const why = item.getByRole('button', { name: 'Why this?' })
    expect(await item.innerText()).not.toContain('in common')
    await why.click()
    expect(await why.getAttribute('aria-expanded')).toBe('true')
    expect(await item.innerText()).toMatch(
      /Liked by \d+ people who liked what you liked: up to \d+ posts in common\./,
    )
  })

  test('each leads to its reasons, also one of which the feed says nothing', async () => {
    const { page } = reader
    await page.route('**/xrpc/app.bsky.feed.getFeed?*', async (route) => {
      const response = await route.fetch()
      const body = (await response.json()) as { feed?: { feedContext?: string }[] }
      delete body.feed?.at(-1)?.feedContext
      await route.fulfill({ response, json: body })
    })
    await likeWithCluster('with reasons')
    await untilSeen('with reasons', 1)
    await page.unroute('**/xrpc/app.bsky.feed.getFeed?*')
    const items = page.locator('.feed > li')
    const count = await items.count()
    for (let i = 0; i < count; i++) {
      await items.nth(i).getByRole('button', { name: 'Why this?' }).click()
      const uri = await items.nth(i).locator('.post').getAttribute('data-uri')
      const to = await items
        .nth(i)
        .getByRole('link', { name: 'And in my timeline?' })
        .getAttribute('href')
      expect(to).toBe(`/read/why?${new URLSearchParams({ uri: uri! })}`)
    }
    // Reading down brings further ones.
    const last = items.nth(count - 1)
    const text = await last.locator('.text').innerText()
    await last.getByRole('link', { name: 'And in my timeline?' }).click()
    await page.getByText(/^This post is (not )?in your timeline/).waitFor()
    expect(await page.locator('#main .post .text').first().innerText()).toBe(text)
  })

  test('less like this, and not this author, are gone at once and stay away', async () => {
    const { page } = reader
    const gone: string[] = []
    await likeWithCluster('unwanted')
    for (const name of ['Less like this', 'Not this author']) {
      await untilSeen('unwanted', 1)
      const item = page.locator('.feed > li', { hasText: 'unwanted' }).first()
      const uri = (await item.locator('.post').getAttribute('data-uri'))!
      await item.getByRole('button', { name }).click()
      await page.locator(`[data-uri="${uri}"]`).waitFor({ state: 'detached' })
      gone.push(uri)
    }
    const author = strangers().find(({ did }) => gone[1]!.includes(did))!
    await page.locator('#toast', { hasText: author.handle }).waitFor()
    await page.reload()
    await page.locator('#main[aria-busy=false]').waitFor()
    for (const uri of gone) expect(await page.locator(`[data-uri="${uri}"]`).count()).toBe(0)
    expect(reader.troubles).toEqual([])
  })
})
