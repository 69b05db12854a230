// A world (world.ts) behind the complete server: parameters, errors and responses are those of real requests,
// over a separate read-only connection. The bearer token is the viewer's DID itself
// (trusting-auth.ts); real tokens are tested along with src/identity.

import { jsonToLex, type Lexicons } from '@atproto/lexicon'
import { expect } from 'vitest'
import { createHydrator } from '../../src/answers/hydrate/hydrator.ts'
import type { Hydrator } from '../../src/answers/hydrate/hydrator-types.ts'
import { createMediaUrls } from '../../src/answers/views/media-urls.ts'
import { loadLexicons } from '../../src/base/atproto/lexicons/lexicons.ts'
import { type Config, loadConfig } from '../../src/base/config/config.ts'
import type { Writer, WriterRequest } from '../../src/bridge/messages.ts'
import type { Db } from '../../src/data/store/db.ts'
import { createAccounts } from '../../src/data/store/read/accounts/accounts.ts'
import { createOverload } from '../../src/http/overload/overload.ts'
import { createRateBuffers } from '../../src/http/overload/rate-limits.ts'
import type { OnViewer } from '../../src/http/server/auth.ts'
import type { Method } from '../../src/http/server/method.ts'
import { createServer, type Server } from '../../src/http/server/server.ts'
import { createAcceptLabelers } from '../../src/http/xrpc/accounts/accepted-labelers.ts'
import {
  type AppContext,
  type AppContextOptions,
  createAppContext,
} from '../../src/http/xrpc/app-context.ts'
import type { MethodDefinition } from '../../src/http/xrpc/define.ts'
import type { Elsewhere } from '../../src/http/xrpc/elsewhere.ts'
import { bindMethods } from '../../src/http/xrpc/methods.ts'
import { createLabelRequests } from '../../src/http/xrpc/waiting/label-requests.ts'
import type { IngestCalls } from '../../src/ingest/feature.ts'
import type { Labels } from '../../src/ingest/labels/labels.ts'
import type { Identity } from '../../src/sources/identity/did-document.ts'
import type { GuardedFetch } from '../../src/sources/identity/guarded-fetch.ts'
import { serveFeatures } from './feature-parts.ts'
import { storesFromRows } from './memory-parts.ts'
import { referenceUrlPatterns } from './reference-appview.ts'
import { trustingAuth } from './trusting-auth.ts'
import { createWorld, type World, type WorldOptions } from './world.ts'

type Sent = WriterRequest extends infer T ? (T extends unknown ? Omit<T, 'id'> : never) : never

export type Query = Record<string, string | number | boolean | readonly string[] | undefined>

export type Response<T> = { status: number; headers: Headers; body: T }

export type ServingWorld = ReturnType<typeof createServingWorld>

export type ServingOptions = WorldOptions & {
  /** Handles that resolve on the network. */
  handles?: Record<string, string>
  fetch?: GuardedFetch
  /** Shares in what other servers allow; unlimited if omitted. */
  quotas?: AppContextOptions['quotas']
  /** Called with each DID whose document is looked up; it is then cached. */
  onLookup?: (did: string) => void
  /** Resolves DIDs and handles instead of the options below. */
  resolver?: AppContextOptions['resolver']
  /** DIDs that do not exist; all others do. */
  absent?: string[]
  /** Handles claimed by the documents of these DIDs. */
  claims?: Record<string, string>
  /** Services named by the documents of these DIDs. */
  services?: Record<string, Identity['services']>
  /** Labelers used where a request names none; if omitted, labels are disabled. */
  labelers?: string[]
  /** DIDs of the operator's moderation services. */
  moderationServices?: string[]
  operatorToken?: string
  /** No limits if omitted. */
  limits?: Partial<Pick<Config, 'visitorRateLimit' | 'trustedProxies'>>
  /** The thread's processor time in milliseconds; none passes if omitted. */
  threadMs?: () => number
  /** Called at the end of each turn of a member's call. */
  onMemberTime?: (did: string, ms: number) => void
  /** Called for every signed-in viewer. */
  onViewer?: OnViewer
  /** Wraps the writer, as where several nodes share private state. */
  throughWriter?: (writer: Writer, world: World) => Writer
  /** Queues fetch requests as the ingest thread does; no worker handles them. */
  queuesFetchRequests?: boolean
  /** Gives viewers a cold start that their pages wait for; none if omitted. */
  firstPageMaxWaitMs?: number
  /** Wait for names that were never looked up; no wait if omitted. */
  namesMaxWaitMs?: number
  /** Who knows what is not held; nobody if omitted. */
  elsewhere?: (context: ElsewhereContext) => Elsewhere | undefined
  /** Answers these kinds of features' requests, which begin no transaction of their own. */
  calls?: IngestCalls
  /** Limits lookups of unknown accounts; no limit if omitted. */
  lookups?: AppContextOptions['lookups']
  /** Settings of features, as the operator sets them. */
  env?: Readonly<Record<string, string>>
  /** Applies moderators' decisions; refused if omitted. */
  decide?: AppContextOptions['decide']
  /** Receives the labelers that members name and the subjects that they see; none if omitted. */
  labelCapacity?: () => Pick<Labels, 'named' | 'requested'> | undefined
}

