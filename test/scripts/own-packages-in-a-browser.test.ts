// The Jetstream client in a real browser: its package as it is published, bundled for browsers, in a page that reads
// from a host, compressed and not, whose connections break and whose handshakes are refused.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { rolldown } from 'rolldown'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { chromiumPath, launchBrowser } from '../support/browser.ts'
import { createJetstreamDouble, type JetstreamDouble } from '../support/jetstream-double/double.ts'
import { didOf, tidAt } from '../support/jetstream-double/made-up-ids.ts'
import { installPackage } from '../support/own-packages.ts'

const COLLECTION = 'app.bsky.feed.post'

/** What the page runs: it collects texts, and shows the consumer. */
const PAGE = `
import { createConsumer } from '@slipstream/jetstream'
globalThis.hold = () => {
  globalThis.held = new Promise((resolve) => (globalThis.release = resolve))
}
globalThis.read = (options) => {
  globalThis.texts = []
  globalThis.cursor = undefined
  globalThis.consumer = createConsumer({
    wire: 'auto',
    v1Dictionary: '',
    cacheDir: '',
    filters: { collections: ['${COLLECTION}'], dids: undefined },
    cursors: [],
    async apply({ events, cursor }) {
      globalThis.cursor = cursor
      await globalThis.held
      for (const event of events) if (event.kind === 'commit') texts.push(event.record.text)
    },
    log: { info() {}, warn() {}, error() {} },
    limits: { backoffBaseMs: 10, backoffMaxMs: 50 },
    ...options,
  })
  consumer.start()
}
`

type InPage = {
  read(options: object): void
  texts: string[]
  hold(): void
  release(): void
  consumer: { status(): { wire: string; compressed: boolean; connected: boolean } }
}

if (!chromiumPath()) console.warn('NOT RUN: the Jetstream client in a browser: install chromium')

describe.skipIf(!chromiumPath())('the Jetstream client in a browser', () => {
  const base = mkdtempSync(join(tmpdir(), 'slipstream-in-a-browser-'))
  let script: string
  let browser: Browser
  let page: Page
  let stream: JetstreamDouble
  let count = 0
  const errors: string[] = []

  beforeAll(async () => {
    script = await bundle(base)
    browser = await launchBrowser()
  })
  afterEach(async () => {
    expect(errors.splice(0)).toEqual([])
    await page.close()
    await stream.close()
  })
  afterAll(async () => {
    await browser?.close()
    rmSync(base, { recursive: true, force: true })
  })

  /** @param from - the page's server: the host's own unless another is given */
  async function start(options: object, from = stream): Promise<void> {
    // Not by page.route: such a page comes from no address, so Chromium keeps it from this machine's.
    from.serve = ({ url }, response) => {
      if (url !== '/page') return false
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html>')
      return true
    }
    page = await browser.newPage()
    page.on('pageerror', (error) => errors.push(String(error)))
    await page.goto(`${from.url.replace(/^ws/, 'http')}/page`)
    await page.addScriptTag({ type: 'module', content: script })
    await page.waitForFunction(() => 'read' in globalThis)
    const all = { hosts: [stream.url], compress: true, ...options }
    await page.evaluate((given) => (globalThis as unknown as InPage).read(given), all)
    await expect.poll(status).toMatchObject({ connected: true })
  }

  const status = () => page.evaluate(() => (globalThis as unknown as InPage).consumer.status())
  const texts = () => page.evaluate(() => (globalThis as unknown as InPage).texts)

  function emit(text: string): void {
    const record = { $type: COLLECTION, text, createdAt: '2026-01-01T00:00:00Z' }
    const rkey = tidAt(1_700_000_000_000_000 + count++)
    stream.emit({ did: didOf(1), operation: 'create', collection: COLLECTION, rkey, record })
  }

  test('reads the second wire compressed, and loses nothing where the connection breaks', async () => {
    stream = await createJetstreamDouble()
    await start({})
    expect(await status()).toMatchObject({ wire: 'v2', compressed: true })
    const sent: string[] = []
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 20; i++) emit(sent[sent.push(`${round} ${i} こんにちは 🙂`) - 1]!)
      await expect.poll(texts).toEqual(sent)
      stream.disconnect()
      emit(sent[sent.push(`while ${round} was away`) - 1]!)
      await expect.poll(texts).toEqual(sent)
    }
  })

  test('reads plainly where it may not fetch the dictionary', async () => {
    stream = await createJetstreamDouble()
    const elsewhere = await createJetstreamDouble()
    await start({}, elsewhere)
    emit('hello')
    await expect.poll(texts).toEqual(['hello'])
    expect(await status()).toMatchObject({ wire: 'v2', compressed: false })
    await elsewhere.close()
  })

  test('turns to the first wire where a host has no other', async () => {
    stream = await createJetstreamDouble({ legacy: true })
    await start({ v1Dictionary: stream.v1DictionaryUrl })
    emit('hello')
    await expect.poll(texts).toEqual(['hello'])
    expect(await status()).toMatchObject({ wire: 'v1', compressed: true })
  })

  test('keeps what arrives while a batch is being applied', async () => {
    stream = await createJetstreamDouble()
    await start({ limits: { maxBatchEvents: 5 } })
    await page.evaluate(() => (globalThis as unknown as InPage).hold())
    const sent = Array.from({ length: 40 }, (_, i) => `event ${i}`)
    for (const text of sent) emit(text)
    await expect.poll(status).toMatchObject({ paused: true })
    await page.evaluate(() => (globalThis as unknown as InPage).release())
    await expect.poll(texts).toEqual(sent)
  })
})

async function bundle(base: string): Promise<string> {
  const modules = join(base, 'node_modules')
  mkdirSync(modules, { recursive: true })
  installPackage('jetstream', { modules, base })
  const input = join(base, 'page.js')
  writeFileSync(input, PAGE)
  const made = await rolldown({ input, platform: 'browser', cwd: base, tsconfig: false })
  const { output } = await made.generate({ format: 'esm' })
  await made.close()
  return output[0].code
}
