// A really full disk under a real process: nothing is written, everything stored is served, clients and the
// operator are told, and once there is room again nothing is missing.

import { request } from 'node:http'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, expect, test } from 'vitest'
import { FILE_NAME } from '../../../../src/data/store/db.ts'
import { until } from '../../../support/eventually.ts'
import {
  createJetstreamDouble,
  type JetstreamDouble,
} from '../../../support/jetstream-double/double.ts'
import { didOf, tidAt } from '../../../support/records.ts'
import { type SlipstreamProcess, startSlipstream } from '../../../support/slipstream-process.ts'
import { createSmallDisk, type SmallDisk } from '../../../support/torture/small-disk.ts'

const TEXT = 'something to say '.repeat(15)

let disk: SmallDisk
let double: JetstreamDouble
let slipstream: SlipstreamProcess | undefined
let sent = 0

afterEach(async () => {
  await slipstream?.stop('SIGKILL')
  await double.close()
  disk.dispose()
})

function post(count: number): void {
  for (let i = 0; i < count; i++) {
    const rkey = tidAt(Date.now() * 1000 + sent++)
    const record = { $type: 'app.bsky.feed.post', text: TEXT, createdAt: new Date().toISOString() }
    const did = didOf(`writer-${sent % 20}`)
    double.emit({ did, operation: 'create', collection: 'app.bsky.feed.post', rkey, record })
  }
}

function posts(): number {
  const db = new Database(join(disk.folder, FILE_NAME), { readonly: true })
  try {
    return db.prepare<[], number>('SELECT count(*) FROM posts WHERE state = 1').pluck().get()!
  } finally {
    db.close()
  }
}

/** Uses no socket pool, whose closing sockets would delay the process's own end. */
function get(port: number, path: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const requested = request({ port, path, host: '127.0.0.1', agent: false }, (answer) => {
      let body = ''
      answer.on('data', (chunk: Buffer) => {
        body += chunk.toString()
      })
      answer.on('end', () => resolve({ status: answer.statusCode!, body }))
    })
    requested.on('error', reject)
    requested.end()
  })
}

test('a full disk stops only writes, and loses nothing', async (context) => {
  disk = createSmallDisk()
  double = await createJetstreamDouble()
  if (!disk.isBounded) {
    console.warn('SKIPPED: no tmpfs can be mounted here, so no disk can be filled')
    return context.skip()
  }
  slipstream = startSlipstream({
    DATA_DIR: disk.folder,
    JETSTREAM_HOSTS: double.url,
    INDEX_SCOPE: 'network',
    PLC_URL: 'http://127.0.0.1:1',
    ALLOW_PRIVATE_HOSTS: 'on',
    DISK_RESERVE_MB: '0',
  })
  const port = await slipstream.port()
  await slipstream.waitFor(/stream connected/)
  post(200)
  await until(() => posts() === sent)

  disk.fill()
  for (let i = 0; i < 20; i++) post(200)
  await slipstream.waitFor(/the disk is full/)
  const before = posts()
  expect(before).toBeLessThan(sent)
  const isNotified = async () =>
    (await get(port, '/metrics')).body.includes('disk_state{state="full"} 1')
  await until(isNotified)
  expect((await get(port, '/xrpc/_health')).status).toBe(200)
  const search = await get(port, `/xrpc/app.bsky.actor.getProfile?actor=${didOf('writer-1')}`)
  expect([200, 400]).toContain(search.status)
  expect((await get(port, '/')).status).toBe(200)

  disk.free()
  await until(() => posts() === sent)
  await until(async () => !(await isNotified()))
  expect(slipstream.output()).toMatch(/the disk has room again/)
  post(50)
  await until(() => posts() === sent)
  expect(await slipstream.stop()).toBe(0)
  const db = new Database(join(disk.folder, FILE_NAME))
  expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
  db.close()
})
