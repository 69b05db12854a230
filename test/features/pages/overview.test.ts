// The first tab of the explore page: the state of the server at a glance, and whether it is well.

import { mkdirSync, mkdtempSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { loadConfig } from '../../../src/base/config/config.ts'
import { insertInvite } from '../../../src/data/store/members/invites.ts'
import { overview } from '../../../src/features/pages/explore/overview.ts'
import { createServingWorld, type ServingWorld } from '../../support/serving-world.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const HOUR_MS = 3_600_000

let world: ServingWorld
let dataDir: string

beforeEach(() => {
  world = createServingWorld()
  dataDir = mkdtempSync(join(tmpdir(), 'slipstream-overview-'))
})
afterEach(() => world.dispose())

async function rowOf(name: string) {
  const config = { ...loadConfig({}, '/nowhere'), dataDir }
  const rows = await overview({ db: world.reader, config, status: () => undefined, now: () => NOW })
  return rows.find((row) => row.name === name)
}

function backUp(hoursAgo: number): void {
  const path = join(dataDir, 'backups', `slipstream-2026111${hoursAgo % 10}T101733.250Z.sqlite`)
  mkdirSync(join(dataDir, 'backups'), { recursive: true })
  writeFileSync(path, Buffer.alloc(5_000))
  const seconds = (NOW - hoursAgo * HOUR_MS) / 1000
  utimesSync(path, seconds, seconds)
}

test('members are counted', async () => {
  world.member(world.account('alice'))
  expect(await rowOf('Members')).toEqual({ name: 'Members', text: '1', level: 'info' })
})

test('only invites that can still be used are counted', async () => {
  expect((await rowOf('Invites'))?.text).toContain('slipstream invite create')
  const common = { note: '', created_at: 1 }
  world.run(({ db }) => {
    insertInvite(db, { ...common, code: 'open', max_uses: 3, expires_at: null })
    insertInvite(db, { ...common, code: 'later', max_uses: 2, expires_at: NOW + 1 })
    insertInvite(db, { ...common, code: 'over', max_uses: 9, expires_at: NOW })
  })
  expect((await rowOf('Invites'))?.text).toBe('2 codes in use, for 5 more people')
})

test('backups are good while they are fresh', async () => {
  expect(await rowOf('Backups')).toMatchObject({
    level: 'notice',
    text: expect.stringContaining('slipstream backup'),
  })
  backUp(100)
  expect(await rowOf('Backups')).toMatchObject({
    level: 'notice',
    text: expect.stringContaining('4 days old'),
  })
  backUp(5)
  expect(await rowOf('Backups')).toMatchObject({
    level: 'good',
    text: 'the latest is 5 h old, 5.0 kB',
  })
})
