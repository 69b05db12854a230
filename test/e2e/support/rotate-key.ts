// Gives an account another signing key, as its PDS and the directory know it; the stream may tell of it.

import { writeFile } from 'node:fs/promises'
import { Secp256k1Keypair } from '@atproto/crypto'
import type { TestPds } from '@atproto/dev-env'

export async function rotateKey(
  { ctx }: Pick<TestPds, 'ctx'>,
  did: `did:plc:${string}`,
  isAnnounced: boolean,
): Promise<void> {
  const { actorStore, plcClient, plcRotationKey, sequencer } = ctx
  const key = await Secp256k1Keypair.create({ exportable: true })
  await plcClient.updateAtprotoKey(did, plcRotationKey, key.did())
  const { keyLocation } = await actorStore.getLocation(did)
  await writeFile(keyLocation, await key.export())
  if (isAnnounced) await sequencer.sequenceIdentity(did)
}
