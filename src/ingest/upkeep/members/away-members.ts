// Removes members who have been away for long, if the settings say so. Data that they kept only here is first
// written to a file, as the command line does: it exists nowhere else.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from '../../../base/obs/log.ts'
import { DAY_MS, MINUTE_MS } from '../../../base/util/durations.ts'
import type { Db } from '../../../data/store/db.ts'
import { membersAwaySince } from '../../../data/store/members/members.ts'
import { readState } from '../../indexing/member-state/read-state.ts'
import { removeMember } from '../../indexing/members/members.ts'
import type { Writer } from '../../indexing/writer.ts'
import type { DiskSpace } from '../disk/disk-space.ts'

const INTERVAL_MS = MINUTE_MS
const AT_ONCE = 20
const OWNER_ONLY = { folder: 0o700, file: 0o600 }
/** In the data folder. */
const AWAY_FOLDER = 'members-away'

export function forgetAwayMembers(options: {
  db: Db
  writer: Writer
  diskSpace: Pick<DiskSpace, 'ifThereIsSpace'>
  dataDir: string
  /** 0: never. */
  forgetMembersDays: number
  now: () => number
  log: Pick<Logger, 'info'>
  intervalMs?: number
}): { stop(): void } {
  const { db, writer, diskSpace, dataDir, forgetMembersDays, now, log } = options
  if (forgetMembersDays === 0) return { stop: () => undefined }

  function forget(did: string): void {
    const folder = join(dataDir, AWAY_FOLDER)
    mkdirSync(folder, { recursive: true, mode: OWNER_ONLY.folder })
    const file = join(folder, `${did.replaceAll(':', '_')}.json`)
    const document = `${JSON.stringify(readState(db, did), null, 2)}\n`
    writeFileSync(file, document, { mode: OWNER_ONLY.file })
    writer.commit((ctx) => removeMember(ctx, did))
    log.info({ member: did, file }, 'membership ended after a long absence')
  }

  const timer = setInterval(() => {
    const since = now() - forgetMembersDays * DAY_MS
    for (const did of membersAwaySince(db, since, AT_ONCE))
      diskSpace.ifThereIsSpace(() => forget(did))
  }, options.intervalMs ?? INTERVAL_MS)
  return { stop: () => clearInterval(timer) }
}
