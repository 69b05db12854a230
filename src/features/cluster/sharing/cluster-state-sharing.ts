// Routes the serving side's writer requests through the state that nodes share: actions that affect all nodes
// are decided on the engine (shared-cluster.ts); everything else passes unchanged.

import { XRPCError } from '../../../base/atproto/xrpc-error.ts'
import type { Config } from '../../../base/config/config.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../base/util/durations.ts'
import { LruMap } from '../../../base/util/lru.ts'
import type { IngestConnection } from '../../../bridge/connection.ts'
import type { FeatureRequest, OperatorRequest, Writer } from '../../../bridge/messages.ts'
import type { Db } from '../../../data/store/db.ts'
import { membersDeletedBefore } from '../../../data/store/members/members.ts'
import type { OnViewer } from '../../../http/server/auth.ts'
import { parseState } from '../../../ingest/indexing/member-state/document.ts'
import type { ClusterAct, TokenRequest } from '../cluster-state/plan.ts'
import { engineRefusal } from './engine-waits.ts'
import { createSharedClusterState, type SharedClusterState } from './shared-cluster-state.ts'
import type { SharedState } from './shared-state.ts'

type Options = Omit<Parameters<typeof createSharedClusterState>[0], 'isFollowing' | 'writer'> & {
  /** Shared private state of members, which takes their own requests. */
  state: Pick<SharedState, 'writer' | 'forget' | 'shareOwn'>
  ingest: Pick<IngestConnection, 'writer' | 'operate' | 'configuredMembers'>
  config: Pick<Config, 'maxMembers'>
  /** Whether this thread does the node's once-only work. */
  isFirst: boolean
}

/** For one serving thread. */
export function shareClusterState(options: Options) {
  const { state, db, ingest, config, log, isFirst } = options
  const { writer } = ingest
  const cluster = createSharedClusterState({ ...options, writer, isFollowing: isFirst })
  const onError = (error: unknown) =>
    log.warn({ err: error }, 'a deleted account’s state could not be removed')
  const forgetting = isFirst ? forgetDeleted({ db, state, onError }) : undefined
  const { maxMembers } = config
  return {
    ...cluster,
    ...throughCluster({ cluster, state, writer: state.writer, ingest, config }),
    hasSeat: () => maxMembers === 0 || cluster.countMembers() < maxMembers,
    withNews: (onViewer: OnViewer) => withNews(onViewer, cluster),
    close(): void {
      forgetting?.close()
      cluster.close()
    },
  }
}

const TOKENS: ReadonlySet<TokenRequest['kind']> = new Set([
  'timelines/create-token',
  'timelines/revoke-token',
])

type Dependencies = {
  cluster: SharedClusterState
  state: Pick<SharedState, 'forget' | 'shareOwn'>
  writer: Writer
  ingest: Pick<IngestConnection, 'operate' | 'configuredMembers'>
  config: Pick<Config, 'maxMembers'>
}

function throughCluster(parts: Dependencies): {
  writer: Writer
  operate: IngestConnection['operate']
} {
  const { cluster, state, writer, ingest, config } = parts
  const decide = (act: ClusterAct) => cluster.decide(act).catch(asRefusal)

  /** Members named in the configuration need no seat. */
  const seatsFor = (did: string) =>
    ingest.configuredMembers().includes(did) ? 0 : config.maxMembers

  async function join(did: string): Promise<void> {
    if (cluster.hasMember(did)) return
    await decide({ kind: 'join', did, maxMembers: seatsFor(did) })
  }

  async function operate(request: OperatorRequest): Promise<Record<string, number>> {
    if (request.kind === 'import-follows') return ingest.operate(request)
    if (request.kind === 'import-state') {
      const { did } = parseState(request.document)
      await decide({ kind: 'add-member', did })
      const figures = await ingest.operate(request)
      await state.shareOwn(did).catch(asRefusal)
      return figures
    }
    const act = sharedAct(request)
    if (!act) return ingest.operate(request)
    const figures = await decide(act)
    const ended = endOf(request)
    if (ended !== undefined) await state.forget(ended).catch(asRefusal)
    return figures
  }

  return {
    writer: {
      async send(request) {
        const { did } = request
        if (request.kind === 'redeem-invite') {
          await decide({
            kind: 'redeem-invite',
            did,
            code: request.code,
            maxMembers: seatsFor(did),
          })
          return
        }
        if (request.kind === 'member-seen') await join(did)
        return writer.send(request)
      },
    },
    operate,
  }
}

/** @returns undefined for what each node decides for itself */
function sharedAct(
  request: Exclude<OperatorRequest, { kind: 'import-follows' | 'import-state' }>,
): ClusterAct | undefined {
  if (!request.kind.includes('/')) return request as Exclude<typeof request, FeatureRequest>
  const token = request as TokenRequest
  return TOKENS.has(token.kind) ? token : undefined
}

/** The member whose membership and private state the request ends, if any. */
function endOf(request: OperatorRequest): string | undefined {
  if (request.kind === 'remove-member') return request.did
  return request.kind === 'moderate' && request.act === 'ban' ? request.subject : undefined
}

const asRefusal = engineRefusal(
  'Decisions for all nodes are impossible right now: too few of the servers that store them answer. Try again soon.',
)

/** Whether a decision was refused because the engine is away. */
export function isEngineAway(error: unknown): boolean {
  return error instanceof XRPCError && error.error === 'EngineUnavailable'
}

/** Before an account is turned away, takes in other nodes' decisions and checks again. */
function withNews(onViewer: OnViewer, cluster: SharedClusterState): OnViewer {
  return async (did, token, request) => {
    try {
      await onViewer(did, token, request)
    } catch (error) {
      if (!isAboutMembership(error)) throw error
      await cluster.refresh()
      await onViewer(did, token, request)
    }
  }
}

function isAboutMembership(error: unknown): boolean {
  return error instanceof XRPCError && ['NotAMember', 'AccountBanned'].includes(error.error)
}

/**
 * Shortly before nodes delete a deleted account's data (ingest/upkeep/removing.ts), while each
 * still knows of it.
 */
const FORGOTTEN_AFTER_MS = 7 * DAY_MS - 6 * HOUR_MS
const LOOKED_EVERY_MS = MINUTE_MS
const MAX_REMEMBERED = 10_000

function forgetDeleted({
  db,
  state,
  onError,
  now = Date.now,
  everyMs = LOOKED_EVERY_MS,
}: {
  db: Db
  state: Pick<SharedState, 'forget'>
  onError: (error: unknown) => void
  now?: () => number
  everyMs?: number
}): { close(): void } {
  const done = new LruMap<string, true>(MAX_REMEMBERED)
  let isRunning = false

  async function look(): Promise<void> {
    for (const { did } of membersDeletedBefore(db, (now() - FORGOTTEN_AFTER_MS) * 1_000)) {
      if (done.get(did)) continue
      await state.forget(did)
      done.set(did, true)
    }
  }

  const timer = setInterval(() => {
    if (isRunning) return
    isRunning = true
    void look()
      .catch(onError)
      .finally(() => {
        isRunning = false
      })
  }, everyMs)
  timer.unref()
  return { close: () => clearInterval(timer) }
}
