// A process that starts while the disk is full: it serves, waits, and continues by itself when there is room,
// or exits with the reason. It never runs partially.

import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { FILE_NAME } from '../../../../src/data/store/db.ts'
import { until } from '../../../support/eventually.ts'
import {
  createJetstreamDouble,
  type JetstreamDouble,
} from '../../../support/jetstream-double/double.ts'
import { didOf, tidAt } from '../../../support/records.ts'
import { type SlipstreamProcess, startSlipstream } from '../../../support/slipstream-process.ts'
import { createSmallDisk, type SmallDisk } from '../../../support/torture/small-disk.ts'

const POST = 'app.bsky.feed.post'
const FULL = /The disk of the data folder is full/

let disk: SmallDisk
let double: JetstreamDouble
let slipstream: SlipstreamProcess | undefined
let sent = 0

beforeEach(async () => {
  disk = createSmallDisk()
  double = await createJetstreamDouble()
  sent = 0
})

afterEach(async () => {
  await slipstream?.stop('SIGKILL')
  await double.close()
  disk.dispose()
})

function start(members: string[] = []): SlipstreamProcess {
  slipstream = startSlipstream({
    DATA_DIR: disk.folder,
    JETSTREAM_HOSTS: double.url,
    INDEX_SCOPE: 'network',
    PLC_URL: 'http://127.0.0.1:1',
    ALLOW_PRIVATE_HOSTS: 'on',
    DISK_RESERVE_MB: '0',
    ...(members.length > 0 && { MEMBERS: members.join() }),
  })
  return slipstream
}

function post(count: number): void {
  for (let i = 0; i < count; i++) {
    const rkey = tidAt(Date.now() * 1000 + sent++)
    const text = 'something to say '.repeat(15)
    const record = { $type: POST, text, createdAt: new Date().toISOString() }
    double.emit({ did: didOf('writer'), operation: 'create', collection: POST, rkey, record })
  }
}

function read<T>(sql: string): T {
  const db = new Database(join(disk.folder, FILE_NAME), { readonly: true })
  try {
    return db.prepare<[], T>(sql).pluck().get()!
  } finally {
    db.close()
  }
}

const posts = () => read<number>('SELECT count(*) FROM posts WHERE state = 1')
const members = () => read<number>('SELECT count(*) FROM members')

type Health = { ingest?: { disk: { state: string } } }

async function diskState(port: number): Promise<string | undefined> {
  const answer = await fetch(`http://127.0.0.1:${port}/xrpc/_health`)
  return ((await answer.json()) as Health).ingest?.disk.state
}

/** A first run, with every event applied. */
async function live(): Promise<void> {
  start()
  await slipstream!.waitFor(/stream connected/)
  post(200)
  await until(() => posts() === sent)
}

function unlessUnbounded(skip: () => void): boolean {
  if (disk.isBounded) return false
  console.warn('SKIPPED: no tmpfs can be mounted here, so no disk can be filled')
  skip()
  return true
}

test('a start on a full disk after a crash serves, waits, and continues by itself', async (context) => {
  if (unlessUnbounded(context.skip)) return
  await live()
  await slipstream!.stop('SIGKILL')
  disk.fill()
  // More than the database's log has room for.
  for (let i = 0; i < 20; i++) post(200)
  const port = await start([didOf('named'), didOf('writer')]).port()
  const profile = `/xrpc/app.bsky.actor.getProfile?actor=${didOf('writer')}`
  expect((await fetch(`http://127.0.0.1:${port}${profile}`)).status).toBe(200)
  await until(async () => (await diskState(port)) === 'full')
  expect(posts()).toBeLessThan(sent)

  disk.free()
  await until(() => posts() === sent)
  await until(async () => (await diskState(port)) === 'ok')
  expect(members()).toBe(2)
  post(50)
  await until(() => posts() === sent)
  // Once each, however many attempts there were.
  expect(slipstream!.output().match(/the disk is full/g)).toHaveLength(1)
  expect(await slipstream!.stop()).toBe(0)
  expect(read<string>('PRAGMA integrity_check')).toBe('ok')
})

test('a start on a full disk after a clean stop reports the full disk, or serves', async (context) => {
  if (unlessUnbounded(context.skip)) return
  await live()
  expect(await slipstream!.stop()).toBe(0)
  disk.fill()
  const process = start()
  const isServing = process.waitFor(/"msg":"serving on /).then(
    () => true,
    () => false,
  )
  if (!(await isServing)) {
    expect(await process.exit).toBe(74)
    expect(process.output()).toMatch(FULL)
  }
  await process.stop('SIGKILL')
  disk.free()
  await start().port()
  post(50)
  await until(() => posts() === sent)
})

test('a first start on a full disk exits with the reason', async (context) => {
  if (unlessUnbounded(context.skip)) return
  disk.fill()
  expect(await start().exit).toBe(74)
  expect(slipstream!.output()).toMatch(FULL)
})

test('a stop on a full disk is clean', async (context) => {
  if (unlessUnbounded(context.skip)) return
  await live()
  disk.fill()
  for (let i = 0; i < 20; i++) post(200)
  await slipstream!.waitFor(/the disk is full/)
  expect(await slipstream!.stop()).toBe(0)
  disk.free()
  await start().port()
  await until(() => posts() === sent)
})
