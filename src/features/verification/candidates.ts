// Which account is asked next: a member, one heard of lately, or any that a member follows, by turns.

import type { ActorReader } from '../../data/graph/types.ts'
import type { Db } from '../../data/store/db.ts'
import { membersByDid } from '../../data/store/members/members.ts'
import { isInCircle } from '../../ingest/indexing/index-context.ts'
import type { Heard } from './heard.ts'

export type Candidates = {
  /** @returns one that is due; undefined if none was found with a few tries */
  pick(isDue: (did: string) => boolean): string | undefined
}

const TRIES = 20
/** Members are read again after so many picks. */
const MEMBERS_FOR = 1_000

export function createCandidates(
  { actors, db }: { actors: ActorReader; db: Db },
  heard: Pick<Heard, 'accounts'>,
  random: () => number = Math.random,
): Candidates {
  let members: string[] = []
  let turn = 0

  const any = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)]

  function anyFollowed(): string | undefined {
    const uid = 1 + Math.floor(random() * actors.count)
    return actors.count > 0 && isInCircle(actors, uid) ? actors.didOf(uid) : undefined
  }

  return {
    pick(isDue) {
      if (turn % MEMBERS_FOR === 0) members = membersByDid(db).map(({ did }) => did)
      for (let i = 0; i < TRIES; i++) {
        const kind = turn++ % 3
        const did = kind === 0 ? any(members) : kind === 1 ? any(heard.accounts()) : anyFollowed()
        if (did !== undefined && isDue(did)) return did
      }
      return undefined
    },
  }
}
