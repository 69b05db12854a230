// Runs the commands in the documentation as written, with bash, in a copy of the project with its packages
// installed, against a server that `scripts/start` started there and that reads the simulated network. Only
// the examples' names are replaced (a port, a member, a folder).

import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Simulation, startSimulation } from '../../scripts/simulation.ts'
import { type Fence, fencesOf, readPages, root } from '../support/documentation.ts'
import { linkPackages } from '../support/linked-packages.ts'

const TOKEN = 'for-the-tests-of-the-pages'
/** Packages, bundle and demo of a busy machine take minutes. */
const MAX_WAIT_MS = 300_000
vi.setConfig({ testTimeout: 2 * MAX_WAIT_MS, hookTimeout: 2 * MAX_WAIT_MS })

const blocks = readPages()
  .flatMap(fencesOf)
  .filter(({ language }) => language === 'sh')
/** Blocks that appear on two pages run once. */
function withInfo(info: string): [string, Fence][] {
  const wanted = blocks.filter((block) => block.info === info)
  const first = ({ text }: Fence) => wanted.find((fence) => fence.text === text)
  return wanted
    .filter((fence) => first(fence) === fence)
    .map((fence) => [`${fence.page}:${fence.line}`, fence])
}

const folder = mkdtempSync(join(tmpdir(), 'slipstream-pages-'))
const project = join(folder, 'slipstream')
const backups = join(folder, 'backups')
let simulation: Simulation
let port: number
/** Stopped at the end, even after failures. */
const started: Started[] = []

beforeAll(async () => {
  copyProject()
  simulation = await startSimulation({
    seed: 1,
    accounts: 30,
    follows: 6,
    past: 300,
    pastHours: 6,
    rate: 20,
  })
  port = await freePort()
  const [named, other] = simulation.network.repositories
  const settings = {
    ...simulation.env,
    SLIPSTREAM_PORT: String(port),
    SLIPSTREAM_MEMBERS: `invite,${named!.did}`,
    SLIPSTREAM_OPERATOR_TOKEN: TOKEN,
    SLIPSTREAM_LABELERS: ',',
  }
  const lines = Object.entries(settings).map(([key, value]) => `${key}=${value}`)
  writeFileSync(join(project, '.env'), lines.join('\n'), { mode: 0o600 })
  writeFileSync(join(project, 'follows.csv'), `${named!.did},${other!.did},3kaaaaaaaaa2a\n`)
  mkdirSync(backups)
})
afterAll(async () => {
  await Promise.all(started.map((started) => started.stop()))
  await simulation?.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** Like a fresh checkout with its packages already installed. */
function copyProject(): void {
  const left = ['.git', '.cache', '.env', 'data', 'coverage', 'node_modules']
  for (const name of readdirSync(root).filter((entry) => !left.includes(entry))) {
    cpSync(join(root, name), join(project, name), {
      recursive: true,
      filter: (from) => !/node_modules|screenshots$/.test(from.slice(root.length)),
    })
  }
  linkPackages(join(project, 'node_modules'))
  cpSync(join(project, 'package-lock.json'), join(project, 'node_modules/.slipstream-installed'))
  // Like `npm link` and the install script.
  mkdirSync(join(folder, 'bin'))
  symlinkSync(join(project, 'scripts/slipstream'), join(folder, 'bin/slipstream'))
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const taken = createServer().listen(0, '127.0.0.1', () => {
      const { port: free } = taken.address() as { port: number }
      taken.close(() => resolve(free))
    })
  })
}

function environment(): Record<string, string> {
  const path = process.env['PATH'] ?? ''
  return {
    PATH: `${join(folder, 'bin')}:${path}`,
    HOME: folder,
    SLIPSTREAM_OPERATOR_TOKEN: TOKEN,
  }
}

/** These pages make their Alice a member; elsewhere she already is. */
const ofNewAlice = ['docs/MEMBERS.md', 'docs/OPERATING.md']

/** Replaces the examples' names by real ones. */
function here({ page, text }: Fence): string {
  const [named, other] = simulation.network.repositories
  const alice = ofNewAlice.includes(page) ? other! : named!
  const newest = readdirSync(backups).sort().at(-1)
  return text
    .replaceAll('localhost:3000', `localhost:${port}`)
    .replaceAll('alice.example.org', alice.did)
    .replaceAll(/slipstream-\d{8}T[\d.]+Z\.sqlite/g, newest ?? 'no backup was made')
    .replaceAll('/mnt/backups', backups)
}

