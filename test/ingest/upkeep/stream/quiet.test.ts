// Tells falling behind from a quiet stream: report by report, and on a running process whose stream falls
// silent.

import type { StreamStatus } from '@slipstream/jetstream'
import { afterEach, describe, expect, test } from 'vitest'
import { createQuietWatch } from '../../../../src/ingest/upkeep/stream/quiet.ts'
import { until } from '../../../support/eventually.ts'
import {
  createJetstreamDouble,
  type JetstreamDouble,
} from '../../../support/jetstream-double/double.ts'
import {
  freshDataDir,
  type SlipstreamProcess,
  startSlipstream,
} from '../../../support/slipstream-process.ts'

const START = 1_700_000_000_000

describe('second by second', () => {
  /** Reports on a stream whose last event happened at `eventMs`. */
  function reports() {
    let nowMs = START
    const watch = createQuietWatch(() => nowMs)
    return (seconds: number, eventMs: number, changes: Partial<StreamStatus>) => {
      nowMs = START + seconds * 1_000
      const { lagMs, quietMs } = watch({
        connected: true,
        paused: false,
        reconnects: 0,
        lagMs: nowMs - eventMs,
        ...changes,
      } as StreamStatus)
      return [lagMs, quietMs]
    }
  }

  test('without events the lag stays the same, and the silence grows', () => {
    const at = reports()
    expect(at(1, START + 800, { received: 5 })).toEqual([200, 0])
    expect(at(2, START + 800, { received: 5 })).toEqual([200, 1_000])
    expect(at(3_601, START + 800, { received: 5 })).toEqual([200, 3_600_000])
    expect(at(3_602, START + 3_601_900, { received: 6 })).toEqual([100, 0])
  })

  test('old events arriving steadily are a lag, which shrinks as they arrive', () => {
    const at = reports()
    expect(at(1, START - 60_000, { received: 5 })).toEqual([61_000, 0])
    expect(at(2, START - 30_000, { received: 9 })).toEqual([32_000, 0])
  })

  test('a stream that waits for the store falls behind every second', () => {
    const at = reports()
    at(1, START, { received: 5 })
    expect(at(2, START, { received: 5, paused: true })).toEqual([2_000, 0])
    expect(at(9, START, { received: 5, paused: true })).toEqual([9_000, 0])
  })

  test('so does a disconnected one; after reconnecting, its lag is unknown until an event arrives', () => {
    const at = reports()
    at(1, START, { received: 5 })
    expect(at(4, START, { received: 5, connected: false })).toEqual([4_000, undefined])
    expect(at(5, START, { received: 5, reconnects: 1 })).toEqual([undefined, 0])
    expect(at(7, START, { received: 5, reconnects: 1 })).toEqual([undefined, 2_000])
    expect(at(8, START + 4_000, { received: 6, reconnects: 1 })).toEqual([4_000, 0])
    expect(at(9, START + 4_000, { received: 6, reconnects: 2 })).toEqual([undefined, 0])
  })
})

test('without a connection, it counts since when', () => {
  let nowMs = START
  const watch = createQuietWatch(() => nowMs)
  const at = (seconds: number, connected: boolean) => {
    nowMs = START + seconds * 1_000
    return watch({ connected, paused: false, reconnects: 0, received: 0 } as StreamStatus).awayMs
  }
  expect(at(400, false)).toBe(400_000)
  expect(at(401, true)).toBeUndefined()
  expect(at(410, false)).toBe(9_000)
})

describe('a running process', () => {
  let double: JetstreamDouble | undefined
  let slipstream: SlipstreamProcess | undefined
  afterEach(async () => {
    await slipstream?.stop('SIGKILL')
    await double?.close()
  })

  test('reports no growing lag once its stream falls silent, but how long it has been quiet', async () => {
    double = await createJetstreamDouble()
    slipstream = startSlipstream({
      JETSTREAM_HOSTS: double.url,
      JETSTREAM_V1_DICTIONARY: double.v1DictionaryUrl,
      PLC_URL: 'http://127.0.0.1:9',
      ALLOW_PRIVATE_HOSTS: 'on',
      DATA_DIR: freshDataDir(),
    })
    const origin = `http://127.0.0.1:${await slipstream.port()}`
    const read = async (name: string) => {
      const text = await (await fetch(`${origin}/metrics`)).text()
      return Number(new RegExp(`^slipstream_stream_${name} (.+)$`, 'm').exec(text)?.[1] ?? NaN)
    }
    await slipstream.waitFor(/stream connected/)
    double.emit({ kind: 'identity', did: 'did:plc:somebodyssomebodyssomebod' })
    await until(async () => (await read('received_total')) === 1)
    await until(async () => (await read('quiet_seconds')) >= 3)
    const [lag, quiet] = [await read('lag_seconds'), await read('quiet_seconds')]
    expect(quiet - lag).toBeGreaterThan(1)
    const health = (await (await fetch(`${origin}/xrpc/_health`)).json()) as {
      ingest: { stream: { lagMs: number; quietMs: number } }
    }
    expect(health.ingest.stream.lagMs / 1_000).toBe(lag)
    expect(health.ingest.stream.quietMs).toBeGreaterThanOrEqual(3_000)
  })
})
