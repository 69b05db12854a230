// What Jetstream says of whether members and those they follow are there, which nobody signs: before it is written, each
// account's own server is asked, and its answer is written instead. Where it does not answer, an account is hidden as if it
// had left, which its next comparison ends if that is not so. The stream waits for the answers, so not all are asked:
// neither many in one batch, nor silent servers again and again.

import type { AccountEvent, StreamBatch, StreamItem } from '@slipstream/jetstream'
import { MINUTE_MS } from '../../base/util/durations.ts'
import { createGate, createThingGate } from '../../base/util/gate.ts'
import { actorStatus } from '../../data/store/records/actors.ts'
import type { Core } from '../../ingest/core.ts'
import type { Confirm } from './account-status.ts'

type Options = {
  core: Pick<Core, 'actors' | 'counts' | 'db' | 'log' | 'now'>
  isOurs: (did: string) => boolean
  confirm: Confirm
}

/** In one batch. */
const MOST_REQUESTED = 20
/** For all answers of a minute. */
const MOST_WAITED_MS = 5_000
const MAX_SILENT = 1_000

/** @returns a function that says what of a batch is written */
export function createAccountCheck({ core, isOurs, confirm }: Options) {
  const { actors, counts, db, log, now } = core

  const waits = createWaits(now)
  const isRequested = (item: StreamItem): item is AccountEvent =>
    item.kind === 'account' && isOurs(item.did)

  return function check(batch: StreamBatch): StreamBatch | Promise<StreamBatch> {
    return batch.events.some(isRequested) ? checked(batch) : batch
  }

  async function checked(batch: StreamBatch): Promise<StreamBatch> {
    const { host } = batch.cursor
    // Of several about one account, the last.
    const last = new Map(batch.events.filter(isRequested).map((event) => [event.did, event]))
    const requested = [...last.values()]
      .filter(({ did }) => waits.mayAsk(did))
      .slice(0, MOST_REQUESTED)
    const answers = await waits.timed(requested, (event) => answerTo(event, host))
    const gaps = [...batch.gaps]
    const events = batch.events.flatMap((item): StreamItem[] => {
      if (!isRequested(item)) return [item]
      if (last.get(item.did) !== item) return []
      const timeUs = timeOf(item)
      const answer = answers.get(item.did)
      if (answer) return [{ ...answer, timeUs }]
      gaps.push({ host, fromUs: timeUs, toUs: timeUs, cause: 'broken-event', did: item.did })
      return [{ ...item, timeUs, ...(!item.active && { status: 'deactivated' as const }) }]
    })
    return { ...batch, events, gaps }
  }

  /** Undefined: its server does not answer. */
  async function answerTo(event: AccountEvent, host: string): Promise<AccountEvent | undefined> {
    const { events, isIncomplete } = await confirm({ ...event, seq: event.seq ?? 0 })
    const [answer] = events
    if (isIncomplete || answer?.kind !== 'account') return undefined
    const isLie = !event.active && answer.active
    if (isLie && now() - event.timeUs / 1000 < MINUTE_MS) {
      counts.add('unverified', `${host} not-away`)
      log.warn(
        { host, did: event.did, status: event.status },
        'an account that is said to be away is there',
      )
    }
    return { ...answer, seq: event.seq }
  }

  /** The answer is of now, so it is neither late nor of a time to come. */
  function timeOf({ did, timeUs }: AccountEvent): number {
    const uid = actors.uidOf(did)
    const before = uid === 0 ? undefined : actorStatus(db, uid)
    return Math.max(before?.status_at ?? 0, Math.min(timeUs, now() * 1000))
  }
}

/** How long the stream may be kept waiting, by an account whose server is silent and by all. */
function createWaits(now: () => number) {
  const silent = createThingGate(MINUTE_MS, MAX_SILENT, now)
  const isNextMinute = createGate(MINUTE_MS, now)
  let waitedMs = 0

  return {
    mayAsk(did: string): boolean {
      if (isNextMinute()) waitedMs = 0
      return waitedMs < MOST_WAITED_MS && !silent.wasRequested(did)
    },
    async timed(
      requested: readonly AccountEvent[],
      ask: (event: AccountEvent) => Promise<AccountEvent | undefined>,
    ): Promise<Map<string, AccountEvent | undefined>> {
      const beganMs = now()
      const answers = await Promise.all(requested.map(ask))
      waitedMs += now() - beganMs
      for (const [i, { did }] of requested.entries()) if (!answers[i]) silent.mayAsk(did)
      return new Map(requested.map(({ did }, i) => [did, answers[i]]))
    },
  }
}
