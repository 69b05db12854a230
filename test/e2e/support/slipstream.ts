// Slipstream as a separate process, as an operator runs it: configured by its environment, ended by signals,
// and observed only over HTTP and in its log.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { MAX_WAIT_MS } from '../../support/patience.ts'
import { withoutPrefix } from '../../support/without-prefix.ts'
import { type Child, startChild, waitUntilUp } from './child.ts'

export type Slipstream = {
  readonly origin: string
  readonly did: string
  readonly dataDir: string
  /** Of its next start. */
  readonly environment: Record<string, string>
  /** The settings of its process, without their prefix. */
  readonly settings: Record<string, string>
  start: () => Promise<void>
  /**
   * SIGTERM.
   * @throws Error with the log if it doesn't exit with 0
   */
  stop: () => Promise<void>
  /** kill -9. */
  kill: () => Promise<void>
  /** The end of the log of every run so far. */
  log: () => string
  /** Ends it and removes its data. */
  dispose: () => Promise<void>
}

const ROOT = resolve(import.meta.dirname, '../../..')

export function createSlipstream(port: number, settings: Record<string, string>): Slipstream {
  const dataDir = mkdtempSync(join(tmpdir(), 'slipstream-e2e-data-'))
  const origin = `http://localhost:${port}`
  const earlierLogs: string[] = []
  const all: Record<string, string> = { ...environment(port, dataDir), ...settings }
  let child: Child | undefined

  async function start(): Promise<void> {
    // Not in the checkout, which may have a developer's .env.
    child = startChild(process.execPath, [join(ROOT, 'src/main.ts')], {
      cwd: dataDir,
      env: { ...bareEnvironment(), ...all },
    })
    const isUp = async () => (await fetch(`${origin}/xrpc/_health`)).ok
    await waitUntilUp('Slipstream', child, { isUp, withinMs: MAX_WAIT_MS })
  }

  async function end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    if (!child) throw new Error('Slipstream was not started')
    if (child.hasEnded()) throw new Error(`Slipstream ended by itself:\n${child.output()}`)
    const code = await child.end(signal)
    earlierLogs.push(child.output(), `— ${signal} —\n`)
    child = undefined
    return code
  }

  const log = () => [...earlierLogs, child?.output() ?? ''].join('').slice(-200_000)

  return {
    origin,
    did: `did:web:localhost%3A${port}`,
    dataDir,
    environment: all,
    settings: withoutPrefix(all),
    start,
    async stop() {
      const code = await end('SIGTERM')
      if (code !== 0) throw new Error(`Slipstream exited with ${code} after SIGTERM:\n${log()}`)
    },
    async kill() {
      await end('SIGKILL')
    },
    log,
    async dispose() {
      await child?.end('SIGKILL')
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

function environment(port: number, dataDir: string): Record<string, string> {
  return {
    SLIPSTREAM_PORT: String(port),
    SLIPSTREAM_HOSTNAME: `localhost:${port}`,
    SLIPSTREAM_DATA_DIR: dataDir,
    SLIPSTREAM_ALLOW_PRIVATE_HOSTS: 'on',
    SLIPSTREAM_MEMBERS: 'open',
    SLIPSTREAM_MEMBER_RATE_LIMIT: '0',
    SLIPSTREAM_VISITOR_RATE_LIMIT: '0',
    SLIPSTREAM_FALLBACK_APPVIEW: 'none',
    SLIPSTREAM_LOG_LEVEL: process.env['SLIPSTREAM_E2E_LOG_LEVEL'] || 'info',
  }
}

/**
 * Without the tester's own settings, and without the tests' own key, which is not one of
 * Slipstream's.
 */
function bareEnvironment(): Record<string, string | undefined> {
  const entries = Object.entries(process.env)
  return Object.fromEntries(entries.filter(([key]) => !key.startsWith('SLIPSTREAM_')))
}
