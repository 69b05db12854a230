// What the serving threads ask of the writer.

import type { Writer } from '../../bridge/messages.ts'

export type ReadRequests = {
  'read/position': { timeline: string; position: string }
}

export function askWriter<Kind extends keyof ReadRequests>(
  writer: Writer,
  did: string,
  { kind, body }: { kind: Kind; body: ReadRequests[Kind] },
): Promise<void> {
  return writer.send({ kind, did, body })
}
