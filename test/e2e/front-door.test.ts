// The front door in a real Chromium, with a real PDS and its own OAuth pages: a stranger signs in, joins, reads,
// writes, goes on at another browser, and leaves.

import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { chromiumPath, launchBrowser } from '../support/browser.ts'
import { eventually } from '../support/eventually.ts'
import { lowContrasts, overflow, unnamed } from '../support/page-audit.ts'
import { PIXEL } from '../support/pixel.ts'
import { type Account, follow, post, put, uploadImage } from './support/account.ts'
import { consent, goToPds, openReader, type Reader, signIn } from './support/reader.ts'
import { startWorld, type World } from './support/world.ts'

const path = chromiumPath()
if (!path) console.warn('no Chromium here: the front door is NOT tested (apt-get install chromium)')

const EVIL =
  '<img src=x onerror="document.title=1"><script>document.title=1</script>javascript:alert(1)'
const POSTS = 60

describe.skipIf(!path)('the front door', () => {
  let world: World
  let browser: Browser
  let origin: string
  let alice: Account
  let bob: Account
  let carol: Account
  let reader: Reader

  beforeAll(async () => {
    browser = await launchBrowser()
    const started = await startWorld('double', async (person) => {
      const [first, two, newcomer] = [
        await person('bob'),
        await person('carol'),
        await person('alice'),
      ]
      await put(first, 'app.bsky.actor.profile', 'self', {
        displayName: EVIL.slice(0, 60),
        description: EVIL,
      })
      for (const friend of [first, two]) await follow(newcomer, friend)
      await follow(first, two)
      for (let i = 0; i < POSTS; i++) await post(i % 2 === 0 ? first : two, `post ${i}`)
      await post(first, EVIL, hostile())
      const images = [{ image: await uploadImage(first), alt: EVIL }]
      await post(first, 'hostile alt', { embed: { $type: 'app.bsky.embed.images', images } })
      return { one: first, two, newcomer }
    })
    world = started.world
    ;({ one: bob, two: carol, newcomer: alice } = started.early)
    origin = world.slipstream.origin.replace('localhost', '127.0.0.1')
  })
  afterEach(async ({ task }) => {
    if (task.result?.state !== 'fail' || !reader) return
    console.error(
      reader.page.url(),
      await reader.page.innerText('body').catch(() => ''),
      reader.troubles,
    )
    console.error(world.slipstream.log().slice(-3_000))
  })
  afterAll(async () => {
    await browser?.close()
    await world?.stop()
  })

  const firstText = (page: Reader['page']) => page.locator('.feed .post .text').first()

  test('a stranger signs in at their own PDS and sees all that they follow', async () => {
    reader = await openReader(browser)
    const { page, troubles } = reader
    await page.goto(`${origin}/read`)
    await page.locator('main', { hasText: 'your password stays there' }).waitFor()
    await goToPds(reader, origin, alice)
    const { search } = new URL(page.url())
    expect(search).not.toContain('rpc:*?aud=*')
    await consent(reader)
    await page.locator('.feed .post').first().waitFor()
    expect(new URL(page.url()).pathname).toBe('/read')
    await eventually(async () => {
      await page.mouse.wheel(0, 4_000)
      expect(await page.locator('.feed .post').count()).toBe(POSTS + 2)
    })
    expect(troubles).toEqual([])
  })

  test('tokens stay in the browser: the server’s data holds none', async () => {
    const stored = await reader.page.evaluate(
      `(async () => (await indexedDB.databases()).map(({ name }) => name))()`,
    )
    expect(stored).toContain('@atproto-oauth-client')
    expect(world.slipstream.log()).not.toMatch(/at\+jwt|DPoP|refresh_token/)
  })

  test('strings of records are text: none runs, and no link leads to a script', async () => {
    const { page, troubles } = reader
    const card = page.locator('.post', { hasText: 'javascript:alert(1)' }).first()
    await card.scrollIntoViewIfNeeded()
    expect(await card.locator('.text').textContent()).toContain('<script>')
    expect(await page.locator('a[href^="javascript:" i], a[href^="data:" i]').count()).toBe(0)
    expect(await page.locator('main script, main iframe, main object, img[onerror]').count()).toBe(
      0,
    )
    const alt = await page
      .locator('.post', { hasText: 'hostile alt' })
      .locator('.pictures img')
      .getAttribute('alt')
    expect(alt).toBe(EVIL)
    expect(await page.title()).toBe('Following · Slipstream')
    expect(troubles).toEqual([])
  })

  test('likes and replies reach the repository, and a like can be undone', async () => {
    const { page } = reader
    await page.evaluate('scrollTo(0, 0)')
    const card = page.locator('.post', { hasText: `post ${POSTS - 1}` }).first()
    await card.scrollIntoViewIfNeeded()
    const likes = () => records(alice, 'app.bsky.feed.like')
    await card.locator('.act-like').click()
    await eventually(async () => expect(await likes()).toHaveLength(1))
    await page.locator('#toast button').click()
    await eventually(async () => expect(await likes()).toHaveLength(0))

    await card.locator('.act-reply').click()
    await page.locator('#compose textarea').first().fill(`a reply with a picture, #tagged`)
    await page
      .locator('#compose input[type=file]')
      .setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: PIXEL })
    await page.locator('.new-pictures textarea').fill('one pixel')
    await page.locator('#compose button[type=submit]').click()
    await eventually(async () => expect(await records(alice, 'app.bsky.feed.post')).toHaveLength(1))
    const [reply] = await records(alice, 'app.bsky.feed.post')
    expect(reply).toMatchObject({
      embed: {
        $type: 'app.bsky.embed.images',
        images: [{ alt: 'one pixel', aspectRatio: { width: 1, height: 1 } }],
      },
      facets: [{ features: [{ tag: 'tagged' }] }],
    })
    expect(reply!['reply']).toMatchObject({ parent: { uri: expect.stringContaining(carol.did) } })
  })

  test('what is begun and not sent is there after the page was closed', async () => {
    const { page } = reader
    await page.click('#write')
    await page.locator('#compose textarea').first().fill('begun, not sent')
    await page.reload()
    await page.locator('.feed .post').first().waitFor()
    await page.click('#write')
    expect(await page.locator('#compose textarea').first().inputValue()).toBe('begun, not sent')
    await page.keyboard.press('Escape')
  })

  test('a muted account is gone from the timeline, and back when it is undone', async () => {
    const { page } = reader
    const card = page.locator('.post', { hasText: `post ${POSTS - 2}` }).first()
    await card.scrollIntoViewIfNeeded()
    await card.locator('.menu summary').click()
    await card.locator('.menu-items button', { hasText: 'Mute' }).click()
    await page.locator('#toast', { hasText: 'is muted' }).waitFor()
    const muted = async () => {
      const answer = await alice.raw('/xrpc/app.bsky.graph.getMutes', 'by-header')
      return ((await answer.json()) as { mutes: { did: string }[] }).mutes.map(({ did }) => did)
    }
    expect(await muted()).toEqual([bob.did])
    await page.locator('#toast button').click()
    await eventually(async () => expect(await muted()).toEqual([]))
  })

  test('another browser goes on where this one stopped, and tells what is new above', async () => {
    const { page } = reader
    await page.goto(`${origin}/read`)
    await page.locator('.feed .post').first().waitFor()
    const target = page.locator('.post', { hasText: 'post 40' }).first()
    await eventually(async () => {
      await page.mouse.wheel(0, 600)
      expect(await target.count()).toBe(1)
    })
    // The last turns of the wheel may still scroll on.
    await eventually(async () => {
      await page.evaluate(`[...document.querySelectorAll('.feed > li')]
        .find((row) => row.textContent.includes('post 40'))
        .scrollIntoView({ block: 'start' })`)
      await new Promise((resolve) => setTimeout(resolve, 1_000))
      expect(await topText(page)).toBe('post 40')
    })
    await eventually(async () => {
      const answer = await alice.raw(
        '/xrpc/io.slipstream.feed.getPosition?timeline=following',
        'by-header',
      )
      expect((await answer.json()) as object).toHaveProperty('position')
    })
    const top = await topText(page)
    expect(top).toBe('post 40')
    await new Promise((resolve) => setTimeout(resolve, 3_000))

    const other = await openReader(browser, { viewport: { width: 390, height: 800 } })
    await signIn(other, origin, alice)
    await other.page.locator('.feed .post').first().waitFor()
    await other.page.locator('.pill:not([hidden])').waitFor()
    expect(await other.page.locator('.pill').innerText()).toMatch(/\d+ new above/)
    await eventually(async () => expect(await topText(other.page)).toBe(top))
    expect(other.troubles).toEqual([])
    await other.page.context().close()
  })

  test.each(['light', 'dark'] as const)(
    'every page is accessible at 320 px, %s',
    async (colorScheme) => {
      const { page } = reader
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width: 320, height: 700 })
      for (const address of [
        '',
        '/notifications',
        '/search?q=post',
        '/bookmarks',
        '/lists',
        '/drafts',
        '/settings',
        `/profile/${bob.did}`,
      ]) {
        await page.goto(`${origin}/read${address}`)
        await page.locator('#main[aria-busy=false]').waitFor()
        expect([address, await page.evaluate(unnamed)]).toEqual([address, []])
        expect([address, await page.evaluate(overflow)]).toEqual([address, 0])
        const low = ((await page.evaluate(lowContrasts)) as string[]).filter(
          (value) => !value.startsWith('only'),
        )
        expect([address, low]).toEqual([address, []])
      }
      await page.setViewportSize({ width: 1280, height: 720 })
    },
  )

  test('a profile says who of those one follows stands behind it', async () => {
    const { page } = reader
    await page.goto(`${origin}/read/profile/${carol.did}`)
    await page.locator('.proof').waitFor()
    expect(await page.innerText('.proof')).toContain('Followed by')
  })

  test('visitors see pages without a script, with what previews read, and nothing runs', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    await page.goto(`${origin}/profile/${bob.did}`)
    expect(await page.locator('meta[property="og:title"]').getAttribute('content')).toContain(
      '<img src=x',
    )
    expect(await page.locator('main script, img[onerror], a[href^="javascript:" i]').count()).toBe(
      0,
    )
    expect(await page.locator('.post').count()).toBeGreaterThan(10)
    const icon = await page.locator('link[rel="icon"]').getAttribute('href')
    expect((await fetch(new URL(icon!, origin))).headers.get('content-type')).toBe('image/svg+xml')
    const feed = await fetch(`${world.slipstream.origin}/profile/${bob.did}/feed.atom`)
    expect(feed.headers.get('content-type')).toContain('application/atom+xml')
    await context.close()
  })

  test('refused consent is a sentence, and nothing is lost', async () => {
    const other = await openReader(browser)
    await goToPds(other, origin, carol)
    await consent(other, /deny/i)
    await other.page.locator('.problem', { hasText: 'You did not give permission' }).waitFor()
    await other.page.fill('#name', 'no spaces allowed')
    await other.page.click('form.enter button[type=submit]')
    await other.page.locator('.problem', { hasText: 'neither a handle' }).waitFor()
    await other.page.fill('#name', 'nobody.invalid')
    await other.page.click('form.enter button[type=submit]')
    await other.page.locator('.problem', { hasText: 'no account of this name' }).waitFor()
    await other.page.context().close()
  })

  test('the session survives a restart of the server', async () => {
    await world.slipstream.stop()
    await world.slipstream.start()
    const { page } = reader
    await page.goto(`${origin}/read`)
    await page.locator('.feed .post').first().waitFor()
    expect(await firstText(page).textContent()).not.toBe('')
  })

  test('signing out revokes, also for another tab, which says so and keeps what was begun', async () => {
    const { page } = reader
    const beside = await page.context().newPage()
    await beside.goto(`${origin}/read`)
    await beside.locator('.feed .post').first().waitFor()
    await page.goto(`${origin}/read/settings`)
    const revoked = page.waitForRequest(/\/oauth\/revoke/)
    await page.click('#sign-out')
    await revoked
    await page.locator('#name').waitFor()
    await page.reload()
    await page.locator('#name').waitFor()

    await beside.click('#write')
    await beside.locator('#compose textarea').first().fill('begun before the end')
    await beside.locator('#compose button[type=submit]').click()
    await beside.locator('.problem', { hasText: 'Sign in again; drafts are kept' }).waitFor()
    await beside.close()
    await signIn(reader, origin, alice)
    await page.click('#write')
    expect(await page.locator('#compose textarea').first().inputValue()).toBe(
      'begun before the end',
    )
    expect(await records(alice, 'app.bsky.feed.post')).toHaveLength(1)
    expect(reader.troubles).toEqual([])
  })

  function records(
    { did, agent }: Account,
    collection: string,
  ): Promise<Record<string, unknown>[]> {
    const query = { repo: did, collection }
    return agent.com.atproto.repo
      .listRecords(query)
      .then(({ data }) => data.records.map(({ value }) => value as Record<string, unknown>))
  }

  async function topText(page: Reader['page']): Promise<string> {
    return page.evaluate(`(() => {
      const rows = [...document.querySelectorAll('.feed > li')]
      return rows.find((row) => row.getBoundingClientRect().bottom > 120)?.querySelector('.text')?.textContent ?? ''
    })()`) as Promise<string>
  }
})

/** A facet and a card whose addresses are scripts, beside honest ones. */
function hostile(): Record<string, unknown> {
  const index = { byteStart: 0, byteEnd: 10 }
  const uri = 'javascript:document.title=1'
  return {
    facets: [{ index, features: [{ $type: 'app.bsky.richtext.facet#link', uri }] }],
    embed: { $type: 'app.bsky.embed.external', external: { uri, title: EVIL, description: EVIL } },
  }
}
