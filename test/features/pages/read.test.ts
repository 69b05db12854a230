// The reading page of a running process on a simulated network with pictures: which requests its link
// permits, and how it reads in a browser, desktop and narrow, light and dark, by keyboard.

import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { introduce, wordsBy } from '../../../scripts/simulated-people.ts'
import { drawPictures } from '../../../scripts/simulated-pictures.ts'
import { type Simulation, startSimulation } from '../../../scripts/simulation.ts'
import { createReadingTokens } from '../../../src/sources/identity/reading-token.ts'
import { chromiumPath, launchBrowser } from '../../support/browser.ts'
import { lowContrasts, overflow, unnamed } from '../../support/page-audit.ts'
import { MAX_WAIT_MS } from '../../support/patience.ts'
import {
  freshDataDir,
  type SlipstreamProcess,
  startSlipstream,
} from '../../support/slipstream-process.ts'
import { withoutPrefix } from '../../support/without-prefix.ts'

const TOKEN = 'the-operators-own-token'
const TIMELINE = 'app.bsky.feed.getTimeline'
const PATIENT = { timeout: MAX_WAIT_MS }
const EVIL = '<img src=//evil.example/x onerror=document.title=1>'

let simulation: Simulation
let slipstream: SlipstreamProcess
let origin: string
let member: Simulation['network']['repositories'][number]
let token: string

