// Follows, followers and known followers.

import { compareAccounts, type Dependencies, isListed, type Profile, readAll } from './checking.ts'
import { AnswerError } from './subject.ts'

export async function compareFollows(parts: Dependencies): Promise<void> {
  const { oracle, viewer } = parts
  const method = 'app.bsky.graph.getFollows'
  const views = await readAll<Profile>(parts, method, { actor: viewer }, 'follows')
  const expected = new Set([...oracle.follows(viewer)].filter((did) => isListed(parts, did)))
  compareAccounts(parts, 'getFollows', views, { must: expected, may: expected })
}

export async function compareFollowers(parts: Dependencies): Promise<void> {
  const { oracle, viewer } = parts
  const method = 'app.bsky.graph.getFollowers'
  const views = await readAll<Profile>(parts, method, { actor: viewer }, 'followers')
  const { must, may } = oracle.followers(viewer)
  const listed = (dids: Set<string>) => new Set([...dids].filter((did) => isListed(parts, did)))
  compareAccounts(parts, 'getFollowers', views, { must: listed(must), may: listed(may) })
}

export async function compareKnownFollowers(parts: Dependencies, about: string): Promise<void> {
  const { oracle, viewer, check } = parts
  const expected = new Set(
    [...oracle.follows(viewer)].filter(
      (did) => did !== viewer && isListed(parts, did) && oracle.follows(did).has(about),
    ),
  )
  const method = 'app.bsky.graph.getKnownFollowers'
  try {
    const views = await readAll<Profile>(parts, method, { actor: about }, 'followers')
    compareAccounts(parts, `getKnownFollowers of ${about}`, views, {
      must: expected,
      may: expected,
    })
  } catch (error) {
    if (!(error instanceof AnswerError) || error.status !== 400) throw error
    const isExpected = oracle.isHidden(about) || expected.size === 0
    check(isExpected, {
      what: 'getKnownFollowers',
      about,
      expected: [...expected],
      got: error.message,
    })
  }
}
