// Replays the operations written by bsync in order, as the reference's bsync does. A reader that has caught
// up waits for the next one. The stream exists only in this node's own database, and is bounded
// (store/bsync-operations.ts).

import { setTimeout as wait } from 'node:timers/promises'
import { isValidNsid } from '@atproto/syntax'
import { type DescMessage, fromBinary, type MessageShape } from '@bufbuild/protobuf'
import {
  MuteOperationSchema,
  NotifOperationSchema,
  OperationSchema,
} from '../generated/bsync-pb.ts'
import type { Reading } from '../reading/reading.ts'
import { askWriter } from '../requests.ts'
import { type BsyncStream, countOperations, operationsAfter } from '../store/bsync-operations.ts'
import type { Call } from '../wire/grpc.ts'
import { didOf, unfit } from './mutes.ts'

const DEFAULT_PAGE = 1_000
const MAX_PAGE = 1_000
const WAIT_MS = 10_000
const LOOK_EVERY_MS = 200
const MAX_NAMESPACE = 400

type StreamRequest = { cursor: string; limit: number }
type Ended = Parameters<Call['run']>[1]

export function bsyncStreamRpcs({ db, writer }: Reading) {
  /** Long-polls: returns as soon as the first operation is there. */
  const scan =
    <Desc extends DescMessage>(stream: BsyncStream, schema: Desc) =>
    async ({ cursor, limit }: StreamRequest, ended: Ended) => {
      const after = positionOf(cursor)
      const size = limit > 0 ? Math.min(limit, MAX_PAGE) : DEFAULT_PAGE
      const until = performance.now() + WAIT_MS
      for (;;) {
        const end = ended()
        if (end) throw end
        const rows = operationsAfter(db, stream, after, size)
        const isOver = performance.now() > until
        if (rows.length > 0 || isOver) {
          const operations = rows.map(({ id, operation }) => ({
            ...(fromBinary(schema, operation) as MessageShape<Desc> & { id: string }),
            id: String(id),
          }))
          return { operations, cursor: operations.at(-1)?.id ?? cursor }
        }
        await wait(LOOK_EVERY_MS)
      }
    }
  return {
    scanMuteOperations: scan('mutes', MuteOperationSchema),
    scanNotifOperations: scan('notifications', NotifOperationSchema),
    scanOperations: scan('others', OperationSchema),
    /** Deletes only the log entries; the effects of the operations remain. */
    async deleteOperationsByActorAndNamespace(request: { actorDid: string; namespace: string }) {
      const did = didOf(request.actorDid)
      const namespace = namespaceOf(request.namespace)
      const deletedCount = countOperations(db, did, namespace)
      await askWriter(writer, did, { kind: 'dataplane/delete-operations', body: { namespace } })
      return { deletedCount }
    },
  }
}

/** @throws ConnectError */
function positionOf(cursor: string): number {
  if (cursor === '') return 0
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor)
  throw unfit('invalid cursor')
}

const FRAGMENT = /^[a-zA-Z][a-zA-Z0-9]*$/

/** @throws ConnectError for anything but an NSID, with or without a fragment */
export function namespaceOf(text: string): string {
  const [nsid, ...fragments] = text.slice(0, MAX_NAMESPACE).split('#')
  const isFit = fragments.length <= 1 && fragments.every((fragment) => FRAGMENT.test(fragment))
  if (text.length <= MAX_NAMESPACE && isFit && isValidNsid(nsid!)) return text
  throw unfit('operation namespace is invalid NSID')
}
