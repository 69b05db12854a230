// What somebody does at the client on an ordinary day, in a real browser: goes back to where they were, changes their
// mind, without a mouse too, meets what is not there any more, and leaves the browser to somebody else.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Reader } from '../../e2e/support/reader.ts'
import { chromiumPath } from '../../support/browser.ts'
import { type ClientWorld, startClientWorld } from '../../support/client-world.ts'
import { eventually } from '../../support/eventually.ts'
import { overflow } from '../../support/page-audit.ts'
import { PIXEL } from '../../support/pixel.ts'

const path = chromiumPath()
if (!path) console.warn('no Chromium here: ordinary days are NOT tested (apt-get install chromium)')

const FOR_ANYONE = { 'access-control-allow-origin': '*' }
const LANGUAGES = ['en', 'de', 'ja']

describe.skipIf(!path)('an ordinary day', () => {
  let world: ClientWorld
  let reader: Reader
  let page: Page

  beforeAll(async () => {
    world = await startClientWorld({ settings: { MEMBERS: 'open' } })
    reader = await world.open({ reducedMotion: 'reduce', locale: 'en-GB' })
    page = reader.page
    await world.signIn(reader)
    await page.locator('.feed .post').first().waitFor()
  })
  afterAll(() => world?.close())

  const records = (collection: string) => world.member.collections.get(collection)?.size ?? 0
  const posts = () => page.locator('.feed .post:not([hidden])')
  const open = async (address: string) => {
    await page.goto(`${world.origin}/read${address}`)
    await page.locator('#main[aria-busy=false]').waitFor()
  }
  const toast = (text: string) => page.locator('#toast', { hasText: text }).waitFor()
  const focused = (what: string) => page.evaluate(`document.activeElement?.${what}`)

  /** Scrolls down for some screens, and puts the focus on a post there. @returns its address */
  async function readDown(): Promise<string> {
    for (let screens = 0; screens < 6; screens++) {
      await page.mouse.wheel(0, 800)
      await eventually(async () => {
        const rest = `document.documentElement.scrollHeight - scrollY - innerHeight > 800 ||
          document.querySelector('.foot').textContent !== 'Loading …'`
        expect(await page.evaluate(rest)).toBe(true)
      })
    }
    return page.evaluate(`(() => {
      const on = [...document.querySelectorAll('.feed .when')].find((one) => {
        const { top } = one.getBoundingClientRect()
        return top > 200 && top < innerHeight - 100
      })
      on.focus({ preventScroll: true })
      return on.href
    })()`) as Promise<string>
  }
  const topOf = () => focused(`getBoundingClientRect().top`) as Promise<number>

  test.each(['', '/profile/'])(
    'back from a thread, at the post that one opened: %s',
    async (at) => {
      const author = world.simulation.network.repositories.find(
        ({ did, collections }) =>
          did !== world.member.did && (collections.get('app.bsky.feed.post')?.size ?? 0) > 12,
      )!
      await open(at && `${at}${author.did}`)
      const href = await readDown()
      const before = await topOf()
      await page.keyboard.press('Enter')
      await page.locator('.thread .focus').waitFor()
      await page.goBack()
      await eventually(async () => expect(await focused('href')).toBe(href))
      expect(Math.abs((await topOf()) - before)).toBeLessThan(8)
    },
  )

  test('what one has scrolled past is not new again in the same visit, but on the next one', async () => {
    const pill = page.locator('.pill')
    // A newcomer's timeline still gets posts above what is read.
    await eventually(async () => {
      await open('')
      await page.evaluate('scrollTo(0, 0)')
      await readDown()
      expect(await pill.isHidden()).toBe(true)
    })
    await page.getByRole('link', { name: 'Search' }).click()
    await page.locator('#main[aria-busy=false] #q').waitFor()
    await page.getByRole('link', { name: 'Following' }).click()
    await page.locator('#main[aria-busy=false] .feed .post').first().waitFor()
    await eventually(async () => expect(await page.evaluate('scrollY')).toBeGreaterThan(400))
    expect(await pill.isHidden()).toBe(true)
    await page.reload()
    await pill.filter({ hasText: 'new above' }).waitFor()
    await page.evaluate('scrollTo(0, 0)')
  })

  test('a muted account’s posts are gone from the page; “Undo” has the focus, and brings them back', async () => {
    await open('')
    await page.evaluate('scrollTo(0, 0)')
    const all = await posts().count()
    await page.keyboard.press('j')
    const uri = (await focused(`closest('.post').dataset.uri`)) as string
    const [did] = uri.slice('at://'.length).split('/')
    const by = page.locator(`.feed .post[data-uri^="at://${did}/"]`)
    await page.locator('.menu summary').first().focus()
    for (const key of ['Enter', 'Tab', 'Enter']) await page.keyboard.press(key)
    await toast('is muted')
    expect(await by.and(posts()).count()).toBe(0)
    expect(await focused('textContent')).toBe('Undo')
    await page.keyboard.press('Enter')
    await toast('Undone')
    expect(await posts().count()).toBe(all)
    expect(await focused('className')).toBe('when')
  })

  test('z undoes', async () => {
    await open('')
    await page.keyboard.press('j')
    const before = records('app.bsky.feed.like')
    await page.keyboard.press('l')
    await eventually(() => expect(records('app.bsky.feed.like')).toBe(before + 1))
    await toast('Liked')
    await page.keyboard.press('z')
    await eventually(() => expect(records('app.bsky.feed.like')).toBe(before))
  })

  const cardOf = (text: string) => page.locator('.feed .post', { hasText: text })
  const mine = (text: string) =>
    [...(world.member.collections.get('app.bsky.feed.post')?.values() ?? [])].filter(
      ({ value }) => value['text'] === text,
    ).length
  async function write(text: string): Promise<void> {
    await page.click('#write')
    await page.locator('#compose textarea').first().fill(text)
    await page.locator('#compose button[type=submit]').click()
    await eventually(() => expect(mine(text)).toBe(1))
    await eventually(async () => {
      if ((await cardOf(text).count()) === 0) await open(`/profile/${world.member.did}`)
      await cardOf(text).waitFor({ timeout: 20_000 })
    })
  }
  async function erase(text: string): Promise<void> {
    await cardOf(text).locator('.menu summary').click()
    await cardOf(text).getByRole('button', { name: 'Delete' }).click()
    await toast('Deleted')
  }

  test('what one writes is on one’s profile; deleted, it goes once that can’t be undone', async () => {
    await open('')
    await page.locator('#nav a', { hasText: 'My profile' }).click()
    await page.locator('.profile').waitFor()
    await write('written today')
    await erase('written today')
    await page.locator('#toast button').click()
    await cardOf('written today').waitFor()
    expect(mine('written today')).toBe(1)
    await erase('written today')
    // What is said next takes the place of “Undo”.
    await page.locator('#nav a', { hasText: 'Following' }).click()
    await page.locator('.feed .post:not([hidden]) .act-bookmark').first().click()
    await toast('Bookmarked')
    await eventually(() => expect(mine('written today')).toBe(0))
  })

  test('a post deleted just before one closes the page goes when one is back', async () => {
    await open(`/profile/${world.member.did}`)
    await write('gone soon')
    await erase('gone soon')
    await page.goto('about:blank')
    expect(mine('gone soon')).toBe(1)
    await open('')
    await eventually(() => expect(mine('gone soon')).toBe(0))
  })

  test('following, muting and blocking on a profile are switches', async () => {
    const [other] = world.simulation.network.repositories
    await open(`/profile/${other!.did}`)
    for (const [on, off] of [
      ['Mute', 'Unmute'],
      ['Block', 'Unblock'],
    ] as const) {
      const now = page.locator('.profile').getByRole('button', { name: on, exact: true })
      await now.click()
      await page.locator('.profile').getByRole('button', { name: off }).click()
      await now.waitFor()
    }
    await eventually(() => expect(records('app.bsky.graph.block')).toBe(0))
  })

  test('what can’t be sent is said in the dialog, also on a small screen', async () => {
    await page.setViewportSize({ width: 320, height: 568 })
    await open('')
    await page.click('#write')
    const problem = page.locator('#compose .problem')
    const files = page.locator('#compose input[type=file]')
    const file = (name: string, buffer: Buffer) => ({ name, mimeType: 'image/png', buffer })
    await files.setInputFiles(file('a.png', Buffer.from('not a picture')))
    await problem.filter({ hasText: 'cannot be read as a picture' }).waitFor()
    await files.setInputFiles(['1', '2', '3', '4', '5'].map((name) => file(`${name}.png`, PIXEL)))
    await problem.filter({ hasText: 'at most 4 pictures' }).waitFor()
    expect(await page.locator('.new-pictures > li').count()).toBe(4)
    await page.keyboard.press('Escape')
  })

  test('two who follow are one row, in the plural', async () => {
    const follows = world.member.collections.get('app.bsky.graph.follow')?.values() ?? []
    const friends = new Set([
      world.member.did,
      ...[...follows].map(({ value }) => value['subject']),
    ])
    const { repositories } = world.simulation.network
    for (const by of repositories.filter(({ did }) => !friends.has(did)).slice(0, 2)) {
      const atMs = Date.now()
      const value = { subject: world.member.did, createdAt: new Date(atMs).toISOString() }
      world.simulation.emit(by.put({ collection: 'app.bsky.graph.follow', value, atMs }))
    }
    await eventually(async () => {
      await open('/notifications')
      expect(await page.locator('.notice-row').first().innerText()).toMatch(
        /and \d+ more follow you/,
      )
    })
  })

  test('every page is within reach on a phone', async () => {
    await open('')
    const last = page.locator('#nav a', { hasText: 'Settings' })
    const isInSight = async () => (await last.boundingBox())!.x < 320
    expect(await isInSight()).toBe(false)
    await page.getByRole('button', { name: 'More', exact: true }).click()
    expect(await isInSight()).toBe(true)
    expect(await page.evaluate(overflow)).toBe(0)
    await last.click()
    await page.locator('.settings').waitFor()
    expect(await page.locator('#more').getAttribute('aria-expanded')).toBe('false')
    await page.setViewportSize({ width: 1_280, height: 720 })
  })

  test.each(LANGUAGES)(
    'what is not there is a sentence of the page’s own, in %s',
    async (language) => {
      await page.evaluate(`localStorage.setItem('slipstream-language', '${language}')`)
      const said = new Set<string>()
      const hear = async (address: string) => {
        await open(address)
        const words = await page.locator('.problem, .foot').first().innerText()
        expect(words).not.toMatch(
          /undefined|InvalidRequest|suspended:|at:\/\/|did:|Profile not found|Rate/,
        )
        if (language === 'ja') expect(words).not.toMatch(/[a-z]{3}/i)
        said.add(words)
      }
      await hear('/profile/nobody.example')
      await hear(`/profile/${world.member.did}/post/3kaaaaaaaaaaa`)
      for (const [status, error] of [
        [400, 'AccountTakedown'],
        [400, 'AccountDeactivated'],
        [400, 'BlockedActor'],
        [400, 'BlockedByActor'],
        [429, 'RateLimitExceeded'],
        [502, 'UpstreamFailure'],
      ] as const) {
        const json = { error, message: `${error}: did:plc:x` }
        await page.route('**/xrpc/app.bsky.actor.getProfile?*', (route) =>
          route.fulfill({ status, json, headers: FOR_ANYONE }),
        )
        await hear('/profile/somebody.example')
        await page.unroute('**/xrpc/app.bsky.actor.getProfile?*')
      }
      expect(said.size).toBe(7)
      const skip = await page.locator('.skip').textContent()
      expect(skip).toBe(
        ['Skip to the content', 'Zum Inhalt', '本文へ'][LANGUAGES.indexOf(language)],
      )
    },
  )

  test('a server that stumbles is not the reader’s network', async () => {
    await page.evaluate(`localStorage.removeItem('slipstream-language')`)
    const timeline = '**/xrpc/app.bsky.feed.getTimeline?*'
    await open('')
    await page.locator('.feed .post').first().waitFor()
    await page.route(timeline, (route) =>
      route.fulfill({ status: 502, json: { error: 'UpstreamFailure' }, headers: FOR_ANYONE }),
    )
    await page.reload()
    const notice = page.locator('.notice', { hasText: 'This is the page as of' })
    await notice.waitFor()
    expect(await notice.innerText()).toContain('The server does not answer as it should.')
    expect(await notice.innerText()).not.toContain('offline')
    await page.unroute(timeline)
  })

  test('who signs in at the same browser next finds nothing that was begun, and gets no pushes', async () => {
    await page.addInitScript(`
      globalThis.isSubscribed = true
      PushManager.prototype.getSubscription = async () => isSubscribed ? {
        toJSON: () => ({ endpoint: 'https://push.example/1', keys: { p256dh: 'a', auth: 'b' } }),
        unsubscribe: async () => { isSubscribed = false },
      } : null
    `)
    const ended: unknown[] = []
    await page.route('**/xrpc/app.bsky.notification.unregisterPush', (route) => {
      ended.push(route.request().postDataJSON())
      return route.fulfill({ status: 200, body: '', headers: FOR_ANYONE })
    })
    await open('/settings')
    await page.click('#write')
    const text = page.locator('#compose textarea').first()
    await text.fill('nobody else’s business')
    await page.keyboard.press('Escape')
    await page.click('#sign-out')
    await page.locator('#name').waitFor()
    expect(ended).toEqual([expect.objectContaining({ appId: 'io.slipstream.read' })])
    const [other] = world.simulation.network.repositories
    await world.signIn(reader, other)
    await page.click('#write')
    expect(await text.inputValue()).toBe('')
    await open('/settings')
    await page.click('#sign-out')
    await page.locator('#name').waitFor()
    await world.signIn(reader)
    await page.click('#write')
    expect(await text.inputValue()).toBe('nobody else’s business')
  })

  test('a clock that is wrong is named, not the operator', async () => {
    const other = await world.open()
    await other.page.addInitScript(`
      const now = Date.now
      Date.now = () => now() + 900_000
    `)
    const refused = { error: 'invalid_dpop_proof', error_description: 'Invalid DPoP proof' }
    await other.page.route('**/oauth/par', (route) =>
      route.fulfill({ status: 400, json: refused, headers: FOR_ANYONE }),
    )
    await other.page.goto(`${world.origin}/read`)
    await other.page.fill('#name', world.member.did)
    await other.page.click('form.enter button[type=submit]')
    await other.page.locator('.problem', { hasText: 'The clock of this device' }).waitFor()
    await other.page.context().close()
    expect(reader.troubles).toEqual([])
  })
})
