// Labels that arrive while the disk is full are not lost: they are kept in order until there is room, and
// later ones wait at the labeler.

import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { createLabels } from '../../../src/ingest/labels/labels.ts'
import { createGuardedFetch } from '../../../src/sources/identity/guarded-fetch.ts'
import { createGuardedLookup } from '../../../src/sources/identity/guarded-lookup.ts'
import { createResolver } from '../../../src/sources/identity/resolver.ts'
import { createBoundedDatabase } from '../../support/bounded-database.ts'
import { until } from '../../support/eventually.ts'
import { startLabelerDouble } from '../../support/labeler-double.ts'
import { startPlcDouble } from '../../support/plc-double.ts'
import { createWorld } from '../../support/world.ts'

const LABELS = 600

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

test('labels of a stream wait for room, however often the stream breaks off', async () => {
  const plc = await startPlcDouble()
  const labeler = await startLabelerDouble(plc, 'labeler.test')
  const world = createWorld({ startAt: Date.now(), scope: 'network' })
  const bounded = createBoundedDatabase()
  const { db, actors, writer } = world
  const fetch = createGuardedFetch({ allowPrivateHosts: true })
  const labels = createLabels({
    db,
    actors,
    writer,
    fetch,
    now: Date.now,
    log: { debug() {} },
    resolver: createResolver({ fetch, plcUrl: plc.url, allowPrivateHosts: true }),
    lookupFor: createGuardedLookup({ allowPrivateHosts: true }),
    configured: [labeler.did],
    onWork: () => undefined,
    writeRetry: bounded.diskSpace,
    limits: { retryMs: 20, maxRetryMs: 50 },
  })
  closing.push(
    () => bounded.diskSpace.stop(),
    () => labels.stop(),
    () => world.dispose(),
    () => Promise.all([labeler.close(), plc.close()]),
  )
  const bob = world.account('bob')
  world.profile(bob, { displayName: 'Bob' })
  const posts = Array.from({ length: LABELS }, () => world.post(bob).uri)
  labels.start()
  await until(() => labeler.connections.length > 0)

  const cached = () => db.prepare<[], number>('SELECT count(*) FROM labels').pluck().get()!
  bounded.fill(db)
  for (const uri of posts) await labeler.say({ uri, val: 'spoiler' })
  await until(() => bounded.diskSpace.isFull())
  labeler.hangUp()
  await sleep(100)
  await labeler.say({ uri: posts[0]!, val: 'spoiler', neg: true })
  expect(cached()).toBeLessThan(LABELS)
  bounded.free(db)
  await until(() => cached() === LABELS)
  const withdrawn = db.prepare<[], number>('SELECT count(*) FROM labels WHERE neg = 1').pluck()
  await until(() => withdrawn.get() === 1)
})
