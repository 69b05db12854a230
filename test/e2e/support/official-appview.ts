// The official AppView as a separate process that answers from our dataplane, or from its own.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { storeOutput } from './child.ts'
import { freePort } from './free-port.ts'

export const OFFICIAL_ADMIN_PASSWORD = 'admin-of-the-official'

export type OfficialAppView = {
  readonly origin: string
  output: () => string
  stop: () => Promise<void>
}

const START_MS = 240_000

export async function startOfficialAppView(options: {
  dataplaneUrl: string
  httpVersion: '1.1' | '2'
  plcUrl: string
  /** Audience of its tokens; the same as Slipstream's, so that both accept the same ones. */
  serverDid: string
  mediaOrigin: string
  /** Runs it on its own dataplane in this Postgres, following the PDS. */
  own?: { postgresUrl: string; pdsUrl: string }
}): Promise<OfficialAppView> {
  const port = await freePort()
  const child = fork(join(import.meta.dirname, 'official-appview-process.ts'), {
    env: {
      ...process.env,
      NODE_ENV: 'production',
      LOG_LEVEL: 'error',
      LOG_ENABLED: 'true',
      E2E_OFFICIAL_PORT: String(port),
      E2E_DATAPLANE_URL: options.dataplaneUrl,
      E2E_DATAPLANE_HTTP: options.httpVersion,
      E2E_PLC_URL: options.plcUrl,
      E2E_SERVER_DID: options.serverDid,
      E2E_MEDIA_ORIGIN: options.mediaOrigin,
      ...(options.own && {
        E2E_POSTGRES_URL: options.own.postgresUrl,
        E2E_PDS_URL: options.own.pdsUrl,
        E2E_OWN_DATAPLANE_PORT: String(await freePort()),
      }),
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const output = storeOutput(child)
  const up = once(child, 'message', { signal: AbortSignal.timeout(START_MS) })
  const died = once(child, 'exit').then(() => undefined)
  const first = await Promise.race([up, died]).catch(() => undefined)
  if (!first) {
    child.kill('SIGKILL')
    throw new Error(`The official AppView did not start:\n${output()}`)
  }
  return {
    origin: `http://localhost:${port}`,
    output,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    },
  }
}
