// Triggers on the writer's connection that record every row it touches, and the invalidations that each touch
// requires. Tables that are not classified yet are reported.

import { collectionCodes } from '../../src/base/atproto/collections.ts'
import { features } from '../../src/base/feature.ts'
import { INVALIDATION } from '../../src/data/shared-memory/invalidation-kinds.ts'
import type { WriteDb } from '../../src/data/store/db.ts'
import { type PlainTable, plainTables } from '../../src/data/store/records/record-tables.ts'
import type { InvalidationSet } from './invalidation-set.ts'

type Invalidates = (typeof plainTables)[PlainTable]['invalidates']

type Watched = {
  columns: string[]
  /** Columns whose change is visible in a view; all if omitted. */
  of?: string[]
  isInvalidated: (invalidations: InvalidationSet, ...values: number[]) => boolean
}

const isPostInvalidated = (invalidations: InvalidationSet, post: number) =>
  invalidations.has(INVALIDATION.post, post)
const isReactionInvalidated = (invalidations: InvalidationSet, uid: number, post: number) =>
  invalidations.has(INVALIDATION.reaction, uid, post) ||
  invalidations.has(INVALIDATION.reactions, uid)
const isRelationInvalidated = (invalidations: InvalidationSet, uid: number, subject: number) =>
  invalidations.has(INVALIDATION.relation, uid, subject) ||
  invalidations.has(INVALIDATION.relations, uid)

/**
 * Packed lists of the records of one account, or about one subject: they name only one of the two.
 */
function packed(kind: 'likes' | 'follows' | 'blocks', note: number, all: number) {
  const byCreator: Watched = {
    columns: ['creator'],
    isInvalidated: (invalidations, uid) =>
      invalidations.has(note, uid) || invalidations.has(all, uid),
  }
  const bySubject: Watched = {
    columns: ['subject'],
    isInvalidated: (invalidations, subject) =>
      invalidations.has(note, undefined, subject) || invalidations.has(all),
  }
  return { [`${kind}_by_creator`]: [byCreator], [`${kind}_by_subject`]: [bySubject] }
}

const GENERATOR = collectionCodes['app.bsky.feed.generator']
const VERIFICATION = collectionCodes['app.bsky.graph.verification']
const POST = collectionCodes['app.bsky.feed.post']
const OPT_OUT = collectionCodes['app.bsky.graph.referencelistoptout'] as number
const STARTER_PACK = collectionCodes['app.bsky.graph.starterpack']

/** Each table with what its line in record-tables.ts says, unless there is more to say below. */
const plain = Object.entries<{ invalidates: Invalidates }>(plainTables).map(
  ([table, { invalidates }]): [string, Watched[]] => [
    table,
    Object.entries(invalidates).map(([kind, column]) => ({
      columns: [column],
      isInvalidated: (invalidations, id) =>
        invalidations.has(INVALIDATION[kind as keyof typeof INVALIDATION], id),
    })),
  ],
)

