// The dataplane interface beside a serving thread's HTTP: it opens and closes with it, and nothing of it is
// loaded where the operator gives it no port.

import type { SharedMemory } from '../../bridge/messages.ts'
import type { DataplaneOptions } from '../dataplane/dataplane.ts'
import type { DataplaneListener } from '../dataplane/listener.ts'
import { rpcNames } from '../dataplane/rpc-names.ts'
import type { Server } from '../server/server.ts'

type Options = DataplaneOptions & { memory: Pick<SharedMemory, 'invalidations'> }

export function withDataplane(server: Server, options: Options): Server {
  if (options.config.dataplanePort === undefined) return server
  let listener: DataplaneListener | undefined
  return {
    ...server,
    async listen(how) {
      const { startDataplane } = await import('../dataplane/dataplane.ts')
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

/** By which its calls are counted among the methods. */
export function dataplaneNames({ dataplanePort }: { dataplanePort: number | undefined }): string[] {
  return dataplanePort === undefined ? [] : rpcNames()
}

/** The frontend has let them in; whoever may not be a member reads from rows like anybody else. */
function admitting(admit: (did: string) => void): (did: string) => void {
  return (did) => {
    try {
      admit(did)
    } catch {
      // What would be said is for a member's own client, and nobody of theirs asks here.
    }
  }
}
