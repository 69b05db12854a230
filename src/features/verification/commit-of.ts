// Whether an account signed a commit: with its key as it is known, or as it is looked up once more, since keys rotate.

import type { VerifyingKey } from '../../sources/identity/verifying-key.ts'
import type { Blocks } from './firehose/blocks.ts'
import { type SignedCommit, signedCommit } from './firehose/commit.ts'
import type { AccountKeys } from './firehose/keys.ts'

/** @returns the commit of these blocks; undefined unless the account signed it */
export async function commitOf(
  did: string,
  blocks: Blocks,
  keys: Pick<AccountKeys, 'get' | 'renew'>,
): Promise<SignedCommit | undefined> {
  return commitBy(blocks, did, await keys.get(did)) ?? commitBy(blocks, did, await keys.renew(did))
}

function commitBy(
  blocks: Blocks,
  did: string,
  key: VerifyingKey | undefined,
): SignedCommit | undefined {
  const signed = key && signedCommit(blocks, key)
  return typeof signed === 'object' && signed.did === did ? signed : undefined
}
