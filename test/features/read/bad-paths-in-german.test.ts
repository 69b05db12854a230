// A stranger's visit on which everything goes wrong that can, in a German browser of 320 pixels: each is a sentence in
// German that says what to do, nothing that was typed is lost, and each state is for everybody.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Reader } from '../../e2e/support/reader.ts'
import { chromiumPath } from '../../support/browser.ts'
import { type ClientWorld, startClientWorld } from '../../support/client-world.ts'
import { NARROW, pageFaultsBothWays } from '../../support/page-faults.ts'
import { didDocument } from '../../support/plc-double.ts'

const path = chromiumPath()
if (!path) console.warn('no Chromium here: bad paths in German are NOT tested')

const TOKEN = 'the-operators-own-token'
const STRANDED = 'did:plc:strandedstrandedstranded'
const NOWHERE = 'http://127.0.0.1:9'

describe.skipIf(!path)('a visit on which everything goes wrong', () => {
  let world: ClientWorld
  let reader: Reader
  let used: string

  beforeAll(async () => {
    world = await startClientWorld({ settings: { MEMBERS: 'invite', OPERATOR_TOKEN: TOKEN } })
    world.simulation.servers.documentOf = (did) =>
      did === STRANDED
        ? didDocument({ did, handle: 'stranded.example', pds: NOWHERE, signingKey: 'did:key:z1' })
        : undefined
    reader = await world.open({ locale: 'de-DE', viewport: NARROW, reducedMotion: 'reduce' })
    used = await invite()
  })
  afterAll(() => world?.close())

  async function invite(): Promise<string> {
    const answer = await fetch(`${world.origin}/operator/invites`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ maxUses: 1 }),
    })
    return ((await answer.json()) as { code: string }).code
  }

  async function enter(name: string): Promise<void> {
    await reader.page.goto(`${world.origin}/read`)
    await reader.page.fill('#name', name)
    await reader.page.click('form.enter button[type=submit]')
  }

  /** The sentence is there, and the page is for everybody. */
  async function says(text: string): Promise<void> {
    await reader.page.locator('.problem', { hasText: text }).first().waitFor()
    expect(await pageFaultsBothWays(reader.page)).toEqual([])
  }

  async function bring(code: string): Promise<void> {
    await reader.page.fill('#code', code)
    await reader.page.click('form.enter button[type=submit]')
  }

  test('the first page leads in, in German', async () => {
    const { page } = reader
    const html = await fetch(world.origin, { headers: { accept: 'text/html' } })
    expect(html.headers.get('vary')).toContain('accept-language')
    await page.goto(world.origin)
    await page.getByRole('heading', { name: 'Hier lesen und schreiben' }).waitFor()
    await page.fill('#sign-in-name', 'zwei Wörter')
    await page.getByRole('button', { name: 'Anmelden' }).click()
    await says('Das ist weder ein Handle wie alice.example.org noch eine DID.')
  })

  test('wrong handle', async () => {
    await enter('did:plc:nobodynobodynobodynobody')
    await says('Ein Konto dieses Namens gibt es nicht. Prüfe die Schreibweise.')
    expect(await reader.page.inputValue('#name')).toBe('did:plc:nobodynobodynobodynobody')
  })

  test('PDS away', async () => {
    await enter(STRANDED)
    await says('Dein Server antwortet nicht. Versuche es in einigen Minuten wieder')
  })

  test('refused consent', async () => {
    world.homes.consent.answer = 'denied'
    await enter(world.member.did)
    await says('Du hast es nicht erlaubt, also wurde nichts geändert.')
    world.homes.consent.answer = 'granted'
  })

  test('code used up', async () => {
    const other = await world.open()
    const { did } = world.simulation.network.repositories[0]!
    await other.page.goto(`${world.origin}/read?name=${did}`)
    await other.page.fill('#code', used)
    await other.page.click('form.enter button[type=submit]')
    await other.page.locator('.feed .post').first().waitFor()
    await other.page.context().close()

    await enter(world.member.did)
    await reader.page.locator('#code').waitFor()
    expect(await pageFaultsBothWays(reader.page)).toEqual([])
    await bring(used)
    await says('Dieser Code ist unbekannt, verbraucht oder abgelaufen. Bitte um einen neuen.')
    expect(await reader.page.inputValue('#code')).toBe(used)
  })

  test('no seat left', async () => {
    const { page } = reader
    const redeem = '**/xrpc/io.slipstream.server.redeemInvite'
    const json = { error: 'MembersFull', message: 'as many members as its operator allows' }
    const headers = { 'access-control-allow-origin': '*' }
    await page.route(redeem, (route) => route.fulfill({ status: 403, json, headers }))
    await bring(await invite())
    await says('Es ist kein Platz frei. Bitte den Betreiber um Platz; du bleibst angemeldet.')
    await page.unroute(redeem)
    await page.reload()
    await bring(await invite())
    await page.locator('.feed .post').first().waitFor()
  })

  test('expired session, with a post begun', async () => {
    const { page } = reader
    await page.click('#write')
    await page.locator('#compose textarea').first().fill('angefangen')
    world.homes.end('all')
    await page.evaluate(`document.querySelector('#compose button[type=submit]')?.click()`)
    await says('Melde dich wieder an; Entwürfe bleiben erhalten.')
    await world.signIn(reader)
    await page.click('#write')
    expect(await page.locator('#compose textarea').first().inputValue()).toBe('angefangen')
    expect(await pageFaultsBothWays(page)).toEqual([])
    await page.keyboard.press('Escape')
  })

  test('a token that was revoked elsewhere, found by reading', async () => {
    const { page } = reader
    world.homes.end('all')
    await page.goto(`${world.origin}/read/notifications`)
    await says('Dein Server hat diese Sitzung beendet.')
  })

  test('an account or post that is none, for who is not signed in', async () => {
    const { page } = reader
    await page.goto(`${world.origin}/profile/niemand.example.org`)
    await page.getByRole('link', { name: 'Anmelden' }).waitFor()
    expect(await page.locator('html').getAttribute('lang')).toBe('de')
    expect(await pageFaultsBothWays(page)).toEqual([])
  })

  test('no script has failed, and the policy was never offended', () => {
    expect(reader.troubles).toEqual([])
  })
})
