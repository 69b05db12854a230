// Checks the database, with or without a running server: whether it looks intact, which Slipstream it belongs
// to, and whether the stream can still resume where it stopped.

import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { DAY_MS, HOUR_MS } from '../../base/util/durations.ts'
import { type Hole, readHoles } from '../../data/store/counts/history-holes.ts'
import { type Db, FILE_NAME, openReader } from '../../data/store/db.ts'
import { storeTrouble } from '../../data/store/files/trouble.ts'
import { schemaOf, schemaVersion } from '../../data/store/migrate.ts'
import { firehoseCursors, streamCursors } from '../../data/store/stream/stream-cursors.ts'
import { type DoctorContext, runningServer } from './context.ts'
import { here } from './cures.ts'
import { type Finding, good, notice, unchecked, wrong } from './finding.ts'

/** How long public Jetstream hosts keep events. */
const WINDOW_HOURS = { v1: 24, v2: 36, repos: 24 }
const SOON_HOURS = 6

export function checkDatabase(doctor: DoctorContext): Finding[] {
  const { dataDir } = doctor.config
  if (!existsSync(join(dataDir, FILE_NAME))) {
    return [unchecked(`there is none in ${resolve(dataDir)} yet: the first start creates it`)]
  }
  let db: Db | undefined
  try {
    db = openReader(dataDir)
    const schema = schemaOf(db)
    const about = aboutSchema(schema)
    if (about.level !== 'good') return [about]
    return [about, ...aboutEnds(readHoles(db), doctor.now()), ...aboutPosition(db, doctor)]
  } catch (error) {
    const trouble = storeTrouble(error)
    if (trouble) return [wrong(trouble.message, trouble.hint)]
    throw error
  } finally {
    db?.close()
  }
}

export function aboutSchema(schema: number): Finding {
  if (schema === schemaVersion) return good(`schema ${schema}, which is current`)
  if (schema < schemaVersion) {
    const text = `it has schema ${schema}; the next start upgrades it to ${schemaVersion}, after a copy`
    return notice(
      text,
      `For a copy elsewhere: stop, then \`${here.command('backup --into /mnt/backups')}\`.`,
    )
  }
  const text = `it has schema ${schema}, written by a newer Slipstream; this one knows ${schemaVersion}`
  return wrong(
    text,
    `Run the newer one (\`git pull\`), or \`${here.command('restore FILE')}\` from a backup.`,
  )
}

/** Processes that ended without being stopped: a crash, a kill for want of memory, or a power cut. */
export function aboutEnds(holes: readonly Hole[], now: number): Finding[] {
  const recent = holes.filter(({ to, ends }) => ends !== undefined && to > now - DAY_MS)
  const last = recent.at(-1)
  if (!last) return []
  const times = recent.reduce((sum, { ends = 0 }) => sum + ends, 0)
  const often = times === 1 ? 'once' : `${times} times`
  const text = `the server ended unexpectedly ${often} in the last day, the last time before ${new Date(last.to).toISOString()}`
  return [
    notice(
      text,
      `The log says why: ${here.log}. If it does not, the kernel’s may: \`sudo dmesg\`.`,
    ),
  ]
}

function aboutPosition(db: Db, doctor: DoctorContext): Finding[] {
  const cursors = [...streamCursors(db), ...firehoseCursors(db)]
  const last = cursors.toSorted((a, b) => b.timeUs - a.timeUs)[0]
  if (!last) return [unchecked('no events received yet')]
  const hours = (doctor.now() - last.timeUs / 1000) / HOUR_MS
  // A running server reports its own lag.
  if (runningServer(doctor)) return []
  const since = `received until ${new Date(last.timeUs / 1000).toISOString()}`
  const left = WINDOW_HOURS[last.wire] - hours
  if (left < 0) {
    const text = `${since}: hosts no longer keep later events; the next start records a gap and repairs it`
    return [notice(text, `Start it, and see \`${here.command('gaps')}\`.`)]
  }
  if (left < SOON_HOURS) {
    const text = `${since}: in ${Math.max(0, Math.round(left))} hours a gap begins`
    return [notice(text, here.start)]
  }
  return [good(since)]
}
