// Members' PDS, read directly, is killed (kill -9) while they write, alone and together with Slipstream. What is shown is
// what it has in the end: nothing is lost, doubled or believed though it was never stored.

import { expect, test } from 'vitest'
import { until } from '../support/eventually.ts'
import { createRandom } from '../support/random.ts'
import { testSeed } from '../support/seed.ts'
import { post } from './support/account.ts'
import { type KillablePdsRig, useKillablePdsRig } from './support/killable-pds-rig.ts'

const KILLS = 2
const POSTS_EACH = 12
/** In vain: with their pauses, longer than the seconds that are compared (firehose/tail.ts). */
const ATTEMPTS = 6
const random = createRandom(testSeed('kill -9 of a PDS'))
let rig: KillablePdsRig

useKillablePdsRig((started) => {
  rig = started
})

/**
 * All writers post at once, and somewhere within it `kill` is called.
 * @returns what was acknowledged
 */
async function writeOver(kill: () => Promise<unknown>): Promise<string[]> {
  const acknowledged: string[] = []
  const at = random.below((rig.writers.length * POSTS_EACH) / 2)
  let killing: Promise<unknown> | undefined
  const writing = rig.writers.map(async (writer) => {
    for (let k = 0; k < POSTS_EACH; k++) {
      const written = await post(writer, `${k} of many`).catch(() => undefined)
      if (written) acknowledged.push(written.uri)
      if (acknowledged.length >= at) killing ??= kill()
    }
  })
  await Promise.all(writing)
  await killing
  return acknowledged
}

test(`kill -9 of the PDS while all write, ${KILLS} times: what it has is shown, and nothing else`, async () => {
  const acknowledged: string[] = []
  for (let i = 0; i < KILLS; i++) {
    acknowledged.push(...(await writeOver(rig.pds.kill)))
    await rig.pds.start()
  }
  const all = await rig.isEverything()
  expect(all).toEqual(expect.arrayContaining(acknowledged))
})

/** @returns what is shown, and stored, before a commit that is sent and never stored; the PDS is killed with it */
async function killWithinCommit(): Promise<string[]> {
  const { pds, writers, isEverything } = rig
  // From then on the stream goes on by number: a connection without one has everybody compared.
  await post(writers[1], 'before it in the stream')
  const before = await isEverything()
  const count = "SELECT count(*) FROM repo_seq WHERE eventType = 'append'"
  const commits = () => pds.sequences((db) => db.prepare(count).pluck().get()) as number
  const sent = commits()
  await pds.act({ killAt: 'next-commit' })
  await post(writers[0], 'never stored').catch(() => undefined)
  await pds.kill()
  expect(commits()).toBe(sent + 1)
  return before
}

/** Also once what comes after it in the stream is there. */
async function isStill(before: readonly string[]): Promise<void> {
  expect(await rig.isEverything()).toEqual(before)
  await post(rig.writers[1], 'after it in the stream')
  await rig.isEverything()
}

test('what was sent before a kill, but never stored, is not shown', async () => {
  const { pds, slipstream } = rig
  const before = await killWithinCommit()
  const failures = () => slipstream.log().split('ECONNREFUSED').length
  const soFar = failures()
  await until(() => failures() >= soFar + ATTEMPTS)
  await pds.start()
  await isStill(before)
})

test('nor is it where both are killed', async () => {
  const { pds, slipstream } = rig
  const before = await killWithinCommit()
  await slipstream.kill()
  await pds.start()
  await slipstream.start()
  await isStill(before)
})

test('kill -9 of both while all write', async () => {
  const { pds, slipstream, writers, isEverything } = rig
  await writeOver(() => Promise.all([pds.kill(), slipstream.kill()]))
  await pds.start()
  await post(writers[0], 'while only one is back')
  await slipstream.start()
  for (const writer of writers) await post(writer, 'once both are back')
  await isEverything()
})
