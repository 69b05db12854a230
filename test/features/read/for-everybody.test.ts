// The client for whoever uses it, in a real browser: axe finds nothing in any state, nothing sticks out at 320 pixels,
// which is also a small window at 200 %, in both directions of writing and three languages, and a keyboard is enough.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Reader } from '../../e2e/support/reader.ts'
import { chromiumPath } from '../../support/browser.ts'
import { type ClientWorld, startClientWorld } from '../../support/client-world.ts'
import { eventually } from '../../support/eventually.ts'
import { NARROW, pageFaults } from '../../support/page-faults.ts'

const path = chromiumPath()
if (!path) console.warn('no Chromium here: access is NOT tested (apt-get install chromium)')

describe.skipIf(!path)('the client is for everybody', () => {
  let world: ClientWorld
  let reader: Reader

  beforeAll(async () => {
    world = await startClientWorld({ settings: { REASONABLE_LIMIT: '4' } })
    reader = await world.open({ viewport: NARROW, reducedMotion: 'reduce', locale: 'en-GB' })
  })
  afterAll(() => world?.close())

  const settled = (page: Page) => page.locator('#main[aria-busy=false]').waitFor()

  test('signing in, by keyboard alone', async () => {
    const { page } = reader
    await page.goto(`${world.origin}/read`)
    await page.locator('#name').waitFor()
    expect(await pageFaults(page)).toEqual([])
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.className')).toBe('skip')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.id')).toBe('name')
    await page.keyboard.type('two words')
    await page.keyboard.press('Enter')
    await page.locator('.problem:not(:empty)').waitFor()
    expect(await pageFaults(page)).toEqual([])
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type(world.member.did)
    await page.keyboard.press('Enter')
    await page.locator('.feed .post').first().waitFor()
  })

  test('reading, answering, liking and writing, by keyboard alone', async () => {
    const { page } = reader
    const focused = (what: string) => page.evaluate(`document.activeElement?.${what}`)
    await page.keyboard.press('j')
    expect(await focused('className')).toBe('when')
    await page.keyboard.press('l')
    await page.locator('#toast', { hasText: 'Liked.' }).waitFor()
    expect(await pageFaults(page)).toEqual([])
    await page.keyboard.press('j')
    await page.keyboard.press('k')
    await page.keyboard.press('r')
    await page.locator('#compose[open]').waitFor()
    expect(await focused('tagName')).toBe('TEXTAREA')
    expect(await pageFaults(page)).toEqual([])
    await page.keyboard.press('Escape')
    expect(await focused('tagName')).not.toBe('BODY')
    await page.keyboard.press('n')
    await page.keyboard.type('typed without a mouse')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await eventually(() => {
      const posts = [...(world.member.collections.get('app.bsky.feed.post')?.values() ?? [])]
      expect(posts.map(({ value }) => value['text'])).toContain('typed without a mouse')
    })
    await page.locator('#compose[open]').waitFor({ state: 'detached' })
    await page.keyboard.press('n')
    await page.keyboard.press('Control+Enter') // nothing to send
    await page.keyboard.type('sent by Ctrl and Enter')
    await page.keyboard.press('Control+Enter')
    await page.locator('#compose[open]').waitFor({ state: 'detached' })
    const sent = [...(world.member.collections.get('app.bsky.feed.post')?.values() ?? [])]
    expect(sent.map(({ value }) => value['text'])).toContain('sent by Ctrl and Enter')
  })

  test('a menu opens and closes by keyboard', async () => {
    const { page } = reader
    await page.goto(`${world.origin}/read`)
    await page.locator('.feed .post').first().waitFor()
    const menu = page.locator('.menu').first()
    await menu.locator('summary').focus()
    await page.keyboard.press('Enter')
    expect(await menu.getAttribute('open')).not.toBeNull()
    expect(await pageFaults(page)).toEqual([])
    await page.keyboard.press('Escape')
    expect(await menu.getAttribute('open')).toBeNull()
  })

  describe.each(['en', 'de', 'ja'])('in %s', (language) => {
    test.each([
      ['ltr', 'light'],
      ['rtl', 'dark'],
    ] as const)('%s, %s', async (dir, colorScheme) => {
      const { page } = reader
      await page.emulateMedia({ colorScheme })
      await page.evaluate(`localStorage.setItem('slipstream-language', '${language}')`)
      const { did } = world.simulation.network.repositories[0]!
      const pages = ['', '/notifications', '/search?q=a', '/lists', '/settings', `/profile/${did}`]
      for (const address of pages) {
        await page.goto(`${world.origin}/read${address}`)
        await settled(page)
        await page.evaluate(`document.documentElement.dir = '${dir}'`)
        expect([address, await pageFaults(page)]).toEqual([address, []])
      }
      await page.locator('#write').click()
      expect(await pageFaults(page)).toEqual([])
      await page.keyboard.press('Escape')
    })
  })

  test.each([
    ['en-GB', 'Signing in'],
    ['de-CH', 'Anmeldung'],
    ['ja', 'ログイン'],
  ])('in %s, so is the page to which one’s own server leads back', async (locale, heading) => {
    const { page } = await world.open({ locale })
    // It leads on at once, so what it says is noted by the browser.
    await page.addInitScript(`new MutationObserver(() => {
      const heading = location.pathname === '/oauth/callback' && document.querySelector('h1')
      if (heading) sessionStorage.setItem('heading', heading.textContent)
    }).observe(document, { subtree: true, childList: true, characterData: true })`)
    await page.goto(`${world.origin}/oauth/callback?state=none&code=none`)
    await page.locator('.problem:not(:empty)').waitFor()
    expect(await page.evaluate(`sessionStorage.getItem('heading')`)).toBe(heading)
    await page.context().close()
  })

  test('nothing was refused by the page’s policy', () => {
    expect(reader.troubles).toEqual([])
  })
})
