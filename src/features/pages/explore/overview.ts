// The server at a glance, for the operator: members, invites, backups, gaps, jobs and free space, each with
// its condition and, if needed, what to do; and what features add.

import type { Config } from '../../../base/config/config.ts'
import { DAY_MS } from '../../../base/util/durations.ts'
import { bytes, count, duration, plural } from '../../../base/util/format.ts'
import type { IngestStatus } from '../../../bridge/messages.ts'
import type { Db } from '../../../data/store/db.ts'
import { newestBackup } from '../../../data/store/files/backup.ts'
import { listInvites } from '../../../data/store/members/invites.ts'
import type { Explored, OverviewRow } from '../../../http/operator/explored.ts'
import { type Facts, readFacts } from '../../../http/operator/facts.ts'
import { MAX_LISTED_INVITES } from '../../../http/operator/invites.ts'

type Dependencies = {
  db: Db
  config: Config
  status: () => IngestStatus | undefined
  now?: () => number
  features?: readonly Explored[]
}

const BACKUP_IS_OLD_MS = 2 * DAY_MS
const MANY_JOBS = 20_000
const LEAST_FREE_BYTES = 2e9

export async function overview({
  db,
  config,
  status,
  now = Date.now,
  features = [],
}: Dependencies) {
  const report = status()
  const facts = readFacts(db, config.dataDir, report?.follows ?? 0)
  const ofFeatures = await Promise.all(features.map((feature) => feature.overview?.(config) ?? []))
  const rows: (OverviewRow | undefined)[] = [
    aboutMembers(facts, report),
    aboutInvites(db, now()),
    aboutBackups(config.dataDir, now()),
    aboutGaps(facts),
    aboutJobs(facts),
    aboutCapacity(facts),
    aboutLabelers(facts),
    ...ofFeatures.flat(),
  ]
  return rows.filter((row) => row !== undefined)
}

function aboutMembers({ members }: Facts, report: IngestStatus | undefined): OverviewRow {
  const cold = report?.coldStarts.filter(({ stage }) => stage !== 'done').length ?? 0
  const setUp = cold === 0 ? '' : `; ${plural(cold, 'is', 'are')} being set up`
  return { name: 'Members', text: `${count(members)}${setUp}`, level: 'info' }
}

function aboutInvites(db: Db, now: number): OverviewRow {
  const open = listInvites(db, MAX_LISTED_INVITES).filter((invite) => {
    return (
      invite.disabled_at === null &&
      (invite.expires_at ?? Infinity) > now &&
      invite.uses < invite.max_uses
    )
  })
  const seats = open.reduce((sum, value) => sum + value.max_uses - value.uses, 0)
  const text =
    open.length === 0
      ? 'no open codes; create one with slipstream invite create'
      : `${plural(open.length, 'code')} in use, for ${plural(seats, 'more person', 'more people')}`
  return { name: 'Invites', text, level: 'info' }
}

function aboutBackups(dataDir: string, now: number): OverviewRow {
  const newest = newestBackup(dataDir)
  if (!newest) {
    const text =
      'none in the data folder; create one with slipstream backup. Backups in other folders are not counted.'
    return { name: 'Backups', text, level: 'notice' }
  }
  const age = now - newest.at
  const text = `the latest is ${duration(age)} old, ${bytes(newest.bytes)}`
  if (age <= BACKUP_IS_OLD_MS) return { name: 'Backups', text, level: 'good' }
  const advice = 'Check the backup timer (docs/OPERATING.md, Back up and restore).'
  return { name: 'Backups', text: `${text}. ${advice}`, level: 'notice' }
}

function aboutGaps({ gaps: { open, repairing, closed } }: Facts): OverviewRow {
  if (open + repairing === 0) {
    return { name: 'Gaps', text: `none open, ${count(closed)} closed`, level: 'good' }
  }
  const text = `${count(open)} open, ${count(repairing)} being repaired automatically; slipstream gaps lists them`
  return { name: 'Gaps', text, level: 'info' }
}

function aboutJobs({ jobs, recordsLater }: Facts): OverviewRow {
  const later = recordsLater > 0 ? `; ${count(recordsLater)} records follow later, slowly` : ''
  if (jobs < MANY_JOBS)
    return { name: 'Jobs', text: `${count(jobs)} waiting${later}`, level: 'good' }
  const text = `${count(MANY_JOBS)} or more waiting${later}. If this lasts for hours, slipstream doctor says why.`
  return { name: 'Jobs', text, level: 'notice' }
}

function aboutCapacity({ disk: { databaseBytes, freeBytes } }: Facts): OverviewRow {
  const text = `${bytes(databaseBytes)} in the database, ${bytes(freeBytes)} free`
  const isShort = freeBytes < LEAST_FREE_BYTES
  return { name: 'Disk', text, level: isShort ? 'bad' : 'good' }
}

function aboutLabelers({ quarantinedLabelers }: Facts): OverviewRow | undefined {
  const [first, ...others] = quarantinedLabelers
  if (!first) return undefined
  const more = others.length > 0 ? `, and ${count(others.length)} more` : ''
  const text = `${first.did} is paused until ${first.until}: ${first.reason}${more}`
  return { name: 'Labelers', text, level: 'info' }
}
