// Search in the process as an operator runs it: records from the stream are found without an explicit index
// update, disappear when deleted, and are found after a restart.

import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { until } from '../../support/eventually.ts'
import { createJetstreamDouble } from '../../support/jetstream-double/double.ts'
import { type PlcDouble, startPlcDouble } from '../../support/plc-double.ts'
import { cidOf, didOf, tidAt } from '../../support/records.ts'
import {
  freshDataDir,
  type SlipstreamProcess,
  startSlipstream,
} from '../../support/slipstream-process.ts'

let plc: PlcDouble
const started: SlipstreamProcess[] = []
const closing: (() => Promise<void>)[] = []

beforeAll(async () => {
  plc = await startPlcDouble()
})
afterAll(() => plc.close())
afterEach(async () => {
  await Promise.all(started.splice(0).map((server) => server.stop('SIGKILL')))
  await Promise.all(closing.splice(0).map((close) => close()))
})

const POST = 'app.bsky.feed.post'
const bob = didOf('bob')
const startAt = Date.now() * 1000

function creation(collection: string, rkey: string, fields: object) {
  const record = { $type: collection, createdAt: new Date().toISOString(), ...fields }
  const operation = 'create' as const
  return { did: bob, operation, collection, rkey, cid: cidOf(record), record }
}

/** The names of a process's threads. */
function threadsOf(pid: number): string[] {
  const folder = `/proc/${pid}/task`
  return readdirSync(folder).map((id) => readFileSync(`${folder}/${id}/comm`, 'utf8').trim())
}

test('finds records from the stream, on a thread of its own', async () => {
  const double = await createJetstreamDouble()
  closing.push(() => double.close())
  const env = {
    INDEX_SCOPE: 'network',
    JETSTREAM_HOSTS: double.url,
    PLC_URL: plc.url,
    ALLOW_PRIVATE_HOSTS: 'on',
    DATA_DIR: freshDataDir(),
  }
  const start = () => {
    const server = startSlipstream(env)
    started.push(server)
    return server
  }
  const first = start()
  let port = await first.port()
  const get = async (path: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}/xrpc/${path}`)
    return (await answer.json()) as Record<string, { length: number } | undefined>
  }
  const posts = async () => (await get('app.bsky.feed.searchPosts?q=walrus'))['posts']?.length
  const actors = async () =>
    (await get('app.bsky.actor.searchActorsTypeahead?q=bobb'))['actors']?.length
  const becomes = (read: () => Promise<number | undefined>, length: number) =>
    expect.poll(read).toBe(length)
  await until(() => double.openConnections() > 0)
  double.emit(creation('app.bsky.actor.profile', 'self', { displayName: 'Bobby' }))
  const stored = tidAt(startAt + 1)
  const gone = tidAt(startAt + 2)
  double.emit(creation(POST, stored, { text: 'a walrus' }))
  double.emit(creation(POST, gone, { text: 'another walrus' }))
  await becomes(posts, 2)
  await becomes(actors, 1)
  if (process.platform === 'linux') expect(threadsOf(first.child.pid!)).toContain('search-1')
  double.emit({ did: bob, operation: 'delete', collection: POST, rkey: gone })
  await becomes(posts, 1)
  expect(await first.stop('SIGTERM')).toBe(0)
  port = await start().port()
  expect([await posts(), await actors()]).toEqual([1, 1])
})
