// The demo as a process: its link signs in, and nothing of it stays behind, even if it is killed.

import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { chromiumPath, launchBrowser } from '../support/browser.ts'
import { MAX_WAIT_MS } from '../support/patience.ts'

const root = join(import.meta.dirname, '../..')
const base = mkdtempSync(join(tmpdir(), 'slipstream-demo-test-'))
afterAll(() => rmSync(base, { recursive: true, force: true }))

const answers = (origin: string) =>
  fetch(`${origin}/xrpc/_health`).then(
    () => true,
    () => false,
  )

test('kill -9 of the demo ends its server and removes its folder', async () => {
  const demo = spawn(
    process.execPath,
    [join(root, 'scripts/demo.ts'), '--accounts', '60', '--past', '400', '--rate', '0'],
    { env: { PATH: process.env['PATH'], TMPDIR: base, SSH_CONNECTION: 'from afar' } },
  )
  let message = ''
  for (const pipe of [demo.stdout, demo.stderr]) pipe.on('data', (piece) => (message += piece))
  const started = () => /Slipstream runs at (\S+),/.exec(message)?.[1]
  await expect.poll(() => started() ?? message, { timeout: MAX_WAIT_MS }).toMatch(/^http/)
  await expect.poll(() => message, { timeout: MAX_WAIT_MS }).toMatch(/scripts\/slipstream stats/)
  expect(message).toContain(`SLIPSTREAM_DATA_DIR=${join(base, 'slipstream-demo-')}`)
  await asksEverything(message)
  expect(message).toMatch(/^ssh -L \d+:localhost:\d+ -L \d+:localhost:\d+ \S+@\S+$/m)
  const origin = started()!
  expect(await answers(origin)).toBe(true)
  await signsIn(/^ +(http:\/\/127\.0\.0\.1:\d+\/read\?name=\S+)$/m.exec(message)?.[1] ?? message)
  demo.kill('SIGKILL')
  await once(demo, 'exit')
  await expect.poll(() => answers(origin), { timeout: MAX_WAIT_MS }).toBe(false)
  await expect.poll(() => readdirSync(base), { timeout: MAX_WAIT_MS }).toEqual([])
})

/** Each command of the printed file is answered, and the video that it names plays from here. */
async function asksEverything(message: string): Promise<void> {
  const file = /^ {2}\. (\S+\/ask\.sh)$/m.exec(message)![1]!
  const requested = async (command: string) => {
    const { stdout } = await promisify(execFile)('sh', ['-c', `. "$0"; ${command}`, file])
    return stdout
  }
  const answer = async (command: string) => JSON.parse(await requested(`${command} -sS`)) as object
  for (const [command, field] of [
    ['known', 'followers'],
    ['proof', 'proofs'],
    ['graph', 'actors'],
  ] as const)
    expect(await answer(command), command).toHaveProperty([field, 0])
  expect(await requested('arrivals -sS --max-time 30 | head -n 2')).toMatch(/^id: \d+$/m)
  const timeline = await answer('timeline')
  expect(timeline).toHaveProperty('feed.length', 3)
  const playlist = /"playlist":"([^"]+)"/.exec(JSON.stringify(timeline))![1]!
  expect(await (await fetch(playlist)).text()).toMatch(/^#EXTM3U/)
  expect(message).toMatch(/^ {2}http:\/\/127\.0\.0\.1:\d+\/read\/profile\/did:plc:\w+\/post\/\w+$/m)
  const [before] = message.slice(message.indexOf('Slipstream runs at')).split('Or paste')
  expect(before!.split('\n').length, 'lines of a screen').toBeLessThan(32)
}

/** The printed link opens the client with a signed-in reader, whose address holds nothing of it. */
async function signsIn(link: string): Promise<void> {
  if (!chromiumPath()) return console.warn('no Chromium here: the demo’s link is NOT tested')
  const browser = await launchBrowser()
  try {
    const page = await browser.newPage()
    page.setDefaultTimeout(MAX_WAIT_MS)
    await page.goto(link)
    await page.locator('.feed .post').first().waitFor()
    expect(page.url()).toBe(new URL('/read', link).href)
  } finally {
    await browser.close()
  }
}

test('the demo’s help says what each option is', async () => {
  const help = spawn(process.execPath, [join(root, 'scripts/demo.ts'), '-h'])
  let message = ''
  help.stdout.on('data', (piece) => (message += piece))
  await once(help, 'close')
  expect(message).toMatch(/--accounts 2500 +how many people/)
})
