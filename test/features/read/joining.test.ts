// Becoming a member at the client of a server by invitation, in a real browser: a code lets one in, a code that was
// used or a server without a free seat is a sentence, and the account stays signed in.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Reader } from '../../e2e/support/reader.ts'
import { chromiumPath } from '../../support/browser.ts'
import { type ClientWorld, startClientWorld } from '../../support/client-world.ts'

const path = chromiumPath()
if (!path) console.warn('no Chromium here: joining is NOT tested (apt-get install chromium)')

const TOKEN = 'the-operators-own-token'

describe.skipIf(!path)('joining', () => {
  let world: ClientWorld
  let second: Reader

  beforeAll(async () => {
    world = await startClientWorld({
      settings: { MEMBERS: 'invite', OPERATOR_TOKEN: TOKEN },
    })
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

  async function arrive(account: number): Promise<Reader> {
    const reader = await world.open()
    const { did } = world.simulation.network.repositories[account]!
    await reader.page.goto(`${world.origin}/read?name=${did}`)
    await reader.page.locator('#code').waitFor()
    return reader
  }

  async function enter({ page }: Reader, code: string): Promise<void> {
    await page.fill('#code', code)
    await page.click('form.enter button[type=submit]')
  }

  test('a code lets in whoever brings it first; the next one reads that it is used up', async () => {
    const code = await invite()
    const first = await arrive(0)
    await enter(first, code)
    await first.page.locator('.feed .post').first().waitFor()
    await first.page.context().close()
    second = await arrive(1)
    await enter(second, code)
    await second.page.locator('.problem', { hasText: 'unknown, used up or expired' }).waitFor()
    expect(await second.page.inputValue('#code')).toBe(code)
  })

  test('without a free seat, it says whom to ask, and nobody has to sign in anew', async () => {
    const refused = { error: 'MembersFull', message: 'as many members as its operator allows' }
    await second.page.route('**/xrpc/io.slipstream.server.redeemInvite', (route) =>
      route.fulfill({
        status: 403,
        json: refused,
        headers: { 'access-control-allow-origin': '*' },
      }),
    )
    await enter(second, await invite())
    await second.page
      .locator('.problem', { hasText: 'There is no free seat. Ask the operator' })
      .waitFor()
    await second.page.reload()
    await second.page.locator('#code').waitFor()
    expect(await second.page.locator('#name').count()).toBe(0)
    expect(second.troubles).toEqual([])
  })
})
