// A server is killed while it sends, and its machine is gone: on an empty folder, one command brings back what
// members did up to the last minute. On a real S3 server where one can be built, and on the double everywhere.

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { newIdentity } from '../../../src/features/off-site/sealing/keys.ts'
import { readStatus } from '../../../src/features/off-site/status.ts'
import { cliJson, runCli } from '../../support/cli.ts'
import { eventually } from '../../support/eventually.ts'
import { MAX_WAIT_MS } from '../../support/patience.ts'
import { didOf } from '../../support/records.ts'
import { type SlipstreamProcess, startSlipstream } from '../../support/slipstream-process.ts'
import { type RealS3, SECRET_KEY, startRealS3, whyNoRealS3 } from './real-s3.ts'
import { ACCESS_KEY, BUCKET, type S3Double, startS3Double } from './s3-double.ts'

const NOWHERE = {
  JETSTREAM_HOSTS: 'ws://127.0.0.1:9',
  PLC_URL: 'http://127.0.0.1:9',
  ARCHIVE: 'off',
}
const BUILD_MS = 20 * 60_000
const URL = `s3://${BUCKET}/lost`

const folders: string[] = []
const started: SlipstreamProcess[] = []
let store: S3Double | RealS3 | undefined

afterEach(async () => {
  await Promise.all(started.splice(0).map((server) => server.stop('SIGKILL')))
  await store?.close()
  for (const value of folders.splice(0)) rmSync(value, { recursive: true, force: true })
})

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'slipstream-lost-'))
  folders.push(made)
  return made
}

function documentOf(did: string, muted: string[]): string {
  return JSON.stringify({
    format: 'slipstream-member-state',
    version: 1,
    did,
    mutes: muted.map((value) => ({ did: value, createdAt: '2026-11-20T00:00:00.000Z' })),
    listMutes: [],
    threadMutes: [],
    bookmarks: [],
    drafts: [],
    activitySubscriptions: [],
    notifications: {},
  })
}

async function settingsFor(endpoint: string): Promise<Record<string, string>> {
  return {
    ...NOWHERE,
    OFF_SITE_TO: URL,
    OFF_SITE_ENDPOINT: endpoint,
    OFF_SITE_KEY: await newIdentity(),
    OFF_SITE_ACCESS_KEY: ACCESS_KEY,
    OFF_SITE_SECRET_KEY: SECRET_KEY,
    OFF_SITE_SECONDS: '1',
  }
}

async function loseTheMachine(endpoint: string): Promise<void> {
  const alice = didOf('alice')
  const lost = folder()
  const settings = await settingsFor(endpoint)
  const env = { ...settings, DATA_DIR: lost }
  const server = startSlipstream({ ...env, HOSTNAME: 'lost.example.org' })
  started.push(server)
  await server.port()
  const muted: string[] = []
  const sent = (at: number) =>
    eventually(() => expect(readStatus(lost)?.stateAt ?? 0).toBeGreaterThan(at))
  await sent(0)
  for (let i = 0; i < 3; i++) {
    muted.push(didOf(`muted ${i}`))
    await cliJson(env, ['member', 'import'], documentOf(alice, muted))
    await sent(Date.now())
  }
  const before = await runCli(env, ['member', 'export', alice])
  await server.stop('SIGKILL')
  rmSync(lost, { recursive: true })

  const bare = folder()
  const onBare = { ...settings, DATA_DIR: bare }
  const restored = await runCli(onBare, ['restore', '--from', URL])
  expect(restored.stderr + restored.stdout).toMatch(
    /Restored the state of 20.*Start the server now/s,
  )
  expect(restored.code).toBe(0)
  const after = await runCli(onBare, ['member', 'export', alice])
  expect(after.stdout).toBe(before.stdout)
  expect(JSON.parse(after.stdout).mutes).toHaveLength(3)
  expect(readFileSync(join(bare, 'off-site', 'settings.env'), 'utf8')).toContain(
    'SLIPSTREAM_HOSTNAME=lost.example.org',
  )

  const again = startSlipstream(onBare)
  started.push(again)
  const port = await again.port()
  const health = await fetch(`http://127.0.0.1:${port}/xrpc/_health`)
  expect(health.status).toBe(200)
  await eventually(() => expect(readStatus(bare)?.trial?.ok).toBe(true))
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  expect(metrics).toMatch(/slipstream_off_site_state_timestamp_seconds 1\d{9}/)
  expect(metrics).toContain('slipstream_off_site_trial_ok 1')
  expect((await runCli(onBare, ['stats'])).stdout).toMatch(
    /off-site backup +\S.* old, .* MB stored/,
  )
  expect((await runCli(onBare, ['doctor', '--only', 'disk'])).stdout).toMatch(
    /off-site backup’s last state is .* old/,
  )
  const complete = await runCli(onBare, ['backup', '--to', URL])
  expect(complete.stdout).toMatch(/MB of database, .* MB sent/)
}

