// The command line with the server running and stopped: real processes on one data folder, with our own
// directory and Jetstream.

import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Backup } from '../../../src/data/store/files/backup.ts'
import type { Restored } from '../../../src/data/store/files/restore.ts'
import type { Facts } from '../../../src/http/operator/facts.ts'
import type { MemberLine } from '../../../src/http/operator/members.ts'
import type { ImportReport } from '../../../src/ingest/indexing/imports/import-tally.ts'
import type { MemberState } from '../../../src/ingest/indexing/member-state/document.ts'
import { cliJson, killed, runCli } from '../../support/cli.ts'
import { until } from '../../support/eventually.ts'
import {
  createJetstreamDouble,
  type JetstreamDouble,
} from '../../support/jetstream-double/double.ts'
import { type PlcAccount, type PlcDouble, startPlcDouble } from '../../support/plc-double.ts'
import { didOf, tidAt } from '../../support/records.ts'
import {
  freshDataDir,
  type SlipstreamProcess,
  startSlipstream,
} from '../../support/slipstream-process.ts'

const EXIT = { failed: 1, usage: 64, config: 78 }
const TOKEN = 'a token for tests only'.replaceAll(' ', '-')
const FOLLOW = 'app.bsky.graph.follow'
const [anna, ben, cora] = [didOf('anna'), didOf('ben'), didOf('cora')]

type Stats = { running: boolean; facts: Facts }

let plc: PlcDouble
let stream: JetstreamDouble
let member: PlcAccount
let env: Record<string, string>
let server: SlipstreamProcess

beforeAll(async () => {
  plc = await startPlcDouble()
  stream = await createJetstreamDouble()
  member = await plc.create({ handle: 'alice.test', pds: 'http://127.0.0.1:9' })
  env = {
    DATA_DIR: freshDataDir(),
    JETSTREAM_HOSTS: stream.url,
    PLC_URL: plc.url,
    ALLOW_PRIVATE_HOSTS: 'on',
    INDEX_SCOPE: 'network',
    OPERATOR_TOKEN: TOKEN,
  }
  server = startSlipstream(env)
  await server.port()
})

afterAll(async () => {
  await server.stop('SIGKILL')
  await stream.close()
  await plc.close()
})

const file = (name: string) => join(env['DATA_DIR']!, name)
const stats = () => cliJson<Stats>(env, ['stats'])

/** As the running server reports it. */
async function countOnline(): Promise<number> {
  const url = `http://127.0.0.1:${await server.port()}/operator/status`
  const answer = await fetch(url, { headers: { authorization: `Bearer ${TOKEN}` } })
  return ((await answer.json()) as Stats).facts.follows
}

/** Waits until this many follows from the stream are indexed. */
function untilFollows(count: number): Promise<void> {
  return until(async () => (await countOnline()) === count)
}

