// Builds all parts in order, and closes them in reverse. The ingest thread starts first, since it creates the
// database and the shared memory, which serving reads. Common operator mistakes, like a folder or a port
// already in use, are checked before anything is loaded: loading the parts takes a second, and much longer on
// a small or busy machine.

import { atPort, type Config } from './base/config/config.ts'
import { features } from './base/feature.ts'
import type { Logger } from './base/obs/log.ts'
import { storeCompiledCode } from './base/util/compile-cache.ts'
import { NEARLY_IDLE, releaseUnusedMemory } from './base/util/unused-memory.ts'
import { version } from './base/util/version.ts'
import { closeToOthers } from './data/store/files/data-folder.ts'
import { lockDataDir } from './data/store/files/lock.ts'
import { trimMalloc } from './data/store/files/trim-malloc.ts'
import { asPortRefusal, findFreePort } from './http/serve/free-port.ts'

type App = { close(): Promise<void> }

type AppOptions = { config: Config; log: Logger; onFatal: (error: unknown) => void }

/** @throws ConfigError for problems that the operator can fix. */
export async function startApp({ config: requested, log, onFatal }: AppOptions): Promise<App> {
  for (const { prepare } of features) await prepare?.(requested as never)
  const lock = lockDataDir(requested.dataDir)
  closeFolder(requested.dataDir, log)
  const found = await findFreePort(requested).catch(asPortRefusal(requested))
  // Without a host name, our DID contains the port.
  const config = requested.port === 0 ? atPort(requested, found) : requested
  const { startIngest } = await import('./ingest/client.ts')
  // The ingest thread creates the memory while this thread loads the serving code.
  const [ingest, { startServing }] = await Promise.all([
    startIngest({ config, onFatal }),
    import('./http/serve/threads.ts'),
  ])
  const serving = await startServing({ config, log, ingest, onFatal }).catch(asPortRefusal(config))
  const { port, threads } = serving
  log.info(
    { version, port, threads, did: config.serviceDid, origin: config.publicOrigin },
    `serving on ${config.bind}:${port}`,
  )
  storeCompiledCode()
  releaseUnusedMemory({ hasTime: NEARLY_IDLE, alsoRelease: trimMalloc })
  return {
    async close() {
      // The writer closes last, so that it leaves a single file without a write-ahead log.
      await serving.close()
      await ingest.stop()
      lock.release()
    },
  }
}

function closeFolder(dataDir: string, log: Logger): void {
  const closed = closeToOthers(dataDir)
  if (closed.length > 0) log.info({ closed }, 'closed the data folder to other users')
}
