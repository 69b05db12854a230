// The child process that hosts the network: @atproto/dev-env's PLC directory (in memory) and PDS (SQLite in a
// temporary directory). A separate process, so that the PDS's work doesn't count as client latency, and
// because importing dev-env takes seconds that a test file shouldn't pay twice. network.ts spawns it, passes
// the AppView's address in the environment, and reads the two addresses from the one message sent here.

import { writeFile } from 'node:fs/promises'
import { Secp256k1Keypair } from '@atproto/crypto'
import { TestNetworkNoAppView, TestPds } from '@atproto/dev-env'
import { startPlcOfToday } from './plc-of-today.ts'

const pds = {
  bskyAppViewUrl: process.env['E2E_APPVIEW_URL'],
  bskyAppViewDid: process.env['E2E_APPVIEW_DID'],
}
const network = await TestNetworkNoAppView.create({ pds })
let second: TestPds | undefined

type Rotation = { rotate: `did:plc:${string}`; isAnnounced: boolean }

const plc = await startPlcOfToday(network.plc.url)

type Move = { move: `did:plc:${string}`; credentials: object }

process.on('message', (message: 'stop' | 'second' | Rotation | Move) => {
  if (message === 'stop') void stop()
  else if (message === 'second') void startSecond().then((url) => process.send?.({ url }))
  else if ('move' in message) void move(message).then(() => process.send?.({ moved: message.move }))
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

/** Another PDS of the same network. */
async function startSecond(): Promise<string> {
  second ??= await TestPds.create({ ...pds, didPlcUrl: network.plc.url })
  return second.url
}

/** Lets the directory name another PDS, and that one's key, as the account's owner would with a signed operation. */
async function move({ move: did, credentials }: Move) {
  const { plcClient, plcRotationKey } = network.pds.ctx
  await plcClient.updateData(did, plcRotationKey, (last) => ({ ...last, ...credentials }))
}

/** Gives the PDS's background queue one second, then ends whatever is still open. */
async function stop(): Promise<void> {
  setTimeout(() => process.exit(0), 1_000).unref()
  plc.stop()
  await second?.close()
  await network.close()
  process.exit(0)
}
