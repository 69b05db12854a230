// Tests have no Docker engine, so the image is built by hand: the files that the Dockerfile copies, its
// environment, its entry point and its health check, exactly as written there.

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../e2e/support/free-port.ts'
import { linkPackages } from '../support/linked-packages.ts'
import { MAX_WAIT_MS } from '../support/patience.ts'

const root = resolve(import.meta.dirname, '../..')
const dockerfile = readFileSync(join(root, 'deploy/Dockerfile'), 'utf8').replaceAll('\\\n', ' ')
const image = dockerfile.slice(dockerfile.lastIndexOf('\nFROM'))
const command = (pattern: RegExp) => JSON.parse(pattern.exec(image)![1]!) as string[]

let folder: string
let port: number
let running: ChildProcess | undefined

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'slipstream-image-'))
  for (const [, from, to] of image.matchAll(/^COPY (?!--from)(\S+) (\S+)$/gm)) {
    cpSync(join(root, from!), join(folder, 'app', to === './' ? from! : to!), { recursive: true })
  }
  linkPackages(join(folder, 'app/node_modules'))
  mkdirSync(join(folder, 'data'), { mode: 0o700 })
  port = await freePort()
})
afterAll(() => {
  running?.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

/** The image's environment, except the port and the reachability. */
function environment(): Record<string, string> {
  const lines = [...image.matchAll(/\b([A-Z][A-Z_]+)=(\S+)/g)].map(([, key, value]) => [key, value])
  return {
    ...(Object.fromEntries(lines) as Record<string, string>),
    PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
    SLIPSTREAM_BIND: '127.0.0.1',
    SLIPSTREAM_PORT: String(port),
    SLIPSTREAM_DATA_DIR: join(folder, 'data'),
    SLIPSTREAM_JETSTREAM_HOSTS: 'ws://127.0.0.1:9',
    SLIPSTREAM_LABELERS: ',',
    SLIPSTREAM_LOG_LEVEL: 'error',
  }
}

async function isHealthy(): Promise<boolean> {
  const [file, ...rest] = command(/HEALTHCHECK .*?CMD (\[.*\])/)
  try {
    await promisify(execFile)(file!, rest, { env: environment() })
    return true
  } catch {
    return false
  }
}

test('the entry point starts, the health check sees it, and SIGTERM ends it by itself', async () => {
  expect(await isHealthy()).toBe(false)
  const [file, ...rest] = command(/^ENTRYPOINT (\[.*\])$/m)
  running = spawn(file!, rest, { cwd: join(folder, 'app'), env: environment() })
  let words = ''
  running.stdout?.on('data', (data) => (words += data))
  running.stderr?.on('data', (data) => (words += data))
  const state = async () => (await isHealthy()) || words
  await expect.poll(state, { timeout: MAX_WAIT_MS, interval: 300 }).toBe(true)
  running.kill('SIGTERM')
  const [code, signal] = await once(running, 'exit')
  expect([code, signal]).toEqual([0, null])
})
