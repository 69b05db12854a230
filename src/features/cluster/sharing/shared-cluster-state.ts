// State that several nodes share: members, invites, tokens and the operator's decisions (docs/CLUSTER.md).
// The engine is authoritative, rows follow: a decision on any node is first committed to a quorum of the
// engine, on top of all earlier ones, and then to rows. Each second, rows take in other nodes' decisions. So
// requests wait for the engine only if they change something or would otherwise be turned away.

import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from '../../../base/obs/log.ts'
import { batchesOf } from '../../../base/util/batches.ts'
import { createLimiter } from '../../../base/util/limiter.ts'
import type { Writer } from '../../../bridge/messages.ts'
import type { Db } from '../../../data/store/db.ts'
import { atOneMoment } from '../../../data/store/transact.ts'
import { type DocChange, docKey } from '../cluster-state/cluster-doc.ts'
import { ownClusterState } from '../cluster-state/own-cluster-state.ts'
import { type ClusterAct, planAct } from '../cluster-state/plan.ts'
import {
  type ClusterChanges,
  type ClusterSlice,
  MAX_CLUSTER_CHANGES_AT_ONCE,
  type NewClusterChange,
  type NumberedClusterChange,
} from '../engine/cluster-changes.ts'
import { EngineUnavailableError } from '../engine/connect.ts'
import type { ClusterStateRequest } from '../requests.ts'
import {
  allSharedKeys,
  clusterVersion,
  countStanding,
  findSharedKey,
  goneKeys,
  knownCluster,
  stands,
} from '../store/shared-cluster.ts'
import { createEngineWaits } from './engine-waits.ts'

export type SharedClusterState = {
  /**
   * Applies an action on all nodes.
   * @returns figures
   * @throws the reason why it cannot be done, or EngineUnavailableError: then it may or may not
   * have been done
   */
  decide(act: ClusterAct): Promise<Record<string, number>>
  /**
   * Takes in other nodes' decisions, once for all concurrent callers. Never rejects.
   * @returns whether that succeeded
   */
  refresh(): Promise<boolean>
  /** Whether an account is a member on all nodes. */
  hasMember(did: string): boolean
  countMembers(): number
  /** The shared cluster's identity; undefined if it was never known here. */
  id(): string | undefined
  close(): void
}

type ClusterState = { id: string; decisions: ClusterChanges }

type Dependencies = {
  /** @throws EngineUnavailableError */
  cluster: () => Promise<ClusterState>
  db: Db
  writer: Writer
  log: Pick<Logger, 'warn' | 'error' | 'info'>
  /** Whether it takes in other nodes' decisions periodically. */
  isFollowing: boolean
  now?: () => number
  waitedForMs?: number
}

const FOLLOWED_EVERY_MS = 1_000
const MAX_ATTEMPTS = 20
const MAX_FAILURES = 3
const LONGEST_PAUSE_MS = 100
/** Per message to the writer, whose commit delays the stream. */
const MAX_APPLIED_AT_ONCE = 500
/**
 * Deletions are remembered for nodes that were away. Surplus ones are pruned every TIDIED_EVERY
 * changes.
 */
const GONE_RETAINED = 10_000
const TIDIED_EVERY = 100

export function createSharedClusterState(parts: Dependencies): SharedClusterState {
  const { db, isFollowing } = parts
  const waits = createEngineWaits({
    ...parts,
    away: 'the engine is unreachable: other nodes’ decisions are unknown, and this node can make none',
    failed: 'could not read the nodes’ shared data from the engine',
  })
  const turns = createLimiter({ maxRunning: 1 })
  const bringing = oneAtATime(async () => bringClusterState(parts, await parts.cluster()))
  const timer = isFollowing
    ? setInterval(() => {
        if (!waits.isAway()) void bringing().catch(waits.fellBehind)
      }, FOLLOWED_EVERY_MS).unref()
    : undefined

  return {
    async decide(act) {
      try {
        return await turns.run(() => decideInTurn(parts, act, bringing))
      } catch (error) {
        if (error instanceof EngineUnavailableError) waits.fellBehind(error)
        throw error
      }
    },
    refresh: () => waits.inTime(bringing),
    hasMember: (did) => stands(db, docKey('member', did)),
    countMembers: () => countStanding(db, docKey('member', '')),
    id: () => knownCluster(db),
    close: () => clearInterval(timer),
  }
}

/** A caller during a run waits for it, and then for a run that starts after the call. */
function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined
  function begin(): Promise<void> {
    const started: Promise<void> = work().finally(() => {
      if (running === started) running = undefined
    })
    running = started
    return started
  }
  return () => {
    if (!running) return begin()
    next ??= running
      .catch(() => undefined)
      .then(() => {
        next = undefined
        return begin()
      })
    return next
  }
}

