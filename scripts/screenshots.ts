// `npm run screenshots`: captures the pages on desktop and phone, in light and dark, in docs/screenshots/.
// Slipstream runs against the simulated network, whose accounts get readable names and texts here, and has
// thirty days of history. The client's states are in screenshots/client.ts.

import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import sharp from 'sharp'
import { readArguments } from '../src/tools/script-usage.ts'
import { launchBrowser } from '../test/support/browser.ts'
import { takeClient } from './screenshots/client.ts'
import { writePast } from './screenshots/past.ts'
import { introduce, type Members, membersOf, wordsBy } from './simulated-people.ts'
import { drawPictures } from './simulated-pictures.ts'
import { startSimulation } from './simulation.ts'

const TO = join(import.meta.dirname, '../docs/screenshots')
const PORT = 3_917
const ORIGIN = `http://localhost:${PORT}`
const HOSTNAME = 'appview.example.org'
const TOKEN = 'a token for the screenshots only'.replaceAll(' ', '-')
const TIMELINE = 'app.bsky.feed.getTimeline'
const PATIENCE_MS = 900_000
/** Rates cover the last ten seconds. */
const SETTLING_MS = 12_000
const TRAFFIC_EVERY_MS = 120

const SIZES = {
  desktop: { viewport: { width: 1_280, height: 900 }, deviceScaleFactor: 1 },
  phone: { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true },
}

const USAGE = `npm run screenshots
Writes screenshots of the pages to docs/screenshots/. It needs Chromium.
  --client   only those of the client at /read`

const { values } = readArguments(USAGE, (args) =>
  parseArgs({ args, options: { client: { type: 'boolean' } } }),
)
mkdirSync(TO, { recursive: true })
const pictures = await drawPictures()
await takeClient(pictures, (page, name) => shoot(page, name, false))
if (values.client) process.exit()
const simulation = await startSimulation(
  { seed: 7, accounts: 300, follows: 45, past: 9_000, pastHours: 30, rate: 90 },
  { words: wordsBy(pictures.scenes), blobs: pictures.blobs },
)
introduce(simulation.network, pictures.faces)
const people = membersOf(simulation.network)
const dataDir = mkdtempSync(join(tmpdir(), 'slipstream-screenshots-'))
writePast(dataDir, Date.now())
const slipstream = start()
const browser = await launchBrowser()
let traffic: NodeJS.Timeout | undefined
try {
  traffic = await beBusy()
  await sleep(SETTLING_MS)
  for (const size of ['desktop', 'phone'] as const) {
    for (const colorScheme of ['light', 'dark'] as const) {
      await takeAll(browser, size, colorScheme)
    }
  }
} finally {
  clearInterval(traffic)
  await browser.close()
  slipstream.kill('SIGTERM')
  await simulation.stop()
  rmSync(dataDir, { recursive: true, force: true })
}

function start() {
  const { SLIPSTREAM_JETSTREAM_HOSTS, ...env } = simulation.env
  return spawn(process.execPath, [join(import.meta.dirname, '../src/main.ts')], {
    stdio: ['ignore', 'ignore', 'inherit'],
    cwd: tmpdir(),
    env: {
      PATH: process.env['PATH'],
      ...env,
      SLIPSTREAM_JETSTREAM_HOSTS,
      SLIPSTREAM_PORT: String(PORT),
      SLIPSTREAM_HOSTNAME: HOSTNAME,
      SLIPSTREAM_DATA_DIR: dataDir,
      SLIPSTREAM_OPERATOR_TOKEN: TOKEN,
      SLIPSTREAM_REASONABLE_LIMIT: '30',
      SLIPSTREAM_FALLBACK_APPVIEW: 'none',
      SLIPSTREAM_MEMBERS: people.members.map(({ did }) => did).join(','),
    },
  })
}

/**
 * Reads timelines continuously, so that the pages show traffic.
 * @returns the timer that stops it
 */
