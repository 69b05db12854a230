// The servers that readers compare: separate Slipstreams with different settings, all reading one network.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runApp } from '../../bench/world/running-app.ts'
import { freePort } from '../../test/e2e/support/free-port.ts'
import { startOfficialAppView } from '../../test/e2e/support/official-appview.ts'
import type { ServerOptions } from './options.ts'
import { type Usage, usageOf } from './usage.ts'

export type Server = {
  name: string
  origin: string
  /** Milliseconds behind the stream; undefined if the server does not report it. */
  lagMs(): Promise<number | undefined>
  /** Undefined if it is not known, or is that of only a part. */
  usage(): Promise<Usage | undefined>
  stop(): Promise<void>
}

/** The audience of its tokens. */
export const AUDIENCE = 'did:web:localhost'
const PREFIX = 'SLIPSTREAM_'

export async function startServers(
  servers: readonly ServerOptions[],
  network: Record<string, string>,
): Promise<Server[]> {
  return Promise.all(
    servers.map((options) => {
      if (options.origin) return running(options.name, options.origin)
      return options.isOfficial ? startOfficial(options, network) : start(options, network)
    }),
  )
}

/**
 * The reference's unchanged frontend over a separate Slipstream; the extra cost is the frontend's.
 */
async function startOfficial(
  options: ServerOptions,
  network: Record<string, string>,
): Promise<Server> {
  const port = await freePort()
  const settings = { DATAPLANE_PORT: String(port), INDEX_SCOPE: 'network', ...options.settings }
  const dataplane = await start({ ...options, settings }, network)
  const official = await startOfficialAppView({
    dataplaneUrl: `http://127.0.0.1:${port}`,
    httpVersion: '2',
    plcUrl: network[`${PREFIX}PLC_URL`]!,
    serverDid: AUDIENCE,
    mediaOrigin: dataplane.origin,
  }).catch(async (error: Error) => {
    await dataplane.stop()
    throw new Error(
      `${error.message}\n--server ${options.name}: npm ci --prefix test/e2e brings it`,
    )
  })
  return {
    ...dataplane,
    origin: official.origin,
    // The frontend's own is not known.
    usage: async () => undefined,
    async stop() {
      await official.stop()
      await dataplane.stop()
    },
  }
}

async function start(options: ServerOptions, network: Record<string, string>): Promise<Server> {
  const dataDir = mkdtempSync(join(tmpdir(), 'slipstream-readers-'))
  const bare = Object.entries(network).map(([key, value]) => [key.slice(PREFIX.length), value])
  const env = {
    SERVICE_DID: AUDIENCE,
    MEMBERS: 'open',
    ...Object.fromEntries(bare),
    ...options.settings,
  }
  const app = await runApp({ dataDir, env })
  return {
    ...running(options.name, `http://127.0.0.1:${app.port}`),
    async stop() {
      await app.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

function running(name: string, origin: string): Server {
  return {
    name,
    origin,
    async lagMs() {
      try {
        const response = await fetch(`${origin}/xrpc/_health`)
        const body = (await response.json()) as { ingest?: { stream: { lagMs?: number } } }
        return body.ingest?.stream.lagMs
      } catch {
        return undefined
      }
    },
    usage: () => usageOf(origin),
    stop: async () => undefined,
  }
}