describe('with a server running', () => {
  it('lets only the user who runs it open its socket', () => {
    expect(statSync(file('control.sock')).mode & 0o777).toBe(0o600)
  })

  it('reports its status, also over HTTP with the token', async () => {
    const port = await server.port()
    const ask = (headers: Record<string, string>) =>
      fetch(`http://127.0.0.1:${port}/operator/status`, { headers })
    const [notified, status, without, wrong] = await Promise.all([
      stats(),
      ask({ authorization: `Bearer ${TOKEN}` }),
      ask({}),
      ask({ authorization: `Bearer ${TOKEN}x` }),
    ])
    expect(notified).toMatchObject({ running: true, facts: { members: 0 } })
    expect(await status.json()).toMatchObject({ pid: server.child.pid })
    expect([without.status, wrong.status]).toEqual([401, 401])
  })

  it('adds a member, lists and exports members, and imports an exported document', async () => {
    const added = await cliJson(env, ['member', 'add', member.did, '--no-wait'])
    expect(added).toMatchObject({ did: member.did, isNew: true })
    const [list, exported, nobody] = await Promise.all([
      cliJson<MemberLine[]>(env, ['member', 'list']),
      runCli(env, ['member', 'export', member.did]),
      runCli(env, ['member', 'add', didOf('nobody')]),
    ])
    expect(list).toMatchObject([{ did: member.did, isComplete: false }])
    expect(nobody).toMatchObject({ code: EXIT.failed })
    expect(nobody.stderr).toMatch(/There is no account.*\n.*spelling/)
    const state = JSON.parse(exported.stdout) as MemberState
    const changed = JSON.stringify({ ...state, mutes: [{ did: ben }] })
    await cliJson(env, ['member', 'import'], changed)
    const again = await runCli(env, ['member', 'export', member.did])
    expect(JSON.parse(again.stdout)).toMatchObject({ mutes: [{ did: ben }] })
  })

  it('removes members, saving their private state to a file that no other user can read', async () => {
    const { exported } = await cliJson<{ exported: string }>(env, ['member', 'remove', member.did])
    expect(statSync(exported).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(exported, 'utf8'))).toMatchObject({ mutes: [{ did: ben }] })
    const again = await runCli(env, ['member', 'remove', member.did])
    expect(again).toMatchObject({
      code: EXIT.failed,
      stderr: expect.stringMatching(/is not a member/),
    })
  })

  it('imports a list of follows; the stream takes precedence before, during and after', async () => {
    const follow = {
      did: anna,
      collection: FOLLOW,
      record: { $type: FOLLOW, subject: ben, createdAt: new Date().toISOString() },
    }
    const [early, late] = [tidAt(1.7e15), tidAt(1.71e15)]
    stream.emit({ ...follow, operation: 'create', rkey: early })
    await untilFollows(1)
    stream.emit({ did: anna, collection: FOLLOW, operation: 'delete', rkey: early })
    await untilFollows(0)
    const lines = [
      `${anna},${ben},${early}`,
      `${anna},${cora},${late}`,
      `${ben},${anna}`,
      'nonsense',
    ]
    writeFileSync(file('list.csv.gz'), gzipSync(lines.join('\n')))
    const report = await cliJson<ImportReport>(env, ['import-follows', file('list.csv.gz')])
    expect(report).toMatchObject({ lines: 4, bad: 1, tally: { added: 2, undone: 1 } })
    expect(report.badLines).toMatchObject([{ line: 4, reason: 'columns' }])
    stream.emit({ did: anna, collection: FOLLOW, operation: 'delete', rkey: late })
    await untilFollows(1)
  })

  it('makes a backup, keeps as many as requested, and refuses to restore over a running server', async () => {
    const first = await cliJson<Backup>(env, ['backup'])
    const second = await cliJson<Backup>(env, ['backup', '--keep', '1'])
    expect(second.removed).toHaveLength(1)
    expect([existsSync(first.path), existsSync(second.path)]).toEqual([false, true])
    const refused = await runCli(env, ['restore', second.path])
    expect(refused).toMatchObject({
      code: EXIT.config,
      stderr: expect.stringMatching(/Stop it: .* Then restore/),
    })
  })

  it('leaves nothing that looks like a backup when killed in the middle of one', async () => {
    const into = file('killed')
    mkdirSync(into)
    const asking = request({ socketPath: file('control.sock'), method: 'POST', path: '/backup' })
    asking.on('error', () => {})
    asking.end(JSON.stringify({ into }))
    await once(asking, 'response')
    await server.stop('SIGKILL')
    const complete = existsSync(into)
      ? readdirSync(into).filter((entry) => entry.endsWith('.sqlite'))
      : []
    for (const value of complete)
      expect((await runCli(env, ['restore', join(into, value)])).code).toBe(0)
    const next = await cliJson<Backup>(env, ['backup', '--into', into])
    expect(readdirSync(into).sort()).toEqual([...complete, next.path.split('/').at(-1)!].sort())
  })
})

