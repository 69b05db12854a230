// The pages of a running process with two serving threads, on a simulated network: over plain HTTP, and in a
// real browser, desktop and phone, light and dark.

import { Agent, request } from 'node:http'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Simulation, startSimulation } from '../../../scripts/simulation.ts'
import { chromiumPath, launchBrowser } from '../../support/browser.ts'
import { until } from '../../support/eventually.ts'
import { lowContrasts, overflow, unnamed } from '../../support/page-audit.ts'
import {
  freshDataDir,
  type SlipstreamProcess,
  startSlipstream,
} from '../../support/slipstream-process.ts'
import { withoutPrefix } from '../../support/without-prefix.ts'

const TOKEN = 'the-operators-own-token'
const EVIL = '<img src=//evil.example/x onerror=document.title=1>'
/** A character that a page must not cut in half. */
const FAMILY = '👩‍👩‍👧'
const EVIL_KEY = '3kevilevil222'
const HTML = { accept: 'text/html' }
const HEALTH = '/xrpc/_health'

let simulation: Simulation
let slipstream: SlipstreamProcess
let origin: string
let member: Simulation['network']['repositories'][number]

beforeAll(async () => {
  simulation = await startSimulation({
    seed: 5,
    accounts: 40,
    follows: 12,
    past: 1_500,
    pastHours: 4,
    rate: 40,
  })
  member = simulation.network.repositories.at(-1)!
  const put = (collection: string, rkey: string, value: Record<string, unknown>) =>
    member.put({ collection, rkey, value, atMs: Date.now() })
  put('app.bsky.actor.profile', 'self', { displayName: FAMILY + EVIL })
  put('app.bsky.feed.post', EVIL_KEY, { text: EVIL, createdAt: new Date().toISOString() })
  slipstream = startSlipstream({
    ...withoutPrefix(simulation.env),
    DATA_DIR: freshDataDir(),
    SERVE_THREADS: '2',
    HOSTNAME: 'appview.example.org',
    OPERATOR_TOKEN: TOKEN,
    REASONABLE_LIMIT: '8',
    FALLBACK_APPVIEW: 'none',
    MEMBERS: member.did,
  })
  origin = `http://127.0.0.1:${await slipstream.port()}`
  await untilTrue(async () => (await state()) === 'Everything is well')
})
afterAll(async () => {
  await slipstream?.stop('SIGKILL')
  await simulation?.stop()
})

async function state(): Promise<string> {
  const { state } = (await (await fetch(`${origin}/page/figures`)).json()) as {
    state: { title: string }[]
  }
  return state[0]!.title
}

/** Treats a page or server that cannot be reached yet as not ready. */
const untilTrue = (isTrue: () => Promise<boolean>) => until(() => isTrue().catch(() => false))

const text = async (path: string, headers: Record<string, string> = {}) =>
  (await fetch(origin + path, { headers })).text()

/** Uses a new connection, which may reach either thread. */
function statusOf(path: string, headers: Record<string, string> = {}): Promise<number> {
  const agent = new Agent({ keepAlive: false })
  return new Promise((resolve, reject) => {
    request(origin + path, { agent, headers }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode!))
    })
      .once('error', reject)
      .end()
  })
}

/** Sends the path unmodified, whereas a URL would normalise it. */
function rawStatusOf(path: string): Promise<number> {
  const { hostname, port } = new URL(origin)
  return new Promise((resolve, reject) => {
    request({ hostname, port, path }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode!))
    })
      .once('error', reject)
      .end()
  })
}

