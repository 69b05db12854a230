// Members and invites in the operator's browser: added, invited, given a link and removed, with their private state
// saved first.

import { readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumPath, launchBrowser } from '../../support/browser.ts'
import { overflow, unnamed } from '../../support/page-audit.ts'
import { type PlcDouble, startPlcDouble } from '../../support/plc-double.ts'
import {
  freshDataDir,
  type SlipstreamProcess,
  startSlipstream,
} from '../../support/slipstream-process.ts'

const TOKEN = 'the-operators-own-token'

let plc: PlcDouble
let slipstream: SlipstreamProcess
let browser: Browser
let origin: string

describe.skipIf(!chromiumPath())('in a browser', () => {
  beforeAll(async () => {
    plc = await startPlcDouble()
    slipstream = startSlipstream({
      JETSTREAM_HOSTS: 'ws://127.0.0.1:1',
      PLC_URL: plc.url,
      ALLOW_PRIVATE_HOSTS: 'on',
      DATA_DIR: freshDataDir(),
      MEMBERS: 'invite',
      OPERATOR_TOKEN: TOKEN,
      SERVE_THREADS: '1',
    })
    origin = `http://127.0.0.1:${await slipstream.port()}`
    browser = await launchBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await slipstream?.stop('SIGKILL')
    await plc?.close()
  })

  async function openTab(width: number): Promise<Page> {
    const page = await browser.newPage({ viewport: { width, height: 900 }, acceptDownloads: true })
    await page.goto(`${origin}/explore`)
    await page.fill('#token', TOKEN)
    await page.press('#token', 'Enter')
    await page.waitForSelector('#explore:not([hidden])')
    await page.click('#members-tab')
    await page.waitForSelector('#invite-list > *')
    return page
  }

  const ask = async <T>(path: string): Promise<T> => {
    const headers = { authorization: `Bearer ${TOKEN}` }
    return (await (await fetch(`${origin}/operator/${path}`, { headers })).json()) as T
  }
  const members = async () =>
    (await ask<{ members: { did: string }[] }>('members')).members.map(({ did }) => did)

  test('somebody is added, gets a link, and is removed with their state saved', async () => {
    const page = await openTab(1_280)
    await page.fill('#member-actor', 'not an account')
    await page.press('#member-actor', 'Enter')
    await expect.poll(() => page.textContent('#member-form .problem')).toContain('Write a handle')
    const { did } = await plc.create({ handle: 'alice.test', pds: 'http://127.0.0.1:1' })
    await page.fill('#member-actor', did)
    await page.press('#member-actor', 'Enter')
    await expect.poll(() => page.textContent('#member-done')).toContain('may read here now')
    expect(await members()).toEqual([did])

    await page.click('#member-list button:has-text("Reading link")')
    await expect.poll(() => page.textContent('#member-done')).toContain('Whoever has this link')
    expect(await page.getAttribute('#member-done a', 'href')).toMatch(/\/read#read\./)

    page.once('dialog', (dialog) => void dialog.dismiss())
    await page.click('#member-list button:has-text("Remove")')
    expect(await members()).toEqual([did])
    page.once('dialog', (dialog) => void dialog.accept())
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.click('#member-list button:has-text("Remove")'),
    ])
    const state = JSON.parse(readFileSync((await saved.path())!, 'utf8')) as { did: string }
    expect(state.did).toBe(did)
    await expect.poll(() => page.textContent('#member-done')).toContain('no longer a member')
    expect(await members()).toEqual([])
  })

  test('an invite is made and disabled', async () => {
    const page = await openTab(390)
    await page.fill('#invite-uses', '3')
    await page.fill('#invite-note', 'the choir')
    await page.click('#invite-form button')
    await page.waitForSelector('#invite-list td')
    const code = (await page.textContent('#invite-done code'))!
    const listed = (await page.textContent('#invite-list'))!
    for (const words of [code, 'the choir', '0 of 3']) expect(listed).toContain(words)
    expect(await page.evaluate(unnamed)).toEqual([])
    expect(await page.evaluate(overflow)).toBe(0)
    await page.click('#invite-list button:has-text("Disable")')
    await expect.poll(() => page.textContent('#invite-list')).toContain('No invite can be used')
    type Invites = { invites: { code: string; disabledAt?: string }[] }
    const { invites } = await ask<Invites>('invites')
    expect(invites.map((invite) => [invite.code, invite.disabledAt !== undefined])).toEqual([
      [code, true],
    ])
    await page.click('#logout')
    expect(await page.textContent('#invite-done')).toBe('')
  })
})
