// The progress of a start from the archive as the core and pages show it, in words.

import { bytes, count, plural } from '../../base/util/format.ts'
import type { BeforeLive } from '../../bridge/messages.ts'
import type { ArchiveStatus } from './archive-status.ts'

const KEY_FIX = 'Set SLIPSTREAM_ARCHIVE_KEY to a key of the host, or SLIPSTREAM_ARCHIVE=off.'

/** The stream begins where the archive ends, so nothing is live yet. */
export function beforeLiveOf(archive: ArchiveStatus): BeforeLive | undefined {
  const { state, percent, waiting } = archive
  if (state === 'done') return undefined
  return {
    what: 'archive',
    percent,
    text: archiveInWords(archive),
    waiting: waiting && {
      message: waiting.message,
      fix: waiting.why === 'refused' ? KEY_FIX : undefined,
    },
  }
}

function archiveInWords(archive: ArchiveStatus): string {
  const { percent, events, bytes: all, dayBytes, lostBlocks, reachedUs } = archive
  const reached = reachedUs === undefined ? '' : `, up to ${dayOf(reachedUs)}`
  const lost = lostBlocks === 0 ? '' : `, ${plural(lostBlocks, 'block')} could not be read`
  const figures = `${percent} % is read${reached}: ${count(events)} events, ${bytes(all)} received (${bytes(dayBytes)} today)${lost}.`
  return `${figures}${waitingInWords(archive)}`
}

const reasons = {
  quota: 'Waiting for the quota',
  refused: 'The host refuses',
  away: 'The host is out of reach',
}

function waitingInWords({ waiting }: ArchiveStatus): string {
  if (!waiting) return ''
  const until = new Date(waiting.until).toISOString().slice(0, 16).replace('T', ' ')
  return ` ${reasons[waiting.why]}, until ${until} UTC: ${waiting.message}.`
}

function dayOf(timeUs: number): string {
  return new Date(timeUs / 1000).toISOString().slice(0, 10)
}
