// Which choices suit a reader, once their posts are here: not their own, no reply without its root, in a language
// they read, without a word they mute, by no stranger who does not want to be recommended, no more than two of one
// author in ten, and no more than a third by accounts that they follow anyway.

import type { FollowGraphReader } from '@slipstream/follow-graph'
import type { Db } from '../../data/store/db.ts'
import { rowIdOf } from '../../data/store/timelines/item-ids.ts'
import { notRecommendedTo } from '../../http/xrpc/accounts/not-recommended.ts'
import type { Judge } from '../../http/xrpc/feeds/own-feeds.ts'
import type { Session } from './sessions.ts'
import { type SuitingPost, suitingPosts } from './store/posts.ts'

type Dependencies = {
  db: Db
  graph: FollowGraphReader
  reader: number
  session: Session
  languages: readonly string[]
  mutedWords: readonly RegExp[]
  /** Authors (uids) of whom the reader wants none. */
  without: (author: number) => boolean
}

const IN_A_ROW = 10
const MOST_OF_AN_AUTHOR = 2

export function createJudge(parts: Dependencies, items: readonly number[]): Judge {
  const { db, reader, session, without } = parts
  const posts = suitingPosts(db, items.filter((item) => item !== 0).map(rowIdOf))
  const authors = new Set([...posts.values()].map(({ uid }) => uid))
  const hidden = notRecommendedTo(parts, reader, authors)
  const postOf = (item: number) => (item === 0 ? undefined : posts.get(rowIdOf(item)))
  return {
    suits(item) {
      const post = postOf(item)
      if (!post || hidden.has(post.uid) || without(post.uid)) return false
      return isReadable(post, parts)
    },
    takesTurn(item) {
      const author = postOf(item)?.uid
      if (author === undefined || !hasTurn(author, parts)) return false
      session.visibleAuthors.push(author)
      if (session.visibleAuthors.length >= IN_A_ROW) session.visibleAuthors.shift()
      session.visible++
      return true
    },
  }
}

function isReadable(
  { uid, record, isOrphan }: SuitingPost,
  { reader, languages, mutedWords }: Dependencies,
) {
  if (uid === reader || isOrphan || hasLabels(record)) return false
  return isIn(record.langs, languages) && !isMuted(record, mutedWords)
}

/** By the author's own label, a post is not for everybody. */
function hasLabels({ labels }: SuitingPost['record']): boolean {
  const { values } = (labels ?? {}) as { values?: unknown }
  return Array.isArray(values) && values.length > 0
}

function isIn(langs: unknown, languages: readonly string[]): boolean {
  if (languages.length === 0 || !Array.isArray(langs) || langs.length === 0) return true
  return langs.some(
    (lang) => typeof lang === 'string' && languages.includes(lang.slice(0, 3).split('-')[0]!),
  )
}

function isMuted({ text, tags }: SuitingPost['record'], mutedWords: readonly RegExp[]): boolean {
  const all = [text, ...(Array.isArray(tags) ? tags : [])]
  const texts = all.filter((item) => typeof item === 'string')
  return mutedWords.some((word) => texts.some((text) => word.test(text)))
}

function hasTurn(author: number, { graph, reader, session }: Dependencies): boolean {
  const before = session.visibleAuthors.filter((shownAuthor) => shownAuthor === author).length
  if (before >= MOST_OF_AN_AUTHOR) return false
  if (reader === 0 || !graph.has(reader, author)) return true
  if (session.followed * 3 > session.visible) return false
  session.followed++
  return true
}

const MAX_WORDS = 500

/** The words that a member mutes, by their preferences (app.bsky.actor.defs#mutedWordsPref). */
export function mutedWordsIn(preferences: readonly unknown[], now: number): RegExp[] {
  const found = (preferences as { $type?: unknown; items?: unknown }[])
    .filter(({ $type }) => $type === 'app.bsky.actor.defs#mutedWordsPref')
    .flatMap(({ items }) => (Array.isArray(items) ? items : []))
  return found.slice(0, MAX_WORDS).flatMap((word: { value?: unknown; expiresAt?: unknown }) => {
    if (typeof word.value !== 'string' || word.value === '') return []
    if (typeof word.expiresAt === 'string' && Date.parse(word.expiresAt) < now) return []
    return [wordPattern(word.value)]
  })
}

/** The word as a whole, whatever its case. */
function wordPattern(word: string): RegExp {
  const literal = word.slice(0, 200).replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  return new RegExp(`(?<![\\p{L}\\p{N}])${literal}(?![\\p{L}\\p{N}])`, 'iu')
}
