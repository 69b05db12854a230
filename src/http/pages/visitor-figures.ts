// All changing parts of the status page, for visitors: the condition and since when, lag and speed. Amounts,
// and whose data they are, are for the operator only (figures.ts).

import type { IngestStatus } from '../../bridge/messages.ts'
import { type Availability, NOT_RUNNING } from './availability.ts'
import { lagInWords } from './figures.ts'
import { duration, moment, percent } from './format.ts'
import type { Finding } from './state-words.ts'
import { stateForVisitors } from './visitor-words.ts'

export type VisitorFigureName = 'lag' | 'answerP50' | 'upShare' | 'quietFor' | 'since'

export type VisitorFigures = { texts: Record<VisitorFigureName, string>; state: Finding[] }

/** @param status - undefined until the ingest thread has reported. */
export function visitorFiguresOf(
  status: IngestStatus | undefined,
  availability: Availability,
): VisitorFigures {
  const { upShare } = availability
  const texts = {
    lag: lagInWords(status),
    answerP50: duration(status?.pulse.answerMs.p50),
    upShare: percent(upShare),
    ...sinceInWords(availability),
  }
  return { texts, state: stateForVisitors(status) }
}

/** The latest incident, or how far back there was none. */
function sinceInWords({ known, incidents }: Availability): { quietFor: string; since: string } {
  const [latest] = incidents
  if (!known) return { quietFor: '–', since: 'This server has just started its record.' }
  if (!latest) {
    const quietFor = duration(known.to - known.from)
    return { quietFor, since: `No incident since its record began, ${moment(known.from)}.` }
  }
  // The reader is getting an answer, so the server runs again, even if no sample shows it yet.
  if (latest.to >= known.to && latest.title !== NOT_RUNNING) {
    return { quietFor: 'ongoing', since: `${latest.title} since ${moment(latest.from)}.` }
  }
  return {
    quietFor: latest.to < known.to ? duration(known.to - latest.to) : 'a moment',
    since: `No incident since ${moment(latest.to)}.`,
  }
}
