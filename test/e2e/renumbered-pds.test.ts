// A PDS, read directly, whose sequence numbers are no longer the ones that it gave: set back to a backup, begun anew, past
// ours again, or forgotten. What is shown is what it has in the end.

import { expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { post } from './support/account.ts'
import { type KillablePdsRig, useKillablePdsRig } from './support/killable-pds-rig.ts'
import { PATIENCE } from './support/only-hosts.ts'

let rig: KillablePdsRig

useKillablePdsRig((started) => {
  rig = started
})

async function allPost(text: string): Promise<void> {
  for (const writer of rig.writers) await post(writer, text)
}

/** As by a backup of its sequencer. */
function setBack(by: number): void {
  rig.pds.sequences((db) => {
    db.prepare('DELETE FROM repo_seq WHERE seq > (SELECT max(seq) FROM repo_seq) - ?').run(by)
    db.prepare(
      'UPDATE sqlite_sequence SET seq = coalesce((SELECT max(seq) FROM repo_seq), 0)',
    ).run()
  })
}

test.each([
  ['set back', 4],
  ['begun anew', 1_000_000],
])('numbers that are %s while Slipstream reads', async (_, by) => {
  await allPost('before')
  await rig.pds.kill()
  setBack(by)
  await rig.pds.start()
  await allPost('after')
  await rig.isEverything()
})

test('numbers that are set back while Slipstream is away, and are past its own again', async () => {
  const { pds, slipstream, writers } = rig
  await allPost('seen')
  await rig.isEverything()
  await slipstream.kill()
  await pds.kill()
  setBack(3)
  await pds.start()
  await allPost('under a number that was given before')
  await post(writers[0], 'under a new number')
  await slipstream.start()
  await rig.isEverything()
})

test('a PDS that no longer has what was missed', async () => {
  const { pds, slipstream, writers } = rig
  await post(writers[0], 'seen')
  await rig.isEverything()
  await slipstream.kill()
  await allPost('too long ago')
  await pds.kill()
  await pds.start({ repoBackfillLimitMs: 1 })
  await slipstream.start()
  await post(writers[0], 'now')
  await rig.isEverything()
})

test('a #sync without a commit tells of what was never sent', async () => {
  const { pds, slipstream, writers } = rig
  const [{ did }] = writers
  // Whoever wrote last is compared after a restart, without a word from the stream.
  await post(writers[1], 'seen')
  await rig.isEverything()
  await rig.isRepaired()
  await slipstream.kill()
  const { uri } = await post(writers[0], 'never sent')
  const later = await post(writers[1], 'sent')
  await pds.kill()
  const latest = 'SELECT max(seq) FROM repo_seq WHERE did = ?'
  pds.sequences((db) => db.prepare(`DELETE FROM repo_seq WHERE seq = (${latest})`).run(did))
  await pds.start()
  await slipstream.start()
  await eventually(async () => expect(await rig.visible()).toContain(later.uri), PATIENCE)
  expect(await rig.visible()).not.toContain(uri)
  await pds.act({ sync: did as `did:plc:${string}` })
  await rig.isEverything()
})
