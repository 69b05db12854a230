// The services as one table of handlers: each call counted by its name, its errors as the reference's
// dataplane gives them, and not begun where whoever asked has gone or is out of time.

import type { DescService } from '@bufbuild/protobuf'
import { Code, ConnectError, type ConnectRouter, type HandlerContext } from '@connectrpc/connect'
import type { Hydrator } from '../../answers/hydrate/hydrator-types.ts'
import { BadCursorError } from '../../answers/skeleton/page-cursor.ts'
import type { Logger } from '../../base/obs/log.ts'
import { isDiskFull } from '../../data/store/disk-full.ts'
import { actorRpcs } from './actors.ts'
import { emptyRpcs } from './empty.ts'
import { engagementRpcs } from './engagement.ts'
import { feedRpcs } from './feeds.ts'
import { Service } from './generated/bsky-pb.ts'
import { Service as BsyncService } from './generated/bsync-pb.ts'
import { labelRpcs } from './labels.ts'
import { listRpcs } from './lists.ts'
import type { Rpcs } from './messages.ts'
import { moderationRpcs } from './moderation.ts'
import { muteRpcs } from './mutes.ts'
import { notificationRpcs } from './notifications.ts'
import { postRpcs } from './posts.ts'
import { privateStateRpcs } from './private-state.ts'
import type { Reading } from './reading.ts'
import { recordRpcs } from './records.ts'
import { relationRpcs } from './relations.ts'
import { rpcPath } from './rpc-names.ts'
import { type Searches, searchRpcs } from './search.ts'

export type ServiceParts = {
  reading: Reading
  hydrator: Pick<Hydrator, 'labels'>
  searches: Searches
  log: Logger
  onAnswered: (path: string, status: number, seconds: number) => void
}

type Handler = (request: never, context: HandlerContext) => unknown

export function handlers({ reading, hydrator, searches }: ServiceParts): Rpcs {
  return {
    ...actorRpcs(reading),
    ...emptyRpcs(),
    ...engagementRpcs(reading),
    ...feedRpcs(reading),
    ...labelRpcs({ hydrator }),
    ...listRpcs(reading),
    ...moderationRpcs(reading),
    ...muteRpcs(reading),
    ...notificationRpcs(reading),
    ...postRpcs(reading),
    ...privateStateRpcs(reading),
    ...recordRpcs(reading),
    ...relationRpcs(reading),
    ...searchRpcs(reading, searches),
  }
}

/** What a router of Connect is given for each service. */
export function routesOf(parts: ServiceParts, bsync: object): (router: ConnectRouter) => void {
  return (router) => {
    router.service(Service, counted(Service, handlers(parts), parts))
    router.service(BsyncService, counted(BsyncService, bsync, parts))
  }
}

/** Those that are not there are left for Connect to refuse by their names. */
function counted<T extends object>(
  service: DescService,
  implemented: T,
  { log, onAnswered }: Pick<ServiceParts, 'log' | 'onAnswered'>,
): T {
  const entries = Object.entries(implemented).map(([name, handler]: [string, Handler]) => {
    const path = rpcPath(service.typeName, name)
    const refuse = (error: unknown): ConnectError => {
      const known = asConnectError(error)
      if (known.code === Code.Internal)
        log.error({ rpc: name, err: error }, 'dataplane call failed')
      return known
    }
    const run = async (request: never, context: HandlerContext) => {
      const startedAt = performance.now()
      let status = 200
      try {
        context.signal.throwIfAborted()
        return await handler(request, context)
      } catch (error) {
        const known = refuse(error)
        status = statuses.get(known.code) ?? 500
        throw known
      } finally {
        onAnswered(path, status, (performance.now() - startedAt) / 1_000)
      }
    }
    return [name, run] as const
  })
  return Object.fromEntries(entries) as T
}

const statuses = new Map<Code, number>([
  [Code.InvalidArgument, 400],
  [Code.NotFound, 404],
  [Code.Unimplemented, 501],
  [Code.Unavailable, 503],
  [Code.DeadlineExceeded, 504],
  [Code.Canceled, 0],
])

function asConnectError(error: unknown): ConnectError {
  if (error instanceof ConnectError) return error
  if (error instanceof BadCursorError) return new ConnectError(error.message, Code.InvalidArgument)
  if (isDiskFull(error)) return new ConnectError('no room to write', Code.Unavailable)
  return new ConnectError('internal error', Code.Internal)
}
