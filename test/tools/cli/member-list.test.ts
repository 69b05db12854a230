// `slipstream member list` with members who follow more than the limit: who they are, and what they see.

import { expect, it } from 'vitest'
import { openWriter } from '../../../src/data/store/db.ts'
import { insertMember } from '../../../src/data/store/members/members.ts'
import { insertActor } from '../../../src/data/store/records/actors.ts'
import type { MemberLine } from '../../../src/http/operator/members.ts'
import { cliJson, runCli } from '../../support/cli.ts'
import { didOf } from '../../support/records.ts'
import { freshDataDir } from '../../support/slipstream-process.ts'

const FOLLOWS = { few: 1_999, many: 4_000, limit: 2_000, most: 300_000 }

function folder(): string {
  const dataDir = freshDataDir()
  const db = openWriter(dataDir)
  Object.entries(FOLLOWS).forEach(([name, follows], i) => {
    insertActor(db, i + 1, didOf(name), 1)
    db.prepare('UPDATE actors SET follows_count = ? WHERE uid = ?').run(follows, i + 1)
    insertMember(db, { uid: i + 1, joined_at: 1, last_seen_at: 1 })
  })
  db.close()
  return dataDir
}

it('shows which share of their follows’ posts each sees, and those over the limit by themselves', async () => {
  const env = { DATA_DIR: folder(), REASONABLE_LIMIT: '2000' }
  const all = await cliJson<MemberLine[]>(env, ['member', 'list'])
  expect(all.map(({ did, keepShare }) => [did, keepShare])).toEqual([
    [didOf('few'), 1],
    [didOf('many'), 0.5],
    [didOf('limit'), 1],
    [didOf('most'), 2_000 / 300_000],
  ])
  const over = await cliJson<MemberLine[]>(env, ['member', 'list', '--over-limit'])
  expect(over.map(({ did }) => did)).toEqual([didOf('most'), didOf('many')])
  const { stdout } = await runCli(env, ['member', 'list', '--over-limit'])
  expect(stdout).toMatch(/300,000 +0\.67 %/)
  expect(stdout).toMatch(/4,000 +50 %/)
  const without = { ...env, REASONABLE_LIMIT: '0' }
  const { stdout: nobody } = await runCli(without, ['member', 'list', '--over-limit'])
  expect(nobody).toBe('Nobody follows more than the limit.\n')
})
