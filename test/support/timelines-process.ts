// A Slipstream process that reads a Jetstream double, with a token for its timelines.

import { once } from 'node:events'
import { EventSource } from 'eventsource'
import { cliJson } from './cli.ts'
import { createJetstreamDouble, type JetstreamDouble } from './jetstream-double/double.ts'
import type { PdsDouble } from './pds-double.ts'
import { type PlcAccount, type PlcDouble, startPlcDouble } from './plc-double.ts'
import { cidOf, tidAt } from './records.ts'
import { freshDataDir, type SlipstreamProcess, startSlipstream } from './slipstream-process.ts'

export type EventJson = {
  event_id: string
  sequence_id: string
  prev_sequence_id: string | null
  timeline_key: string
  entity_id: string
  entity_type: string
  payload: Record<string, unknown>
  producer_ts: string
  received_at: string
}

export type PageJson = {
  events: EventJson[]
  next_cursor: string | null
  prev_cursor: string | null
  has_gap: boolean
  gaps: Record<string, unknown>[]
  skipped: string[]
}

export type RequestOptions<T> = { status: number; headers: Headers; body: T }

export type TimelinesProcess = Awaited<ReturnType<typeof startTimelinesProcess>>

/** Shared by processes that run side by side: their stream and its accounts. */
type Network = { plc: PlcDouble; double: JetstreamDouble; accounts: Map<string, PlcAccount> }

type Beside = {
  network?: Network
  /** Options for Node itself. */
  node?: Parameters<typeof startSlipstream>[2]
  /** The PDS that hosts the accounts' repositories; none if omitted. */
  pds?: PdsDouble
}

type Running = { process?: SlipstreamProcess; port: number }

type Sent = {
  token?: string | undefined
  body?: unknown
  headers?: Record<string, string>
}

/** `members`: first parts of handles; each member follows and posts through the stream only. */
export async function startTimelinesProcess(
  members: string[],
  env: Record<string, string> = {},
  beside: Beside = {},
) {
  const network = beside.network ?? (await startNetwork(members, beside.pds))
  const { plc, double, accounts } = network
  const settings = {
    INDEX_SCOPE: 'network',
    JETSTREAM_HOSTS: double.url,
    PLC_URL: plc.url,
    ALLOW_PRIVATE_HOSTS: 'on',
    DATA_DIR: freshDataDir(),
    MEMBERS: [...accounts.values()].map(({ did }) => did).join(','),
    HOSTNAME: 'localhost',
    ...env,
  }
  const running: Running = { port: 0 }
  const origin = () => `http://127.0.0.1:${running.port}`
  return {
    network,
    plc,
    double,
    settings,
    origin,
    ...processActs(running, settings, beside.node),
    ...streamActs(network),
    ...requestsTo(origin),
    /** @returns the token. */
    async token(name: string, ...scopes: string[]): Promise<string> {
      const made = await cliJson<{ token: string }>(settings, [
        ...['token', 'create', name, '--rate', '0', '--scope', ...scopes],
      ])
      return made.token
    },
    /** Uses a third-party client, which reconnects by itself with the last id it saw. */
    listen: (key: string, token: string, query = '') =>
      listenTo(`/v1/timelines/${encodeURIComponent(key)}/stream${query}`, token, running),
    async close(): Promise<void> {
      await running.process?.stop('SIGKILL')
      if (beside.network) return
      await double.close()
      await plc.close()
    },
  }
}

function processActs(running: Running, settings: Record<string, string>, node: Beside['node']) {
  return {
    async start(): Promise<void> {
      running.process = startSlipstream(settings, [], node)
      running.port = await running.process.port()
    },
    output: () => running.process!.output(),
    kill: () => running.process!.stop('SIGKILL'),
    stop: () => running.process!.stop('SIGTERM'),
    signal: (signal: NodeJS.Signals) => void running.process!.child.kill(signal),
  }
}

function streamActs({ double, accounts }: Network) {
  const didOf = (name: string) => accounts.get(name)!.did
  let clock = Date.now() * 1000
  return {
    didOf,
    accountOf: (name: string) => accounts.get(name)!,
    /** Writes a record through the stream. @returns its record key. */
    emit(name: string, collection: string, fields: object): string {
      clock += 1_000
      const rkey = tidAt(clock)
      const record = { $type: collection, createdAt: new Date().toISOString(), ...fields }
      const operation = 'create' as const
      double.emit({ did: didOf(name), operation, collection, rkey, cid: cidOf(record), record })
      return rkey
    },
  }
}

function requestsTo(origin: () => string) {
  /** A request on its own connection, so that a kill is noticed. */
  async function ask<T>(method: string, path: string, sent: Sent = {}): Promise<RequestOptions<T>> {
    const { token, body, headers = {} } = sent
    const response = await fetch(`${origin()}${path}`, {
      method,
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      body: JSON.parse(text || 'null') as T,
    }
  }

  return {
    ask,
    page(key: string, query: string, token: string): Promise<RequestOptions<PageJson>> {
      return ask('GET', `/v1/timelines/${encodeURIComponent(key)}/events?${query}`, { token })
    },
    post(name: string, body: unknown, token: string) {
      const path = `/v1/timelines/custom:${name}/events`
      return ask<{
        event_id: string
        sequence_id: string
        received_at: string
        error?: string
        message?: string
      }>('POST', path, { token, body })
    },
  }
}

/** Follows the process to its new port after a restart. */
function listenTo(path: string, token: string, running: Running) {
  const events: EventJson[] = []
  const gaps: Record<string, unknown>[] = []
  let open = 0
  let wake: () => void = () => undefined
  const source = new EventSource(`http://127.0.0.1:${running.port}${path}`, {
    fetch: (url, init) =>
      fetch(String(url).replace(/:\d+\//, `:${running.port}/`), {
        ...init,
        headers: { ...init.headers, authorization: `Bearer ${token}` },
      }),
  })
  source.addEventListener('open', () => {
    open++
    wake()
  })
  source.addEventListener('gap', ({ data }) => {
    gaps.push(JSON.parse(data) as Record<string, unknown>)
    wake()
  })
  source.addEventListener('message', ({ data }) => {
    events.push(JSON.parse(data) as EventJson)
    wake()
  })
  return {
    events,
    gaps,
    opened: () => open,
    close: () => source.close(),
    /** Resolves once `isSo` holds. */
    async until(isSo: () => boolean): Promise<void> {
      while (!isSo()) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
  }
}

async function startNetwork(members: readonly string[], pds?: PdsDouble): Promise<Network> {
  const plc = await startPlcDouble()
  const double = await createJetstreamDouble()
  const accounts = new Map<string, PlcAccount>()
  const home = pds && { pds: pds.origin }
  for (const name of members) {
    const account = await plc.create({ handle: `${name}.test`, ...home })
    pds?.create(account)
    accounts.set(name, account)
  }
  return { plc, double, accounts }
}

/** Reads repeatedly until `isSo` holds. */
export async function becomes<T>(read: () => Promise<T>, isSo: (value: T) => boolean): Promise<T> {
  for (;;) {
    const value = await read()
    if (isSo(value)) return value
    await once(AbortSignal.timeout(30), 'abort')
  }
}
