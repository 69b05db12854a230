// The front door of a server by invitation, in a real Chromium: a code, a lossy timeline that says so, a device
// that is notified, the page without a network, and things brought from the AppView used before.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { chromiumPath, launchBrowser } from '../support/browser.ts'
import { eventually } from '../support/eventually.ts'
import { type PushReceiver, startPushReceiver } from '../support/push-receiver.ts'
import { type Account, follow, like, post, type Ref } from './support/account.ts'
import { freePort } from './support/free-port.ts'
import { consent, openReader, type Reader, signIn } from './support/reader.ts'
import { createSlipstream, type Slipstream } from './support/slipstream.ts'
import { startWorld, type World } from './support/world.ts'

const path = chromiumPath()
if (!path) console.warn('no Chromium here: the front door is NOT tested (apt-get install chromium)')

const TOKEN = 'the-operators-own-token'
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

describe.skipIf(!path)('a front door by invitation', () => {
  let world: World
  let previous: Slipstream
  let receiver: PushReceiver
  let browser: Browser
  let origin: string
  let alice: Account
  let bob: Account
  let own: Ref
  let reader: Reader

  beforeAll(async () => {
    browser = await launchBrowser()
    receiver = await startPushReceiver()
    const port = await freePort()
    const started = await startWorld(
      'double',
      async (person) => {
        const [friend, other, newcomer] = [
          await person('bob'),
          await person('carol'),
          await person('alice'),
        ]
        for (const account of [friend, other]) await follow(newcomer, account)
        for (let i = 0; i < 10; i++) await post(friend, `post ${i}`)
        return { friend, newcomer, written: await post(newcomer, 'a post of my own') }
      },
      {
        SLIPSTREAM_MEMBERS: 'invite',
        SLIPSTREAM_OPERATOR_TOKEN: TOKEN,
        SLIPSTREAM_REASONABLE_LIMIT: '1',
        SLIPSTREAM_PUSH_SERVICES: receiver.host,
        SLIPSTREAM_PREVIOUS_APPVIEW: `did:web:localhost%3A${port}#bsky_appview`,
      },
    )
    world = started.world
    ;({ friend: bob, newcomer: alice, written: own } = started.early)
    origin = world.slipstream.origin.replace('localhost', '127.0.0.1')
    previous = createSlipstream(port, {
      ...world.jetstream.settings,
      SLIPSTREAM_PLC_URL: world.network.plcUrl,
    })
    await previous.start()
  })
  afterEach(async ({ task }) => {
    if (task.result?.state !== 'fail' || !reader) return
    console.error(
      reader.page.url(),
      await reader.page.innerText('body').catch(() => ''),
      reader.troubles,
    )
  })
  afterAll(async () => {
    await browser?.close()
    await previous?.dispose()
    await world?.stop()
    await receiver?.close()
  })

  async function invite(): Promise<string> {
    const answer = await fetch(`${world.slipstream.origin}/operator/invites`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ maxUses: 1 }),
    })
    return ((await answer.json()) as { code: string }).code
  }

  test('a code lets in; one that lets nobody in is a sentence', async () => {
    reader = await openReader(browser, { viewport: { width: 390, height: 800 } })
    const { page } = reader
    // A browser's own push service is far away: subscriptions are with one of ours.
    await page.addInitScript(`
      PushManager.prototype.subscribe = async () => ({
        toJSON: () => (${receiver.subscribe('browser')}),
        unsubscribe: async () => true,
      })
      Notification.requestPermission = async () => 'granted'
    `)
    await signIn(reader, origin, alice)
    await page.fill('#code', 'aaaaa-bbbbb-ccccc')
    await page.click('form.enter button[type=submit]')
    await page.locator('.problem', { hasText: 'unknown, used up or expired' }).waitFor()
    await page.fill('#code', await invite())
    await page.click('form.enter button[type=submit]')
    await page.locator('.feed .post').first().waitFor()
  })

  test('a lossy timeline says so once, with the reason a press away', async () => {
    const { page } = reader
    await eventually(async () => {
      await page.reload()
      await page.locator('.notice').waitFor({ timeout: 20_000 })
    })
    const notice = page.locator('.notice')
    expect(await notice.innerText()).toContain(
      'You follow 2 accounts; you see about 50\u00a0% of what they post.',
    )
    await notice.getByRole('button', { name: 'Why' }).click()
    expect(await notice.innerText()).toContain('Beyond 1,')
    await notice.getByRole('button', { name: 'Close' }).click()
    await page.reload()
    await page.locator('.feed .post').first().waitFor()
    await page.locator('#main[aria-busy=false]').waitFor()
    expect(await notice.count()).toBe(0)
  })

  test('axe finds nothing on any page, nor in the dialog', async () => {
    const { page } = reader
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
      if (address === '') await page.click('#write')
      await page.evaluate(axe)
      const found = (await page.evaluate(
        `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes[0].html.slice(0, 200)))`,
      )) as string[]
      expect([address, found]).toEqual([address, []])
    }
  })

  test('this browser is notified of a like, by the server’s own push', async () => {
    const { page } = reader
    await page.goto(`${origin}/read/notifications`)
    await page.locator('.push button').click()
    await page.locator('#toast', { hasText: 'This device is notified' }).waitFor()
    await like(bob, own)
    await eventually(() => {
      expect(receiver.received.map(({ message }) => message['reason'])).toContain('like')
    })
    await eventually(async () => {
      await page.reload()
      await page
        .locator('.what', { hasText: 'liked your post' })
        .first()
        .waitFor({ timeout: 20_000 })
    })
  })

  test('mutes and bookmarks come from the AppView used before, by one button', async () => {
    const proxied = {
      headers: {
        'atproto-proxy': previous.settings['HOSTNAME']
          ? `did:web:${previous.settings['HOSTNAME']!.replace(':', '%3A')}#bsky_appview`
          : '',
      },
    }
    const there = async (nsid: string, input: object) => {
      const session = alice.agent.session!
      const answer = await fetch(`${world.network.pdsUrl}/xrpc/${nsid}`, {
        method: 'POST',
        headers: {
          ...proxied.headers,
          authorization: `Bearer ${session.accessJwt}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify(input),
      })
      expect([nsid, answer.status, await answer.text()]).toEqual([nsid, 200, expect.anything()])
    }
    await there('app.bsky.graph.muteActor', { actor: bob.did })
    await there('app.bsky.bookmark.createBookmark', { uri: own.uri, cid: own.cid })
    await there('app.bsky.draft.createDraft', {
      draft: { posts: [{ text: 'a draft from before' }] },
    })

    const { page } = reader
    await page.goto(`${origin}/read/settings`)
    await page.click('#bring')
    await page.waitForURL(/\/oauth\/authorize/)
    await consent(reader)
    await page.locator('.moved').waitFor()
    expect(await page.innerText('.moved')).toMatch(/Done: [4-6] things moved, 0 refused/)
    const answer = await alice.raw('/xrpc/app.bsky.graph.getMutes', 'by-header')
    expect(await answer.json()).toMatchObject({ mutes: [{ did: bob.did }] })
    await page.goto(`${origin}/read/drafts`)
    await page.locator('.people', { hasText: 'a draft from before' }).waitFor()
    await page.goto(`${origin}/read/bookmarks`)
    await page.locator('.post', { hasText: 'a post of my own' }).waitFor()
  })

  test('without a network the page opens, and marks what it shows as old', async () => {
    const { page } = reader
    await page.goto(`${origin}/read`)
    await page.locator('.feed .post').first().waitFor()
    await page.evaluate('navigator.serviceWorker.ready.then(() => true)')
    await page.waitForFunction('navigator.serviceWorker.controller !== null')
    await world.slipstream.kill()
    await page.context().setOffline(true)
    await page.reload()
    await page.locator('.notice', { hasText: 'This is the page as of' }).waitFor()
    expect(await page.locator('.feed .post').count()).toBeGreaterThan(0)
    await page.context().setOffline(false)
    await world.slipstream.start()
    expect(reader.troubles).toEqual([])
  })
})
