// Our dataplane's port over a database, with the reference AppView's own client at the other end.

import { join } from 'node:path'
import { createClient } from '@connectrpc/connect'
import { createGrpcTransport } from '@connectrpc/connect-node'
import { pino } from 'pino'
import { createHydrator } from '../../../src/answers/hydrate/hydrator.ts'
import { createSearches } from '../../../src/answers/skeleton/search/searches.ts'
import { createMediaUrls } from '../../../src/answers/views/media-urls.ts'
import { type Config, loadConfig } from '../../../src/base/config/config.ts'
import type { OperatorRequest, Writer, WriterRequest } from '../../../src/bridge/messages.ts'
import type { Db } from '../../../src/data/store/db.ts'
import type { Arrivals } from '../../../src/features/dataplane/calls/awaited.ts'
import { startDataplane } from '../../../src/features/dataplane/dataplane.ts'
import { Service } from '../../../src/features/dataplane/generated/bsky-pb.ts'
import type { DataplaneSettings } from '../../../src/features/dataplane/settings.ts'
import { createOverload, type Overload } from '../../../src/http/overload/overload.ts'
import { createRateBuffers } from '../../../src/http/overload/rate-limits.ts'
import type { OnViewer } from '../../../src/http/server/auth.ts'
import type { Identity } from '../../../src/sources/identity/did-document.ts'
import { UnansweredError } from '../../../src/sources/identity/fetch-identity.ts'
import type { HydratedWorld } from '../../support/hydration.ts'
import { createMemoryTimelines } from '../../support/memory-timelines.ts'
import { verifierOf } from '../../support/random-world.ts'
import { referenceHome, referenceUrlPatterns } from '../../support/reference-appview.ts'
import type { World } from '../../support/social-world.ts'

export type RequestOptions = Omit<WriterRequest, 'id'> | OperatorRequest

export type DataplaneWorld = {
  port: number
  url: string
  /** Write requests received. */
  requested: RequestOptions[]
  /** Counted calls: name and status. */
  counted: [path: string, status: number][]
  close(): Promise<void>
}

type Rows = Pick<HydratedWorld, 'db' | 'hydrator'> & {
  written: Pick<HydratedWorld['written'], 'actors' | 'graph'>
}

export async function startDataplaneOver(
  ours: Rows,
  options: {
    world?: World
    settings?: Partial<Config & DataplaneSettings>
    identities?: Map<string, Identity>
    writer?: Writer
    /** Accounts whose identity never resolves. */
    isSlow?: (did: string) => boolean
    onViewer?: OnViewer
    overload?: Overload
    arrivals?: Arrivals
    /** Handles whose servers do not answer. */
    isSilent?: (handle: string) => boolean
  } = {},
): Promise<DataplaneWorld> {
  const { world, settings, identities } = options
  const requested: RequestOptions[] = []
  const counted: [string, number][] = []
  const config: Config & Partial<DataplaneSettings> = {
    ...loadConfig({}, 'no-such-file'),
    dataplanePort: 0,
    trustedVerifiers: world ? [verifierOf(world)] : [],
    ...settings,
  }
  const { actors, graph } = ours.written
  const listener = await startDataplane({
    config,
    log: pino({ level: 'error' }),
    db: ours.db,
    search: createSearches(ours.db),
    actors,
    graph,
    hydrator: ours.hydrator,
    timelines: createMemoryTimelines(100),
    isDrawn: () => true,
    writer: options.writer ?? {
      async send(request) {
        requested.push(request as RequestOptions)
      },
    },
    ingest: {
      async operate(request) {
        requested.push(request)
        return {}
      },
    },
    resolver: {
      resolve: (did) =>
        options.isSlow?.(did)
          ? new Promise(() => undefined)
          : Promise.resolve(identities?.get(did)),
      async resolveHandle(handle) {
        if (options.isSilent?.(handle)) throw new UnansweredError(`${handle} is silent`)
        return [...(identities?.values() ?? [])].find((identity) => identity.handle === handle)?.did
      },
    },
    arrivals: options.arrivals,
    onViewer: options.onViewer ?? (() => undefined),
    overload: options.overload ?? createOverload({ config, buffers: createRateBuffers() }),
    onAnswered: (path, status) => counted.push([path, status]),
  })
  const { port } = listener
  return { port, url: `http://127.0.0.1:${port}`, requested, counted, close: listener.close }
}

type Plain = Rows['written'] & { reader: Db }

/** Starts the port over a world's rows, with a client that knows only the interface. */
export async function startCallsOver(
  { actors, graph, reader }: Plain,
  db: Db = reader,
): Promise<{ calls: Record<string, AnyCall>; close(): Promise<void> }> {
  const urls = createMediaUrls(referenceUrlPatterns)
  const hydrator = createHydrator({ db, actors, graph, urls })
  const { url, close } = await startDataplaneOver({ db, hydrator, written: { actors, graph } })
  const client = createClient(Service, createGrpcTransport({ baseUrl: url }))
  return { calls: client as unknown as Record<string, AnyCall>, close }
}

type AnyCall = (request: object, options?: object) => Promise<Record<string, unknown>>

/**
 * Returns the reference frontend's own client over a socket, without its deadlines, which a busy
 * machine would miss.
 */
export async function referenceClient(
  url: string,
  httpVersion: '1.1' | '2' = '2',
): Promise<Record<string, AnyCall>> {
  const { createDataPlaneClient, BasicHostList } = (await import(
    join(referenceHome, 'data-plane/client/index.js')
  )) as {
    createDataPlaneClient: (hosts: object, options: object) => Record<string, AnyCall>
    BasicHostList: new (hosts: string[]) => object
  }
  const client = createDataPlaneClient(new BasicHostList([url]), { httpVersion })
  return new Proxy(client, {
    get: (calls, name: string) => {
      const call = calls[name]
      return call && ((request: object) => call(request))
    },
  })
}
