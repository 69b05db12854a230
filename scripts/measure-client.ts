// `npm run measure-client`: what the client at /read costs a phone: the weight of its first page, the time from the
// timeline's answer to its first picture on the screen, and the frames while a long list scrolls. The phone is
// Chromium with a slower processor and network; nothing here passes or fails.

import { parseArgs } from 'node:util'
import type { Page } from 'playwright-core'
import { readArguments } from '../src/tools/script-usage.ts'
import { startClientWorld } from '../test/support/client-world.ts'

const USAGE = `npm run measure-client
Prints the weight, time to paint and frames of the client at /read. It needs Chromium and takes no options.`
/** Four times slower than this machine, over 1.6 Mbit/s with 150 ms. */
const PROCESSOR = 4
const NETWORK = {
  offline: false,
  latency: 150,
  downloadThroughput: (1.6 * 1_000_000) / 8,
  uploadThroughput: (0.75 * 1_000_000) / 8,
}
const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true }
const TIMES = 5
const LONG = 300
const FRAMES = 600
const STEP = 24

readArguments(USAGE, (args) => parseArgs({ args, options: {} }))
const world = await startClientWorld({
  network: { accounts: 120, follows: 40, past: 6_000, pastHours: 30 },
})
try {
  const { page } = await world.open({ ...PHONE, serviceWorkers: 'block' })
  await world.signIn({ page, troubles: [] })
  await page.locator('.feed .post').nth(20).waitFor()
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Network.enable')
  await devtools.send('Network.setCacheDisabled', { cacheDisabled: true })
  const weight = await weigh(page)
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: PROCESSOR })
  await devtools.send('Network.emulateNetworkConditions', NETWORK)
  await page.addInitScript(noticePaint)
  const paints: number[] = []
  for (let i = 0; i < TIMES; i++) paints.push(await paintOf(page))
  await devtools.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: -1,
  })
  const posts = await lengthen(page)
  const frames = await framesOf(page)
  const late = frames.filter((ms) => ms > 1_000 / 60 + 1).length
  console.log(`script and style, compressed: ${(weight / 1_024).toFixed(1)} KB
from the timeline's answer to its paint: ${paints.map((ms) => Math.round(ms)).join(', ')} ms (${TIMES} loads, processor ${PROCESSOR} times slower)
scrolling ${posts} posts: ${(1_000 / median(frames)).toFixed(0)} frames a second (median), ${late} of ${frames.length} frames late`)
} finally {
  await world.close()
}

/** Bytes over the wire of what the page loads before it shows a timeline. */
async function weigh(page: Page): Promise<number> {
  const paths = (await page.evaluate(`[...document.querySelectorAll(
    'link[rel=modulepreload], link[rel=stylesheet], script[src]')].map((one) => one.href || one.src)`)) as string[]
  const sizes = await Promise.all(
    [...new Set(paths)].map(async (path) => {
      const answer = await fetch(path, { headers: { 'accept-encoding': 'br' } })
      return Number(answer.headers.get('content-length'))
    }),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

async function paintOf(page: Page): Promise<number> {
  await page.reload()
  await page.locator('.feed .post').first().waitFor()
  for (;;) {
    const found = (await page.evaluate('window.paintedAfter')) as number | undefined
    if (found !== undefined) return found
    await page.waitForTimeout(50)
  }
}

/** @returns how many posts are on the page */
async function lengthen(page: Page): Promise<number> {
  for (let tries = 0; tries < 60; tries++) {
    const count = await page.locator('.feed .post').count()
    if (count >= LONG) break
    await page.evaluate('scrollTo(0, document.body.scrollHeight)')
    await page.waitForTimeout(300)
  }
  await page.evaluate('scrollTo(0, 0)')
  return page.locator('.feed .post').count()
}

function framesOf(page: Page): Promise<number[]> {
  return page.evaluate(`new Promise((resolve) => {
    const frames = []
    let before = performance.now()
    const next = (now) => {
      frames.push(now - before)
      before = now
      scrollBy(0, ${STEP})
      frames.length < ${FRAMES} ? requestAnimationFrame(next) : resolve(frames.slice(1))
    }
    requestAnimationFrame(next)
  })`) as Promise<number[]>
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!
}

/** In the page: how long after the end of the timeline's answer its first posts were in a frame. */
function noticePaint(): void {
  const page = globalThis as unknown as {
    document: { querySelector(selector: string): unknown }
    requestAnimationFrame(next: () => void): void
    paintedAfter?: number
  }
  const look = () => {
    if (!page.document.querySelector('.feed .post')) return page.requestAnimationFrame(look)
    page.requestAnimationFrame(() =>
      setTimeout(() => {
        const answers = performance
          .getEntriesByType('resource')
          .filter(({ name }) => /getTimeline\?(?!.*limit=1(&|$))/.test(name))
        const end = (answers[0] as unknown as { responseEnd: number } | undefined)?.responseEnd
        if (end !== undefined) page.paintedAfter = performance.now() - end
      }),
    )
  }
  page.requestAnimationFrame(look)
}
