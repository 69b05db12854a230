// Checks what a Jetstream host says of members and those they follow, at a bounded pace: each write by a proof
// of its record, and in turn whether an account has written something that the host keeps back. What does not
// fit is counted by host and reason, and the account is compared with its own server, which corrects it.

import { revTimeMs } from '../../base/atproto/tid.ts'
import { SECOND_MS } from '../../base/util/durations.ts'
import { LruMap } from '../../base/util/lru.ts'
import { findActor } from '../../data/store/records/actors.ts'
import type { Core } from '../../ingest/core.ts'
import { missOfAccount } from '../../ingest/indexing/account-gaps.ts'
import type { Candidates } from './candidates.ts'
import type { Heard, HeardCommit } from './heard.ts'
import { hasWrittenSince, latestRev, type ProofContext, proveRecord } from './proof.ts'
import { undoForged } from './undo-forged.ts'

type AuditOptions = ProofContext & {
  core: Pick<Core, 'actors' | 'counts' | 'db' | 'log' | 'now' | 'diskSpace' | 'wakeJobs' | 'writer'>
  heard: Heard
  candidates: Candidates
  /** Requests to accounts’ servers. */
  perMinute: number
  /** Times of the checks, which tests shorten. */
  waits?: Partial<typeof WAITS>
}

/** Not one account’s fault: what its signature shows the host to have made up or kept back. */
type Reason = 'forged' | 'kept-back'

const WAITS = {
  /** Between looks; the budget of the time since is then spent. */
  tickMs: SECOND_MS,
  /** A write is proved once its server surely has it. */
  settleMs: 2 * SECOND_MS,
  /** What an account wrote this long ago has arrived. */
  graceMs: 20 * SECOND_MS,
  /** Before an account that was asked is asked again. */
  againMs: 20 * SECOND_MS,
}
const MAX_REQUESTED = 20_000
const MAX_RUNNING = 16

export function createAudit(options: AuditOptions): { stop(): void } {
  const { core, heard, candidates, perMinute } = options
  const { counts, now } = core
  const waits = { ...WAITS, ...options.waits }
  const requested = new LruMap<string, number>(MAX_REQUESTED)
  let budget = 0
  let running = 0

  function tick(): void {
    budget = Math.min(budget + (perMinute * waits.tickMs) / 60_000, Math.max(1, perMinute / 6))
    while (budget >= 1 && running < MAX_RUNNING && (proveNext() || askNext())) budget--
    // Accounts are asked in turn with proofs, however much is written.
    if (budget >= 1 && running < MAX_RUNNING && askNext()) budget--
  }

  function run(work: Promise<void>): true {
    running++
    void work.finally(() => {
      running--
    })
    return true
  }

  function proveNext(): boolean {
    const commit = isAskersTurn() ? undefined : heard.takeOne(now() - waits.settleMs)
    return commit !== undefined && run(prove(commit))
  }

  let turns = 0
  /** Every third request. */
  function isAskersTurn(): boolean {
    turns = (turns + 1) % 3
    return turns === 0 && candidates.pick(isDue) !== undefined
  }

  function isDue(did: string): boolean {
    return now() - (requested.get(did) ?? 0) >= waits.againMs
  }

  function askNext(): boolean {
    const did = candidates.pick(isDue)
    if (did === undefined) return false
    requested.set(did, now())
    return run(ask(did))
  }

  async function prove(commit: HeardCommit): Promise<void> {
    const proof = await proveRecord(options, commit)
    if (!proof) return counts.add('verification', 'unproved')
    const last = heard.latest(commit.did, `${commit.collection}/${commit.rkey}`) ?? commit
    // A later write of the same key is proved by itself.
    if (proof.cid === commit.cid || last.rev !== commit.rev)
      return counts.add('verification', 'proved')
    // The server may be ahead: then its newer write of the key will be heard, or was kept back.
    const by = commit.overtakenBy ?? proof.rev
    if (by > commit.rev && isFresh(by)) {
      heard.again({ ...commit, overtakenBy: by }, timeOf(by) + waits.graceMs)
      return counts.add('verification', 'overtaken')
    }
    const undo = () => core.writer.commit((ctx) => undoForged(ctx, commit, proof.rev))
    if (commit.cid !== undefined) core.diskSpace.ifThereIsSpace(undo)
    if (by > commit.rev) return fail(commit.host, commit.did, 'kept-back')
    heard.correct(commit.did, proof.rev)
    fail(commit.host, commit.did, 'forged')
  }

  function isFresh(rev: string): boolean {
    return heard.reachedMs() - timeOf(rev) < waits.graceMs
  }

  function timeOf(rev: string): number {
    return revTimeMs(rev, now()) ?? 0
  }

  /** Whether the account’s server has something from before the grace that was not heard of. */
  async function ask(did: string): Promise<void> {
    const host = heard.host()
    const latest = await latestRev(options, did)
    if (latest === undefined) return counts.add('verification', 'unproved')
    const known = knownRev(did)
    // A revision that its server does not have would hide what is kept back; of what was never heard of, the first
    // answer is what later ones are compared with.
    if (known === undefined || latest < known) heard.correct(did, latest)
    if (known === undefined || latest <= known) return counts.add('verification', 'complete')
    if (isFresh(latest)) return counts.add('verification', 'overtaken')
    const isMissing = await hasWrittenSince(options, did, known)
    if (!isMissing || (knownRev(did) ?? '') >= latest) return counts.add('verification', 'complete')
    heard.correct(did, latest)
    fail(host, did, 'kept-back')
  }

  function knownRev(did: string): string | undefined {
    return heard.revOf(did) ?? findActor(core.db, core.actors.uidOf(did))?.rev ?? undefined
  }

  function fail(host: string, did: string, reason: Reason): void {
    counts.add('unverified', `${host} ${reason}`)
    core.log.warn({ host, did, reason }, 'a Jetstream host does not say what the account signed')
    const nowUs = now() * 1000
    const uid = core.actors.uidOf(did)
    const gap = { uid, cause: 'broken-event', fromUs: nowUs, toUs: nowUs } as const
    if (uid === 0) return
    core.diskSpace.ifThereIsSpace(() => core.writer.commit((ctx) => missOfAccount(ctx, gap)))
    core.wakeJobs()
  }

  const timer = setInterval(tick, waits.tickMs)
  return { stop: () => clearInterval(timer) }
}
