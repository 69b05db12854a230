// What a browser makes of the operator's page: figures can be read, at a desk and on a phone, and a login
// explains itself.

import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumPath, launchBrowser } from '../../support/browser.ts'
import { until } from '../../support/eventually.ts'
import { overflow } from '../../support/page-audit.ts'
import {
  freshDataDir,
  type SlipstreamProcess,
  startSlipstream,
} from '../../support/slipstream-process.ts'

const TOKEN = 'the-operators-own-token'

let slipstream: SlipstreamProcess
let browser: Browser
let origin: string

/** Texts of the cells with a digit in front that are higher than a line of their own size. */
const WRAPPED = `[...document.querySelectorAll('#slow td')]
  .filter((cell) => /^[0-9]/.test(cell.textContent))
  .filter((cell) => {
    const range = document.createRange()
    range.selectNodeContents(cell)
    const { fontSize } = getComputedStyle(cell)
    return range.getBoundingClientRect().height > 2 * parseFloat(fontSize)
  })
  .map((cell) => cell.textContent)`

/** Headings that are narrower than their longest word. */
const CUT_HEADS = `[...document.querySelectorAll('#slow thead th')]
  .filter(({ clientHeight, textContent }) => clientHeight > 60 * textContent.split(' ').length)
  .map(({ textContent }) => textContent)`

const path = chromiumPath()
describe.skipIf(!path)('in a browser', () => {
  beforeAll(async () => {
    slipstream = startSlipstream({
      JETSTREAM_HOSTS: 'ws://127.0.0.1:1',
      PLC_URL: 'http://127.0.0.1:1',
      DATA_DIR: freshDataDir(),
      OPERATOR_TOKEN: TOKEN,
      SERVE_THREADS: '1',
    })
    origin = `http://127.0.0.1:${await slipstream.port()}`
    browser = await launchBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await slipstream?.stop('SIGKILL')
  })

  async function login(width: number): Promise<Page> {
    const page = await browser.newPage({ viewport: { width, height: 900 } })
    await page.goto(`${origin}/explore`)
    await page.fill('#token', TOKEN)
    await page.press('#token', 'Enter')
    await page.waitForSelector('#explore:not([hidden])')
    return page
  }

  test.each([1280, 390])('no figure of a slow answer wraps at %i pixels', async (width) => {
    for (let i = 0; i < 5; i++) {
      await fetch(`${origin}/xrpc/app.bsky.actor.getProfile?actor=did:plc:${'a'.repeat(24)}`)
    }
    const page = await login(width)
    await page.click('#slow-tab')
    await page.waitForSelector('#slow td')
    expect(await page.locator('#slow td').count()).toBeGreaterThan(20)
    expect(await page.evaluate(WRAPPED)).toEqual([])
    expect(await page.evaluate(CUT_HEADS)).toEqual([])
    expect(await page.innerText('#slow')).toMatch(/\d{1,2} \w{3,4} \d{4}, \d\d:\d\d/)
    expect(await page.evaluate(overflow)).toBe(0)
    await page.close()
  })

  test('a short wrong token gets our own message, and a login moves the focus', async () => {
    const page = await browser.newPage()
    await page.goto(`${origin}/explore`)
    await page.fill('#token', 'short')
    await page.press('#token', 'Enter')
    await until(async () => /not the operator/.test(await page.innerText('#login .problem')))
    await page.fill('#token', TOKEN)
    await page.press('#token', 'Enter')
    await page.waitForSelector('#explore:not([hidden])')
    expect(await page.evaluate('document.activeElement.id')).toBe('overview-tab')
    await page.close()
  })
})
