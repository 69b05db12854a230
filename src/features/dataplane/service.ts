// The services as one table of handlers. Each call is counted by its name, maps errors as the reference's
// dataplane does, and does not start if its client has gone or its deadline has passed. Calls go through the
// queue of all requests, in turns whose time is bounded; none is refused for how many there are.

import { type DescMethod, type DescService, fromBinary } from '@bufbuild/protobuf'
import { Code, ConnectError, type ConnectRouter, type HandlerContext } from '@connectrpc/connect'
import { BadCursorError } from '../../answers/skeleton/page-cursor.ts'
import { XRPCError } from '../../base/atproto/xrpc-error.ts'
import type { Logger } from '../../base/obs/log.ts'
import { unlessAborted } from '../../base/util/waits.ts'
import { isDiskFull } from '../../data/store/files/disk-full.ts'
import type { Overload } from '../../http/overload/overload.ts'
import { actorInfoRpcs, actorRpcs } from './calls/actors.ts'
import { associatedRpcs } from './calls/associated.ts'
import { type Arrivals, awaitingMissing } from './calls/awaited.ts'
import { emptyRpcs } from './calls/empty.ts'
import { engagementRpcs, viewerActivityRpcs } from './calls/engagement.ts'
import { feedRpcs } from './calls/feeds.ts'
import { labelRpcs } from './calls/labels.ts'
import { listRpcs } from './calls/lists.ts'
import { moderationRpcs } from './calls/moderation.ts'
import { muteRpcs } from './calls/mutes.ts'
import { notificationRpcs, preferenceRpcs } from './calls/notifications.ts'
import { postRecordRpcs, postRpcs } from './calls/posts.ts'
import { bookmarkRpcs, privateStateRpcs } from './calls/private-state.ts'
import { recordRpcs, repostRecordRpcs } from './calls/records.ts'
import { relationRpcs, relationshipRpcs } from './calls/relations.ts'
import { type Searches, searchRpcs } from './calls/search.ts'
import { inSlices } from './calls/slices.ts'
import { Service } from './generated/bsky-pb.ts'
import { Service as BsyncService } from './generated/bsync-pb.ts'
import type { Reading } from './reading/reading.ts'
import { rpcPath } from './rpc-names.ts'
import { encodedOf } from './wire/encoded.ts'
import type { Call } from './wire/grpc.ts'
import { MAX_ANSWERED_BYTES } from './wire/messages.ts'

/** Where the frontend's calls wait for their turns. */
export type FrontendQueue = Pick<Overload, 'admitFrontend' | 'run'>

type ServiceContext = {
  reading: Reading
  arrivals?: Arrivals | undefined
  searches: Searches
  overload: FrontendQueue
  log: Logger
  onAnswered: (path: string, status: number, seconds: number) => void
}

function handlers({ reading, searches }: ServiceContext): object {
  return {
    ...actorInfoRpcs(reading),
    ...actorRpcs(reading),
    ...bookmarkRpcs(reading),
    ...viewerActivityRpcs(reading),
    ...emptyRpcs(),
    ...associatedRpcs(reading),
    ...engagementRpcs(reading),
    ...feedRpcs(reading),
    ...labelRpcs(reading),
    ...listRpcs(reading),
    ...moderationRpcs(reading),
    ...muteRpcs(reading),
    ...notificationRpcs(reading),
    ...postRecordRpcs(reading),
    ...postRpcs(reading),
    ...preferenceRpcs(reading),
    ...privateStateRpcs(reading),
    ...recordRpcs(reading),
    ...relationRpcs(reading),
    ...relationshipRpcs(reading),
    ...repostRecordRpcs(reading),
    ...searchRpcs(reading, searches),
  }
}

/** Calls by path. */
export function callsOf(context: ServiceContext, bsync: object): Map<string, Call> {
  return new Map([
    ...counted(Service, handlers(context), context),
    ...counted(BsyncService, bsync, context),
  ])
}

/** Routes for Connect's router, which refuses unimplemented calls by name. */
export function routesOf(calls: ReadonlyMap<string, Call>): (router: ConnectRouter) => void {
  return (router) => {
    for (const service of [Service, BsyncService] as DescService[]) {
      const handled = service.methods.flatMap((method) => {
        const call = calls.get(pathOf(method))
        if (!call) return []
        const handler = async (request: object, { signal }: HandlerContext) => {
          const running = call.run(request, () =>
            signal.aborted ? ConnectError.from(signal.reason) : undefined,
          )
          const answer = await whileAwaited(running, signal)
          return answer instanceof Uint8Array ? fromBinary(method.output, answer) : answer
        }
        return [[method.localName, handler]]
      })
      router.service(service, Object.fromEntries(handled))
    }
  }
}

/** Rejects at the deadline or when the client goes. Work that continues is discarded. */
async function whileAwaited<T>(running: T | Promise<T>, signal: AbortSignal): Promise<T> {
  if (!(running instanceof Promise)) return running
  return unlessAborted(running, signal, () => ConnectError.from(signal.reason))
}

function pathOf({ parent, name }: DescMethod): string {
  return `/${parent.typeName}/${name}`
}

function counted(
  service: DescService,
  implemented: object,
  context: CountedServiceContext,
): [path: string, Call][] {
  return Object.entries(implemented).map(([name, handler]: [string, Handler]) => {
    const method = service.methods.find(({ localName }) => localName === name)!
    return [pathOf(method), { method, run: countedCall(method, handler, context) }]
  })
}

type CountedServiceContext = Omit<ServiceContext, 'searches'>
type Ended = Parameters<Call['run']>[1]
type Handler = (request: never, ended: Ended) => object | Promise<object>

function countedCall(
  { parent, localName, output }: DescMethod,
  handler: Handler,
  { arrivals, log, onAnswered, overload, reading }: CountedServiceContext,
): Call['run'] {
  const path = rpcPath(parent.typeName, localName)
  const count = (startedAt: number, status: number) =>
    onAnswered(path, status, (performance.now() - startedAt) / 1_000)
  const failed = (startedAt: number, error: unknown): ConnectError => {
    const known = asConnectError(error)
    if (known.code === Code.Internal)
      log.error({ rpc: localName, err: error }, 'dataplane call failed')
    count(startedAt, statuses.get(known.code) ?? 500)
    return known
  }
  const begin = (ended: Ended) => {
    const end = ended()
    if (end) throw end
    reading.memory.takeInvalidations()
  }
  const waiting = awaitingMissing(localName, handler, { reading, arrivals, begin })
  const sliced = inSlices(localName, waiting, {
    begin,
    encode: (item) => encodedOf(output, item),
    maxBytes: MAX_ANSWERED_BYTES,
  })
  return (request, ended) => {
    const startedAt = performance.now()
    try {
      const run = () => {
        begin(ended)
        return sliced(request as never, ended)
      }
      const isGone = () => ended() !== undefined
      const answer = overload.run(overload.admitFrontend(), { run, isHeavy: false, isGone })
      if (answer instanceof Promise) return settle(answer, startedAt)
      count(startedAt, 200)
      return answer
    } catch (error) {
      throw failed(startedAt, error)
    }
  }

  async function settle(running: Promise<object>, startedAt: number): Promise<object> {
    try {
      const answer = await running
      count(startedAt, 200)
      return answer
    } catch (error) {
      throw failed(startedAt, error)
    }
  }
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
  if (error instanceof XRPCError) return new ConnectError(error.message, Code.Unavailable)
  if (isDiskFull(error)) return new ConnectError('no room to write', Code.Unavailable)
  return new ConnectError('internal error', Code.Internal)
}