type ElsewhereContext = {
  db: Db
  scope: NonNullable<AppContextOptions['scope']>
  writer: Writer
  now: () => number
}

/** The parts of the serving side, each built from the ones before. */
type Dependencies = {
  world: World
  writer: Writer
  elsewhere: Elsewhere | undefined
  hydrator: Hydrator
  resolver: AppContextOptions['resolver']
}

const lexicons: Lexicons = loadLexicons()
const settings = loadConfig({}, '/nonexistent/.env')

export function createServingWorld(options: ServingOptions = {}) {
  const world = createWorld(options)
  const sent: Sent[] = []
  const unusable: string[] = []
  const looked: string[] = []
  const own = createOwnWriter(options, { world, sent })
  const writer = options.throughWriter?.(own, world) ?? own
  const { reader: db, now } = world
  const { scope = 'community' } = options
  const elsewhere = options.elsewhere?.({ db, scope, writer, now })
  const hydrator = createHydratorFor(options, { world, writer, elsewhere, unusable })
  const resolver = options.resolver ?? createNetwork(options, looked)
  const app = createAppFor(options, { world, writer, elsewhere, hydrator, resolver })
  const methods = bindMethods(app, featureMethods(options), elsewhere)
  const server = createServerFor(options, { world, writer, methods })
  return {
    ...world,
    world,
    server,
    app,
    methods,
    hydrator,
    requests: writer,
    sent,
    unusable,
    looked,
    ...requestsTo(server),
  }
}

function featureMethods({ env }: ServingOptions): readonly MethodDefinition[] {
  const config = env ? loadConfig(env, '/nonexistent/.env') : settings
  return serveFeatures.flatMap((feature) => feature.methods?.(config) ?? [])
}

/** The serving side's connection to the writer, which handles most requests at once. */
function createOwnWriter(
  options: ServingOptions,
  { world, sent }: { world: World; sent: Sent[] },
): Writer {
  return {
    async send(request) {
      if (request.kind === 'labelers-named')
        return options.labelCapacity?.()?.named(request.labelers, request.did)
      if (request.kind === 'labels-requested') {
        return options.labelCapacity?.()?.requested(request.labelers, request.subjects)
      }
      if ('body' in request && options.calls?.[request.kind]) {
        return void options.calls[request.kind]!(request.did, request.body as never)
      }
      sent.push(request)
      const isLeftOut = request.kind === 'fetch-requested' && !options.queuesFetchRequests
      if (request.kind !== 'member-seen' && !isLeftOut) world.request({ ...request, id: 1 })
    },
  }
}

/** @param unusable - receives the records that could not be shown */
function createHydratorFor(
  { trustedVerifiers }: ServingOptions,
  {
    world,
    writer,
    elsewhere,
    unusable,
  }: Omit<Dependencies, 'hydrator' | 'resolver'> & { unusable: string[] },
): Hydrator {
  const { memory, reader, now } = world
  return createHydrator({
    db: reader,
    actors: memory.actors,
    graph: memory.graph,
    urls: createMediaUrls(referenceUrlPatterns),
    trustedVerifiers,
    tagRules: settings,
    onCountsRead: elsewhere?.postsRead,
    onLabelsRead: createLabelRequests({ writer, now }),
    onUnusable: (what) => unusable.push(what),
  })
}

/** Resolves DIDs and handles. @param looked - receives the handles that are looked up */
function createNetwork(options: ServingOptions, looked: string[]): AppContextOptions['resolver'] {
  const { absent, services, claims, handles, onLookup } = options
  const cached = new Set<string>()
  return {
    async resolve(did, { asker } = {}) {
      if (!cached.has(did)) asker?.beforeLookup?.(did, 'unknown')
      if (!cached.has(did)) onLookup?.(did)
      cached.add(did)
      if (absent?.includes(did)) return undefined
      return { ...identityOf(did, services?.[did]), handle: claims?.[did] }
    },
    async resolveHandle(handle) {
      looked.push(handle)
      return handles?.[handle]
    },
  }
}

