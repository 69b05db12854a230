// Triggers on the writer's connection that write down every row it touches, and which notes each
// of them calls for. A table that nobody has judged yet is named.

import { collectionCodes } from '../../src/base/atproto/collections.ts'
import { NOTE } from '../../src/data/shared-memory/note-kinds.ts'
import type { Db } from '../../src/data/store/db.ts'
import type { NoteSet } from './note-set.ts'

type Watched = {
  columns: string[]
  /** Columns whose change shows in a view; all where left out. */
  of?: string[]
  isNoted: (notes: NoteSet, ...values: number[]) => boolean
}

const isPostNoted = (notes: NoteSet, post: number) => notes.has(NOTE.post, post)
const isOpinionNoted = (notes: NoteSet, uid: number, post: number) =>
  notes.has(NOTE.opinion, uid, post) || notes.has(NOTE.opinions, uid)
const isTieNoted = (notes: NoteSet, uid: number, subject: number) =>
  notes.has(NOTE.tie, uid, subject) || notes.has(NOTE.ties, uid)

/** Lists of one account's, or of one subject's, records: they name only one of the two. */
function packed(kind: 'likes' | 'follows' | 'blocks', note: number, all: number) {
  const byCreator: Watched = {
    columns: ['creator'],
    isNoted: (notes, uid) => notes.has(note, uid) || notes.has(all, uid),
  }
  const bySubject: Watched = {
    columns: ['subject'],
    isNoted: (notes, subject) => notes.has(note, undefined, subject) || notes.has(all),
  }
  return { [`${kind}_by_creator`]: [byCreator], [`${kind}_by_subject`]: [bySubject] }
}

const GENERATOR = collectionCodes['app.bsky.feed.generator']
const VERIFICATION = collectionCodes['app.bsky.graph.verification']
const POST = collectionCodes['app.bsky.feed.post']
const STARTER_PACK = collectionCodes['app.bsky.graph.starterpack']

const watched: Record<string, Watched[]> = {
  posts: [{ columns: ['id'], isNoted: isPostNoted }],
  threadgates: [{ columns: ['post'], isNoted: isPostNoted }],
  postgates: [{ columns: ['post'], isNoted: isPostNoted }],
  earlier_post_counts: [
    { columns: ['post'], isNoted: (notes, post) => notes.has(NOTE.counts, post) },
  ],
  earlier_actor_counts: [
    { columns: ['uid'], isNoted: (notes, uid) => notes.has(NOTE.actorCounts, uid) },
  ],
  post_counts: [{ columns: ['post'], isNoted: (notes, post) => notes.has(NOTE.counts, post) }],
  actors: [
    {
      columns: ['uid'],
      of: ['uid', 'did', 'handle', 'handle_valid', 'status'],
      isNoted: (notes, uid) => notes.has(NOTE.actor, uid),
    },
    {
      columns: ['uid'],
      of: ['follows_count', 'followers_count', 'posts_count'],
      isNoted: (notes, uid) => notes.has(NOTE.actorCounts, uid) || notes.has(NOTE.actor, uid),
    },
  ],
  profiles: [{ columns: ['uid'], isNoted: (notes, uid) => notes.has(NOTE.actor, uid) }],
  reposts: [
    { columns: ['id'], isNoted: (notes, id) => notes.has(NOTE.repost, id) },
    { columns: ['uid', 'subject'], isNoted: isOpinionNoted },
  ],
  ...packed('likes', NOTE.opinion, NOTE.opinions),
  ...packed('follows', NOTE.tie, NOTE.ties),
  ...packed('blocks', NOTE.block, NOTE.ties),
  mutes: [{ columns: ['uid', 'subject'], isNoted: isTieNoted }],
  list_mutes: [{ columns: ['uid'], isNoted: (notes, uid) => notes.has(NOTE.ties, uid) }],
  bookmarks: [{ columns: ['uid', 'post'], isNoted: isOpinionNoted }],
  activity_subscriptions: [{ columns: ['uid', 'subject'], isNoted: isTieNoted }],
  thread_mutes: [{ columns: ['uid'], isNoted: (notes, uid) => notes.has(NOTE.opinions, uid) }],
  lists: [
    { columns: ['id'], isNoted: (notes, id) => notes.has(NOTE.list, id) },
    {
      columns: ['uid'],
      of: ['uid', 'cid', 'purpose', 'record'],
      isNoted: (notes, uid) => notes.has(NOTE.actorCounts, uid),
    },
  ],
  list_items: [
    { columns: ['list'], isNoted: (notes, list) => notes.has(NOTE.list, list) },
    { columns: ['subject'], isNoted: (notes, uid) => notes.has(NOTE.ties, uid) },
  ],
  records: [
    {
      columns: ['uid', 'collection', 'subject'],
      of: ['cid', 'record', 'sort_at', 'subject'],
      isNoted: (notes, uid, collection, subject) => {
        if (collection === GENERATOR || collection === STARTER_PACK) {
          return notes.has(NOTE.actorCounts, uid)
        }
        // It shows with whom it is about; a stub is about nobody.
        if (collection === VERIFICATION) return !subject || notes.has(NOTE.actor, subject)
        return notes.has(NOTE.actor, uid)
      },
    },
  ],
  takedowns: [
    {
      columns: ['uid', 'collection'],
      of: ['subject'],
      isNoted(notes, _uid, collection) {
        if (!collection || collection < 0) return true // the account's status is watched; blobs show in no view
        return collection === POST ? notes.has(NOTE.post) : notes.has(NOTE.everything)
      },
    },
  ],
  labels: [{ columns: ['uid'], isNoted: (notes, uid) => notes.has(NOTE.label, uid) }],
  list_blocks: [{ columns: ['uid'], isNoted: (notes, uid) => notes.has(NOTE.ties, uid) }],
}

