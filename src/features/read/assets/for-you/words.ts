// What the For You tab says, apart from the words that every page needs.

import { phrasesOf } from '../page/words.ts'

const table = {
  why: ['Why this?', 'Warum das?', '表示の理由'],
  inTimeline: ['And in my timeline?', 'Und in meiner Timeline?', 'タイムラインでは？'],
  less: ['Less like this', 'Weniger davon', 'こういう投稿を減らす'],
  notAuthor: ['Not this author', 'Nichts von diesem Konto', 'このアカウントは表示しない'],
  lessDone: [
    'It is gone, and there will be less like it.',
    'Es ist weg, und es kommt weniger davon.',
    '非表示にしました。こういう投稿は減ります。',
  ],
  notAuthorDone: [
    'You will see nothing more by {name} here.',
    'Von {name} kommt hier nichts mehr.',
    '{name} の投稿はここには表示されません。',
  ],
  coLikers: [
    'Liked by {people} who liked what you liked: up to {shared} posts in common.',
    'Gefällt {people}, denen gefiel, was dir gefiel: bis zu {shared} Beiträge gemeinsam.',
    'あなたと好みの合う{people}が「いいね」しました（共通の「いいね」は最大 {shared} 件）。',
  ],
  coLikersOfOne: [
    'Liked by {people} who liked what you liked: one post in common.',
    'Gefällt {people}, denen gefiel, was dir gefiel: ein Beitrag gemeinsam.',
    'あなたと好みの合う{people}が「いいね」しました（共通の「いいね」は 1 件）。',
  ],
  follows: [
    'Liked by {people} whom you follow.',
    'Gefällt {people}, denen du folgst.',
    'あなたがフォローしている{people}が「いいね」しました。',
  ],
  members: [
    'Liked by members of this server: {count}.',
    'Gefällt Mitgliedern dieses Servers: {count}.',
    'このサーバーのメンバー {count} 人が「いいね」しました。',
  ],
  person: ['1 person', 'einer Person', '1 人'],
  people: ['{count} people', '{count} Leuten', '{count} 人'],
} as const satisfies Record<string, readonly [string, string, string]>

export const phrase = phrasesOf(table)

const CO_LIKERS = /^liked by (\d+) \w+ who shares? up to (\d+) likes? with you$/
const FOLLOWS = /^liked by (\d+) \w+ you follow$/
const MEMBERS = /^liked by (\d+) members? here$/

/** The server's reason (feedContext) in the reader's language; as it is if it is another server's. */
export function reasonWords(context: string): string {
  const [, likers, shared] = CO_LIKERS.exec(context) ?? []
  const shape = shared === '1' ? 'coLikersOfOne' : 'coLikers'
  if (likers) return phrase(shape, { people: peopleWords(likers), shared: Number(shared) })
  const [, followed] = FOLLOWS.exec(context) ?? []
  if (followed) return phrase('follows', { people: peopleWords(followed) })
  const [, members] = MEMBERS.exec(context) ?? []
  return members ? phrase('members', { count: Number(members) }) : context
}

function peopleWords(count: string): string {
  return count === '1' ? phrase('person') : phrase('people', { count: Number(count) })
}
