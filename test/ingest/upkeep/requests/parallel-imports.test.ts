// Three operators' lists imported at once into a server that reads the stream: enough to fill the database's
// log while it is being copied, so that the imports and the stream all wait for the same copy.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ImportReport } from '../../../../src/ingest/indexing/imports/import-tally.ts'
import { cliJson } from '../../../support/cli.ts'
import { until } from '../../../support/eventually.ts'
import {
  createJetstreamDouble,
  type JetstreamDouble,
} from '../../../support/jetstream-double/double.ts'
import { createRandom } from '../../../support/random.ts'
import { didOf, tidAt } from '../../../support/records.ts'
import {
  freshDataDir,
  type SlipstreamProcess,
  startSlipstream,
} from '../../../support/slipstream-process.ts'

const TOKEN = 'a token for tests only'.replaceAll(' ', '-')
const FOLLOW = 'app.bsky.graph.follow'
const LINES = 20_000
const STREAMED = 400

const random = createRandom(136)
const accounts = Array.from({ length: 60_000 }, (_, i) => didOf(`account-${i}`))

let stream: JetstreamDouble
let env: Record<string, string>
let server: SlipstreamProcess

beforeAll(async () => {
  stream = await createJetstreamDouble()
  env = {
    DATA_DIR: freshDataDir(),
    JETSTREAM_HOSTS: stream.url,
    INDEX_SCOPE: 'network',
    OPERATOR_TOKEN: TOKEN,
  }
  server = startSlipstream(env)
  await server.port()
})

afterAll(async () => {
  await server.stop('SIGKILL')
  await stream.close()
})

/** Writes a list in which hardly two lines change the same page, and no two name the same pair. */
function writeList(list: number): string {
  const path = join(env['DATA_DIR']!, `list-${list}.csv`)
  const lines = Array.from({ length: LINES }, (_, i) => {
    const creator = random.below(accounts.length)
    const subject = (creator + 1 + list * LINES + i) % accounts.length
    return `${accounts[creator]},${accounts[subject]},${tidAt(1.7e15 + i)}`
  })
  writeFileSync(path, lines.join('\n'))
  return path
}

async function countFollows(): Promise<number> {
  const url = `http://127.0.0.1:${await server.port()}/operator/status`
  const answer = await fetch(url, { headers: { authorization: `Bearer ${TOKEN}` } })
  return ((await answer.json()) as { facts: { follows: number } }).facts.follows
}

/**
 * Emits new follows on the stream, a few at a time, until aborted.
 * @returns the number of follows emitted
 */
async function startStreaming(signal: AbortSignal): Promise<number> {
  let count = 0
  for (; count < STREAMED || !signal.aborted; count++) {
    const record = {
      $type: FOLLOW,
      subject: didOf('everyone'),
      createdAt: new Date().toISOString(),
    }
    const did = didOf(`fan-${count}`)
    const rkey = tidAt(1.75e15 + count)
    stream.emit({ did, collection: FOLLOW, operation: 'create', rkey, record })
    if (count % 10 === 0) await setTimeout(20)
  }
  return count
}

it('all imports finish, and the stream goes on', async () => {
  const lists = [0, 1, 2].map(writeList)
  const ended = new AbortController()
  const streaming = startStreaming(ended.signal)
  const reports = await Promise.all(
    lists.map((path) => cliJson<ImportReport>(env, ['import-follows', path])),
  )
  ended.abort()
  const streamed = await streaming
  for (const { lines, tally } of reports) {
    expect([lines, tally.added + tally.known]).toEqual([LINES, LINES])
  }
  const imported = reports.reduce((sum, { tally }) => sum + tally.added, 0)
  await until(async () => (await countFollows()) >= imported + streamed)
  expect(await countFollows()).toBe(imported + streamed)
})
