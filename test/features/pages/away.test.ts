// The status page of a server that has just started, and of one that stops and returns, in a real browser.

import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { putHistory } from '../../../src/data/store/counts/history.ts'
import { openWriter } from '../../../src/data/store/db.ts'
import { chromiumPath, launchBrowser } from '../../support/browser.ts'
import { until } from '../../support/eventually.ts'
import { overflow } from '../../support/page-audit.ts'
import {
  freshDataDir,
  type SlipstreamProcess,
  startSlipstream,
} from '../../support/slipstream-process.ts'

const DATA_DIR = freshDataDir()
const SAMPLES = 3
const TOKEN = 'the-operators-own-token'
/** Wider than any installed font. */
const WIDE =
  "* { font-family: 'DejaVu Sans', Verdana, sans-serif !important; letter-spacing: 0.07em !important }"

let slipstream: SlipstreamProcess
let port: number
let browser: Browser
let page: Page
/** The explore page, opened with the operator's token. */
let operators: Page

function start(more: Record<string, string> = {}): SlipstreamProcess {
  const nowhere = { JETSTREAM_HOSTS: 'ws://127.0.0.1:1', PLC_URL: 'http://127.0.0.1:1' }
  const hostname = 'a-long-name-of-an-appview.example.org'
  return startSlipstream({
    ...nowhere,
    DATA_DIR,
    HOSTNAME: hostname,
    OPERATOR_TOKEN: TOKEN,
    ...more,
  })
}

/** The history that a server writes in its first half minute. */
function beginHistory(): void {
  const db = openWriter(DATA_DIR)
  const now = Date.now()
  for (let i = SAMPLES; i > 0; i--) {
    putHistory(db, now - i * 10_000, { memory_bytes: 100_000_000 + i * 1_000_000, requests_s: i })
  }
  db.close()
}

/** Treats a page or server that cannot be reached yet as not ready. */
const untilTrue = (isTrue: () => Promise<boolean>) => until(() => isTrue().catch(() => false))

/** Where the line begins, as a share of the chart's width. Source text, as run by the browser. */
const lineBegins = `(() => {
  const canvas = document.querySelector('[data-series="memory_bytes"] canvas')
  const probe = document.createElement('span')
  probe.className = 'probe--chart'
  document.body.append(probe)
  const [r, g, b] = getComputedStyle(probe).color.match(/[0-9]+/g).map(Number)
  probe.remove()
  const { width, height } = canvas
  const { data } = canvas.getContext('2d').getImageData(0, 0, width, height)
  const isNear = (at) => data[at + 3] > 128 &&
    Math.abs(data[at] - r) + Math.abs(data[at + 1] - g) + Math.abs(data[at + 2] - b) < 60
  for (let x = 0; x < width; x++) {
    for (let y = 0; y < height; y++) if (isNear((y * width + x) * 4)) return x / width
  }
  return -1
})()`

/** Whether the colour button is in the row of the name, instead of below. */
const isButtonByTheName = `(() => {
  const [name, button] = ['.mark', '#theme'].map((one) => document.querySelector(one).getBoundingClientRect())
  return button.top < name.bottom && name.top < button.bottom
})()`

describe.skipIf(!chromiumPath())('in a browser', () => {
  beforeAll(async () => {
    beginHistory()
    slipstream = start()
    port = await slipstream.port()
    browser = await launchBrowser()
    const context = await browser.newContext({ bypassCSP: true })
    page = await context.newPage()
    await page.goto(`http://127.0.0.1:${port}/`)
    operators = await context.newPage()
    await operators.goto(`http://127.0.0.1:${port}/explore`)
    await operators.fill('#token', TOKEN)
    await operators.press('#token', 'Enter')
    await operators.waitForSelector('.uplot canvas')
  })
  afterAll(async () => {
    await browser?.close()
    await slipstream?.stop('SIGKILL')
  })

  test('a chart spans the time it states, however young the server', async () => {
    const history = await fetch(`http://127.0.0.1:${port}/explore/api/history/hour`, {
      headers: { authorization: `Bearer ${TOKEN}` },
    })
    expect(((await history.json()) as { at: number[] }).at.length).toBeGreaterThanOrEqual(SAMPLES)
    await untilTrue(async () => Number(await operators.evaluate(lineBegins)) > 0)
    expect(await operators.evaluate(lineBegins)).toBeGreaterThan(0.9)
  })

  test.each([
    ['status', 320],
    ['status', 390],
    ['explore', 320],
    ['explore', 390],
  ] as const)('%s: %i pixels are enough for any font', async (which, width) => {
    const item = which === 'status' ? page : operators
    await item.setViewportSize({ width, height: 640 })
    expect(await item.evaluate(overflow)).toBe(0)
    expect(await item.evaluate(isButtonByTheName)).toBe(true)
    await item.addStyleTag({ content: WIDE })
    for (const way of await item.locator('summary').all()) await way.click()
    expect(await item.evaluate(overflow)).toBe(0)
    expect(await item.evaluate(isButtonByTheName)).toBe(true)
  })

  test('an unreachable server is reported as such, since when, until it is back', async () => {
    const title = await page.title()
    const icon = () => page.getAttribute('link[rel="icon"]', 'href')
    const wasIcon = await icon()
    const opacity = () =>
      page.evaluate("getComputedStyle(document.querySelector('.figures')).opacity")
    expect(await opacity()).toBe('1')
    await slipstream.stop('SIGKILL')
    await page.waitForSelector('#away')
    expect(await page.innerText('h1:visible')).toMatch(/^No answer since \d\d:\d\d:\d\d$/)
    expect(await page.title()).toMatch(/^No answer since /)
    expect(await icon()).not.toBe(wasIcon)
    expect(Number(await opacity())).toBeLessThan(0.5)
    await operators.waitForSelector('#away')
    expect(await operators.title()).toMatch(/^No answer since .* · Explore · Slipstream$/)
    expect(await operators.isVisible('#state')).toBe(false)
    slipstream = start({ PORT: String(port) })
    await slipstream.port()
    await page.waitForSelector('#state:visible')
    await operators.waitForSelector('#state:visible')
    expect(await operators.title()).toBe('Explore · Slipstream')
    expect(await page.title()).toBe(title)
    expect(await icon()).toBe(wasIcon)
    expect(await opacity()).toBe('1')
  })
})
