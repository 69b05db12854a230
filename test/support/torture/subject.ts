// Slipstream under test: a process that keeps one port, one data folder (on its own disk) and one clock
// across restarts, and a client that sends requests as members' PDSs do.

import { rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { type SlipstreamProcess, startSlipstream } from '../slipstream-process.ts'
import { createSmallDisk, type SmallDisk } from './small-disk.ts'
import { STRANGER_DIDS } from './strangers.ts'
import type { World } from './world.ts'

/** By name, or as pairs where a name is repeated. */
type Params = Record<string, string | number> | string[][]

type Answer = { status: number; bytes: Buffer }

export type Subject = {
  start(): Promise<void>
  /** Starts without waiting until it serves. */
  launch(): void
  /** Whether a process is running. */
  isAlive(): boolean
  /** During `work`, an exit of the process with one of these codes is not a failure. */
  excusing<T>(exitCodes: number[], work: () => Promise<T>): Promise<T>
  readonly disk: SmallDisk
  readonly dataDir: string
  /** Sets the wall clock of all its threads ahead by this much (behind if negative). */
  setClock(skewMs: number): void
  /** @returns the exit code; null for a kill. */
  stop(signal: NodeJS.Signals): Promise<number | null>
  /** @throws if the status is not 200. */
  get<T>(viewer: string, method: string, params: Params): Promise<T>
  /** @throws if the status is not 200. */
  post(viewer: string, method: string, input: Record<string, unknown>): Promise<void>
  /** Fetches a picture from our own route, or any other path without signing in. */
  picture(path: string, headers?: Record<string, string>): Promise<Answer>
  /** Calls a method as another server would; any response is accepted. */
  call(method: string, query: string, headers: Record<string, string>): Promise<Answer>
  readonly origin: string
  /** Whether it fetches and transcodes videos itself. */
  readonly hasOwnVideos: boolean
  /** The required audience of a token. */
  readonly audience: string
  /** undefined if no process runs. */
  processId(): number | undefined
  /** Jobs of any origin, and the database's size in bytes at the end. */
  stored(): { jobs: number; bytes: number }
  health(): Promise<Record<string, unknown>>
  /** Jobs still waiting for other servers or for search indexing, except strangers', as text. */
  waitingJobs(): string[]
  /** Gaps that are not closed, as text. */
  openGaps(): string[]
  /** The stored position in each host's stream, by its URL, in microseconds. */
  streamPositions(): ReadonlyMap<string, number>
  /** Unexpected exits, with the last output. */
  deaths(): readonly string[]
  output(): string
  dispose(): Promise<void>
}

const START_TIMEOUT_MS = 240_000
const TOKEN_LIFETIME_SECONDS = 3600
const TAIL = 6_000
const ASK_TIMEOUT_MS = 60_000
const CLOCK_HOOK = join(import.meta.dirname, 'skewed-clock.ts')

/**
 * Fetches caused by strangers are not waited for. The subject of posts, lists and records is
 * another number.
 */
const OF_STRANGERS = `kind NOT IN ('post', 'list', 'record', 'associated') AND
  subject IN (SELECT uid FROM actors WHERE did LIKE '${STRANGER_DIDS}%')`

export type SubjectOptions = {
  disk?: SmallDisk
  /**
   * An additional module to preload into the server, with additional environment variables in
   * `env`.
   */
  hook?: string
  env?: Record<string, string>
}

export class AnswerError extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

type Running = Pick<
  Subject,
  'start' | 'launch' | 'isAlive' | 'excusing' | 'stop' | 'processId' | 'deaths' | 'output'
> & {
  /** Kills the process if one was ever started. */
  end(): Promise<void>
}
type Client = Pick<Subject, 'get' | 'post' | 'picture' | 'call' | 'origin' | 'audience' | 'health'>
type Stored = Pick<Subject, 'stored' | 'waitingJobs' | 'openGaps' | 'streamPositions'>

export async function createSubject(
  world: World,
  settings: Record<string, string>,
  { disk = createSmallDisk(), hook, env: more = {} }: SubjectOptions = {},
): Promise<Subject> {
  const port = await freePort()
  const dataDir = disk.folder
  const clock = `${dataDir}.clock`
  const env = { ...settingsOf(world, port, dataDir), ...settings }
  const hooks = [CLOCK_HOOK, ...(hook ? [hook] : [])]
  const node = {
    options: hooks.flatMap((hook) => ['--import', hook]),
    env: { TORTURE_CLOCK: clock, ...more },
  }
  const { end, ...running } = createRunning(() => startSlipstream(env, [], node))
  return {
    ...running,
    ...createClient(world, port),
    ...readStored(dataDir),
    disk,
    dataDir,
    hasOwnVideos: settings['VIDEOS'] === 'own',
    setClock: (skewMs) => writeFileSync(clock, String(skewMs)),
    dispose: async () => {
      await end()
      rmSync(clock, { force: true })
      disk.dispose()
    },
  }
}

function settingsOf(world: World, port: number, dataDir: string): Record<string, string> {
  return {
    PORT: String(port),
    DATA_DIR: dataDir,
    MEMBERS: world.isOpen ? 'open' : world.members.map(({ did }) => did).join(','),
    JETSTREAM_HOSTS: world.hosts.map(({ url }) => url).join(','),
    ...(world.source === 'relay' && { RELAY_HOSTS: world.hosts.map(({ url }) => url).join(',') }),
    JETSTREAM_V1_DICTIONARY: world.hosts[0]!.v1DictionaryUrl,
    PLC_URL: world.servers.origin,
    ALLOW_PRIVATE_HOSTS: world.addresses.join(','),
    DISK_RESERVE_MB: '0',
    LABELERS: ',',
    TRUSTED_VERIFIERS: ',',
  }
}

/** The process and its restarts. */
function createRunning(startProcess: () => SlipstreamProcess): Running {
  const ordered = new WeakSet<SlipstreamProcess>()
  const ended = new WeakSet<SlipstreamProcess>()
  const deaths: string[] = []
  let excused: readonly (number | null)[] = []
  let current: SlipstreamProcess | undefined
  let earlier = ''

  function launch(): void {
    earlier = (earlier + (current?.output() ?? '')).slice(-TAIL)
    const process = startProcess()
    current = process
    process.exit.then((code) => {
      ended.add(process)
      if (current === process && !ordered.has(process) && !excused.includes(code)) {
        deaths.push(`ended with ${code}:\n${process.output().slice(-TAIL)}`)
      }
    })
  }

  function stop(signal: NodeJS.Signals): Promise<number | null> {
    ordered.add(current!)
    return current!.stop(signal)
  }

  return {
    launch,
    start: async () => {
      launch()
      await current!.waitFor(/"msg":"serving on /, START_TIMEOUT_MS)
    },
    isAlive: () => current !== undefined && !ended.has(current),
    excusing: async (exitCodes, work) => {
      excused = exitCodes
      try {
        return await work()
      } finally {
        excused = []
      }
    },
    stop,
    processId: () => (current && !ended.has(current) ? current.child.pid : undefined),
    deaths: () => deaths,
    output: () => (earlier + (current?.output() ?? '')).slice(-TAIL),
    end: async () => {
      if (current) await stop('SIGKILL')
    },
  }
}

/** Sends requests as members' PDSs, other servers and readers of pictures do. */
function createClient({ servers }: World, port: number): Client {
  const origin = `http://127.0.0.1:${port}`
  const aud = `did:web:localhost%3A${port}`
  const tokens = new Map<string, string>()

  async function ask(viewer: string, method: string, path: string, init: RequestInit = {}) {
    const authorization = `Bearer ${await token(viewer, method)}`
    const headers = { ...init.headers, authorization }
    const signal = AbortSignal.timeout(ASK_TIMEOUT_MS)
    const response = await fetch(`${origin}/xrpc/${method}${path}`, { ...init, headers, signal })
    const text = await response.text()
    if (response.status !== 200) throw new AnswerError(response.status, `${method}: ${text}`)
    return text
  }

  async function read(path: string, headers: Record<string, string>): Promise<Answer> {
    const signal = AbortSignal.timeout(ASK_TIMEOUT_MS)
    // Redirects are not followed.
    const response = await fetch(origin + path, { headers, signal, redirect: 'manual' })
    return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) }
  }

  async function token(iss: string, lxm: string): Promise<string> {
    const key = `${iss} ${lxm}`
    const lifetimeSeconds = TOKEN_LIFETIME_SECONDS
    const made = tokens.get(key) ?? (await servers.serviceJwt({ iss, aud, lxm, lifetimeSeconds }))
    tokens.set(key, made)
    return made
  }

  return {
    get: async <T>(viewer: string, method: string, params: Params) => {
      const query = new URLSearchParams(params as Record<string, string>)
      return JSON.parse(await ask(viewer, method, `?${query}`)) as T
    },
    post: async (viewer, method, input) => {
      const headers = { 'content-type': 'application/json' }
      await ask(viewer, method, '', { method: 'POST', headers, body: JSON.stringify(input) })
    },
    picture: (path, headers = {}) => read(path, headers),
    call: (method, query, headers) => read(`/xrpc/${method}${query}`, headers),
    origin,
    audience: aud,
    health: async () =>
      (await (await fetch(`${origin}/xrpc/_health`)).json()) as Record<string, unknown>,
  }
}

