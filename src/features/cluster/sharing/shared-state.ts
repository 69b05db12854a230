// Members' private state when several nodes share it (docs/CLUSTER.md). The engine is authoritative, rows
// follow: a member's change is first committed to a quorum of the engine, then to rows; before a member's
// request is answered, rows take in what other nodes wrote. While the engine is away or slow, reads continue
// from rows and changes are refused, since they could not be guaranteed.

import type { Logger } from '../../../base/obs/log.ts'
import { batchesOf } from '../../../base/util/batches.ts'
import { createWakeWatch } from '../../../base/util/wake-watch.ts'
import type { Writer } from '../../../bridge/messages.ts'
import type { Db } from '../../../data/store/db.ts'
import { uidOfDid } from '../../../data/store/records/actors.ts'
import { readState } from '../../../ingest/indexing/member-state/read-state.ts'
import { EngineUnavailableError } from '../engine/connect.ts'
import { MAX_CHANGES_AT_ONCE, type PrivateChanges } from '../engine/private-changes.ts'
import type { SharedStateRequest } from '../requests.ts'
import { changesOf, changesOfState, isShared, type SharedAct } from '../state/changes.ts'
import { sharedVersion } from '../store/shared-state.ts'
import { createEngineWaits, engineRefusal } from './engine-waits.ts'

export type SharedState = {
  /** Sends private requests through the engine, all others unchanged. */
  writer: Writer
  /**
   * Call before a member's request is answered. Never rejects, and takes at most a fifth of a
   * second.
   * @returns whether the engine answered in time
   */
  upToDate(did: string): Promise<boolean>
  /**
   * Deletes the member's state.
   * @throws EngineUnavailableError
   */
  forget(did: string): Promise<void>
  /**
   * Adds an imported document's contents, already in this node's rows, on all nodes.
   * @throws EngineUnavailableError
   */
  shareOwn(did: string): Promise<void>
  /** How often a request was answered from this node's own data. */
  fallbacks(): number
  close(): void
}

/** The engine as currently reached. */
export type PrivateClusterState = { id: string; changes: PrivateChanges }

type Dependencies = {
  /** @throws EngineUnavailableError */
  cluster: () => Promise<PrivateClusterState>
  db: Db
  writer: Writer
  log: Pick<Logger, 'warn' | 'error'>
  now?: () => number
  /** How long a request waits. */
  waitedForMs?: number
}

/**
 * After such a pause the client has switched to another node, and what it did there must not be
 * undone from here.
 */
const STOPPED_MS = 2_000

export function createSharedState(parts: Dependencies): SharedState {
  const { cluster, writer, now = Date.now } = parts
  const waits = createEngineWaits({
    ...parts,
    away: 'the engine is unreachable: this node’s private state is read, not changed',
    failed: 'a member’s private state could not be read from the engine',
  })
  const { fellBehind } = waits
  const moving = new Map<string, Promise<void>>()
  const wakes = createWakeWatch(STOPPED_MS)

  /** Once at a time per member, since it may be much data. */
  function move(found: PrivateClusterState, did: string): Promise<void> {
    const running = moving.get(did)
    if (running) return running
    const started = addOwn(parts, found, did).finally(() => moving.delete(did))
    moving.set(did, started)
    return started
  }

  async function bring(did: string): Promise<void> {
    const found = await cluster()
    if (knownVersion(parts.db, did, found.id) === undefined) await move(found, did)
    await bringNews(parts, found, did)
  }

  async function share(did: string, act: SharedAct): Promise<void> {
    if (wakes.justWoke()) throw new EngineUnavailableError('this node was stopped for a while')
    const found = await cluster()
    if (knownVersion(parts.db, did, found.id) === undefined) await move(found, did)
    for (const some of batchesOf(changesOf(act, now()), MAX_CHANGES_AT_ONCE))
      await found.changes.append(did, some)
  }

  return {
    writer: {
      async send(request) {
        if (!isShared(request)) return writer.send(request)
        const { did, ...act } = request
        await share(did, act).catch((error) => {
          fellBehind(error)
          return asRefusal(error)
        })
        // It is committed; if this node misses it now, the member's next request brings it.
        await bring(did).catch(fellBehind)
      },
    },
    upToDate: (did) => waits.inTime(() => bring(did)),
    forget: async (did) => (await cluster()).changes.forget(did),
    async shareOwn(did) {
      const { changes } = await cluster()
      const own = changesOfState(readState(parts.db, did))
      for (const some of batchesOf(own, MAX_CHANGES_AT_ONCE)) await changes.append(did, some)
      await bring(did)
    },
    fallbacks: waits.fallbacks,
    close: wakes.close,
  }
}

/** Brings rows up to date with the engine, after sending it what this node had before sharing. */
export async function bringState(
  parts: Pick<Dependencies, 'db' | 'writer'>,
  found: PrivateClusterState,
  did: string,
): Promise<void> {
  if (knownVersion(parts.db, did, found.id) === undefined) await addOwn(parts, found, did)
  await bringNews(parts, found, did)
}

async function bringNews(
  { db, writer }: Pick<Dependencies, 'db' | 'writer'>,
  { id, changes }: PrivateClusterState,
  did: string,
): Promise<void> {
  const known = knownVersion(db, did, id)
  const version = await changes.version(did)
  if (version === known) return
  // An engine restored from a backup has fewer changes than this node.
  const after = known === undefined || version < known ? 0 : known
  const news = await changes.since(did, after)
  const to = Math.max(version, news.at(-1)?.number ?? 0)
  const body: SharedStateRequest = { place: id, from: known, to, changes: news }
  await writer.send({ kind: 'cluster/state', did, body })
}

function knownVersion(db: Db, did: string, clusterId: string): number | undefined {
  const uid = uidOfDid(db, did)
  return uid === undefined ? undefined : sharedVersion(db, uid, clusterId)
}

/** Sends what this node had before sharing to the engine, except keys that exist there. */
async function addOwn(
  { db }: Pick<Dependencies, 'db'>,
  { changes }: PrivateClusterState,
  did: string,
): Promise<void> {
  if (uidOfDid(db, did) === undefined) return
  const own = changesOfState(readState(db, did))
  if (own.length === 0) return
  const there = new Set((await changes.since(did, 0)).map(({ key }) => key))
  const missing = own.filter(({ key }) => !there.has(key))
  for (const some of batchesOf(missing, MAX_CHANGES_AT_ONCE)) {
    await changes.append(did, some)
  }
}

const asRefusal = engineRefusal(
  'Your data here can’t be changed right now: too few of the servers that store it answer. Try again soon.',
)
