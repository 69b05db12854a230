// What the serving threads ask of the writer about pushes.

import type { Writer } from '../../bridge/messages.ts'
import type { QuietHours } from './store/quiet-hours.ts'
import type { PushDevice } from './store/registrations.ts'

export type PushRequests = {
  /** A device on which a member wants to be notified. */
  'push/register': PushDevice & { appId: string }
  'push/unregister': { endpoint: string }
  /** Hours without pushes; undefined: none. */
  'push/quiet-hours': { hours: QuietHours | undefined }
  /** The key under which push services will know us, unless one exists. */
  'push/begin': { publicKey: string; privateKey: string }
  /** notifications.id up to which devices have been notified. */
  'push/notified': { upTo: number }
}

export function askWriter<Kind extends keyof PushRequests>(
  writer: Writer,
  did: string,
  { kind, body }: { kind: Kind; body: PushRequests[Kind] },
): Promise<void> {
  return writer.send({ kind, did, body })
}