const watched: Record<string, Watched[]> = {
  ...Object.fromEntries(plain),
  posts: [{ columns: ['id'], isInvalidated: isPostInvalidated }],
  threadgates: [{ columns: ['post'], isInvalidated: isPostInvalidated }],
  postgates: [{ columns: ['post'], isInvalidated: isPostInvalidated }],
  post_associations: [{ columns: ['post'], isInvalidated: isPostInvalidated }],
  associated_records: [
    {
      columns: ['id'],
      of: ['id', 'record', 'card'],
      isInvalidated: (invalidations, id) => invalidations.has(INVALIDATION.associated, id),
    },
  ],
  earlier_post_counts: [
    {
      columns: ['post'],
      isInvalidated: (invalidations, post) => invalidations.has(INVALIDATION.counts, post),
    },
  ],
  earlier_actor_counts: [
    {
      columns: ['uid'],
      isInvalidated: (invalidations, uid) => invalidations.has(INVALIDATION.actorCounts, uid),
    },
  ],
  post_counts: [
    {
      columns: ['post'],
      isInvalidated: (invalidations, post) => invalidations.has(INVALIDATION.counts, post),
    },
  ],
  actors: [
    {
      columns: ['uid'],
      of: ['uid', 'did', 'handle', 'handle_valid', 'status'],
      isInvalidated: (invalidations, uid) => invalidations.has(INVALIDATION.actor, uid),
    },
    {
      columns: ['uid'],
      of: ['follows_count', 'followers_count', 'posts_count'],
      isInvalidated: (invalidations, uid) =>
        invalidations.has(INVALIDATION.actorCounts, uid) ||
        invalidations.has(INVALIDATION.actor, uid),
    },
  ],
  profiles: [
    {
      columns: ['uid'],
      isInvalidated: (invalidations, uid) => invalidations.has(INVALIDATION.actor, uid),
    },
  ],
  reposts: [
    {
      columns: ['id'],
      isInvalidated: (invalidations, id) => invalidations.has(INVALIDATION.repost, id),
    },
    { columns: ['uid', 'subject'], isInvalidated: isReactionInvalidated },
  ],
  ...packed('likes', INVALIDATION.reaction, INVALIDATION.reactions),
  ...packed('follows', INVALIDATION.relation, INVALIDATION.relations),
  ...packed('blocks', INVALIDATION.block, INVALIDATION.relations),
  mutes: [{ columns: ['uid', 'subject'], isInvalidated: isRelationInvalidated }],
  list_mutes: [
    {
      columns: ['uid'],
      isInvalidated: (invalidations, uid) => invalidations.has(INVALIDATION.relations, uid),
    },
  ],
  bookmarks: [{ columns: ['uid', 'post'], isInvalidated: isReactionInvalidated }],
  activity_subscriptions: [{ columns: ['uid', 'subject'], isInvalidated: isRelationInvalidated }],
  thread_mutes: [
    {
      columns: ['uid'],
      isInvalidated: (invalidations, uid) => invalidations.has(INVALIDATION.reactions, uid),
    },
  ],
  lists: [
    {
      columns: ['id'],
      isInvalidated: (invalidations, id) => invalidations.has(INVALIDATION.list, id),
    },
    {
      columns: ['uid'],
      of: ['uid', 'cid', 'purpose', 'record'],
      isInvalidated: (invalidations, uid) => invalidations.has(INVALIDATION.actorCounts, uid),
    },
  ],
  list_items: [
    {
      columns: ['list'],
      isInvalidated: (invalidations, list) => invalidations.has(INVALIDATION.list, list),
    },
    {
      columns: ['subject'],
      isInvalidated: (invalidations, uid) => invalidations.has(INVALIDATION.relations, uid),
    },
  ],
  records: [
    {
      columns: ['uid', 'collection', 'subject'],
      of: ['cid', 'record', 'sort_at', 'subject'],
      isInvalidated: (invalidations, uid, collection, subject) => {
        if ([GENERATOR, STARTER_PACK, OPT_OUT].includes(collection)) {
          return invalidations.has(INVALIDATION.actorCounts, uid)
        }
        // It is shown on its subject; a stub has no subject.
        if (collection === VERIFICATION)
          return !subject || invalidations.has(INVALIDATION.actor, subject)
        return invalidations.has(INVALIDATION.actor, uid)
      },
    },
  ],
  takedowns: [
    {
      columns: ['uid', 'collection'],
      of: ['subject'],
      isInvalidated(invalidations, _uid, collection) {
        if (!collection || collection < 0) return true // the account's status is watched; blobs are in no view
        return collection === POST
          ? invalidations.has(INVALIDATION.post)
          : invalidations.has(INVALIDATION.everything)
      },
    },
  ],
  labels: [
    {
      columns: ['uid'],
      isInvalidated: (invalidations, uid) => invalidations.has(INVALIDATION.label, uid),
    },
  ],
  list_blocks: [
    {
      columns: ['uid'],
      isInvalidated: (invalidations, uid) => invalidations.has(INVALIDATION.relations, uid),
    },
  ],
}

/** No cached view is built from these. */
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
  // Views with like counts of feeds and the like are rebuilt each time.
  'record_likes',
  ...['replays', 'replay_accounts', 'feed_depths'],
  ...['snapshots', 'meta', 'notifications', 'notification_settings', 'activity_subscriptions'],
  'act_arrivals',
  ...['reaction_records', 'relation_records', 'kept_identities'],
  ...['drafts', 'preferences'],
  'feature_schemas',
  ...features.flatMap(({ tables = [] }) => tables),
  ...['search_queue', 'search_backlog', 'search_actors', 'post_stretches', 'history'],
  ...['stream_bytes', 'stream_choices', 'stream_paces'],
  ...['keyless_follows', 'unfollows'],
  ...['invites', 'admissions', 'bans', 'moderation_log', 'moderation_tags'],
  ...['invites', 'admissions'],
  // Read by timelines of features.
  'arrivals',
  // The chain of a thread owner's replies is read afresh each time.
  'op_replies',
  // Read once, for a new member's notifications.
  'mentions',
])

export type TouchedRows = {
  /** Tables that are neither watched nor known to be in no view. */
  unjudged: string[]
  /** Number of touches seen so far, by table. */
  counts: Map<string, number>
  /** Touches since the last call that these invalidations do not cover. */
  takeUninvalidated(invalidations: InvalidationSet): string[]
}

export function watchTouchedRows(db: WriteDb): TouchedRows {
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
    // Search words, and the tables that FTS5 keeps them in.
    .filter((name) => !/^(sqlite|actor_words|actor_parts|post_words)(_|$)/.test(name))
  for (const table of tables) {
    for (const [i, item] of (watched[table] ?? []).entries()) {
      rules.set(`${table} ${i}`, item)
      createTriggers(db, table, i, item)
    }
  }
  const counts = new Map<string, number>()
  return {
    unjudged: tables.filter((table) => !(table in watched) && !unseen.has(table)),
    counts,
    takeUninvalidated(invalidations) {
      const touched = log.splice(0)
      for (const [name] of touched) {
        const table = name.split(' ')[0]!
        counts.set(table, (counts.get(table) ?? 0) + 1)
      }
      const uninvalidated = touched.filter(
        ([name, values]) => !rules.get(name)!.isInvalidated(invalidations, ...values),
      )
      return uninvalidated.map(([name, values]) => `${name}: ${values.join(', ')}`)
    },
  }
}

function createTriggers(db: WriteDb, table: string, i: number, { columns, of }: Watched): void {
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
