// Slipstream under test: a process on one port and one data folder through all its lives, and a
// client that asks it as members' PDSs do.

import { rmSync } from 'node:fs'
import { createServer } from 'node:net'
import Database from 'better-sqlite3'
import { freshDataDir, type SlipstreamProcess, startSlipstream } from '../slipstream-process.ts'
import type { World } from './world.ts'

export type Subject = {
  start(): Promise<void>
  /** Starts without waiting until it serves. */
  launch(): void
  /** @returns the exit code; null for a kill. */
  stop(signal: NodeJS.Signals): Promise<number | null>
  /** @throws where the answer is not 200. */
  get<T>(viewer: string, method: string, params: Record<string, string | number>): Promise<T>
  health(): Promise<Record<string, unknown>>
  /** What still waits for other people's servers, as text. */
  waitingJobs(): string[]
  /** Ends that nobody ordered, with the last output. */
  deaths(): readonly string[]
  output(): string
  dispose(): Promise<void>
}

const START_TIMEOUT_MS = 60_000
const TOKEN_LIFETIME_SECONDS = 3600
const TAIL = 6_000

export class AnswerError extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export async function createSubject(
  world: World,
  settings: Record<string, string>,
): Promise<Subject> {
  const port = await freePort()
  const dataDir = freshDataDir()
  const origin = `http://127.0.0.1:${port}`
  const aud = `did:web:localhost%3A${port}`
  const tokens = new Map<string, string>()
  const deaths: string[] = []
  const env = {
    ...settings,
    PORT: String(port),
    DATA_DIR: dataDir,
    MEMBERS: world.members.map(({ did }) => did).join(','),
    JETSTREAM_HOSTS: world.hosts.map(({ url }) => url).join(','),
    JETSTREAM_V1_DICTIONARY: world.hosts[0]!.v1DictionaryUrl,
    PLC_URL: world.servers.origin,
    ALLOW_PRIVATE_HOSTS: 'on',
  }
  let current: SlipstreamProcess | undefined
  let earlier = ''

  function launch(): void {
    earlier = (earlier + (current?.output() ?? '')).slice(-TAIL)
    const process = startSlipstream(env)
    current = process
    process.exit.then((code) => {
      if (current === process && !ordered.has(process)) {
        deaths.push(`ended with ${code}:\n${process.output().slice(-TAIL)}`)
      }
    })
  }
  const ordered = new WeakSet<SlipstreamProcess>()

  async function token(iss: string, lxm: string): Promise<string> {
    const key = `${iss} ${lxm}`
    const lifetimeSeconds = TOKEN_LIFETIME_SECONDS
    const made =
      tokens.get(key) ?? (await world.servers.serviceJwt({ iss, aud, lxm, lifetimeSeconds }))
    tokens.set(key, made)
    return made
  }

  return {
    launch,
    start: async () => {
      launch()
      await current!.waitFor(/"msg":"serving on /, START_TIMEOUT_MS)
    },
    stop: (signal) => {
      ordered.add(current!)
      return current!.stop(signal)
    },
    get: async <T>(viewer: string, method: string, params: Record<string, string | number>) => {
      const query = new URLSearchParams(params as Record<string, string>)
      const headers = { authorization: `Bearer ${await token(viewer, method)}` }
      const response = await fetch(`${origin}/xrpc/${method}?${query}`, { headers })
      const text = await response.text()
      if (response.status !== 200) throw new AnswerError(response.status, `${method}: ${text}`)
      return JSON.parse(text) as T
    },
    health: async () =>
      (await (await fetch(`${origin}/xrpc/_health`)).json()) as Record<string, unknown>,
    waitingJobs: () => readJobs(`${dataDir}/slipstream.sqlite`),
    deaths: () => deaths,
    output: () => (earlier + (current?.output() ?? '')).slice(-TAIL),
    dispose: async () => {
      if (current) {
        ordered.add(current)
        await current.stop('SIGKILL')
      }
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

function readJobs(path: string): string[] {
  const db = new Database(path, { readonly: true, timeout: 5_000 })
  try {
    const rows = db.prepare('SELECT kind, subject, attempts, last_error FROM jobs').all()
    return rows.map((row) => JSON.stringify(row))
  } finally {
    db.close()
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer()
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}
