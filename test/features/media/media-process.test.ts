// The process that decodes pictures, held to its limits by the operating system: stopped, killed, starved and
// orphaned, while the server in front continues.

import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createJobQueue } from '../../../src/features/media/process/job-queue.ts'
import { type MediaWorld, startMediaWorld } from './support/media-world.ts'

const MB = 1_000_000
let world: MediaWorld
let shade = 0

beforeAll(async () => {
  world = await startMediaWorld()
})
afterAll(() => world.close())

/** A different one each time. */
function picture(side = 40): Promise<Buffer> {
  shade += 1
  const background = { r: shade % 256, g: 90, b: 20, alpha: 0.5 }
  return sharp({ create: { width: side, height: side, channels: 4, background } })
    .png()
    .toBuffer()
}

async function ask(bytes: Buffer, where = world): Promise<string> {
  const response = await where.image('avatar', world.host.put(bytes))
  if (response.status === 200) return '200'
  return `${response.status} ${((await response.json()) as { error: string }).error}`
}

/** Makes sure a process is up. */
async function warm(where = world): Promise<number> {
  expect(await ask(await picture(), where)).toBe('200')
  return where.process.pid()!
}

function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

test('killing it midway fails only that picture', async () => {
  const stored = world.host.put(await picture())
  expect((await world.image('avatar', stored)).status).toBe(200)
  const pid = await warm()
  process.kill(pid, 'SIGSTOP')
  const broken = await picture()
  const request = ask(broken)
  await expect.poll(() => world.process.counts().pending).toBe(1)
  const behind = [ask(await picture()), ask(await picture())]
  await expect.poll(() => world.process.counts().pending).toBe(3)
  expect((await world.image('avatar', stored)).status).toBe(200)
  process.kill(pid, 'SIGKILL')
  expect(await request).toBe('503 Interrupted')
  expect(await Promise.all(behind)).toEqual(['200', '200'])
  expect(world.process.pid()).not.toBe(pid)
  world.advance(61_000)
  expect(await ask(broken)).toBe('200')
})

test('an endless job is ended, and remembered', async () => {
  const impatient = await startMediaWorld({ before: world, limits: { jobMs: 15_000 } })
  // On a busy machine, a process may take longer than that to begin.
  const isServed = () => expect.poll(async () => ask(await picture(), impatient)).toBe('200')
  await isServed()
  const pid = impatient.process.pid()!
  const { died } = impatient.process.counts()
  const endless = await picture()
  process.kill(pid, 'SIGSTOP')
  expect(await ask(endless, impatient)).toBe('400 TooMuchTime')
  expect(isRunning(pid)).toBe(false)
  const requests = world.host.requests()
  expect(await ask(endless, impatient)).toBe('400 TooMuchTime')
  expect(world.host.requests()).toBe(requests)
  expect(impatient.process.counts().died).toBe(died + 1)
  await isServed()
  await impatient.close()
})

test.runIf(existsSync('/proc/self/status'))(
  'a job that exceeds its memory is ended, and remembered',
  async () => {
    const small = await startMediaWorld({ before: world, limits: { memoryBytes: 160 * MB } })
    const large = await sharp({
      create: {
        width: 5000,
        height: 5000,
        channels: 4,
        background: { r: 1, g: 2, b: 3, alpha: 0 },
      },
    })
      .png({ progressive: true })
      .toBuffer()
    for (let i = 0; i < 2; i++) expect(await ask(large, small)).toBe('400 TooMuchMemory')
    expect(small.process.counts()).toEqual({ refused: 0, died: 1, pending: 0 })
    expect(await ask(await picture(), small)).toBe('200')
    await small.close()
  },
)

test.runIf(existsSync('/proc/self/stat'))(
  'a job that takes much processor time is ended',
  async () => {
    const busy = await startMediaWorld({ before: world, limits: { cpuMs: 500 } })
    const background = { r: 9, g: 90, b: 20, alpha: 0.5 }
    const slow = await sharp({ create: { width: 5700, height: 5700, channels: 4, background } })
      .png({ progressive: true })
      .toBuffer()
    const response = await busy.image('default', world.host.put(slow))
    expect(await response.json()).toMatchObject({ error: 'TooMuchTime' })
    expect(busy.process.counts().died).toBe(1)
    await busy.close()
  },
)

