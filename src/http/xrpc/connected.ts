// Those whom an account follows, or who follow it, as the two methods show them. Left out are inactive
// accounts, those in a block with the viewer, and those who stand there in spite of a block between the two.

import type { Reader } from '../../answers/hydrate/reader.ts'
import type { Needs } from './define.ts'

export function connected(
  { viewCache }: Needs<'viewCache'>,
  uids: readonly number[],
  { about, call: { reader } }: { about: { uid: number }; call: { reader: Reader } },
) {
  const pairs = uids.map((uid) => [about.uid, uid] as const)
  const blocks = viewCache.blocksAmong(pairs, reader)
  return viewCache.profiles(uids, reader, {
    isShown: (uid, relation) => !relation.blocks && !blocks.has(about.uid, uid),
  })
}
