// Shared by all comparisons: reporting a difference, reading all pages, and checking every profile wherever
// it appears.

import type { Oracle } from './oracle.ts'
import type { Subject } from './subject.ts'

export type Difference = {
  what: string
  viewer: string
  /** URI or DID to search the history for. */
  about: string
  expected: unknown
  got: unknown
}

export type Comparison = { compared: number; differences: Difference[] }

export type Check = (same: boolean, difference: Omit<Difference, 'viewer'>) => void

export type Dependencies = {
  subject: Subject
  oracle: Oracle
  viewer: string
  check: Check
  pageSize: number
}

export type Profile = {
  did: string
  handle: string
  displayName?: string
  followersCount?: number
  followsCount?: number
  viewer?: { following?: string; blocking?: string; blockedBy?: boolean; muted?: boolean }
}
export type Post = {
  uri: string
  author: Profile
  likeCount: number
  repostCount: number
  replyCount: number
  quoteCount: number
  embed?: { images?: { thumb: string }[] }
  viewer?: { like?: string; repost?: string }
}
const MAX_PAGES = 2_000

export function compareProfile(
  { oracle, viewer, check }: Pick<Dependencies, 'oracle' | 'viewer' | 'check'>,
  { did, handle, displayName, viewer: state }: Profile,
): void {
  const account = oracle.account(did)
  const profile = account?.collections.get('app.bsky.actor.profile')?.get('self')?.value
  const name = profile?.['displayName']
  check(displayName === name, { what: 'displayName', about: did, expected: name, got: displayName })
  check(handle === account?.handle, {
    what: 'handle',
    about: did,
    expected: account?.handle,
    got: handle,
  })
  const follows = oracle.follows(viewer).has(did) && !oracle.isBlocked(viewer, did)
  check((state?.following !== undefined) === follows, {
    what: 'viewer.following',
    about: did,
    expected: follows,
    got: state?.following,
  })
}

export function compareAccounts(
  parts: Dependencies,
  what: string,
  views: Profile[],
  { must, may }: { must: Set<string>; may: Set<string> },
): void {
  const got = views.map(({ did }) => did)
  const { check } = parts
  for (const did of repeated(got))
    check(false, { what: `${what}: twice`, about: did, expected: 1, got: 'more' })
  for (const did of must)
    check(got.includes(did), { what, about: did, expected: 'listed', got: 'missing' })
  for (const did of got)
    check(may.has(did), { what, about: did, expected: 'absent', got: 'listed' })
  for (const view of views) compareProfile(parts, view)
}

export function isListed({ oracle, viewer }: Dependencies, did: string): boolean {
  return !oracle.isHidden(did) && !oracle.isBlocked(viewer, did)
}

export async function readAll<T>(
  { subject, viewer, pageSize }: Dependencies,
  method: string,
  params: Record<string, string>,
  field: string,
): Promise<T[]> {
  const all: T[] = []
  let cursor: string | undefined
  for (let pages = 0; ; pages++) {
    if (pages > MAX_PAGES) throw new Error(`${method} for ${viewer}: paging does not end`)
    const query = { ...params, limit: pageSize, ...(cursor && { cursor }) }
    const page = await subject.get<{ [field: string]: unknown; cursor?: string }>(
      viewer,
      method,
      query,
    )
    all.push(...(page[field] as T[]))
    if (!page.cursor) return all
    cursor = page.cursor
  }
}

export function repeated(values: string[]): string[] {
  const seen = new Set<string>()
  return values.filter((value) => seen.size === seen.add(value).size)
}
