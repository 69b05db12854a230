// Presents the follows or followers of an account, for getFollows and getFollowers. Leaves out inactive
// accounts, accounts in a block with the viewer, and accounts in a block with the listed account.

import type { Reader } from '../../../answers/hydrate/reader.ts'
import type { Needs } from '../define.ts'

export function connected(
  { viewCache }: Needs<'viewCache'>,
  uids: readonly number[],
  { about, call: { reader } }: { about: { uid: number }; call: { reader: Reader } },
) {
  const pairs = uids.map((uid) => [about.uid, uid] as const)
  const blocks = viewCache.blocksAmong(pairs, reader)
  return viewCache.profiles(uids, reader, {
    isVisible: (uid, relation) => !relation.blocks && !blocks.has(about.uid, uid),
  })
}