/** Rejects with the whole output on failure. */
function bash(commands: string): Promise<string> {
  const script = `set -euo pipefail\n${commands}`
  const options = { cwd: project, env: environment(), timeout: MAX_WAIT_MS }
  return new Promise((resolve, reject) => {
    execFile('bash', ['-c', script], options, (error, stdout, stderr) => {
      if (error) reject(new Error(`${script}\n${stdout}\n${stderr}`))
      else resolve(stdout)
    })
  })
}

type Started = {
  reported: (what: RegExp) => Promise<RegExpExecArray>
  stop: Stop
  all: () => string
}
type Stop = (signal?: NodeJS.Signals) => Promise<number | null>

/**
 * Starts a long-running command; stopping it works like ctrl-C and includes its child processes.
 */
function start(script: string): Started {
  const child = spawn('bash', ['-c', `exec ${script}`], {
    cwd: project,
    env: environment(),
    detached: true,
  })
  let text = ''
  child.stdout.on('data', (piece: Buffer) => (text += piece.toString()))
  child.stderr.on('data', (piece: Buffer) => (text += piece.toString()))
  const exit = once(child, 'exit').then(([code]) => code as number | null)
  // The demo ends its own child processes, which run in another group.
  const endAll = () => signalGroup(child, 'SIGTERM')
  process.once('exit', endAll)
  const item: Started = {
    all: () => text,
    reported: (what) =>
      patiently(
        () => what.exec(text),
        child,
        () => text,
      ),
    stop: async (signal = 'SIGTERM') => {
      signalGroup(child, signal)
      const code = await exit
      process.off('exit', endAll)
      return code
    },
  }
  started.push(item)
  return item
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal)
  } catch {
    // Already ended.
  }
}

async function patiently<T>(look: () => T | null, child: ChildProcess, text: () => string) {
  const giveUpAt = Date.now() + MAX_WAIT_MS
  for (;;) {
    const found = look()
    if (found) return found
    if (child.exitCode !== null || Date.now() > giveUpAt)
      throw new Error(`the expected output is missing from:\n${text()}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** Skips and reports blocks that need software missing on the test machine. */
function canType({ page, line, text }: Fence): boolean {
  const missing = ['curl', 'openssl'].filter(
    (tool) => new RegExp(`\\b${tool} `).test(text) && !isInstalled(tool),
  )
  if (missing.length > 0) console.warn(`${page}:${line} is not run: ${missing} is not installed`)
  return missing.length === 0
}

function isInstalled(tool: string): boolean {
  return spawnSync('bash', ['-c', `command -v ${tool}`]).status === 0
}

test('most of the runnable blocks run', () => {
  const typed = blocks.filter(({ info }) => !info.startsWith('no-test'))
  expect(typed.length).toBeGreaterThan(15)
})

describe('with a server running', () => {
  let server: Started
  beforeAll(async () => {
    server = start('scripts/start')
    await server.reported(/serving on/)
    // Until the first event arrives, the stream has no status to report.
    await bash(`until slipstream stats | grep -q 'behind'; do sleep 0.2; done`)
  })
  afterAll(async () => {
    expect(await server.stop(), server.all()).toBe(0)
  })
  test.each(withInfo('').filter(([, block]) => canType(block)))(
    '%s',
    async (_, block) => void (await bash(here(block))),
  )
})

describe('with the server stopped', () => {
  test.each(withInfo('stopped'))('%s', async (_, block) => void (await bash(here(block))))
})

describe('commands that run until stopped', () => {
  test.each(withInfo('serves'))('%s prints a first request that is answered', async (_, block) => {
    const server = start(block.text.trim())
    const [request] = await server.reported(/^curl -H .*$/m)
    if (canType({ ...block, text: request })) {
      const answer = JSON.parse(await bash(request)) as { feed: unknown[] }
      expect(answer.feed).toHaveLength(3)
    }
    expect(await server.stop('SIGINT'), server.all()).toBe(0)
  })
})
