// Every profile as a member sees it: names, counts, and the relationship between the two accounts.

import { compareProfile, type Dependencies, type Profile } from './checking.ts'

const AT_ONCE = 25

export async function compareProfiles(parts: Dependencies, everybody: string[]): Promise<void> {
  const { subject, oracle, viewer, check } = parts
  for (let start = 0; start < everybody.length; start += AT_ONCE) {
    const requested = everybody.slice(start, start + AT_ONCE)
    const query = requested.map((did) => ['actors', did])
    const method = 'app.bsky.actor.getProfiles'
    const { profiles } = await subject.get<{ profiles: Profile[] }>(viewer, method, query)
    const byDid = new Map(profiles.map((profile) => [profile.did, profile]))
    for (const did of requested) {
      const profile = byDid.get(did)
      const isDue = oracle.isSteady(did) && !oracle.isHidden(did)
      if (isDue || oracle.isHidden(did)) {
        const [expected, got] = [isDue, profile !== undefined].map((is) =>
          is ? 'shown' : 'absent',
        )
        check(expected === got, { what: 'profile', about: did, expected, got })
      }
      if (profile && isDue) compareComplete(parts, profile)
    }
  }
}

function compareComplete(parts: Dependencies, profile: Profile): void {
  const { oracle, viewer, check } = parts
  const { did, viewer: state = {} } = profile
  compareProfile(parts, profile)
  const { must, may } = oracle.followers(did)
  const isHidden = (value: string) => oracle.isHidden(value)
  const followers = { least: [...must].filter((value) => !isHidden(value)).length, most: may.size }
  const followed = [...oracle.follows(did)]
  const follows = {
    least: followed.filter((value) => !isHidden(value)).length,
    most: followed.length,
  }
  const relations = {
    blocking: [oracle.isBlockedBy(did, viewer), state.blocking !== undefined],
    blockedBy: [oracle.isBlockedBy(viewer, did), state.blockedBy === true],
    muted: [oracle.isMuted(viewer, did), state.muted === true],
  }
  for (const [name, [expected, got]] of Object.entries(relations)) {
    check(expected === got, { what: `viewer.${name}`, about: did, expected, got })
  }
  const counts = [
    ['followersCount', followers, profile.followersCount],
    ['followsCount', follows, profile.followsCount],
  ] as const
  for (const [what, expected, got = -1] of counts) {
    check(got >= expected.least && got <= expected.most, { what, about: did, expected, got })
  }
}