beforeAll(async () => {
  const { scenes, faces, blobs } = await drawPictures()
  const words = wordsBy(scenes)
  simulation = await startSimulation(
    { seed: 5, accounts: 40, follows: 12, past: 1_500, pastHours: 4, rate: 20 },
    {
      blobs,
      words: (random) => {
        const reported = words(random)
        return random.chance(0.1) ? { ...reported, text: EVIL, facets: [] } : reported
      },
    },
  )
  introduce(simulation.network, faces)
  member = simulation.network.repositories.at(-1)!
  token = createReadingTokens(TOKEN).mint(member.did, 1)
  slipstream = startSlipstream({
    ...withoutPrefix(simulation.env),
    DATA_DIR: freshDataDir(),
    OPERATOR_TOKEN: TOKEN,
    IMAGES: 'own',
    VIDEOS: 'own',
    MEMBERS: member.did,
  })
  origin = `http://localhost:${await slipstream.port()}`
  for (let tries = 0; (await items()) < 30; tries++) {
    if (tries > 400) throw new Error(`no timeline:\n${slipstream.output().slice(-2_000)}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
})
afterAll(async () => {
  await slipstream?.stop('SIGKILL')
  await simulation?.stop()
})

function ask(method: string, bearer = token): Promise<Response> {
  return fetch(`${origin}/xrpc/${method}`, { headers: { authorization: `Bearer ${bearer}` } })
}

async function items(): Promise<number> {
  const { feed = [] } = (await (await ask(`${TIMELINE}?limit=50`)).json()) as { feed?: unknown[] }
  return feed.length
}

test('a link permits only what its page needs, for one member only', async () => {
  expect((await ask(TIMELINE)).status).toBe(200)
  for (const private_ of ['app.bsky.actor.getPreferences', 'app.bsky.bookmark.getBookmarks']) {
    expect([private_, (await ask(private_)).status]).toEqual([private_, 401])
  }
  const stranger = simulation.network.repositories[0]!
  const strangers = createReadingTokens(TOKEN).mint(stranger.did, 1)
  expect(await (await ask(TIMELINE, strangers)).json()).toMatchObject({ error: 'ExpiredToken' })
  expect((await ask(TIMELINE, `${token}x`)).status).toBe(401)
})

test('an address that leads nowhere is a page for browsers, and JSON for programs', async () => {
  for (const path of ['/nowhere', '/invite']) {
    const page = await fetch(origin + path, { headers: { accept: 'text/html,*/*' } })
    expect([page.status, page.headers.get('content-type')]).toEqual([
      404,
      'text/html; charset=utf-8',
    ])
    expect(await page.text()).toContain('There is nothing at this address')
    const json = await fetch(origin + path)
    expect([json.status, await json.json()]).toMatchObject([404, { error: 'NotFound' }])
  }
})

test('its policy allows no foreign sources while pictures are ours', async () => {
  const answer = await fetch(`${origin}/read?link`)
  expect(answer.headers.get('content-security-policy')).toContain(`img-src 'self' ${origin};`)
  const page = await answer.text()
  expect(page).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/)
  expect(page).not.toContain(member.did)
})

const path = chromiumPath()
if (!path)
  console.warn('no Chromium here: what people see is NOT tested (apt-get install chromium)')

describe.skipIf(!path)('in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(() => browser?.close())

  async function open(options = {}): Promise<{ page: Page; troubles: string[] }> {
    const page = await (await browser.newContext(options)).newPage()
    const troubles: string[] = []
    page.on('console', (line) => {
      if (line.type() === 'error') troubles.push(line.text())
    })
    page.on('pageerror', (error) => troubles.push(String(error)))
    page.on('request', (request) => {
      if (!request.url().startsWith(origin)) troubles.push(`asks ${request.url()}`)
    })
    await page.goto(`${origin}/read#${token}`)
    await page.waitForSelector('.posts > li')
    return { page, troubles }
  }

  test('the timeline, a thread and a profile, each at its own address', async () => {
    const { page, troubles } = await open()
    expect(page.url()).toBe(`${origin}/read`)
    await expect
      .poll(
        () => page.evaluate(`[...document.images].some((one) => one.naturalWidth > 0)`),
        PATIENT,
      )
      .toBe(true)
    expect(await page.textContent('.posts')).toContain(EVIL)
    const before = await page.locator('.posts > li').count()
    await page.click('#more')
    await expect.poll(() => page.locator('.posts > li').count(), PATIENT).toBeGreaterThan(before)

    await page.locator('.when').first().press('Enter')
    await page.waitForSelector('.thread')
    expect(page.url()).toContain('/read?post=at%3A%2F%2F')
    expect(await page.evaluate('document.activeElement.tagName')).toBe('H1')
    await page.goBack()
    await page.waitForSelector('.posts > li')

    const known = new URLSearchParams({ profile: simulation.network.repositories[0]!.did })
    await page.goto(`${origin}/read?${known}`)
    await page.waitForSelector('.proof-words')
    expect(await page.textContent('.proof-words')).toMatch(/^Followed by \S/)
    await page.click('.proof-words button')
    await page.waitForSelector('.people li')
    await expect.poll(() => page.title(), PATIENT).toBe('Ines Varga · Slipstream')
    expect(troubles).toEqual([])
    await page.click('#leave')
    expect(await page.isVisible('#enter-form')).toBe(true)
  })

  test.each(['light', 'dark'] as const)('it is accessible, %s', async (colorScheme) => {
    const { page, troubles } = await open({ colorScheme, viewport: { width: 320, height: 700 } })
    for (const selector of [undefined, '.who', '.when'] as const) {
      if (selector) await page.locator(selector).first().click()
      await page.waitForSelector('#view[aria-busy="false"] .post')
      if (selector !== '.when') expect(await page.evaluate(lowContrasts)).toEqual([])
      expect(await page.evaluate(unnamed)).toEqual([])
      expect(await page.evaluate(overflow)).toBe(0)
    }
    expect(troubles).toEqual([])
  })

  test('on a phone no handle breaks, and times are relative with the date on hover', async () => {
    const { page } = await open({ viewport: { width: 390, height: 800 } })
    await page.waitForSelector('.posts .who span')
    const heights = `[...document.querySelectorAll('.who span, #as')].map((one) => one.clientHeight)`
    for (const height of (await page.evaluate(heights)) as number[]) expect(height).toBeLessThan(40)
    const time = page.locator('.when time').first()
    expect(await time.textContent()).toMatch(/^(now|\d+ (min|h|days?) ago)$/)
    expect(await time.getAttribute('title')).toMatch(/^\d{1,2} \w{3,4} \d{4}, \d\d:\d\d$/)
  })

  test('the timeline is refreshed in place, and others lead back to it', async () => {
    const { page } = await open()
    expect(await page.isVisible('#home')).toBe(false)
    const first = () => page.locator('.posts .when').first().getAttribute('href')
    const before = await first()
    await expect
      .poll(async () => {
        await page.click('#again')
        await page.waitForSelector('#view[aria-busy="false"] .post')
        return first()
      }, PATIENT)
      .not.toBe(before)
    await page.locator('.when').first().press('Enter')
    await page.waitForSelector('.thread')
    await page.click('#home')
    await page.waitForSelector('.posts > li')
    expect(await page.isVisible('#home')).toBe(false)
  })

  test('a post opened in another tab knows the reader', async () => {
    const { page } = await open()
    await page.waitForSelector('.posts .when')
    const [beside] = await Promise.all([
      page.context().waitForEvent('page'),
      page
        .locator('.when')
        .first()
        .click({ modifiers: ['Control'] }),
    ])
    await beside.waitForSelector('.thread')
    expect(await beside.isVisible('#enter-form')).toBe(false)
  })

  test('without scripts it says that it needs them', async () => {
    const page = await browser.newPage({ javaScriptEnabled: false })
    await page.goto(`${origin}/read`)
    expect(await page.innerText('main')).toContain('needs JavaScript')
    await page.close()
  })

  test('a link that is none, or only a part of one, is explained, and the next one works', async () => {
    const page = await browser.newPage()
    const payload = btoa('{"name":"no one"}')
    const torn = token.slice(0, token.indexOf('.') + 12)
    for (const text of ['nonsense', torn, `read.${payload}.x`]) {
      await page.goto(`${origin}/read#${text}`)
      await page.reload()
      await expect
        .poll(() => page.textContent('#enter-problem'), PATIENT)
        .toMatch(/no reading link/)
      expect(await page.isVisible('#enter-form')).toBe(true)
    }
    await page.fill('#link', `${origin}/read#${token}`)
    await page.click('#enter-form button')
    await page.waitForSelector('#reader .feed-item, #view article, #view h1', PATIENT)
    expect(await page.isVisible('#enter-form')).toBe(false)
    await page.close()
  })

  test('an expired link is explained', async () => {
    const { page } = await open()
    await page.evaluate(
      `sessionStorage.setItem('reading-link', sessionStorage.getItem('reading-link') + 'x')`,
    )
    await page.reload()
    await expect
      .poll(() => page.textContent('#problem'), PATIENT)
      .toBe('This reading link has expired, or does not allow this')
  })
})
