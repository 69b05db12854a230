// The dataplane interface beside a serving thread's HTTP server: opens and closes with it, and loads nothing
// unless the operator configures a port.

import type { SharedMemory } from '../../bridge/messages.ts'
import type { Server } from '../../http/server/server.ts'
import type { DataplaneOptions } from './dataplane.ts'
import { rpcNames } from './rpc-names.ts'
import type { DataplaneListener } from './wire/listener.ts'

type Options = DataplaneOptions & { memory: Pick<SharedMemory, 'invalidations'> }

export function withDataplane(server: Server, options: Options): Server {
  if (options.config.dataplanePort === undefined) return server
  let listener: DataplaneListener | undefined
  return {
    ...server,
    async listen(how) {
      const { startDataplane } = await import('./dataplane.ts')
      const onViewer = admitting(options.onViewer)
      const { invalidations } = options.memory
      listener = await startDataplane({ ...options, onViewer, invalidations }, how)
      return server.listen(how)
    },
    async close() {
      await Promise.all([listener?.close(), server.close()])
    },
  }
}

/** Names by which its calls are counted among the methods. */
export function dataplaneNames({ dataplanePort }: { dataplanePort: number | undefined }): string[] {
  return dataplanePort === undefined ? [] : rpcNames()
}

/**
 * The frontend has already admitted the account; if it may not become a member, it reads from rows
 * like any other.
 */
function admitting(admit: (did: string) => void): (did: string) => void {
  return (did) => {
    try {
      admit(did)
    } catch {
      // The error is for a member's own client, which is not the caller here.
    }
  }
}