it('comes back from the double', { timeout: 3 * MAX_WAIT_MS }, async () => {
  store = await startS3Double()
  await loseTheMachine(store.endpoint)
})

const missing = whyNoRealS3()
if (missing) console.warn(`skipped: the off-site backup on a real S3 server, because ${missing}`)

describe.skipIf(missing)('on versitygw', () => {
  it('comes back', { timeout: BUILD_MS }, async () => {
    store = await startRealS3()
    await loseTheMachine(store.endpoint)
  })

  it('goes on after the store has died and come back', { timeout: BUILD_MS }, async () => {
    const real = await startRealS3()
    store = real
    const dataDir = folder()
    const env = { ...(await settingsFor(real.endpoint)), DATA_DIR: dataDir }
    const server = startSlipstream(env)
    started.push(server)
    await server.port()
    await eventually(() => expect(readStatus(dataDir)?.stateAt).toBeDefined())
    await real.kill()
    await cliJson(env, ['member', 'import'], documentOf(didOf('bob'), [didOf('muted')]))
    await eventually(() =>
      expect(readStatus(dataDir)?.problem?.message).toContain('can’t be reached'),
    )
    const doctor = await runCli(env, ['doctor', '--only', 'disk'])
    expect(doctor.stdout).toContain('can’t be reached')
    const diedAt = Date.now()
    await real.start()
    await eventually(() => {
      expect(readStatus(dataDir)?.stateAt ?? 0).toBeGreaterThan(diedAt)
      expect(readStatus(dataDir)?.problem).toBeUndefined()
    })
    await server.stop('SIGTERM')
    const bare = { ...env, DATA_DIR: folder() }
    expect((await runCli(bare, ['restore', '--from', URL])).code).toBe(0)
    const bob = await runCli(bare, ['member', 'export', didOf('bob')])
    expect(JSON.parse(bob.stdout).mutes).toHaveLength(1)
    expect(existsSync(real.folder)).toBe(true)
  })
})

it('tells an operator what is missing', async () => {
  const dataDir = folder()
  const bare = { ...NOWHERE, DATA_DIR: dataDir }
  const noKey = await runCli(bare, ['restore', '--from', URL])
  expect(noKey.code).toBe(78)
  expect(noKey.stderr).toContain('SLIPSTREAM_OFF_SITE_KEY is not set')
  const key = await runCli(bare, ['backup', '--new-key'])
  expect(key.stdout).toMatch(/^SLIPSTREAM_OFF_SITE_KEY=AGE-SECRET-KEY-1[A-Z0-9]{58}\n$/)
  const halfSet = await runCli({ ...bare, OFF_SITE_TO: URL }, ['stats'])
  expect(halfSet.stderr).toContain('The off-site backup has no key')
  const noFile = await runCli(bare, ['restore'])
  expect(noFile.code).toBe(64)
  store = await startS3Double()
  const env = { ...(await settingsFor(store.endpoint)), DATA_DIR: dataDir }
  const empty = await runCli(env, ['restore', '--from', URL])
  expect(empty.stderr).toContain(`There is no backup at ${URL}`)
})
