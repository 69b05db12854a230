// The child process that hosts the network: @atproto/dev-env's PLC directory (in memory) and PDS (SQLite in a
// temporary directory). A separate process, so that the PDS's work doesn't count as client latency, and
// because importing dev-env takes seconds that a test file shouldn't pay twice. network.ts spawns it, passes
// the AppView's address in the environment, and reads the two addresses from the one message sent here.

import { writeFile } from 'node:fs/promises'
import { Secp256k1Keypair } from '@atproto/crypto'
import { TestNetworkNoAppView } from '@atproto/dev-env'
import { startPlcOfToday } from './plc-of-today.ts'

const network = await TestNetworkNoAppView.create({
  pds: {
    bskyAppViewUrl: process.env['E2E_APPVIEW_URL'],
    bskyAppViewDid: process.env['E2E_APPVIEW_DID'],
  },
})

type Rotation = { rotate: `did:plc:${string}`; isAnnounced: boolean }

const plc = await startPlcOfToday(network.plc.url)

process.on('message', (message: 'stop' | Rotation) => {
  if (message === 'stop') void stop()
  else void rotate(message).then(() => process.send?.({ rotated: message.rotate }))
})
process.on('disconnect', () => void stop())
process.send?.({ plcUrl: plc.url, pdsUrl: network.pds.url, adminAuth: network.pds.adminAuth() })

/** Gives an account another signing key, as its PDS and the directory know it; the stream may tell of it. */
async function rotate({ rotate: did, isAnnounced }: Rotation) {
  const { actorStore, plcClient, plcRotationKey, sequencer } = network.pds.ctx
  const key = await Secp256k1Keypair.create({ exportable: true })
  await plcClient.updateAtprotoKey(did, plcRotationKey, key.did())
  const { keyLocation } = await actorStore.getLocation(did)
  await writeFile(keyLocation, await key.export())
  if (isAnnounced) await sequencer.sequenceIdentity(did)
}

/** Gives the PDS's background queue one second, then ends whatever is still open. */
async function stop(): Promise<void> {
  setTimeout(() => process.exit(0), 1_000).unref()
  plc.stop()
  await network.close()
  process.exit(0)
}
