// What goes wrong between a person, their server and ours, in a real browser: each is a sentence that says what to
// do, and nothing that was typed is lost.

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Reader } from '../../e2e/support/reader.ts'
import { chromiumPath } from '../../support/browser.ts'
import { type ClientWorld, startClientWorld } from '../../support/client-world.ts'
import { eventually } from '../../support/eventually.ts'
import { PIXEL } from '../../support/pixel.ts'
import { didDocument } from '../../support/plc-double.ts'

const path = chromiumPath()
if (!path) console.warn('no Chromium here: bad paths are NOT tested (apt-get install chromium)')

/** Nobody listens there. */
const NOWHERE = 'http://127.0.0.1:9'
const STRANDED = 'did:plc:strandedstrandedstranded'

describe.skipIf(!path)('what goes wrong at the client', () => {
  let world: ClientWorld
  let reader: Reader
  let others: number

  beforeAll(async () => {
    world = await startClientWorld()
    const { servers } = world.simulation
    servers.documentOf = (did) =>
      did === STRANDED
        ? didDocument({ did, handle: 'stranded.example', pds: NOWHERE, signingKey: 'did:key:z1' })
        : undefined
    reader = await world.open({ viewport: { width: 390, height: 800 } })
    others = posts()
  })
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') console.error(reader.troubles, world.slipstream.output())
  })
  afterAll(() => world?.close())

  const posts = () => world.member.collections.get('app.bsky.feed.post')?.size ?? 0
  const says = (text: string) => reader.page.locator('.problem', { hasText: text }).waitFor()
  const enter = async (name: string) => {
    await reader.page.goto(`${world.origin}/read`)
    await reader.page.fill('#name', name)
    await reader.page.click('form.enter button[type=submit]')
  }
  const write = async (text: string) => {
    await reader.page.click('#write')
    await reader.page.locator('#compose textarea').first().fill(text)
    await reader.page.locator('#compose button[type=submit]').click()
  }
  const alts = () => reader.page.locator('.new-pictures textarea')
  const addPicture = async (alt: string) => {
    const file = { name: 'a.png', mimeType: 'image/png', buffer: PIXEL }
    await reader.page.locator('#compose input[type=file]').setInputFiles(file)
    await alts().fill(alt)
    await alts().blur()
  }
  const begun = async () => {
    const text = reader.page.locator('#compose[open] textarea').first()
    await text.waitFor()
    return text.inputValue()
  }

  test('a name that is none, or that nobody has', async () => {
    await enter('two words')
    await says('This is neither a handle such as alice.example.org nor a DID.')
    await enter('did:plc:nobodynobodynobodynobody')
    await says('There is no account of this name. Check the spelling.')
    expect(await reader.page.inputValue('#name')).toBe('did:plc:nobodynobodynobodynobody')
  })

  test('a server that does not answer', async () => {
    await enter(STRANDED)
    await says('Your server does not answer. Try again in a few minutes')
  })

  test('permission refused', async () => {
    world.homes.consent.answer = 'denied'
    await enter(world.member.did)
    await says('You did not give permission, so nothing was changed.')
    world.homes.consent.answer = 'granted'
    expect(new URL(reader.page.url()).search).toBe('')
  })

  test('a server that knows only wide permissions: asked for by name, and only on a press', async () => {
    world.homes.consent.isGranular = false
    await enter(world.member.did)
    await says('Your server does not know narrow permissions.')
    expect(await reader.page.locator('#nav').isHidden()).toBe(true)
    await reader.page.getByRole('button', { name: 'Sign in with wide permissions' }).click()
    await reader.page.locator('.feed .post').first().waitFor()
    world.homes.consent.isGranular = true
    await reader.page.goto(`${world.origin}/read/settings`)
    await reader.page.click('#sign-out')
    await reader.page.locator('#name').waitFor()
  })

  test('from the first page, one press; the address then names nobody', async () => {
    await reader.page.goto(world.origin)
    await reader.page.fill('#sign-in-name', world.member.did)
    await reader.page.getByRole('button', { name: 'Sign in' }).click()
    await reader.page.locator('.feed .post').first().waitFor()
    expect(reader.page.url()).toBe(`${world.origin}/read`)
  })

  test('by the name localhost, one arrives signed in, at the address to which servers send back', async () => {
    const { page, troubles } = await world.open()
    const named = world.origin.replace('127.0.0.1', 'localhost')
    await page.goto(`${named}/read?name=${world.member.did}`)
    await page.locator('.feed .post').first().waitFor()
    expect(page.url()).toBe(`${world.origin}/read`)
    await page.goto(`${named}/read/search?q=morning`)
    await page.locator('#nav:not([hidden])').waitFor()
    expect(page.url()).toBe(`${world.origin}/read/search?q=morning`)
    expect(troubles).toEqual([])
    await page.context().close()
  })

  test('a token that is over is renewed without a word, and so is a rotated key', async () => {
    world.homes.end('access')
    world.simulation.servers.rotateKey(world.member.did)
    await reader.page.reload()
    await reader.page.locator('.feed .post').first().waitFor()
    await write('written with a new token')
    await eventually(() => expect(posts()).toBe(others + 1))
  })

  test('a server that is away while one writes: the text stays, and a second press sends it', async () => {
    const create = '**/xrpc/com.atproto.repo.createRecord'
    await reader.page.route(create, (route) => route.abort('connectionrefused'))
    await write('written while it was away')
    await reader.page
      .locator('#compose .problem', { hasText: 'No connection to your server' })
      .waitFor()
    expect(await begun()).toBe('written while it was away')
    await reader.page.unroute(create)
    await reader.page.locator('#compose button[type=submit]').click()
    await eventually(() => expect(posts()).toBe(others + 2))
  })

  test('a session that was ended elsewhere: signing in again brings back what was begun', async () => {
    await reader.page.click('#write')
    await reader.page.locator('#compose textarea').first().fill('begun before the end')
    await addPicture('one pixel')
    world.homes.end('all')
    // Whichever call notices first closes the dialog.
    await reader.page.evaluate(`document.querySelector('#compose button[type=submit]')?.click()`)
    await says('Sign in again; drafts are kept')
    expect(await reader.page.locator('#compose').isVisible()).toBe(false)
    await world.signIn(reader)
    await reader.page.click('#write')
    expect(await begun()).toBe('begun before the end')
    expect(await alts().inputValue()).toBe('one pixel')
    expect(posts()).toBe(others + 2)
    await reader.page.keyboard.press('Escape')
  })

  test('an answer that was begun is kept beside a post that was', async () => {
    const { page } = reader
    const first = page.locator('.feed .post', { has: page.locator('.act-reply:enabled') }).first()
    // Which one is first may change once the latest posts are there.
    const uri = await first.getAttribute('data-uri')
    const answer = page.locator(`.feed .post[data-uri="${uri}"] .act-reply`)
    await answer.click()
    await page.locator('#compose textarea').first().fill('half an answer')
    await page.keyboard.press('Escape')
    await page.click('#write')
    expect(await begun()).toBe('begun before the end')
    await page.keyboard.press('Escape')
    await answer.click()
    expect(await begun()).toBe('half an answer')
    await page.keyboard.press('Escape')
  })

  test('a draft keeps its pictures and what it quotes, and is gone once it is sent', async () => {
    const { page } = reader
    const quoted = page.locator('.feed .post', { has: page.locator('.act-quote:enabled') }).first()
    await quoted.locator('.act-quote').click()
    await page.locator('#compose textarea').first().fill('a draft that quotes')
    await addPicture('in a draft')
    await page.getByRole('button', { name: 'Save as draft' }).click()
    await page.locator('#toast', { hasText: 'Saved as a draft.' }).waitFor()

    await page.goto(`${world.origin}/read/drafts`)
    const row = page.locator('.people li', { hasText: 'a draft that quotes' })
    const open = row.getByRole('button', { name: 'Write' })
    await open.click()
    expect(await begun()).toBe('a draft that quotes')
    expect(await alts().inputValue()).toBe('in a draft')
    await page.locator('#compose textarea').first().fill('a draft that quotes, changed')
    await page.getByRole('button', { name: 'Save as draft' }).click()
    await row.getByText('changed').waitFor()

    await page.reload()
    await open.click()
    expect(await begun()).toBe('a draft that quotes, changed')
    await alts().waitFor()
    await page.locator('#compose button[type=submit]').click()
    await row.waitFor({ state: 'detached' })
    const records = world.member.collections.get('app.bsky.feed.post')!
    const [sent] = [...records.values()].filter(({ value }) => /changed/.test(`${value['text']}`))
    expect(sent!.value['embed']).toMatchObject({
      $type: 'app.bsky.embed.recordWithMedia',
      media: { images: [{ alt: 'in a draft', aspectRatio: { width: 1, height: 1 } }] },
      record: { record: { uri: expect.stringMatching(/^at:/) } },
    })
    await page.reload()
    await page.getByText('Nothing here yet.').waitFor()
  })

  test('no script has failed, and the policy was never offended', () => {
    expect(reader.troubles).toEqual([])
  })
})
