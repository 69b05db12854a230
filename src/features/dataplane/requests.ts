// What the dataplane interface asks of the writer beyond the requests of XRPC.

import type { Writer } from '../../bridge/messages.ts'
import type { BsyncStream } from './store/bsync-operations.ts'

export type DataplaneRequests = {
  /** A completed operation written through bsync, for readers of its stream. */
  'dataplane/log-operation': { stream: BsyncStream; namespace: string; operation: Uint8Array }
  'dataplane/delete-operations': { namespace: string }
  /** An official AppView's result of age assurance for the account; `initiatedAt` in milliseconds. */
  'dataplane/age-assurance': { status: string; access: string | null; initiatedAt: number | null }
}

export function askWriter<Kind extends keyof DataplaneRequests>(
  writer: Writer,
  did: string,
  { kind, body }: { kind: Kind; body: DataplaneRequests[Kind] },
): Promise<void> {
  return writer.send({ kind, did, body })
}
