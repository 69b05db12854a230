// The For You tab in a real browser, over a simulated network: five likes, and what those like who liked the same
// fills the page. Each post says why on request, and what the reader wants less of is gone at once.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
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
      (one) => one.did !== world.member.did && !followed.has(one.did) && !one.state,
    )
  }

  test('five likes fill it with what those like who liked the same', async () => {
    const [writer, ...others] = strangers()
    const [cluster, authors] = [others.slice(0, CLUSTER), others.slice(0, AUTHORS)]
    expect(authors).toHaveLength(AUTHORS)
    const shared = [1, 2, 3, 4, 5].map((i) => put(writer!, POST, { text: `shared ${i}` }))
    const liked = authors.map((by, i) => put(by, POST, { text: `of the cluster ${i}` }))
    for (const by of cluster)
      for (const subject of [...shared, ...liked]) put(by, LIKE, { subject })
    for (const subject of shared) put(world.member, LIKE, { subject })
    put(world.member, POST, { text: 'behind all likes' })
    const { page } = reader
    const posts = (text: string) => page.locator('.feed .post', { hasText: text })
    // All at once: what a page has shown counts as seen, and leaves.
    await eventually(async () => {
      await page.reload()
      await posts('behind all likes').first().waitFor({ timeout: 5_000 })
    })
    await page.getByRole('link', { name: 'For You' }).click()
    await posts('of the cluster').nth(9).waitFor()
    expect(await page.title()).toContain('For You')
  })

  test('why it is there is a press away', async () => {
    const item = reader.page.locator('.feed > li', { hasText: 'of the cluster' }).first()
    const why = item.getByRole('button', { name: 'Why this?' })
    expect(await item.innerText()).not.toContain('in common')
    await why.click()
    expect(await why.getAttribute('aria-expanded')).toBe('true')
    expect(await item.innerText()).toMatch(
      /Liked by \d+ people who liked what you liked: up to \d+ posts in common\./,
    )
  })

  test('less like this, and not this author, are gone at once and stay away', async () => {
    const { page } = reader
    const gone: string[] = []
    for (const name of ['Less like this', 'Not this author']) {
      const item = page.locator('.feed > li', { hasText: 'of the cluster' }).first()
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
