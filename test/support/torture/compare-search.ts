// Searches: members' own posts by a number unique to them, and authors by the number in their name.

import type { Dependencies, Post, Profile } from './checking.ts'
import { sleep } from './sleep.ts'
import { AnswerError, type Subject } from './subject.ts'

const POST = 'app.bsky.feed.post'
const NUMBERED = /^Of my own, (\d+)$/
const MAX_SEARCHES = 6
/** A busy machine has no time to search now and then. */
const TRIES = 60
const RETRY_MS = 1_000

export async function compareSearch(parts: Dependencies, everybody: string[]): Promise<void> {
  const { oracle, viewer } = parts
  const posts = oracle
    .records(viewer, POST)
    .map(({ rkey, value }) => ({
      uri: `at://${viewer}/${POST}/${rkey}`,
      number: NUMBERED.exec(String(value['text']))?.[1],
    }))
    .filter(({ number }) => number !== undefined)
  for (const { uri, number } of posts.slice(-MAX_SEARCHES)) {
    await comparePosts(parts, { q: `own ${number}`, uri })
  }
  const authors = everybody.filter((did) => oracle.isSteady(did) && !oracle.isHidden(did))
  for (const did of authors.slice(0, MAX_SEARCHES)) await compareActors(parts, did)
}

async function comparePosts(
  { subject, viewer, check }: Dependencies,
  { q, uri }: { q: string; uri: string },
): Promise<void> {
  const method = 'app.bsky.feed.searchPosts'
  const { posts } = await search<{ posts: Post[] }>(subject, viewer, method, { q, limit: 10 })
  const got = posts.map((post) => post.uri)
  const isSame = got.length === 1 && got[0] === uri
  check(isSame, { what: `search for "${q}"`, about: uri, expected: [uri], got })
}

async function compareActors({ subject, viewer, oracle, check }: Dependencies, did: string) {
  const profile = oracle.records(did, 'app.bsky.actor.profile')[0]?.value
  const q = String(profile?.['displayName'] ?? '')
  if (q === '' || oracle.isBlocked(viewer, did)) return
  const method = 'app.bsky.actor.searchActors'
  const params = { q, limit: 100 }
  const { actors } = await search<{ actors: Profile[] }>(subject, viewer, method, params)
  const got = actors.map((actor) => actor.did)
  check(got.includes(did), { what: `search for "${q}"`, about: did, expected: 'found', got })
}

async function search<T>(
  subject: Subject,
  ...request: [viewer: string, method: string, params: Record<string, string | number>]
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await subject.get<T>(...request)
    } catch (error) {
      const isBusy = error instanceof AnswerError && error.status === 503
      if (!isBusy || tries === TRIES) throw error
      await sleep(RETRY_MS)
    }
  }
}