describe('over HTTP', () => {
  test('/ is plain text as before, and a page for clients that want HTML', async () => {
    expect(await text('/')).toBe(
      'This is Slipstream, an AT Protocol AppView. Its DID is did:web:appview.example.org; its methods are under /xrpc/.\n',
    )
    expect(await text('/', { accept: '*/*' })).toMatch(/^This is Slipstream/)
    const page = await text('/', HTML)
    expect(page).toMatch(/^<!doctype html>/)
    for (const word of ['Everything is well', 'did:web:appview.example.org#bsky_appview']) {
      expect(page).toContain(word)
    }
    expect(page).not.toContain(member.did)
  })

  test.each(['/', '/explore'])(
    '%s has no inline code, and allows no foreign sources but those of pictures',
    async (path) => {
      const answer = await fetch(origin + path, { headers: HTML })
      const page = await answer.text()
      expect(page).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/)
      const policy = answer.headers.get('content-security-policy')!
      expect(policy).toContain("default-src 'none'")
      const pictures = path === '/explore' ? /; img-src [^;]*/ : /^$/
      expect(policy.replace(pictures, '')).not.toMatch(/unsafe|https?:|data:|\*/)
      const links = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1]!)
      expect(links.filter((link) => !/^[/#]/.test(link) || link.startsWith('//'))).toEqual([])
      for (const link of links.filter((link) => link.startsWith('/page/assets/'))) {
        const plain = await fetch(origin + link, { headers: { 'accept-encoding': 'identity' } })
        expect(plain.status, link).toBe(200)
        expect(plain.headers.get('cache-control')).toContain('immutable')
        expect(await text(link, { 'accept-encoding': 'br' })).toBe(await plain.text())
        expect(await statusOf(link.replace(/assets\/[^/]+/, 'assets/000000000000'))).toBe(404)
      }
    },
  )

  test('the metrics sum the answers of all threads, whichever is asked', async () => {
    const answered = async () => {
      const line = /slipstream_requests_total\{method="_health",status="200"\} (\d+)/
      return Number(line.exec(await text('/metrics'))?.[1] ?? 0)
    }
    const before = await answered()
    for (let i = 0; i < 24; i++) expect(await statusOf(HEALTH)).toBe(200)
    for (let i = 0; i < 8; i++) expect(await answered()).toBe(before + 24)
    const metrics = await text('/metrics')
    expect(metrics).toMatch(/slipstream_stream_received_total [1-9]/)
    expect(metrics).toMatch(/slipstream_event_outcomes_total\{outcome="applied"\} [1-9]/)
    expect(metrics).toMatch(/slipstream_fetches_total\{outcome="ok"\} [1-9]/)
    expect(metrics).toMatch(/slipstream_members 1\n/)
    expect(metrics).toMatch(/slipstream_database_log_bytes \d/)
    // Prometheus reserves this label for summaries.
    expect(metrics).not.toMatch(/gauge[^#]*\{quantile=/)
    // Of servers, only those of streams are named, which the operator chose.
    const others = metrics.replace(/^slipstream_stream_\w*bytes\w*\{.*$/gm, '')
    expect(others).not.toMatch(/did:|simulated\.example|127\.0\.0\.1/)
    for (const line of metrics.split('\n')) {
      expect(line).toMatch(/^$|^# (HELP|TYPE) |^[a-z_]+(\{([a-z]+="[^"]*",?)+\})? [-+\deE.]+$/)
    }
  })

  test('metrics have one spelling', async () => {
    expect(await statusOf('/metrics?x=1')).toBe(200)
    const others = ['/metrics/', '/metric%73', '/%6Detrics', '//metrics', '/./metrics', '/METRICS']
    for (const path of [...others, '/x/../metrics', '/metrics%2f', '/metrics/x']) {
      expect([path, await rawStatusOf(path)]).toEqual([path, 404])
    }
  })

  test('live figures are limited per address, and others still get theirs', async () => {
    const aborting = new AbortController()
    // Kept: a response that is collected as garbage ends, and gives its place to another.
    const open: Response[] = []
    const listen = async (from: string) => {
      const headers = { 'x-forwarded-for': from }
      const response = await fetch(`${origin}/page/live`, { headers, signal: aborting.signal })
      open.push(response)
      return response.status
    }
    const statuses = []
    for (let i = 0; i < 40; i++) statuses.push(await listen('203.0.113.9'))
    const taken = statuses.filter((status) => status === 200).length
    // On each of two threads; the kernel chooses between them.
    expect(taken).toBeGreaterThanOrEqual(8)
    expect(taken).toBeLessThanOrEqual(16)
    for (let i = 0; i < 4; i++) expect(await listen('203.0.113.10')).toBe(200)
    expect(open.filter(({ status }) => status === 200)).toHaveLength(taken + 4)
    aborting.abort()
  })

  test('metrics are for this machine, or the operator, but not through a proxy', async () => {
    const through = { 'x-forwarded-for': '127.0.0.1' }
    const bearer = { authorization: `Bearer ${TOKEN}` }
    expect(await statusOf('/metrics')).toBe(200)
    expect(await statusOf('/metrics', through)).toBe(401)
    expect(await statusOf('/metrics', { host: 'appview.example.org' })).toBe(401)
    expect(await statusOf('/metrics', { ...through, ...bearer })).toBe(200)
    expect(await statusOf('/metrics', { ...through, authorization: 'Bearer nonsense' })).toBe(401)
  })

  test('only the operator sees who reads here', async () => {
    const figures = ['figures', 'overview', 'month', 'history/hour', 'slow', 'videos']
    for (const what of ['newcomers', 'account', 'timeline', 'post', 'proof', ...figures]) {
      const path = `/explore/api/${what}?actor=${member.did}&viewer=${member.did}`
      expect(await statusOf(path)).toBe(401)
      expect(await statusOf(path, { authorization: `Bearer ${TOKEN}x` })).toBe(401)
    }
    for (const path of [HEALTH, '/page/figures']) {
      expect(await text(path)).not.toContain('did:plc')
    }
    const bearer = { authorization: `Bearer ${TOKEN}` }
    expect(JSON.parse(await text('/explore/api/newcomers', bearer))).toHaveProperty('newcomers')
  })

  test('a client of any origin reads how far the server is behind', async () => {
    const answer = await fetch(`${origin}/status/indexer`, { headers: { origin: 'https://app' } })
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const reported = (await answer.json()) as { ingestLagSeconds: number }
    expect(reported).toEqual({ ingestLagSeconds: expect.any(Number), indexerQueueLength: 0 })
    expect(reported.ingestLagSeconds).toBeGreaterThanOrEqual(0)
  })

  test('figures of the machine and of its members are only shown with the operator’s token', async () => {
    const bearer = { authorization: `Bearer ${TOKEN}` }
    const complete = JSON.parse(await text('/explore/api/figures', bearer)) as {
      texts: Record<string, string>
    }
    expect(complete.texts['members']).toBe('1')
    for (const name of ['memory', 'database', 'diskFree', 'requests', 'host']) {
      expect(complete.texts[name], name).toMatch(/./)
    }
    const notified = JSON.parse(await text('/page/figures')) as { texts: object; state: object[] }
    expect(Object.keys(notified).sort()).toEqual(['hasReached', 'state', 'texts'])
    expect(Object.keys(notified.texts).sort()).toEqual([
      ...['answerP50', 'lag', 'quietFor', 'quietLabel', 'since', 'upShare', 'upSpan'],
    ])
    const host = new URL(simulation.env.SLIPSTREAM_JETSTREAM_HOSTS!).host
    for (const rendered of [await text('/', HTML), JSON.stringify(notified)]) {
      expect(rendered).not.toContain(host)
      expect(rendered).not.toMatch(/SLIPSTREAM_|slipstream (doctor|gaps|stats)|member reads|[MG]B/)
    }
    expect(await statusOf('/page/history/hour')).toBe(404)
    expect(await statusOf('/explore', HTML)).toBe(200)
    expect(await text('/explore', HTML)).not.toContain(host)
  })
})

const path = chromiumPath()
if (!path)
  console.warn('no Chromium here: what people see is NOT tested (apt-get install chromium)')

describe.skipIf(!path)('in a browser', () => {
  let browser: Browser
  const contexts: BrowserContext[] = []
  const troubles: string[] = []

  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterEach(async () => {
    for (const browserContext of contexts.splice(0)) await browserContext.close()
    expect(troubles.splice(0)).toEqual([])
  })
  afterAll(() => browser?.close())

  /** A complaint by the page, or a request to another host, fails the test. */
  async function open(where: string, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext(options)
    contexts.push(context)
    const page = await context.newPage()
    page.on('console', (line) => {
      const isExpected = /status of 401/.test(line.text())
      if (line.type() === 'error' && !isExpected) troubles.push(line.text())
    })
    page.on('pageerror', (error) => troubles.push(String(error)))
    page.on('request', (request) => {
      if (!request.url().startsWith(origin)) troubles.push(`asks ${request.url()}`)
    })
    await page.goto(origin + where)
    return page
  }

  async function explore(options: BrowserContextOptions = {}): Promise<Page> {
    const page = await open('/explore', options)
    await page.fill('#token', TOKEN)
    await page.press('#token', 'Enter')
    await page.click('#timeline-tab')
    await page.fill('#timeline-actor', member.handle)
    await page.press('#timeline-actor', 'Enter')
    await page.waitForSelector('#timeline > li')
    return page
  }

  test('everything can be reached and used by keyboard, with a visible focus', async () => {
    const page = await open('/')
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.className')).toBe('skip')
    const reached: string[] = []
    for (let i = 0; i < 40; i++) {
      const [name, outline] = (await page.evaluate(
        `(({ tagName, id, dataset }) => [[tagName, id, Object.keys(dataset)].join(' '), getComputedStyle(document.activeElement).outlineStyle])(document.activeElement)`,
      )) as [string, string]
      if (name.startsWith('BODY')) break
      expect(outline, name).not.toBe('none')
      reached.push(name)
      await page.keyboard.press('Tab')
    }
    for (const value of ['BUTTON theme', 'copy', 'SUMMARY']) {
      expect(
        reached.some((name) => name.includes(value)),
        value,
      ).toBe(true)
    }
    await page.focus('summary')
    await page.keyboard.press('Enter')
    expect(await page.locator('details[open]').count()).toBe(1)
  })

  test('the selected colours persist, and the system’s can be restored', async () => {
    const page = await open('/', { colorScheme: 'light' })
    const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor')
    const light = await ground()
    await page.click('#theme')
    expect(await ground()).toBe(light)
    await page.click('#theme')
    const dark = await ground()
    expect(dark).not.toBe(light)
    await page.reload()
    expect(await ground()).toBe(dark)
    expect(await page.getAttribute('#theme', 'aria-label')).toBe('Colours: dark')
    await page.click('#theme')
    expect(await ground()).toBe(light)
  })

  test('text to be copied is copied', async () => {
    const page = await open('/', { permissions: ['clipboard-read', 'clipboard-write'] })
    await page.click('[data-copy] >> nth=0')
    await untilTrue(async () => (await page.innerText('[data-copy] >> nth=0')) === 'Copied')
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
      'did:web:appview.example.org',
    )
  })

  test.each(['light', 'dark'] as const)(
    'all text has contrast and every control a name, %s',
    async (colorScheme) => {
      const page = await open('/', { colorScheme })
      await page.click('summary >> nth=2')
      expect(await page.evaluate(lowContrasts)).toEqual([])
      expect(await page.evaluate(unnamed)).toEqual([])
      const exploring = await explore({ colorScheme })
      expect(await exploring.evaluate(lowContrasts)).toEqual([])
      expect(await exploring.evaluate(unnamed)).toEqual([])
      await exploring.click('#overview-tab')
      await exploring.waitForSelector('#overview dd')
      await exploring.waitForSelector('.uplot canvas')
      expect(await exploring.evaluate(lowContrasts)).toEqual([])
      expect(await exploring.evaluate(unnamed)).toEqual([])
    },
  )

  test('a phone of 320 pixels scrolls in one direction only', async () => {
    const viewport = { viewport: { width: 320, height: 640 } }
    const page = await open('/', viewport)
    expect(await page.evaluate(overflow)).toBe(0)
    const exploring = await explore(viewport)
    expect(await exploring.evaluate(overflow)).toBe(0)
    await exploring.click('#overview-tab')
    await exploring.waitForSelector('.uplot canvas')
    expect(await exploring.evaluate(overflow)).toBe(0)
  })

  test('the operator sees the reasons for a timeline; strangers’ input stays text', async () => {
    const page = await explore()
    const marks = (which: string) => page.locator(`.draws line.${which}`).count()
    expect(await page.innerText('#account')).toMatch(/lossy: of \d+ follows/)
    expect(await page.innerText('#account')).toContain(EVIL)
    expect(await page.innerText('#account .monogram')).toBe(FAMILY)
    expect(await page.title()).toBe('Explore · Slipstream')
    const [retained, dropped] = [await marks('kept'), await marks('dropped')]
    expect(Math.min(retained, dropped)).toBeGreaterThan(0)
    expect(await page.innerText('.draws')).toContain(`${retained} of these ${retained + dropped}`)
    await page.click('[data-show="left-out"]')
    expect(await page.locator('#timeline > li.served:visible').count()).toBe(0)
    const others = simulation.network.repositories
    await page.click('#proof-tab')
    await page.fill('#proof-viewer', member.handle)
    await page.fill('#proof-subject', others[0]!.handle)
    await page.press('#proof-subject', 'Enter')
    await page.waitForSelector('svg.proof')
    expect(await page.getAttribute('svg.proof', 'aria-label')).toContain(others[0]!.handle)
    await page.click('#post-tab')
    await page.fill('#post-actor', member.handle)
    await page.fill('#post-uri', 'at://did:plc:nobody/app.bsky.feed.post/3k')
    await page.press('#post-uri', 'Enter')
    await page.waitForSelector('#post .unmet')
    await page.fill('#post-uri', `at://${member.did}/app.bsky.feed.post/${EVIL_KEY}`)
    await page.press('#post-uri', 'Enter')
    await page.waitForSelector('#post .timeline > li')
    expect(await page.innerText('#post .text')).toBe(EVIL)
    expect(await page.locator('img').count()).toBe(0)
    await page.click('#timeline-tab')
    await page.fill('#timeline-actor', 'nobody.example.org')
    await page.press('#timeline-actor', 'Enter')
    await untilTrue(async () => (await page.innerText('#timeline-form .problem')) !== '')
    expect(await page.innerText('#account')).toBe('')
    expect(await page.locator('#timeline > li').count()).toBe(0)
    expect(troubles.splice(0)).toEqual([expect.stringContaining('status of 400')])
  })

  test('tabs work by keyboard, and the address restores the query', async () => {
    const page = await explore()
    expect(page.url()).toContain(`/explore?tab=timeline&actor=${member.handle}`)
    await page.locator('#timeline-tab').press('ArrowLeft')
    expect(await page.isVisible('#overview-panel')).toBe(true)
    await untilTrue(async () => (await page.innerText('#overview')).includes('Members'))
    await page.locator('#overview-tab').press('ArrowLeft')
    expect(await page.isVisible('#slow-panel')).toBe(true)
    await page.locator('#slow-tab').press('ArrowLeft')
    expect(await page.getAttribute('#moderation-tab', 'aria-selected')).toBe('true')
    expect(await page.isVisible('#moderation-form')).toBe(true)
    expect(await page.isVisible('#timeline-form')).toBe(false)
    await page.locator('#moderation-tab').press('ArrowRight')
    // From both threads, since each reports its own.
    const requested = `/xrpc/app.bsky.actor.getProfile?actor=${member.handle}`
    for (let i = 0; i < 24; i++) expect(await statusOf(requested)).toBe(200)
    await untilTrue(async () => (await page.textContent('#videos')) === 'No videos watched yet.')
    await page.click('#slow-again')
    await page.waitForSelector('#slow tbody tr')
    expect(await page.evaluate(unnamed)).toEqual([])
    await page.goto(`${origin}/explore?tab=timeline&actor=${member.handle}`)
    await page.waitForSelector('#timeline > li')
    expect(await page.evaluate(unnamed)).toEqual([])
  })

  test('the operator hides an account and shows it again', async () => {
    const page = await explore()
    const { did } = simulation.network.repositories[3]!
    const isVisible = async () =>
      (await statusOf(`/xrpc/app.bsky.actor.getProfile?actor=${did}`)) === 200
    expect(await isVisible()).toBe(true)
    await page.click('#moderation-tab')
    await page.fill('#moderation-subject', did)
    await page.fill('#moderation-reason', EVIL)
    await page.press('#moderation-reason', 'Enter')
    await untilTrue(async () => (await page.innerText('#moderation')).includes(EVIL))
    expect(await page.innerText('#moderation-done')).toBe(`${did} is hidden now.`)
    expect(await isVisible()).toBe(false)
    await page.click('#moderation button')
    await untilTrue(async () => (await page.innerText('#moderation-done')).includes('shown again'))
    expect(await isVisible()).toBe(true)
  })

  test('a wrong token is reported, a right one lives in its tab only, and leaving forgets it', async () => {
    const page = await open('/explore')
    await page.fill('#token', 'this-is-not-the-token')
    await page.press('#token', 'Enter')
    await untilTrue(async () => /not the operator/.test(await page.innerText('#login .problem')))
    expect(await page.evaluate('sessionStorage.length + localStorage.length')).toBe(0)
    await page.fill('#token', TOKEN)
    await page.press('#token', 'Enter')
    await page.waitForSelector('#explore:not([hidden])')
    expect(await page.context().cookies()).toEqual([])
    await page.reload()
    await page.waitForSelector('#explore:not([hidden])')
    await page.click('#logout')
    expect(await page.evaluate('sessionStorage.length')).toBe(0)
    await page.reload()
    await page.waitForSelector('#login:not([hidden])')
  })

  test('the figures of the status page are updated', async () => {
    const page = await open('/')
    const seen = new Set<string>()
    await untilTrue(async () => {
      seen.add(await page.innerText('[data-figure="lag"]'))
      return seen.size > 1
    })
    expect(await page.locator('[data-series]').count()).toBe(0)
  })

  test('the operator’s charts are drawn, described in words, and removed with the token', async () => {
    const page = await explore()
    await page.click('#overview-tab')
    await page.waitForSelector('.uplot canvas')
    expect(await page.locator('.uplot canvas').count()).toBe(6)
    const label = page.locator('[data-series="events_s"]')
    await untilTrue(async () => / now, between /.test((await label.getAttribute('aria-label'))!))
    await untilTrue(async () => (await page.innerText('#state')).includes('Everything is well'))
    expect(await page.innerText('.holdings [data-figure="members"]')).toBe('1')
    await page.click('[data-ring="month"]')
    expect(await page.getAttribute('[data-ring="month"]', 'aria-pressed')).toBe('true')
    await untilTrue(async () => (await page.innerText('#month')).includes('requests, of which'))
    await page.click('#logout')
    expect(await page.locator('.uplot').count()).toBe(0)
    const left = await page.locator('[data-figure]').allTextContents()
    expect(new Set(left)).toEqual(new Set(['–']))
    expect(await page.textContent('#overview')).toBe('')
    expect(await page.textContent('#month')).toBe('')
  })
})

test('the history fills over time', async () => {
  const bearer = { authorization: `Bearer ${TOKEN}` }
  const points = async () =>
    (JSON.parse(await text('/explore/api/history/hour', bearer)) as { at: number[] }).at.length
  await untilTrue(async () => (await points()) > 0)
  expect(await statusOf('/explore/api/history/year', bearer)).toBe(400)
})

test('an open page does not delay shutdown, and a closed one is forgotten', async () => {
  expect((await fetch(`${origin}/page/live`, { method: 'HEAD' })).status).toBe(200)
  await untilTrue(async () => /slipstream_live_listeners 0\n/.test(await text('/metrics')))
  const { body } = await fetch(`${origin}/page/live`)
  const reader = body!.getReader()
  await reader.read()
  expect(await slipstream.stop('SIGTERM')).toBe(0)
})