async function beBusy(): Promise<NodeJS.Timeout> {
  const tokens = await Promise.all(people.members.map(({ did }) => tokenOf(did, TIMELINE)))
  await until(async () => (await readTimeline(tokens[0]!)) >= 50)
  await until(async () => (await newcomers()) === 0)
  await muteSomebody(people)
  let turn = 0
  return setInterval(() => {
    turn++
    void readTimeline(tokens[turn % tokens.length]!).catch(() => 0)
  }, TRAFFIC_EVERY_MS)
}

function tokenOf(iss: string, lxm: string): Promise<string> {
  const claims = { iss, aud: `did:web:${HOSTNAME}`, lxm, lifetimeSeconds: 3_600 }
  return simulation.servers.serviceJwt(claims)
}

async function readTimeline(token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` }
  const answer = await fetch(`${ORIGIN}/xrpc/${TIMELINE}?limit=50`, { headers })
  const { feed = [] } = (await answer.json()) as { feed?: unknown[] }
  return feed.length
}

async function newcomers(): Promise<number> {
  const answer = await fetch(`${ORIGIN}/xrpc/_health`)
  const { ingest } = (await answer.json()) as { ingest: { coldStarts: number } }
  return ingest.coldStarts
}

async function muteSomebody({ reader, muted }: Members): Promise<void> {
  const lxm = 'app.bsky.graph.muteActor'
  await fetch(`${ORIGIN}/xrpc/${lxm}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await tokenOf(reader.did, lxm)}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ actor: muted.did }),
  })
}

async function takeAll(from: Browser, size: keyof typeof SIZES, colorScheme: 'light' | 'dark') {
  const context = await from.newContext({ ...SIZES[size], colorScheme, reducedMotion: 'reduce' })
  const page = await context.newPage()
  const name = `${size}-${colorScheme}`
  await page.goto(ORIGIN)
  await page.waitForSelector('#state h1')
  await shoot(page, `status-${name}`)
  await page.goto(`${ORIGIN}/explore`)
  await page.fill('#token', TOKEN)
  await page.click('#login-form button')
  await page.waitForSelector('#overview dd')
  await page.click('[data-ring="day"]')
  await page.waitForSelector('.uplot canvas')
  await sleep(1_500)
  await nameHost(page)
  await shoot(page, `server-${name}`)
  await page.click('#timeline-tab')
  await page.fill('#timeline-actor', people.reader.handle)
  await page.click('#timeline-form button')
  await page.waitForSelector('#timeline li')
  await page.click('#proof-tab')
  await page.fill('#proof-viewer', people.reader.handle)
  await page.fill('#proof-subject', people.wellKnown.handle)
  await page.click('#proof-form button')
  await page.waitForSelector('svg.proof')
  await page.click('#timeline-tab')
  await storeFirstItems(page)
  await shoot(page, `explore-${name}`)
  await context.close()
}

/**
 * Replaces the simulated host's name, which is only a local port; held places are not overwritten.
 */
async function nameHost(page: Page): Promise<void> {
  await page.$$eval(
    '[data-figure="host"]',
    (places, name) => {
      for (const place of places as unknown as {
        dataset: Record<string, string>
        textContent: string
      }[]) {
        place.dataset['held'] = ''
        place.textContent = name
      }
    },
    'jetstream.example.org',
  )
}

/** Shortens the long timeline page, whose remaining items look the same. */
async function storeFirstItems(page: Page): Promise<void> {
  const most = 7
  await page.$$eval(
    '#timeline > li',
    (items, retained) => {
      for (const item of items.slice(retained)) item.remove()
    },
    most,
  )
}

async function shoot(page: Page, name: string, fullPage = true): Promise<void> {
  await page.evaluate('document.activeElement.blur()')
  const png = await page.screenshot({ fullPage })
  writeFileSync(join(TO, `${name}.png`), await sharp(png).png({ palette: true }).toBuffer())
  console.log(`docs/screenshots/${name}.png`)
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  const giveUpAt = Date.now() + PATIENCE_MS
  while (!(await isTrue().catch(() => false))) {
    if (Date.now() > giveUpAt) throw new Error('Slipstream did not get ready in time')
    await sleep(250)
  }
}
