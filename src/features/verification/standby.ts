// The present numbers of a relay that is not read: each is the first event of a connection that is closed
// again at once.

import { defaultLimits, type Meter, openConnection, type StreamCursor } from '@slipstream/jetstream'
import type { Logger } from 'pino'
import { MINUTE_MS, SECOND_MS } from '../../base/util/durations.ts'
import { decodeFrame } from './firehose/frame.ts'

const EVERY_MS = 5 * MINUTE_MS
const FIRST_MS = 5 * SECOND_MS
const PATIENCE_MS = 10 * SECOND_MS
const MOST = 24

type StandbyOptions = {
  hosts: readonly string[]
  isNeeded: () => boolean
  meter: (host: string) => Meter
  now: () => number
  log: Pick<Logger, 'debug'>
}

export function createStandby({ hosts, isNeeded, meter, now, log }: StandbyOptions) {
  const marks: StreamCursor[] = []
  let timer: NodeJS.Timeout | undefined

  async function look(): Promise<void> {
    timer = setTimeout(() => void look(), EVERY_MS)
    if (!isNeeded()) return
    for (const host of hosts) {
      const seq = await presentOf(host, meter(host))
      if (seq === undefined) continue
      marks.push({ host, wire: 'repos', seq, timeUs: now() * 1000 })
      if (marks.length > MOST) marks.shift()
      return
    }
    log.debug({ hosts }, 'no relay answers')
  }

  return {
    start: () => {
      timer = setTimeout(() => void look(), FIRST_MS)
    },
    stop: () => clearTimeout(timer),
    marks: (): readonly StreamCursor[] => marks,
  }
}

/** The number of the host's next event; undefined if none comes in time. */
function presentOf(host: string, meter: Meter): Promise<number | undefined> {
  return new Promise((resolve) => {
    let seq: number | undefined
    const connection = openConnection({
      url: `${host}/xrpc/com.atproto.sync.subscribeRepos`,
      limits: defaultLimits,
      onSocket: meter.socket,
      onOpen: () => undefined,
      onFrame(data) {
        const frame = decodeFrame(data)
        if (typeof frame === 'string' || !('seq' in frame)) return
        seq ??= frame.seq
        connection.leave()
      },
    })
    const timer = setTimeout(() => connection.leave(), PATIENCE_MS)
    void connection.ended.then(() => {
      clearTimeout(timer)
      resolve(seq)
    })
  })
}
