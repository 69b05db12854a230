// A whole process that was away for longer than its host's window: it reports the gap and closes it by itself
// from the other configured host.

import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { openReader } from '../../../../src/data/store/db.ts'
import { listGaps } from '../../../../src/data/store/stream/gaps.ts'
import {
  createJetstreamDouble,
  type JetstreamDouble,
} from '../../../support/jetstream-double/double.ts'
import { cidOf, didOf, tidAt } from '../../../support/jetstream-double/made-up-ids.ts'
import { MAX_WAIT_MS } from '../../../support/patience.ts'
import {
  freshDataDir,
  type SlipstreamProcess,
  startSlipstream,
} from '../../../support/slipstream-process.ts'

const dataDir = freshDataDir()
const doubles: JetstreamDouble[] = []
let slipstream: SlipstreamProcess | undefined

afterEach(async () => {
  await slipstream?.stop('SIGKILL')
  for (const double of doubles.splice(0)) await double.close()
  rmSync(dataDir, { recursive: true, force: true })
})

type Ingest = { openGaps: number; gaps: Record<string, number>; stream: { received: number } }

function start(): SlipstreamProcess {
  return startSlipstream({
    DATA_DIR: dataDir,
    JETSTREAM_HOSTS: doubles.map(({ url }) => url).join(),
    JETSTREAM_COMPRESS: 'off',
    INDEX_SCOPE: 'network',
    ALLOW_PRIVATE_HOSTS: 'on',
    PLC_URL: 'http://127.0.0.1:9',
    HOSTNAME: 'appview.example.org',
  })
}

async function ingest(until: (ingest: Ingest) => boolean): Promise<Ingest> {
  const port = await slipstream!.port()
  for (const deadline = Date.now() + MAX_WAIT_MS; ; await sleep(100)) {
    const answer = await fetch(`http://127.0.0.1:${port}/xrpc/_health`)
    const { ingest: status } = (await answer.json()) as { ingest?: Ingest }
    if (status && until(status)) return status
    if (Date.now() > deadline) throw new Error(`${JSON.stringify(status)} ${slipstream!.output()}`)
  }
}

let keyUs = (Date.now() - 3_600_000) * 1000

function post(): void {
  const text = `number ${keyUs}`
  const record = { $type: 'app.bsky.feed.post', text, createdAt: new Date().toISOString() }
  const [rkey, timeUs] = [tidAt(keyUs), keyUs]
  keyUs += 15_000_000
  const key = { did: didOf(1), collection: record.$type, rkey, cid: cidOf(text) }
  for (const double of doubles) double.emit({ ...key, operation: 'create', record, timeUs })
}

test('a process closes its gaps by itself', async () => {
  doubles.push(await createJetstreamDouble(), await createJetstreamDouble({ firstSeq: 50_000 }))
  slipstream = start()
  await ingest(() => doubles[0]!.openConnections() === 1)
  for (let i = 0; i < 10; i++) post()
  await ingest(({ stream }) => stream.received === 10)
  await slipstream.stop()
  for (let i = 0; i < 30; i++) post()
  doubles[0]!.raiseFloor(31)
  slipstream = start()
  await ingest(({ stream }) => stream.received === 10)
  // The stream goes on, so that another host's replay can tell where the main stream is.
  let later = 0
  const status = await ingest(({ gaps }) => {
    if (gaps['closed'] === 1) return true
    later++
    post()
    return false
  })
  await ingest(({ stream }) => stream.received === 10 + later)
  expect(status).toMatchObject({ openGaps: 0, gaps: { open: 0, repairing: 0, closed: 1 } })
  const db = openReader(dataDir)
  expect(listGaps(db, { limit: 9 })).toMatchObject([
    { cause: 'cursor-too-old', how: `replayed from ${doubles[1]!.url}` },
  ])
  const present = 'SELECT count(*) FROM posts WHERE state = 1'
  expect(db.prepare<[], number>(present).pluck().get()).toBe(40 + later)
  db.close()
  expect(await slipstream.stop()).toBe(0)
})
