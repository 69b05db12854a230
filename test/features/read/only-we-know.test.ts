// What only this server knows, in a real browser: a gap is a line that closes itself, a lossy timeline says so once,
// and a profile says who of those one follows stands behind it.

import type { Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Reader } from '../../e2e/support/reader.ts'
import { chromiumPath } from '../../support/browser.ts'
import { type ClientWorld, startClientWorld } from '../../support/client-world.ts'
import { eventually } from '../../support/eventually.ts'
import { pageFaultsBothWays } from '../../support/page-faults.ts'

const path = chromiumPath()
if (!path) console.warn('no Chromium here: gaps are NOT tested (apt-get install chromium)')

const MINUTE = 60_000
type Feed = { feed: { post: { indexedAt: string }; reason?: { indexedAt: string } }[] }

describe.skipIf(!path)('what only this server knows', () => {
  let world: ClientWorld
  let reader: Reader
  const now = Date.now()
  /** The posts of these minutes are missing at first. */
  const gap = { from: now - 40 * MINUTE, to: now - 20 * MINUTE }

  beforeAll(async () => {
    world = await startClientWorld({
      settings: { REASONABLE_LIMIT: '4' },
      prepare({ network }, member) {
        const friends = [...(member.collections.get('app.bsky.graph.follow')?.values() ?? [])]
        const friend = network.repositories.find(({ did }) => did === friends[0]?.value['subject'])!
        for (let i = 1; i < 60; i++) {
          const atMs = now - i * MINUTE
          const createdAt = new Date(atMs).toISOString()
          friend.put({
            collection: 'app.bsky.feed.post',
            value: { text: `${i} ago`, createdAt },
            atMs,
          })
        }
      },
    })
    reader = await world.open({ locale: 'en-GB', timezoneId: 'UTC' })
  })
  afterAll(() => world?.close())

  test('a lossy timeline says so once, with the reason a press away', async () => {
    const { page } = reader
    await world.signIn(reader)
    const notice = page.locator('.notice', { hasText: 'of what they post' })
    await eventually(async () => {
      await page.reload()
      await notice.waitFor({ timeout: 20_000 })
    })
    expect(await notice.innerText()).toMatch(/You follow \d+ accounts; you see about \d+\s%/)
    const why = notice.getByRole('button', { name: 'Why' })
    expect(await why.getAttribute('aria-expanded')).toBe('false')
    await why.click()
    expect(await notice.innerText()).toContain('Beyond 4, this server draws for each post')
    await notice.getByRole('link', { name: 'Why' }).click()
    await page.getByText(/Your timeline takes about \d+\s% of the posts/).waitFor()
    expect(new URL(page.url()).pathname).toBe('/read/why')
    await page.goto(`${world.origin}/read`)
    await notice.getByRole('button', { name: 'Close' }).click()
    await page.reload()
    await page.locator('.feed .post').first().waitFor()
    await page.locator('#main[aria-busy=false]').waitFor()
    expect(await notice.count()).toBe(0)
  })

  test('a page says of any post why it is in one’s timeline, or not', async () => {
    const { page } = reader
    const post = page.locator('.feed .post').first()
    const uri = (await post.getAttribute('data-uri'))!
    const [, , did, , key] = uri.split('/')
    await page.goto(`${world.origin}/read/why`)
    await page.locator('#main[aria-busy=false]').waitFor()
    const look = async (address: string) => {
      await page.fill('#post-address', address)
      await page.locator('main form button').click()
    }
    await look('no address')
    await page.getByText('This is not the address of a post.').waitFor()
    await look(`https://other.example/profile/${did}/post/${key}`)
    await page.getByText('This post is in your timeline.').waitFor()
    expect(await page.locator(`.post[data-uri="${uri}"]`).count()).toBe(1)
    expect(await page.innerText('main')).toContain('Only you can see this.')
    const stranger = world.simulation.network.repositories[0]!.did
    await look(`at://${stranger}/app.bsky.feed.post/3kaaaaaaaaaaa`)
    await page.getByText('This post is not in your timeline.').waitFor()
    await page.getByText('This server does not have it.').waitFor()
    for (const [language, words] of [
      ['de', 'Das siehst nur du.'],
      ['ja', 'これはあなただけに表示されます。'],
      ['en', 'Only you can see this.'],
    ]) {
      await page.evaluate(`localStorage.setItem('slipstream-language', '${language}')`)
      await page.reload()
      await page.getByText(words!).waitFor()
      expect(await pageFaultsBothWays(page)).toEqual([])
    }
  })

  test('a gap is a line from when to when, which goes when its posts are there', async () => {
    const { page } = reader
    let isOpen = true
    await page.route('**/xrpc/app.bsky.feed.getTimeline?*', (route) =>
      isOpen ? without(route, gap) : route.continue(),
    )
    await page.route('**/xrpc/io.slipstream.feed.getTimelineGaps?*', (route) =>
      route.fulfill({ json: { gaps: isOpen ? [iso(gap)] : [] }, headers: FOR_ANYONE }),
    )
    await page.goto(`${world.origin}/read`)
    const line = page.locator('.gap')
    await line.waitFor()
    const [from, to] = [gap.from, gap.to].map((ms) => new Date(ms).toISOString().slice(11, 16))
    expect(await line.textContent()).toBe(`Posts of ${from} to ${to} are being fetched.`)
    const inside = () =>
      page
        .locator('.feed time')
        .evaluateAll(
          (times, { from, to }) =>
            times
              .map((time) => Date.parse((time as unknown as { dateTime: string }).dateTime))
              .filter((ms) => ms > from && ms < to).length,
          gap,
        )
    // A quoted post may be of that time.
    const quoted = await inside()
    const [above, below] = await Promise.all([
      line.locator('xpath=preceding-sibling::li').count(),
      line.locator('xpath=following-sibling::li').count(),
    ])
    expect(above).toBeGreaterThan(0)
    expect(below).toBeGreaterThan(0)

    isOpen = false
    await page.locator('.gap', { hasText: `Posts of ${from} to ${to} have arrived.` }).waitFor()
    expect(await inside()).toBeGreaterThan(quoted)
    expect(await ordered()).toBe(true)
    await eventually(async () => expect(await line.count()).toBe(0))
    expect(reader.troubles).toEqual([])
  })

  test('a profile says who of those one follows stands behind it, or that nobody does', async () => {
    const { page } = reader
    for (const { did } of world.simulation.network.repositories.slice(0, 3)) {
      if (did === world.member.did) continue
      await page.goto(`${world.origin}/read/profile/${did}`)
      await page.locator('.proof').waitFor()
      expect(await page.innerText('.proof')).toMatch(/Followed by .+|Nobody you follow follows/)
    }
  })

  /** Newest first, by the time at which it was reposted or posted. */
  async function ordered(): Promise<boolean> {
    const positions = await reader.page
      .locator('.feed > li .post:not(:has(> .aside:first-child)) .when time')
      .evaluateAll((times) =>
        times.map((time) => Date.parse((time as unknown as { dateTime: string }).dateTime)),
      )
    return positions.every((ms, i) => i === 0 || ms <= positions[i - 1]!)
  }
})

const FOR_ANYONE = { 'access-control-allow-origin': '*' }

const iso = ({ from, to }: { from: number; to: number }) => ({
  from: new Date(from).toISOString(),
  to: new Date(to).toISOString(),
})

/** Answers as the server would while the posts between are missing. */
async function without(route: Route, gap: { from: number; to: number }): Promise<void> {
  const response = await route.fetch()
  const body = (await response.json()) as Feed
  const feed = body.feed.filter(({ post, reason }) => {
    const ms = Date.parse(reason?.indexedAt ?? post.indexedAt)
    return ms <= gap.from || ms >= gap.to
  })
  await route.fulfill({ response, json: { ...body, feed } })
}
