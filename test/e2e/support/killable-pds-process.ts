// The process of a PDS that may be killed (killable-pds.ts): @atproto/pds over a folder that outlives it. What an
// operator does with its script `rebuild-repo` is done on a message, while it runs.

import { join } from 'node:path'
import { TestPds } from '@atproto/dev-env'

export type PdsCommand =
  /** Tells where the repository stands, without a commit. */
  | { sync: `did:plc:${string}` }
  /** Killed between the next commit's way into the stream and its way into the repository. */
  | { killAt: 'next-commit' }

const { E2E_PDS: settings = '' } = process.env
const { folder, ...config } = JSON.parse(settings) as { folder: string; didPlcUrl: string }

const pds = await TestPds.create({
  ...config,
  dataDirectory: join(folder, 'data'),
  blobstoreDiskLocation: join(folder, 'blobs'),
})

process.on('message', (command: PdsCommand) => {
  void perform(command).then(() => process.send?.('done'))
})
process.on('disconnect', () => process.exit(0))
process.send?.('started')

async function perform(command: PdsCommand): Promise<void> {
  const { actorStore, sequencer } = pds.ctx
  if ('killAt' in command) {
    const { sequenceCommit } = sequencer
    sequencer.sequenceCommit = async (...commit) => {
      await sequenceCommit.apply(sequencer, commit)
      process.kill(process.pid, 'SIGKILL')
    }
    return
  }
  const data = await actorStore.read(command.sync, (store) => store.repo.getSyncEventData())
  await sequencer.sequenceSync(command.sync, data)
}
