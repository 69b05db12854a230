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
import type { Act } from '../../scripts/readers/options.ts'

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
  child.kill('SIGTERM')
  expect(await ended).toBe(0)
  const { figures } = JSON.parse(readFileSync(report, 'utf8')) as { figures: Figures }
  const [plain, lossless] = figures.servers
  for (const act of ACTS) expect(plain!.methods[act]!.failed).toBe(0)
  expect(lossless!.methods.timeline!.count).toBe(plain!.methods.timeline!.count)
  expect([plain, lossless].map((one) => one!.methods['sign-in']!.count)).toEqual([4, 4])
  // Each kind of request that the servers answer has one best server; requests to the network have
  // none.
  const best = ['sign-in', ...ACTS].map((act) => {
    const methods = [plain, lossless].map((one) => one!.methods[act as Act]!)
    return methods.filter(({ isBest }) => isBest).length
  })
  expect(best).toEqual([1, 1, 1, 1, 0])
  const wins = figures.servers.map(
    ({ methods }) => Object.values(methods).filter((one) => one.isBest).length,
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