/** Reads the database beside the process that owns it. */
function readStored(dataDir: string): Stored {
  function rowsOf(...queries: string[]): string[] {
    const db = new Database(join(dataDir, 'slipstream.sqlite'), { readonly: true, timeout: 5_000 })
    try {
      const rows = queries.flatMap((query) => db.prepare(query).all())
      return rows.map((row) => JSON.stringify(row))
    } finally {
      db.close()
    }
  }

  return {
    stored: () => {
      const [jobs, bytes] = rowsOf(
        'SELECT count(*) AS number FROM jobs',
        'SELECT page_count * page_size AS number FROM pragma_page_count, pragma_page_size',
      ).map((row) => (JSON.parse(row) as { number: number }).number)
      return { jobs: jobs!, bytes: bytes! }
    },
    waitingJobs: () =>
      rowsOf(
        `SELECT kind, subject, attempts, last_error FROM jobs WHERE NOT (${OF_STRANGERS})`,
        'SELECT * FROM search_queue LIMIT 3',
        'SELECT * FROM search_backlog LIMIT 3',
      ),
    openGaps: () => rowsOf("SELECT * FROM gaps WHERE state <> 'closed'"),
    streamPositions: () =>
      new Map(
        rowsOf('SELECT host, time_us FROM stream_cursors').map((row) => {
          const { host, time_us } = JSON.parse(row) as { host: string; time_us: number }
          return [host, time_us]
        }),
      ),
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