describe('with the server stopped', () => {
  it('reads and writes the database itself', async () => {
    const added = await cliJson(env, ['member', 'add', member.did])
    expect(added).toMatchObject({ isNew: true })
    const [list, notified] = [await cliJson<MemberLine[]>(env, ['member', 'list']), await stats()]
    expect(list).toMatchObject([{ did: member.did }])
    expect(notified).toMatchObject({ running: false, facts: { members: 1, follows: 1 } })
    expect(await cliJson(env, ['gaps'])).toMatchObject({ counts: { open: 0 } })
  })

  it('imports follows that it serves after the next start, and restores the previous state', async () => {
    const { path } = await cliJson<Backup>(env, ['backup'])
    const lines = Array.from({ length: 500 }, (_, i) => `${didOf(`a${i % 40}`)},${didOf(`b${i}`)}`)
    writeFileSync(file('list.zst'), zstdCompressSync(lines.join('\n')))
    const report = await cliJson<ImportReport>(env, ['import-follows', file('list.zst')])
    expect(report.tally.added).toBe(500)
    expect((await stats()).facts.follows).toBe(501)
    server = startSlipstream(env)
    await server.port()
    await server.waitFor(/"follows":501,"from":"snapshot"/)
    await server.stop()
    const restored = await cliJson<Restored>(env, ['restore', path])
    expect(existsSync(restored.keptAs!)).toBe(true)
    expect((await stats()).facts.follows).toBe(1)
  })

  it('reaches the same result when an interrupted import is run again', async () => {
    const accounts = Array.from({ length: 200 }, (_, i) => didOf(`c${i}`))
    const lines = accounts.flatMap((account, i) =>
      Array.from({ length: 100 }, (_, j) => `${account},${accounts[(i + j + 1) % 200]}`),
    )
    writeFileSync(file('long.csv'), lines.join('\n'))
    await killed(env, ['import-follows', file('long.csv')], 700)
    server = startSlipstream(env)
    await server.port()
    const { follows } = (await stats()).facts
    const interrupted = runCli(env, ['import-follows', file('long.csv')])
    while (follows < 20_001 && (await countOnline()) === follows) await setTimeout(5)
    await server.stop('SIGKILL')
    const { code, stderr } = await interrupted
    if (code !== 0) expect([code, stderr]).toEqual([69, expect.stringMatching(/try again/)])
    const report = await cliJson<ImportReport>(env, ['import-follows', file('long.csv')])
    expect(report.tally.added + report.tally.known).toBe(20_000)
    expect((await stats()).facts.follows).toBe(20_001)
  })

  it('refuses a file that is not a backup, and changes nothing', async () => {
    writeFileSync(file('noise.sqlite'), Buffer.alloc(100_000, 'noise'))
    const refused = await runCli(env, ['restore', file('noise.sqlite')])
    expect(refused.code).toBe(EXIT.config)
    expect(refused.stderr).toMatch(/noise\.sqlite is not a Slipstream backup\.\n {2}Name a file/)
    writeFileSync(file('packed.gz'), gzipSync('SQLite format 3'))
    const packed = await runCli(env, ['restore', file('packed.gz')])
    expect(packed.stderr).toMatch(/packed\.gz is compressed\.\n {2}Unpack it first/)
    const folder = await runCli(env, ['restore', file('.')])
    expect(folder.stderr).toMatch(/is no file\.\n {2}Name a file/)
    expect((await stats()).facts.follows).toBe(20_001)
  })
})

describe('operator mistakes', () => {
  it.each([
    [['statz'], EXIT.usage, /Did you mean stats\?/],
    [['start'], EXIT.usage, /There is no command start\.\n {2}Start it: `scripts\/start`/],
    [['logs', '-f'], EXIT.usage, /There is no command logs\.\n {2}It is what the server printed/],
    [['update'], EXIT.usage, /docs\/OPERATING\.md, “Upgrade”/],
    [['backup', '--keep', '0'], EXIT.usage, /whole number, 1 or more/],
    [['backup', '--into', '/nowhere'], EXIT.config, /does not exist.*\n.*mkdir -p/],
    [['backup', '--into', import.meta.filename], EXIT.config, /is a file, not a backup folder/],
    [['moderation', 'unban', 'nobody'], EXIT.failed, /names neither/],
    [['moderation', 'unhide', 'nobody'], EXIT.failed, /neither/],
    [['import-follows', '/nowhere.csv'], EXIT.failed, /There is no file .*\n.*did,did/],
    [['restore', '/nowhere.sqlite'], EXIT.config, /There is no file/],
    // As of a variable that is not set.
    [['backup', '--into', ''], EXIT.usage, /The path is empty/],
    [['member', 'export', 'nobody.test'], EXIT.failed, /is not a member.*\n.*member list/],
  ])('%j gets an error that says what to do about it', async (args, code, expected) => {
    const run = await runCli(env, args)
    expect(run.stderr).toMatch(expected)
    expect(run).toMatchObject({ code, stdout: '' })
  })

  it('shows settings with their sources, and no secrets', async () => {
    const [all, unfit] = await Promise.all([
      runCli(env, ['config', '--changed']),
      runCli({ ...env, OPERATOR_TOKEN: 'too short' }, ['config', 'check']),
    ])
    expect(all.stdout).toMatch(/SLIPSTREAM_INDEX_SCOPE=network {2}from the environment/)
    expect(all.stdout).toContain('SLIPSTREAM_OPERATOR_TOKEN=********')
    expect(all.stdout + unfit.stderr).not.toMatch(new RegExp(`${TOKEN}|too short`))
    expect(unfit).toMatchObject({ code: EXIT.config })
  })
})
