// Choosing in the settings which notifications are pushed, in a real browser: by reason, for all devices, in words of
// the reader's language.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Reader } from '../../e2e/support/reader.ts'
import { chromiumPath } from '../../support/browser.ts'
import { type ClientWorld, startClientWorld } from '../../support/client-world.ts'
import { NARROW, pageFaultsBothWays } from '../../support/page-faults.ts'

const path = chromiumPath()
if (!path) console.warn('no Chromium here: choosing pushes is NOT tested')

describe.skipIf(!path)('what is pushed', () => {
  let world: ClientWorld
  let reader: Reader

  beforeAll(async () => {
    world = await startClientWorld()
    reader = await world.open({ locale: 'de-DE', viewport: NARROW })
    await world.signIn(reader)
  })
  afterAll(() => world?.close())

  const likes = () => reader.page.getByLabel('„Gefällt mir“', { exact: true })

  async function open(): Promise<void> {
    await reader.page.goto(`${world.origin}/read/settings`)
    await likes().waitFor()
  }

  test('is chosen by reason, and kept', async () => {
    const { page, troubles } = reader
    await open()
    expect(await page.locator('fieldset input[type=checkbox]').count()).toBe(12)
    expect(await likes().isChecked()).toBe(true)
    await likes().uncheck()
    await page.getByText('Gesichert.').waitFor()
    await open()
    expect(await likes().isChecked()).toBe(false)
    expect(await page.getByLabel('Antworten', { exact: true }).isChecked()).toBe(true)
    expect(troubles).toEqual([])
  })

  test('can be read on a small screen, mirrored, and in the dark', async () => {
    await open()
    expect(await pageFaultsBothWays(reader.page)).toEqual([])
  })

  test('a choice that the server does not take is undone, and says so', async () => {
    const { page } = reader
    await open()
    await page.route('**/xrpc/app.bsky.notification.putPreferencesV2', (route) =>
      route.fulfill({ status: 503, json: {}, headers: { 'access-control-allow-origin': '*' } }),
    )
    await likes().click()
    await page.locator('#toast', { hasText: 'Der Server antwortet nicht' }).waitFor()
    expect(await likes().isChecked()).toBe(false)
  })
})
