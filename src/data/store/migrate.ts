// Migrates a database to this build's schema, one numbered migration per transaction: the core's and those of
// features, in the order of their numbers. A feature that comes to an older database begins with its first. A new
// database begins with one script in place of the core's earlier steps (migrations/start).

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type Database from 'better-sqlite3'
import { ConfigError } from '../../base/config/config.ts'
import { type Feature, features } from '../../base/feature.ts'
import * as initial from './migrations/001-025/001-initial.ts'
import * as packedEdges from './migrations/001-025/002-packed-edges.ts'
import * as notifications from './migrations/001-025/003-notifications.ts'
import * as actorsWithoutDidIndex from './migrations/001-025/004-actors-without-did-index.ts'
import * as search from './migrations/001-025/005-search.ts'
import * as privateState from './migrations/001-025/006-private-state.ts'
import * as labels from './migrations/001-025/007-labels.ts'
import * as records from './migrations/001-025/008-records.ts'
import * as threads from './migrations/001-025/009-threads.ts'
import * as replays from './migrations/001-025/010-replays.ts'
import * as gaps from './migrations/001-025/011-gaps.ts'
import * as retention from './migrations/001-025/012-retention.ts'
import * as history from './migrations/001-025/013-history.ts'
import * as invites from './migrations/001-025/014-invites.ts'
import * as importedFollows from './migrations/001-025/015-imported-follows.ts'
import * as earlierCounts from './migrations/001-025/016-earlier-counts.ts'
import * as recordLikesByTime from './migrations/001-025/018-record-likes-by-time.ts'
import * as reactionRecords from './migrations/001-025/019-reaction-records.ts'
import * as mentions from './migrations/001-025/020-mentions.ts'
import * as labelerLimits from './migrations/001-025/021-labeler-limits.ts'
import * as cursorMarks from './migrations/001-025/022-cursor-marks.ts'
import * as leftOut from './migrations/001-025/023-left-out.ts'
import * as brought from './migrations/001-025/024-brought.ts'
import * as moderation from './migrations/001-025/025-moderation.ts'
import * as timelines from './migrations/026-050/026-timelines.ts'
import * as moderationTags from './migrations/026-050/032-moderation-tags.ts'
import * as relationRecords from './migrations/026-050/036-relation-records.ts'
import * as keptIdentities from './migrations/026-050/037-kept-identities.ts'
import * as arrivalsByCode from './migrations/026-050/038-arrivals-by-code.ts'
import * as snapshotFiles from './migrations/026-050/039-snapshot-files.ts'
import * as postStretches from './migrations/026-050/040-post-stretches.ts'
import * as forgottenAccounts from './migrations/026-050/044-forgotten-accounts.ts'
import * as streamedLabels from './migrations/026-050/046-streamed-labels.ts'
import * as notificationArrivals from './migrations/026-050/048-notification-arrivals.ts'
import * as actArrivals from './migrations/026-050/050-act-arrivals.ts'
import * as streamBytes from './migrations/062-stream-bytes.ts'
import * as associatedRecords from './migrations/067-associated-records.ts'
import * as streamChoices from './migrations/069-stream-choices.ts'
import * as labelersBegun from './migrations/070-labelers-begun.ts'

type Migration = { version: number; sql?: string; run?: (db: Database.Database) => void }

/** Of the core, without those of features. */
export const coreMigrations: readonly Migration[] = [
  initial,
  packedEdges,
  notifications,
  actorsWithoutDidIndex,
  search,
  privateState,
  labels,
  records,
  threads,
  replays,
  gaps,
  retention,
  history,
  invites,
  importedFollows,
  earlierCounts,
  recordLikesByTime,
  reactionRecords,
  mentions,
  labelerLimits,
  cursorMarks,
  leftOut,
  brought,
  moderation,
  timelines,
  moderationTags,
  relationRecords,
  keptIdentities,
  arrivalsByCode,
  snapshotFiles,
  postStretches,
  forgottenAccounts,
  streamedLabels,
  notificationArrivals,
  actArrivals,
  streamBytes,
  associatedRecords,
  streamChoices,
  labelersBegun,
]

export const schemaVersion = Math.max(
  ...[...coreMigrations, ...features.flatMap((feature) => feature.migrations ?? [])].map(
    ({ version }) => version,
  ),
)

/**
 * The schema version of the database.
 * @throws if it can't be read
 */
export function schemaOf(db: Pick<Database.Database, 'pragma'>): number {
  return db.pragma('user_version', { simple: true }) as number
}

/**
 * @param upTo - the schema version wanted
 * @throws ConfigError if a newer Slipstream wrote the database
 */
export function migrate(db: Database.Database, upTo = schemaVersion): void {
  const found = schemaOf(db)
  if (found > schemaVersion) {
    throw new ConfigError(
      `The database ${db.name} has schema ${found}; this Slipstream knows up to ${schemaVersion}.`,
      'Run the newer Slipstream that wrote it, or point SLIPSTREAM_DATA_DIR at another folder.',
    )
  }
  if (isNew(db) && upTo === schemaVersion) begin(db)
  takeSteps(
    db,
    pendingSteps(db, schemaOf(db)).filter(({ migration }) => migration.version <= upTo),
  )
}

export function takeSteps(db: Database.Database, steps: readonly Step[]): void {
  for (const step of steps) take(db, step)
}

function isNew(db: Database.Database): boolean {
  return db.prepare('SELECT 1 FROM sqlite_schema').get() === undefined
}

function begin(db: Database.Database): void {
  const start = readFileSync(join(import.meta.dirname, 'migrations/start/schema.sql'), 'utf8')
  db.transaction(() => db.exec(start))()
}

type Step = { migration: Migration; feature?: string }

function pendingSteps(db: Database.Database, found: number): Step[] {
  const ofCore = coreMigrations
    .filter(({ version }) => version > found)
    .map((migration): Step => ({ migration }))
  const ofFeatures = features.flatMap((feature) => {
    const reached = reachedBy(db, feature, found)
    return (feature.migrations ?? [])
      .filter(({ version }) => version > reached)
      .map((migration): Step => ({ migration, feature: feature.name }))
  })
  return [...ofCore, ...ofFeatures].sort((a, b) => a.migration.version - b.migration.version)
}

/** A database from before features had versions of their own has their tables, up to its own version. */
function reachedBy(db: Database.Database, { name, tables = [] }: Feature, found: number): number {
  const isThere = (table: string) =>
    db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(table)
  const version = isThere('feature_schemas')
    ? db.prepare('SELECT version FROM feature_schemas WHERE feature = ?').pluck().get(name)
    : undefined
  return (version as number | undefined) ?? (tables.some(isThere) ? found : 0)
}

function take(db: Database.Database, { migration, feature }: Step): void {
  // Long work runs in its own steps, and resumes after an interruption.
  migration.run?.(db)
  db.transaction(() => {
    db.exec(migration.sql ?? '')
    db.pragma(`user_version = ${Math.max(schemaOf(db), migration.version)}`)
    if (feature !== undefined) record(db, feature, migration.version)
  })()
}

function record(db: Database.Database, feature: string, version: number): void {
  db.exec(
    'CREATE TABLE IF NOT EXISTS feature_schemas (feature TEXT PRIMARY KEY, version INTEGER NOT NULL) WITHOUT ROWID',
  )
  db.prepare('INSERT OR REPLACE INTO feature_schemas VALUES (?, ?)').run(feature, version)
}