function createAppFor(options: ServingOptions, parts: Dependencies): AppContext {
  const { world, ...others } = parts
  const { memory, reader, invalidations } = world
  return createAppContext({
    ...memory,
    ...storesFromRows(reader, memory, options.reasonableLimit),
    ...others,
    invalidations: invalidations.buffer,
    db: reader,
    lookups: options.lookups,
    quotas: options.quotas,
    scope: options.scope,
    moderationServices: options.moderationServices,
    decide: options.decide,
    tagRules: settings,
    firstPageMaxWaitMs: options.firstPageMaxWaitMs,
    namesMaxWaitMs: options.namesMaxWaitMs,
    fetch: options.fetch ?? (() => Promise.reject(new Error('the network is away'))),
  })
}

function createServerFor(
  options: ServingOptions,
  { world, writer, methods }: Pick<Dependencies, 'world' | 'writer'> & { methods: Method[] },
): Server {
  const { memory, reader, now } = world
  const { labelers, operatorToken, moderationServices = [], onViewer } = options
  const config = {
    ...settings,
    // Random histories make more requests than any person.
    memberRateLimit: 0,
    visitorRateLimit: 0,
    moderationServices,
    operatorToken,
    ...options.limits,
  }
  return createServer({
    config,
    // Pages end where their rows say, not where a cold machine's time does.
    overload: createOverload({
      config,
      buffers: createRateBuffers(),
      clock: options.threadMs ?? (() => 0),
      onMemberTime: options.onMemberTime,
    }),
    methods,
    onViewer,
    serviceAuth: trustingAuth,
    acceptLabelers:
      labelers &&
      createAcceptLabelers({
        defaults: labelers,
        actors: memory.actors,
        accounts: createAccounts(reader),
        writer,
        now,
      }),
    health: () => ({ ok: true, version: 'test' }),
    log: { debug() {}, error: (...line: unknown[]) => console.error(...line), fatal() {} },
  })
}

function requestsTo(server: Server) {
  /** Sends a request as `viewer`; undefined is a visitor. */
  async function ask<T = Record<string, unknown>>(
    nsid: string,
    query: Query = {},
    viewer?: string,
    further: Record<string, string> = {},
  ): Promise<Response<T>> {
    const headers = { ...further, ...(viewer && { authorization: `Bearer ${viewer}` }) }
    const request = new Request(`http://localhost/xrpc/${nsid}?${search(query)}`, { headers })
    return read(nsid, await server.fetch(request))
  }

  async function tell(nsid: string, input: unknown, viewer?: string): Promise<Response<unknown>> {
    const headers = {
      'content-type': 'application/json',
      ...(viewer && { authorization: `Bearer ${viewer}` }),
    }
    const body = JSON.stringify(input)
    const request = new Request(`http://localhost/xrpc/${nsid}`, { method: 'POST', headers, body })
    return read(nsid, await server.fetch(request))
  }

  /** Returns a successful response; anything else fails the test. */
  async function get<T>(nsid: string, query: Query = {}, viewer?: string): Promise<T> {
    const { status, body } = await ask<T>(nsid, query, viewer)
    expect(status, JSON.stringify(body)).toBe(200)
    return body
  }

  return { ask, tell, get }
}

function search(query: Query): URLSearchParams {
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== undefined) given.append(name, String(item))
    }
  }
  return given
}

async function read<T>(nsid: string, response: globalThis.Response): Promise<Response<T>> {
  const text = await response.text()
  const body = text === '' ? undefined : JSON.parse(text)
  if (response.status === 200 && body !== undefined) assertValidAnswer(nsid, body)
  return { status: response.status, headers: response.headers, body: body as T }
}

/** Strict: valid by the lexicon, and without any null. */
export function assertValidAnswer(nsid: string, body: unknown): void {
  lexicons.assertValidXrpcOutput(nsid, jsonToLex(body))
  expect(nullsIn(body)).toEqual([])
}

function nullsIn(value: unknown, path = ''): string[] {
  if (value === null) return [path]
  if (typeof value !== 'object') return []
  return Object.entries(value as object).flatMap(([key, inner]) => nullsIn(inner, `${path}/${key}`))
}

/** Reads all pages into one list. */
export async function allPages<T extends { cursor?: string }, I>(
  read: (cursor: string | undefined) => Promise<T>,
  itemsOf: (page: T) => I[],
): Promise<I[]> {
  const items: I[] = []
  let cursor: string | undefined
  for (let pages = 0; ; pages++) {
    expect(pages).toBeLessThan(1_000)
    const page = await read(cursor)
    items.push(...itemsOf(page))
    if (page.cursor === undefined) return items
    expect(page.cursor).not.toBe(cursor)
    cursor = page.cursor
  }
}

function identityOf(did: string, services: Identity['services'] = []): Identity {
  const unknown = { handle: undefined, signingKey: undefined, labelKey: undefined, pds: undefined }
  return { did, ...unknown, services, keys: [] }
}
