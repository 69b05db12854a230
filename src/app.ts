// Builds every part in order, and disposes of them in reverse. The ingest thread comes first, since
// it makes the database and the shared memory; serving reads both.

import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { atPort, type Config, ConfigError } from './config.ts'
import { startIngest } from './ingest/client.ts'
import type { Logger } from './obs/log.ts'
import { startServing } from './serve/threads.ts'
import { lockDataDir } from './store/lock.ts'
import { version } from './version.ts'

export type App = { close(): Promise<void> }

type AppOptions = { config: Config; log: Logger; onFatal: (error: unknown) => void }

/** @throws ConfigError for whatever the operator can mend. */
export async function startApp({ config: asked, log, onFatal }: AppOptions): Promise<App> {
  const lock = lockDataDir(asked.dataDir)
  const config = asked.port === 0 ? atPort(asked, await findFreePort(asked.bind)) : asked
  const ingest = await startIngest({ config, onFatal })
  const serving = await startServing({ config, log, ingest, onFatal }).catch(asRefusal(config))
  const { port, threads } = serving
  log.info(
    { version, port, threads, did: config.serviceDid, origin: config.publicOrigin },
    `serving on ${config.bind}:${port}`,
  )
  return {
    async close() {
      // The writer closes last: it then leaves one whole file, without a write-ahead log beside it.
      await serving.close()
      await ingest.stop()
      lock.release()
    },
  }
}

/** Found before anything is built, since our DID carries the port where no host name is set. */
function findFreePort(bind: string): Promise<number> {
  const probe = createTcpServer()
  return new Promise((resolve) => {
    // The server will meet the same error, and tell it.
    probe.once('error', () => resolve(0))
    probe.listen(0, bind, () => {
      const { port } = probe.address() as AddressInfo
      probe.close(() => resolve(port))
    })
  })
}

/** What the system says of the port is the operator's to mend. */
function asRefusal(config: Config): (error: unknown) => never {
  return (error) => {
    const { code, syscall, message } = error as NodeJS.ErrnoException
    if (!code || (syscall !== 'listen' && syscall !== 'bind')) throw error
    throw new ConfigError(
      `Cannot listen on ${config.bind}:${config.port}: ${message}.`,
      'Stop what uses the port, or set SLIPSTREAM_PORT and SLIPSTREAM_BIND to something free.',
    )
  }
}
