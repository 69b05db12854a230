// What the status page says of its own record: of what span, of short absences, of a network never reached,
// and to people who may not read here.

import { cpSync } from 'node:fs'
import { afterEach, expect, test } from 'vitest'
import { MINUTE_MS, SECOND_MS } from '../../../src/base/util/durations.ts'
import { putHistory } from '../../../src/data/store/counts/history.ts'
import { openWriter } from '../../../src/data/store/db.ts'
import { until } from '../../support/eventually.ts'
import {
  freshDataDir,
  type SlipstreamProcess,
  startSlipstream,
} from '../../support/slipstream-process.ts'

const NOWHERE = { JETSTREAM_HOSTS: 'ws://127.0.0.1:1', PLC_URL: 'http://127.0.0.1:1' }
const WELL = { requests_s: 1, failures_s: 0, lag_ms: 40, open_gaps: 0 }
const STEP_MS = 10 * SECOND_MS

let slipstream: SlipstreamProcess | undefined
afterEach(async () => {
  await slipstream?.stop('SIGKILL')
  slipstream = undefined
})

type Recorded = { forMs: number; endedAgoMs: number; sample?: Record<string, number> }

/** A data folder with a sample every ten seconds of a time that ended before now. */
function recorded({ forMs, endedAgoMs, sample = WELL }: Recorded): string {
  const dataDir = freshDataDir()
  const db = openWriter(dataDir)
  const end = Date.now() - endedAgoMs
  for (let at = end - forMs; at < end; at += STEP_MS) putHistory(db, at, sample)
  db.close()
  return dataDir
}

/** @returns a function that reads the status page without tags */
async function started(dataDir: string, more: Record<string, string> = {}) {
  slipstream = startSlipstream({ ...NOWHERE, DATA_DIR: dataDir, ...more })
  const origin = `http://127.0.0.1:${await slipstream.port()}`
  return async () => {
    const page = await fetch(origin, { headers: { accept: 'text/html' } })
    return (await page.text()).replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')
  }
}

test('a server that never reached the network claims neither health nor a share', async () => {
  const read = await started(freshDataDir())
  await until(async () => /No new posts come in/.test(await read()), { pollMs: SECOND_MS })
  const page = await read()
  expect(page).toContain('This server has not reached the network yet.')
  expect(page).toMatch(/incident ongoing/)
  expect(page).not.toMatch(/No incident|No known incidents|100 % up|up 100 %/)
})

test('nor for any day of a record that has no event', async () => {
  const sample = { ...WELL, lag_ms: 20 * MINUTE_MS }
  const read = await started(recorded({ forMs: 5 * MINUTE_MS, endedAgoMs: 0, sample }))
  await until(async () => /No new posts come in/.test(await read()), { pollMs: SECOND_MS })
  const page = await read()
  expect(page).toContain('the network was not reached')
  expect(page).not.toMatch(/: up \d|100 %/)
})

test('a young record names its span, and counts no time since an incident', async () => {
  const read = await started(recorded({ forMs: 22 * MINUTE_MS, endedAgoMs: 0 }))
  const page = await read()
  expect(page).toMatch(/up in the last 2\d min 100 %/)
  expect(page).toMatch(/on record, without incident 2\d min/)
  expect(page).not.toMatch(/since the last incident|up in the last 30 days/)
})

test('an absence that leaves a sample in each minute is an incident', async () => {
  const read = await started(recorded({ forMs: 22 * MINUTE_MS, endedAgoMs: 40 * SECOND_MS }))
  await until(async () => /Not running for [3-9]\d s/.test(await read()), { pollMs: 3 * SECOND_MS })
  const page = await read()
  expect(page).not.toMatch(
    /No incident since its record began|100 % up|up in the last 2\d min 100 %/,
  )
})

test('a page that says who may read does not tell everyone that they can', async () => {
  const read = await started(freshDataDir(), { MEMBERS: 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa' })
  await until(async () => /No new posts come in/.test(await read()), { pollMs: SECOND_MS })
  const page = await read()
  expect(page).toContain('Only accounts chosen by the operator can read here.')
  expect(page).not.toMatch(/You can read/)
})

/** Starts a server on this folder, and lets it run until it has reported. */
async function startedAndReported(dataDir: string) {
  const read = await started(dataDir)
  await until(async () => /No new posts come in/.test(await read()), { pollMs: SECOND_MS })
  return read
}

test('a server that keeps ending is an incident, however quickly it starts again', async () => {
  const dataDir = recorded({ forMs: 22 * MINUTE_MS, endedAgoMs: 0 })
  for (let i = 0; i < 3; i++) {
    await startedAndReported(dataDir)
    await slipstream?.stop('SIGKILL')
  }
  const read = await startedAndReported(dataDir)
  await until(async () => /Ended unexpectedly, 3 times/.test(await read()), { pollMs: SECOND_MS })
  expect(await read()).not.toMatch(
    /No incident since its record began|up in the last \S+ min 100 %/,
  )
})

test('a server that is stopped and started has no incident', async () => {
  const dataDir = recorded({ forMs: 22 * MINUTE_MS, endedAgoMs: 0 })
  await startedAndReported(dataDir)
  await slipstream?.stop('SIGTERM')
  const read = await startedAndReported(dataDir)
  expect(await read()).not.toContain('Ended unexpectedly')
})

test('a copy of a running server’s database does not begin with an incident', async () => {
  const dataDir = recorded({ forMs: 22 * MINUTE_MS, endedAgoMs: 0 })
  await startedAndReported(dataDir)
  await slipstream?.stop('SIGKILL')
  const copy = freshDataDir()
  cpSync(dataDir, copy, { recursive: true })
  const read = await startedAndReported(copy)
  expect(await read()).not.toContain('Ended unexpectedly')
})
