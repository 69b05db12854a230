// Reads relays: all of them always, or one as the reserve of all Jetstream hosts. A relay numbers its events itself, so a
// reserve that begins with the present would miss what came while Jetstream was already silent: every few
// minutes the relay is asked for its present number (standby.ts), and the reserve begins behind the last one
// from before the silence. What both bring is written once, whichever is first.

import type { StreamBatch, StreamCursor } from '@slipstream/jetstream'
import type { Config } from '../../base/config/config.ts'
import { MINUTE_MS, SECOND_MS } from '../../base/util/durations.ts'
import { firehoseCursors } from '../../data/store/stream/stream-cursors.ts'
import { AUTHORS_ONLY } from '../../data/store/stream/stream-levels.ts'
import type { Core } from '../../ingest/core.ts'
import type { Confirm } from './account-status.ts'
import type { Firehose } from './firehose/consumer.ts'
import { createJudge } from './firehose/judge.ts'
import type { AccountKeys } from './firehose/keys.ts'
import { meterOf, openEach, openFirehose } from './open-firehose.ts'
import { createStandby } from './standby.ts'

type Relays = {
  /** Jetstream brought something. */
  noteJetstream(batch: StreamBatch): void
  stop(): Promise<void>
}

const SILENT_MS = MINUTE_MS
/** Where only some accounts are subscribed, silence is nothing unusual. */
const SILENT_IF_FILTERED_MS = 10 * MINUTE_MS
const LOOK_MS = SECOND_MS
/** Jetstream is back once it brings events that are no older. */
const CAUGHT_UP_MS = 10 * SECOND_MS
/** Numbers from before the last event, by clocks that may differ. */
const CLOCKS_MS = 10 * SECOND_MS

type RelayOptions = {
  hosts: readonly string[]
  use: 'reserve' | 'always'
  keys: AccountKeys
  /** Accounts whose commits are verified. */
  isOurs: (did: string) => boolean
  confirm: Confirm
}

export function createRelays(config: Config, core: Core, options: RelayOptions): Relays {
  const { hosts, isOurs, keys, use, confirm } = options
  if (hosts.length === 0) return { noteJetstream: () => undefined, stop: async () => undefined }
  if (use === 'reserve') return createReserve(config, core, options)
  const judge = createJudge({ keys, verifies: isOurs, takesLate: hosts.length > 1, confirm })
  const all = openEach(core, { hosts, judge, cursors: firehoseCursors(core.db) })
  for (const firehose of all) firehose.start()
  return {
    noteJetstream: () => undefined,
    stop: async () => void (await Promise.all(all.map((firehose) => firehose.stop()))),
  }
}

function createReserve({ indexScope }: Config, core: Core, options: RelayOptions): Relays {
  const { hosts, keys, isOurs, confirm } = options
  const { db, log, now } = core
  const isFiltered = () => indexScope === 'authors' || core.streamLevel === AUTHORS_ONLY
  let heardAt = now()
  let lastEventMs = 0
  let firehose: Firehose | undefined
  let stopping: Promise<void> | undefined
  const isNeeded = () => !firehose
  const standby = createStandby({ hosts, isNeeded, meter: meterOf(core), now, log })

  /** The last number of each host from before Jetstream fell silent. */
  function cursors(): StreamCursor[] {
    const before = lastEventMs === 0 ? Number.POSITIVE_INFINITY : (lastEventMs - CLOCKS_MS) * 1000
    return [...firehoseCursors(db), ...standby.marks()]
      .filter(({ timeUs }) => timeUs <= before)
      .sort((a, b) => a.timeUs - b.timeUs)
  }

  function look(): void {
    if (stopping) return
    const silentMs = isFiltered() ? SILENT_IF_FILTERED_MS : SILENT_MS
    const isSilent = now() - heardAt >= silentMs
    if (isSilent && !firehose) {
      log.warn({ hosts, silentMs }, 'no Jetstream host brings anything: reading a relay')
      const judge = createJudge({ keys, verifies: isOurs, confirm })
      firehose = openFirehose(core, { hosts, judge, cursors: cursors() })
      firehose.start()
    }
    if (firehose && !isSilent && now() - lastEventMs < CAUGHT_UP_MS) void leave(firehose)
  }

  async function leave(left: Firehose): Promise<void> {
    log.info('Jetstream is back: the relay is left')
    stopping = left.stop()
    await stopping
    stopping = firehose = undefined
  }

  const timer = setInterval(look, LOOK_MS)
  standby.start()
  return {
    noteJetstream({ cursor }) {
      heardAt = now()
      lastEventMs = cursor.timeUs / 1000
    },
    async stop() {
      clearInterval(timer)
      standby.stop()
      await firehose?.stop()
    },
  }
}
