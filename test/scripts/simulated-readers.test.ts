// `npm run simulate -- --readers …` as typed: two servers get the same requests, the board shows them, and
// the report holds what readers experienced.

import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import type { Figures } from '../../scripts/readers/figures.ts'
import type { Point } from '../../scripts/readers/history.ts'
import type { Act } from '../../scripts/readers/options.ts'
import { chromiumPath, launchBrowser } from '../support/browser.ts'
import { eventually } from '../support/eventually.ts'

const SCRIPT = join(import.meta.dirname, '../../scripts/simulate.ts')
const NETWORK = ['--accounts', '30', '--follows', '8', '--past', '300', '--rate', '20']

const ACTS = ['timeline', 'scroll', 'thread', 'like'] as const

/** Watches the board until every server has received every kind of request. */
async function watch(board: string): Promise<Figures> {
  const response = await fetch(`${board}figures`)
  let text = ''
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    const messages = (text + chunk).split('\n\n')
    text = messages.pop()!
    for (const message of messages) {
      const figures = JSON.parse(message.slice('data: '.length)) as Figures
      if (figures.servers.every(({ methods }) => ACTS.every((act) => methods[act]))) return figures
    }
  }
  throw new Error('the board’s stream ended')
}

type Report = { figures: Figures; history: Point[] }

/** The board in a browser, opened late: a line for each server in each chart. */
async function seeLines(board: string): Promise<void> {
  await eventually(async () => {
    const points = (await (await fetch(`${board}history`)).json()) as Point[]
    expect(points.length).toBeGreaterThan(1)
  })
  if (!chromiumPath()) return console.warn('no Chromium here: the board’s lines are NOT looked at')
  const browser = await launchBrowser()
  try {
    const page = await browser.newPage()
    await page.goto(board)
    await page.locator('path[data-chart=p99][d^=M]').nth(1).waitFor({ state: 'attached' })
    for (const chart of ['p50', 'requests', 'failed', 'writes', 'memoryMb', 'cores'])
      expect(await page.locator(`path[data-chart=${chart}][d^=M]`).count(), chart).toBe(2)
    // Only one of the two has a limit, and so leaves out anything.
    expect(await page.locator('path[data-chart=leftOut][d^=M]').count()).toBe(1)
  } finally {
    await browser.close()
  }
}

function expectHistory(history: readonly Point[]): void {
  const seconds = history.map((point) => point.seconds)
  expect(seconds.toSorted((a, b) => a - b)).toEqual(seconds)
  for (const server of [0, 1]) {
    const moments = history.map(({ servers }) => servers[server]!)
    expect(moments.some(({ p50, p99 }) => p50! > 0 && p99! >= p50!)).toBe(true)
    expect(moments.some(({ requests }) => requests > 0)).toBe(true)
    expect(moments.every(({ failed }) => failed === 0)).toBe(true)
    expect(moments.some(({ memoryMb }) => memoryMb! > 50)).toBe(true)
    expect(moments.some(({ cores }) => cores! > 0)).toBe(true)
    expect(moments.some(({ writes }) => writes! > 0)).toBe(true)
  }
  const leftOut = history.flatMap(({ servers }) => servers.map((server) => server.leftOut))
  expect(leftOut.some((value) => value !== undefined)).toBe(true)
}

test('readers use two servers alike, and board and report show both', async () => {
  const report = join(mkdtempSync(join(tmpdir(), 'slipstream-readers-')), 'report.json')
  const servers = ['--server', 'plain', '--server', 'lossless:REASONABLE_LIMIT=0']
  const mix = ['--mix', 'scroll=100,thread=100,like=100,follow=100']
  const more = ['--readers', '4', '--poll', '1', '--report', report]
  const child = spawn(process.execPath, [SCRIPT, ...NETWORK, ...servers, ...mix, ...more])
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  let board = ''
  for await (const line of createInterface({ input: child.stdout })) {
    board = /^The board is at (.*)$/.exec(line)?.[1] ?? ''
    if (board !== '') break
  }
  child.stdout.resume()
  expect(await (await fetch(board)).text()).toContain("new EventSource('/figures')")
  expect((await watch(board)).servers.map(({ name }) => name)).toEqual(['plain', 'lossless'])
  await seeLines(board)
  child.kill('SIGTERM')
  expect(await ended).toBe(0)
  const { figures, history } = JSON.parse(readFileSync(report, 'utf8')) as Report
  expectHistory(history)
  const [plain, lossless] = figures.servers
  for (const act of ACTS) expect(plain!.methods[act]!.failed).toBe(0)
  expect(lossless!.methods.timeline!.count).toBe(plain!.methods.timeline!.count)
  expect(
    [plain, lossless].map((serverFigures) => serverFigures!.methods['sign-in']!.count),
  ).toEqual([4, 4])
  // Each kind of request that the servers answer has one best server; requests to the network have
  // none.
  const best = ['sign-in', ...ACTS].map((act) => {
    const methods = [plain, lossless].map((serverFigures) => serverFigures!.methods[act as Act]!)
    return methods.filter(({ isBest }) => isBest).length
  })
  expect(best).toEqual([1, 1, 1, 1, 0])
  const wins = figures.servers.map(
    ({ methods }) => Object.values(methods).filter((quantiles) => quantiles.isBest).length,
  )
  const [quicker] = figures.servers.filter((_, i) => wins[i]! > wins[1 - i]!)
  expect(figures.winner).toBe(quicker?.name)
  expect(figures.eventsPerSecond).toBeGreaterThan(0)
}, 400_000)

test.each([
  [['--readers', '0'], '--readers must be a number from 1'],
  [['--readers', '5', '--mix', 'dance=3'], '--mix: dance=3 is none of scroll'],
  [['--readers', '5', '--server', 'far=http://example.org:80'], 'load goes to this machine alone'],
  [['--readers', '5', '--server', 'a:limit=3'], 'limit=3 is no SETTING=value'],
  [['--readers', '5', '--server', 'a', '--server', 'a'], 'two have the same name'],
])('%j is refused', async (args, message) => {
  const run = promisify(execFile)(process.execPath, [SCRIPT, ...args])
  await expect(run).rejects.toMatchObject({ code: 64, stderr: expect.stringContaining(message) })
})