async function decideInTurn(
  parts: Dependencies,
  act: ClusterAct,
  bringing: () => Promise<void>,
): Promise<Record<string, number>> {
  const { db, now = Date.now } = parts
  const { id, decisions } = await parts.cluster()
  let attempted: Record<string, number> | undefined
  for (let attempt = 1, failures = 0; attempt <= MAX_ATTEMPTS; attempt++) {
    await bringing()
    const { version, changes, figures } = atOneMoment(db, () => {
      const plan = planAct({ db, now: now() }, act)
      return { ...plan, version: clusterVersion(db, id)!, changes: withReplaced(db, plan.changes) }
    })()
    // An earlier attempt may have succeeded without an answer.
    if (changes.length === 0) return attempted ?? figures
    try {
      if (await decisions.put(version, changes)) {
        const isDue = roundsOf(version + changes.length) > roundsOf(version)
        if (isDue) await tidy(parts, decisions, version + changes.length)
        await bringing()
        return figures
      }
    } catch (error) {
      if (!(error instanceof EngineUnavailableError) || ++failures === MAX_FAILURES) throw error
      attempted = figures
    }
    await pause(Math.random() * LONGEST_PAUSE_MS)
  }
  throw new EngineUnavailableError('other nodes keep making decisions')
}

function withReplaced(db: Db, changes: readonly DocChange[]): NewClusterChange[] {
  return changes.map((change) => ({ ...change, replaces: findSharedKey(db, change.key)?.number }))
}

/** Brings rows up to date with the engine, after sending it what this node had before sharing. */
export async function bringClusterState(
  parts: Pick<Dependencies, 'db' | 'writer' | 'log'>,
  found: ClusterState,
): Promise<void> {
  const { db, writer } = parts
  const { id: clusterId, decisions } = found
  const known = clusterVersion(db, clusterId)
  if (known === undefined) await addOwn(parts, found)
  if (known !== undefined && (await decisions.version()) === known) return
  const slice = await decisions.since(known ?? 0)
  let from = known ?? 0
  const send = async (changes: readonly NumberedClusterChange[], to: number, goneUntil = 0) => {
    const body: ClusterStateRequest = {
      place: clusterId,
      from,
      to,
      goneUntil,
      changes: [...changes],
    }
    await writer.send({ kind: 'cluster/place', did: '', body })
    from = to
  }
  if (slice.isComplete) await send(missingIn(db, slice), from)
  for (const some of batchesOf(slice.changes, MAX_APPLIED_AT_ONCE)) {
    await send(some, some.at(-1)!.number)
  }
  await send([], slice.version, slice.goneUntil)
}

/**
 * Keys that are gone without any record of their deletion. They have no number, since no change of
 * the cluster holds them.
 */
function missingIn(db: Db, { changes }: ClusterSlice): ClusterSlice['changes'] {
  const standing = new Set(changes.map(({ key }) => key))
  const change = JSON.stringify({ at: 0, by: '', reason: '' })
  return allSharedKeys(db)
    .filter(({ key, is_gone }) => is_gone === 0 && !standing.has(key))
    .map(({ key }) => ({ key, change, isGone: true, number: 0 }))
}

/** Sends what this node had before sharing to the engine, except keys that exist there. */
async function addOwn(
  { db, log }: Pick<Dependencies, 'db' | 'log'>,
  { decisions }: ClusterState,
): Promise<void> {
  const own = ownClusterState(db)
  await addMissing(decisions, own)
  if (own.length > 0)
    log.info({ found: own.length }, 'this node’s data of the cluster is now shared')
}

/** Puts documents whose keys the engine does not have. */
export async function addMissing(
  decisions: ClusterChanges,
  all: readonly DocChange[],
): Promise<void> {
  let left = all.length
  while (left > 0) {
    const { version, changes } = await decisions.since(0)
    const there = new Set(changes.map(({ key }) => key))
    const missing = all.filter(({ key }) => !there.has(key))
    left = missing.length
    await addSome(decisions, version, missing)
  }
}

/** Stops if another node commits first. */
async function addSome(
  decisions: ClusterChanges,
  from: number,
  missing: readonly DocChange[],
): Promise<void> {
  let version = from
  for (const some of batchesOf(missing, MAX_CLUSTER_CHANGES_AT_ONCE)) {
    const changes = some.map((docChange) => ({ ...docChange, replaces: undefined }))
    if (!(await decisions.put(version, changes))) return
    version += changes.length
  }
}

const roundsOf = (version: number) => Math.floor(version / TIDIED_EVERY)

/** Prunes surplus deletions periodically, so that they do not accumulate. */
async function tidy(
  { db, log }: Dependencies,
  decisions: ClusterChanges,
  version: number,
): Promise<void> {
  const gone = goneKeys(db)
  const surplus = gone.slice(0, gone.length - GONE_RETAINED).map(({ number }) => number)
  for (const some of batchesOf(surplus, MAX_CLUSTER_CHANGES_AT_ONCE)) {
    const isDone = await decisions.prune(version, some).catch((error: Error) => {
      log.warn({ reason: error.message }, 'could not delete removed data from the engine')
      return false
    })
    if (!isDone) return
  }
}
