// The packages of packages/ beside what else npm has for the same, in one run: frames of a shared dictionary decoded, and
// a Jetstream read from its socket to objects. For the graph, see beside.ts. Times are processor time of this process;
// the stream's host is another one.

import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createConsumer } from '@slipstream/jetstream'
import {
  createDecompressor,
  createTrustedDecoder,
  type Dictionary,
  readDictionary,
} from '@slipstream/zstd-dictionary'
import {
  compressFrame,
  fixtureDictionary,
  fixtureDictionaryPath,
} from '../test/support/jetstream-double/dictionaries.ts'
import { frameV2, type LoggedEmission } from '../test/support/jetstream-double/emission.ts'
import { createSyntheticEvents } from '../test/support/jetstream-double/synthetic-events.ts'
import { fromNpm } from './beside/from-npm.ts'
import { otherDecoders } from './beside/zstd.ts'
import type { BenchOptions, BenchResult } from './runner/result.ts'

const MAX_FRAME_BYTES = 4 << 20
const ROUNDS = 6
const CLIENTS = ['@skyware/jetstream@0.2.5', '@atcute/jetstream@2.0.0'] as const

export async function bench({ full }: BenchOptions): Promise<BenchResult[]> {
  const decoded = await decoders(full ? 50_000 : 10_000)
  const read = await clients(full ? 200_000 : 20_000)
  return [
    ...decoded.map(([name, value]) => ({
      name: `zstd.${name}.frames_per_s`,
      value,
      unit: 'frames/s',
    })),
    ...read.map(([name, value]) => ({
      name: `jetstream.${name}.events_per_s`,
      value,
      unit: 'events/s',
    })),
  ].map((item) => ({ ...item, name: `packages.${item.name}` }))
}

type Figure = [name: string, perSecond: number]

async function decoders(count: number): Promise<Figure[]> {
  const dictionary = readDictionary(fixtureDictionary('v2').bytes)
  const frames = framesOf(count, dictionary)
  const ours = await createDecompressor(dictionary, MAX_FRAME_BYTES)
  const wasm = await createTrustedDecoder(dictionary, MAX_FRAME_BYTES)
  const contestants = [
    { name: 'ours', decode: ours.decompress },
    { name: 'zstd_wasm', decode: wasm.decompress },
    ...(await otherDecoders(dictionary.bytes)),
  ]
  const best = new Map<string, number>()
  // In turns, so that none has a better minute of the machine.
  for (let round = 0; round < ROUNDS; round++)
    for (const { name, decode } of contestants) {
      const rate = perSecond(frames, decode)
      best.set(name, Math.max(best.get(name) ?? 0, rate))
    }
  ours.dispose()
  wasm.dispose()
  return [...best]
}

function framesOf(count: number, dictionary: Dictionary): Buffer[] {
  const events = createSyntheticEvents(7)
  return Array.from({ length: count }, (_, i) => {
    const event = { ...events.next(), seq: 4_000_000_000 + i } as LoggedEmission
    return compressFrame(dictionary, frameV2(event))
  })
}

function perSecond(frames: readonly Buffer[], decode: (frame: Buffer) => Uint8Array): number {
  const before = process.cpuUsage()
  for (const frame of frames) if (decode(frame).length === 0) throw new Error('an empty frame')
  return frames.length / secondsSince(before)
}

function secondsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}

/** Reads so many events from a host; ends once `on` was called for each. */
type Client = { name: string; read(url: string, on: () => void): () => unknown }

async function clients(count: number): Promise<Figure[]> {
  const host = spawn(
    process.execPath,
    [join(import.meta.dirname, 'beside/jetstream-host.ts'), String(count)],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const packages = fromNpm(...CLIENTS)
  if (!packages) console.error(`NOT MEASURED: ${CLIENTS.join(', ')}, which npm can’t bring`)
  try {
    const [port] = await new Promise<string[]>((resolve) =>
      createInterface({ input: host.stdout }).once('line', (line) => resolve([line])),
    )
    const url = `ws://127.0.0.1:${port}`
    const found = [
      ours('ours_compressed', true),
      ours('ours', false),
      ...(packages ? await others(packages) : []),
    ]
    const best = new Map<string, number>()
    for (let round = 0; round < ROUNDS; round++)
      for (const client of found) {
        const rate = await readAll(client, url, count)
        best.set(client.name, Math.max(best.get(client.name) ?? 0, rate))
      }
    return [...best]
  } finally {
    packages?.dispose()
    host.kill()
  }
}

/** From the first tenth of the events to the last: connecting and compiling is not part of it. */
async function readAll(client: Client, url: string, count: number): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  const from = count / 10
  let seen = 0
  let before = process.cpuUsage()
  const stop = client.read(url, () => {
    seen++
    if (seen === from) before = process.cpuUsage()
    if (seen === count) resolve((count - from) / secondsSince(before))
  })
  const rate = await promise
  await stop()
  return rate
}

function ours(name: string, compress: boolean): Client {
  return {
    name,
    read(url, on) {
      const cacheDir = mkdtempSync(join(tmpdir(), 'slipstream-beside-'))
      const consumer = createConsumer({
        hosts: [url],
        wire: 'v1',
        compress,
        v1Dictionary: fixtureDictionaryPath('v1'),
        cacheDir,
        filters: { collections: [], dids: undefined },
        cursors: [],
        apply: async ({ events }) => {
          for (let i = 0; i < events.length; i++) on()
        },
        log: { info() {}, warn() {}, error: console.error },
      })
      consumer.start()
      return async () => {
        await consumer.stop()
        rmSync(cacheDir, { recursive: true })
      }
    },
  }
}

type Skyware = new (
  options: object,
) => { on(kind: string, hear: () => void): void; start(): void; close(): void }
type Atcute = new (options: object) => AsyncIterable<object>

async function others(packages: NonNullable<ReturnType<typeof fromNpm>>): Promise<Client[]> {
  const { Jetstream } = (await packages.import('@skyware/jetstream')) as { Jetstream: Skyware }
  const { JetstreamSubscription } = (await packages.import('@atcute/jetstream')) as {
    JetstreamSubscription: Atcute
  }
  return [
    {
      name: 'skyware',
      read(url, on) {
        const jetstream = new Jetstream({ endpoint: `${url}/subscribe` })
        for (const kind of ['commit', 'account', 'identity']) jetstream.on(kind, on)
        jetstream.start()
        return () => jetstream.close()
      },
    },
    atcute('atcute', true),
    atcute('atcute_unchecked', false),
  ]

  function atcute(name: string, validateEvents: boolean): Client {
    return {
      name,
      read(url, on) {
        let isOver = false
        const run = async () => {
          for await (const _ of new JetstreamSubscription({ url, validateEvents, cursor: 0 })) {
            on()
            if (isOver) return
          }
        }
        void run()
        return () => {
          isOver = true
        }
      },
    }
  }
}