/** No view that is kept is made from these. */
const unseen = new Set([
  'labelers',
  ...[
    'tombstones',
    'members',
    'stream_cursors',
    'gaps',
    'removals',
    'doubts',
    'jobs',
    'backfills',
    'brought',
    'graph_changes',
  ],
  // Views that count likes of feeds and the like are made anew each time.
  'record_likes',
  ...['replays', 'replay_accounts', 'feed_depths'],
  ...['snapshots', 'meta', 'notifications', 'notification_settings', 'activity_subscriptions'],
  'reaction_records',
  ...['drafts', 'preferences'],
  ...['search_queue', 'search_backlog', 'search_actors', 'history'],
  ...['keyless_follows', 'unfollows'],
  'archives',
  ...['invites', 'admissions', 'bans', 'moderation_log'],
  // The line of a thread's owner is read anew each time.
  'op_replies',
  // Read once, for the notifications of somebody new.
  'mentions',
])

export type TouchedRows = {
  /** Tables that are neither watched nor known to be in no view. */
  unjudged: string[]
  /** How many touches were seen so far, by table. */
  counts: Map<string, number>
  /** What was touched since the last look and is not in these notes. */
  takeUnnoted(notes: NoteSet): string[]
}

export function watchTouchedRows(db: Db): TouchedRows {
  const log: [name: string, values: number[]][] = []
  const rules = new Map<string, Watched>()
  db.function('touched', { varargs: true }, (name: string, ...values: number[]) => {
    log.push([name, values])
    return null
  })
  const tables = db
    .prepare<[], string>("SELECT name FROM main.sqlite_schema WHERE type = 'table'")
    .pluck()
    .all()
    // The words that things are found by, and the tables that FTS5 keeps them in.
    .filter((name) => !/^(sqlite|actor_words|actor_parts|post_words)(_|$)/.test(name))
  for (const table of tables) {
    for (const [i, one] of (watched[table] ?? []).entries()) {
      rules.set(`${table} ${i}`, one)
      createTriggers(db, table, i, one)
    }
  }
  const counts = new Map<string, number>()
  return {
    unjudged: tables.filter((table) => !(table in watched) && !unseen.has(table)),
    counts,
    takeUnnoted(notes) {
      const touched = log.splice(0)
      for (const [name] of touched) {
        const table = name.split(' ')[0]!
        counts.set(table, (counts.get(table) ?? 0) + 1)
      }
      const unnoted = touched.filter(
        ([name, values]) => !rules.get(name)!.isNoted(notes, ...values),
      )
      return unnoted.map(([name, values]) => `${name}: ${values.join(', ')}`)
    },
  }
}

function createTriggers(db: Db, table: string, i: number, { columns, of }: Watched): void {
  const call = (row: 'OLD' | 'NEW') =>
    `SELECT touched('${table} ${i}', ${columns.map((column) => `${row}.${column}`).join(', ')});`
  const on = (event: string, calls: string, when = '') =>
    db.exec(
      `CREATE TEMP TRIGGER touched_${table}_${i}_${event.slice(0, 3)} AFTER ${event} ON main.${table}
        ${when} BEGIN ${calls} END`,
    )
  on('INSERT', call('NEW'))
  on('DELETE', call('OLD'))
  const isOther = of?.map((column) => `OLD.${column} IS NOT NEW.${column}`).join(' OR ')
  on('UPDATE', call('OLD') + call('NEW'), isOther && `WHEN ${isOther}`)
}