test('it exits when idle, and is started again', async () => {
  const idle = await startMediaWorld({ before: world, limits: { idleMs: 1 } })
  await warm(idle)
  await expect.poll(() => idle.process.pid()).toBeUndefined()
  expect(await ask(await picture(), idle)).toBe('200')
  expect(idle.process.counts().died).toBe(0)
  await idle.close()
})

test.runIf(existsSync('/proc/self/environ'))(
  'it receives no secret, and is killed first when memory is short',
  async () => {
    process.env['SLIPSTREAM_SECRET_OF_THE_TEST'] = 'secret'
    const fresh = await startMediaWorld({ before: world })
    const pid = await warm(fresh)
    delete process.env['SLIPSTREAM_SECRET_OF_THE_TEST']
    expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toMatch(/SLIPSTREAM|PATH=.*bin/)
    expect(readFileSync(`/proc/${pid}/oom_score_adj`, 'utf8').trim()).toBe('1000')
    await fresh.close()
    await expect.poll(() => isRunning(pid)).toBe(false)
  },
)

test.runIf(existsSync('/proc/self/status'))(
  'it exits with its parent, even if that is killed',
  async () => {
    const parent = spawn(process.execPath, [join(import.meta.dirname, './support/media-parent.ts')])
    const pid = await new Promise<number>((resolve) =>
      parent.stdout.once('data', (text: Buffer) => resolve(Number(text.toString()))),
    )
    expect(isRunning(pid)).toBe(true)
    parent.kill('SIGKILL')
    await expect.poll(() => isRunning(pid)).toBe(false)
  },
)

test('a silent server delays only its own pictures', async () => {
  const patient = { firstByteMs: 600_000, timeoutMs: 600_000 }
  const waiting = await startMediaWorld({ before: world, maxWait: patient })
  let requested = 0
  const silent = createServer(() => {
    requested += 1
  })
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const did = await waiting.know(`http://127.0.0.1:${(silent.address() as AddressInfo).port}`)
  const cids = await Promise.all(
    Array.from({ length: 64 }, async () => world.host.put(await picture())),
  )
  const stored = cids.map(async (cid) => (await waiting.image('avatar', cid, { did })).status)
  await expect.poll(() => requested).toBe(8)
  for (let i = 0; i < 20; i++) expect(await ask(await picture(), waiting)).toBe('200')
  expect(requested).toBe(8)
  // The pending requests fail now, and the server is left alone for a while.
  silent.closeAllConnections()
  silent.close()
  expect(new Set(await Promise.all(stored))).toEqual(new Set([502, 504]))
  expect(requested).toBe(8)
  await waiting.close()
})

test('a silent server is given up before one that sends', async () => {
  const quick = await startMediaWorld({
    before: world,
    maxWait: { firstByteMs: 200, timeoutMs: 600_000 },
  })
  const silent = createServer(() => undefined)
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const did = await quick.know(`http://127.0.0.1:${(silent.address() as AddressInfo).port}`)
  const response = await quick.image('avatar', world.host.put(await picture()), { did })
  expect([response.status, await response.json()]).toMatchObject([
    504,
    { error: 'UpstreamTimeout' },
  ])
  silent.closeAllConnections()
  silent.close()
  await quick.close()
})

test('heavy users are served after light ones', () => {
  let clock = 0
  const queue = createJobQueue<string>({ maxWaiting: 4, now: () => clock })
  queue.charge(['heavy', 'host'], 8000)
  queue.charge(['other', 'host'], 100)
  const all = [
    ['first', 'heavy', 'host'],
    ['second', 'other', 'host'],
    ['third', 'new', 'elsewhere'],
    ['fourth', 'new', 'elsewhere'],
  ] as const
  for (const [item, ...payers] of all) expect(queue.add(item, payers)).toBe(true)
  expect(queue.add('fifth', [])).toBe(false)
  const order = () => Array.from(all, () => queue.take()?.item)
  expect(order()).toEqual(['third', 'fourth', 'second', 'first'])
  expect(queue.take()).toBeUndefined()
  clock += 600_000
  queue.charge(['new'], 100)
  for (const [item, ...payers] of all) queue.add(item, payers)
  expect(order()[0]).toBe('second')
})
