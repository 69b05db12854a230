// All changing parts of the status page, for visitors: the condition and since when, lag and speed. Amounts,
// and whose data they are, are for the operator only (figures.ts).

import { DAY_MS } from '../../base/util/durations.ts'
import { duration, moment, percent } from '../../base/util/format.ts'
import type { IngestStatus } from '../../bridge/messages.ts'
import { AVAILABILITY_DAYS, type Availability, isAbsence } from './availability.ts'
import { lagInWords } from './figures.ts'
import type { Finding } from './state-words.ts'
import { stateForVisitors } from './visitor-words.ts'

export type VisitorFigureName =
  | 'lag'
  | 'answerP50'
  | 'upShare'
  | 'upSpan'
  | 'quietFor'
  | 'quietLabel'
  | 'since'

export type VisitorFigures = {
  texts: Record<VisitorFigureName, string>
  state: Finding[]
  /** Whether it ever had a connection to the network. */
  hasReached: boolean
}

type Since = Pick<VisitorFigures['texts'], 'quietFor' | 'quietLabel' | 'since'>

const SINCE_LAST = 'since the last incident'

/** @param status - undefined until the ingest thread has reported. */
export function visitorFiguresOf(
  status: IngestStatus | undefined,
  availability: Availability,
): VisitorFigures {
  const isCut = hasNeverReached(status, availability)
  const texts = {
    lag: lagInWords(status),
    answerP50: duration(status?.pulse.hourAnswerMs),
    upShare: isCut ? percent(undefined) : percent(availability.upShare),
    upSpan: `up in the last ${spanInWords(availability)}`,
    ...(isCut ? neverReached() : sinceInWords(availability)),
  }
  return { texts, state: stateForVisitors(status), hasReached: !isCut }
}

/** How far back the record goes. */
function spanInWords({ known }: Availability): string {
  const most = AVAILABILITY_DAYS * DAY_MS
  const span = known ? known.to - known.from : most
  // The record excludes the current slot, and the first day is not a whole one.
  return span > most - DAY_MS ? `${AVAILABILITY_DAYS} days` : duration(span)
}

function hasNeverReached(status: IngestStatus | undefined, { hasReached }: Availability): boolean {
  if (!status || hasReached || status.beforeLive) return false
  return !status.stream.connected && status.stream.lagMs === undefined
}

function neverReached(): Since {
  const since = 'This server has not reached the network yet.'
  return { quietFor: 'ongoing', quietLabel: 'incident', since }
}

/** The latest incident, or how far back there was none. */
function sinceInWords({ known, incidents }: Availability): Since {
  const [latest] = incidents
  if (!known) {
    const since = 'This server has just started its record.'
    return { quietFor: '–', quietLabel: SINCE_LAST, since }
  }
  if (!latest) {
    const quietFor = duration(known.to - known.from)
    const since = `No incident since its record began, ${moment(known.from)}.`
    return { quietFor, quietLabel: 'on record, without incident', since }
  }
  // The reader is getting an answer, so the server runs again, even if no sample shows it yet.
  if (latest.to >= known.to && !isAbsence(latest)) {
    const since = `${latest.title} since ${moment(latest.from)}.`
    return { quietFor: 'ongoing', quietLabel: 'incident', since }
  }
  return {
    quietFor: latest.to < known.to ? duration(known.to - latest.to) : 'a moment',
    quietLabel: SINCE_LAST,
    since: `No incident since ${moment(latest.to)}.`,
  }
}
