// The server under test: a process on the filled data folder, with a meter in its serving thread, a directory
// that has the members' keys, and a stream on which nothing happens.

import { once } from 'node:events'
import { join } from 'node:path'
import { Code, ConnectError, createClient, type Transport } from '@connectrpc/connect'
import { createGrpcTransport } from '@connectrpc/connect-node'
import { createViewerKey, signServiceToken } from '../../../bench/load/service-tokens.ts'
import { putDocuments } from '../../../bench/world/viewers-documents.ts'
import { freePort } from '../../e2e/support/free-port.ts'
import { cliJson } from '../cli.ts'
import { createJetstreamDouble } from '../jetstream-double/double.ts'
import { startPlcDouble } from '../plc-double.ts'
import { startSlipstream } from '../slipstream-process.ts'
import type { Request } from './requests.ts'
import type { Hot, Metered, MeterReply, MeterRequest } from './turn-meter.ts'
import { LABELER, MEMBERS } from './worst-rows.ts'

export type CostlyServer = Awaited<ReturnType<typeof startCostlyServer>>

export type Answered = { status: number; text: string }

/** Those of a server without settings. */
export const DEFAULT_LIMITS = { MEMBER_RATE_LIMIT: '12000', VISITOR_RATE_LIMIT: '3000' }

/** A bundle may be of other sources, and its functions have no places in them. */
const SOURCES = join(import.meta.dirname, '../../../src/tools/server.ts')
const METER = join(import.meta.dirname, 'turn-meter.ts')
const SERVICE = 'did:web:costly.test'
const OPERATOR_TOKEN = 'operator-of-the-costly-server'
const TIMELINES_LXM = 'io.slipstream.timelines.read'
const UNLIMITED = '1000000000'
const TIMEOUT_MS = 300_000
/** By then, memory that only the start needed has been given back, which no request causes. */
const SETTLED_AFTER_MS = 8_000

export async function startCostlyServer(dataDir: string, more: Record<string, string> = {}) {
  const plc = await startPlcDouble()
  const stream = await createJetstreamDouble({ recordSent: false })
  const keys = new Map(MEMBERS.map((did) => [did, createViewerKey(did)]))
  putDocuments(plc, [...keys.keys()], (did) => keys.get(did)!)
  const dataplanePort = await freePort()
  const env = {
    DATA_DIR: dataDir,
    PLC_URL: plc.url,
    JETSTREAM_HOSTS: stream.url,
    ALLOW_PRIVATE_HOSTS: 'on',
    SERVICE_DID: SERVICE,
    MEMBERS: 'open',
    INDEX_SCOPE: 'network',
    LABELERS: LABELER,
    MEMBER_RATE_LIMIT: UNLIMITED,
    VISITOR_RATE_LIMIT: UNLIMITED,
    OPERATOR_TOKEN,
    METRICS: 'open',
    DATAPLANE_PORT: String(dataplanePort),
    ...more,
  }
  const { token: program } = await cliJson<{ token: string }>(env, [
    ...['token', 'create', `costly${Date.now()}`, '--rate', '0', '--scope'],
    ...['read:*', 'post:*', 'graph:read', 'graph:read:*', 'graph:write:*'],
  ])
  const stdio = ['ignore', 'pipe', 'pipe', 'ipc'] as const
  const running = startSlipstream(env, [], {
    main: SOURCES,
    options: ['--import', METER],
    stdio: [...stdio],
  })
  const port = await running.port()
  await new Promise((resolve) => setTimeout(resolve, SETTLED_AFTER_MS))

  function authorization({ viewer, token, method }: Request): Record<string, string> {
    if (token === 'program') return { authorization: `Bearer ${program}` }
    if (token === 'operator') return { authorization: `Bearer ${OPERATOR_TOKEN}` }
    if (viewer === undefined) return {}
    const lxm = method.startsWith('/v1') ? TIMELINES_LXM : method
    return { authorization: `Bearer ${signServiceToken(keys.get(viewer)!, { aud: SERVICE, lxm })}` }
  }

  async function tell<T extends MeterReply>(kind: MeterRequest['kind']): Promise<T> {
    const reply = once(running.child, 'message')
    running.child.send({ kind })
    return (await reply)[0] as T
  }

  const frontend = createGrpcTransport({ baseUrl: `http://127.0.0.1:${dataplanePort}` })

  return {
    async ask(request: Request): Promise<Answered> {
      if (request.rpc) return await called(frontend, request.rpc)
      const { path, verb, body, headers = {}, isEndless, patienceMs = TIMEOUT_MS } = request
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        method: verb ?? 'GET',
        headers: {
          ...authorization(request),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && {
          body: typeof body === 'string' ? body : JSON.stringify(body),
        }),
        signal: AbortSignal.timeout(patienceMs),
      })
      const text = isEndless ? await beginningOf(response) : await response.text()
      return { status: response.status, text }
    },
    /** Measures the serving thread while `work` lasts. */
    async metered<T>(work: () => Promise<T>): Promise<Metered & { result: T }> {
      await tell('begin')
      const result = await work()
      return { ...(await tell<{ metered: Metered }>('end')).metered, result }
    },
    /** Where the serving thread spends its time while `work` lasts. */
    async profiled(work: () => Promise<unknown>): Promise<Hot[]> {
      await tell('profile')
      await work()
      return (await tell<{ hottest: Hot[] }>('hottest')).hottest
    },
    /** The directory, for further accounts. */
    plc,
    output: running.output,
    pid: running.child.pid!,
    port,
    /** For whoever asks without this process. */
    signed: (request: Request) => ({
      url: `http://127.0.0.1:${port}${request.path}`,
      token: authorization(request)['authorization']?.replace('Bearer ', '') ?? '',
    }),
    async close(): Promise<void> {
      await running.stop('SIGKILL')
      await stream.close()
      await plc.close()
    },
  }
}

/** A call of the dataplane interface, by the frontend's own client; the text is only its cursor. */
async function called(
  transport: Transport,
  { service, name, message }: NonNullable<Request['rpc']>,
): Promise<Answered> {
  const client = createClient(service, transport) as Record<string, AnyCall>
  try {
    const { cursor } = await client[name]!(message(), { timeoutMs: TIMEOUT_MS })
    return { status: 200, text: JSON.stringify({ cursor: cursor || undefined }) }
  } catch (error) {
    if (!(error instanceof ConnectError)) throw error
    return { status: statusOf(error.code), text: error.message }
  }
}

type AnyCall = (message: object, options: object) => Promise<{ cursor?: string }>

function statusOf(code: Code): number {
  if (code === Code.Internal || code === Code.Unknown) return 500
  return code === Code.Unimplemented ? 501 : 400
}

/** The first bytes of a stream, which is then left. */
async function beginningOf({ body }: Response): Promise<string> {
  const reader = body?.getReader()
  const first = await reader?.read()
  await reader?.cancel()
  return Buffer.from(first?.value ?? []).toString()
}
