// Slipstream's condition in words for visitors: what is late or missing. Whether a visitor may read here is
// said elsewhere (connect-section.ts), so nothing here promises it. The operator's advice and the machine's figures are behind the token (state-words.ts).

import { duration } from '../../base/util/format.ts'
import type { IngestStatus } from '../../bridge/messages.ts'
import { type Finding, hasFailures, isLate, isSlow } from './state-words.ts'

/**
 * Worst first.
 * @param status - undefined until the ingest thread has reported.
 */
export function stateForVisitors(status: IngestStatus | undefined): Finding[] {
  if (!status) {
    return [{ level: 'notice', title: 'Starting', text: 'The first figures arrive in a second.' }]
  }
  const findings = [
    aboutStream(status),
    aboutFailures(status),
    aboutCapacity(status),
    aboutLag(status),
    aboutSlowness(status),
    aboutGaps(status),
  ].filter((finding) => finding !== undefined)
  const isWell = findings.every(({ level }) => level === 'info')
  return isWell ? [wellness(status), ...findings] : findings
}

function wellness({ stream: { lagMs } }: IngestStatus): Finding {
  const text =
    lagMs === undefined
      ? 'This server answers, and new posts arrive.'
      : `This server answers, and is ${duration(lagMs)} behind the network.`
  return { level: 'good', title: 'Everything is well', text }
}

/** Readers need not know why nothing new arrives. */
function aboutStream(status: IngestStatus): Finding | undefined {
  const { stalls = [], stream, beforeLive } = status
  if (beforeLive) {
    const text = `${beforeLive.percent} % of it is read. New posts arrive once it is done.`
    return { level: 'notice', title: 'Reading the network’s past', text }
  }
  if (stream.connected && stalls.length === 0) return undefined
  const text =
    'Earlier posts can be read. Nothing is lost: missed posts are read once new posts arrive again.'
  return { level: 'bad', title: 'No new posts come in', text }
}

function aboutFailures(status: IngestStatus): Finding | undefined {
  if (!hasFailures(status)) return undefined
  const text = 'More than one request in a hundred fails. If something does not load, try again.'
  return { level: 'bad', title: 'Requests are failing', text }
}

function aboutCapacity({ disk: { state } }: IngestStatus): Finding | undefined {
  if (state === 'ok') return undefined
  if (state === 'full') {
    const text = 'Earlier posts can be read. New posts arrive once there is room again.'
    return { level: 'bad', title: 'The disk is full', text }
  }
  const isPartial = state !== 'without-search'
  const more = isPartial ? ', and some posts, likes and replies by strangers are missing' : ''
  const text = `Search does not find posts by text for now${more}.`
  return { level: isPartial ? 'bad' : 'notice', title: 'Some things are missing', text }
}

function aboutLag(status: IngestStatus): Finding | undefined {
  if (status.beforeLive || !isLate(status)) return undefined
  return {
    level: 'notice',
    title: `Catching up, ${duration(status.stream.lagMs)} behind`,
    text: 'Reading missed posts. Timelines fill up meanwhile.',
  }
}

function aboutSlowness(status: IngestStatus): Finding | undefined {
  if (!isSlow(status)) return undefined
  const text = `One request in a hundred takes ${duration(status.pulse.answerMs.p99)} or more.`
  return { level: 'notice', title: 'Answers are slow', text }
}

function aboutGaps({ openGaps }: IngestStatus): Finding | undefined {
  if (openGaps === 0) return undefined
  const text = 'They are being fetched, and appear automatically.'
  return { level: 'info', title: 'Some posts are missing', text }
}
