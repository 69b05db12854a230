// Slipstream's condition in words for the operator: what is wrong, and what to do about it. The thresholds
// are those of the alert rules in deploy/; visitor-words.ts has the visitors' version.

import { MINUTE_MS } from '../../base/util/durations.ts'
import type { DiskState, IngestStatus } from '../../bridge/messages.ts'
import { archiveInWords, isReadingArchive } from './archive-words.ts'
import type { Forecast } from './forecast.ts'
import { bytes, days, duration, plural, rate } from './format.ts'

export type Finding = {
  /** `info` is no problem, just something in progress. */
  level: 'good' | 'info' | 'notice' | 'bad'
  title: string
  /** What it means, and what to do. */
  text: string
}

const LATE_MS = MINUTE_MS
const SLOW_ANSWERS_MS = 1_000
const LEAST_FREE_BYTES = 2e9
const FEW_DAYS = 3
const SOME_DAYS = 14
const FAILURE_SHARE = 0.01
const REPLAY_HOURS = 36
/** On the whole network, events arrive every second. */
const LONG_QUIET_MS = MINUTE_MS

/**
 * Worst first.
 * @param status - undefined until the ingest thread has reported.
 */
export function stateInWords(
  status: IngestStatus | undefined,
  forecast: Forecast | undefined,
): Finding[] {
  if (!status) {
    return [{ level: 'notice', title: 'Starting', text: 'The first report comes in a second.' }]
  }
  const findings = [
    aboutStalls(status),
    aboutArchive(status),
    aboutStream(status),
    aboutFailures(status),
    aboutGivenUp(status) ?? aboutDisk(status, forecast),
    aboutLag(status),
    aboutQuiet(status),
    aboutSlowness(status),
    aboutGaps(status),
    aboutLabelers(status),
  ].filter((finding) => finding !== undefined)
  const isWell = findings.every(({ level }) => level === 'info')
  return isWell ? [wellness(status), ...findings] : findings
}

function wellness({ stream, members }: IngestStatus): Finding {
  const lag =
    stream.lagMs === undefined
      ? 'The stream is connected'
      : `The stream is ${duration(stream.lagMs)} behind the network`
  const text = `${lag}, and ${plural(members, 'member reads', 'members read')} here.`
  return { level: 'good', title: 'Everything is well', text }
}

function aboutStalls({ stalls = [] }: IngestStatus): Finding | undefined {
  const longest = stalls[0]
  if (!longest) return undefined
  return {
    level: 'bad',
    title: 'Nothing new is taken in',
    text: `Nothing has moved for ${duration(longest.seconds * 1_000)}: ${longest.what}. What is here is still served. If this goes on, Slipstream ends so that it is started again, and continues where it stopped; the log says why (standing still).`,
  }
}

function aboutArchive({ archive }: IngestStatus): Finding | undefined {
  if (!archive || archive.state === 'done') return undefined
  const isRefused = archive.waiting?.why === 'refused'
  const text = `${archiveInWords(archive)} The stream goes on where the archive ends; until then nothing new is shown.`
  return { level: isRefused ? 'bad' : 'notice', title: 'Reading the archive', text }
}

function aboutStream({ stream, archive }: IngestStatus): Finding | undefined {
  if (stream.connected || isReadingArchive({ archive })) return undefined
  const { lastError, lastErrorHost = stream.host } = stream
  const why = lastError ? ` The last error was: ${lastError}.` : ''
  return {
    level: 'bad',
    title: 'No connection to the stream',
    text: `${hostOf(lastErrorHost)} does not answer.${why} Nothing is lost if it is back within ${REPLAY_HOURS} hours: what was missed is read then. Check this machine’s network and SLIPSTREAM_JETSTREAM_HOSTS.`,
  }
}

/** Connected, and catching up on missed events. */
export function isLate({ stream: { connected, lagMs = 0 } }: IngestStatus): boolean {
  return connected && lagMs >= LATE_MS
}

function aboutLag(status: IngestStatus): Finding | undefined {
  const { stream, pulse } = status
  const { lagMs = 0, paused } = stream
  if (!isLate(status)) return undefined
  const rateText = `${rate(pulse.eventsPerSecond)} events a second`
  return {
    level: 'notice',
    title: `Catching up, ${duration(lagMs)} behind`,
    text: paused
      ? `The disk or processor is the limit (${rateText}). If this stays so, the machine is too small, or SLIPSTREAM_INDEX_SCOPE too wide.`
      : `What was missed is being read, at ${rateText}. Timelines fill up meanwhile.`,
  }
}

/** Silence is normal with few accounts; on the whole network, it means the host is stuck. */
function aboutQuiet({ stream }: IngestStatus): Finding | undefined {
  const { quietMs = 0, connected } = stream
  if (!connected || quietMs < LONG_QUIET_MS) return undefined
  return {
    level: 'info',
    title: `Quiet for ${duration(quietMs)}`,
    text: `${hostOf(stream.host)} is connected and answers, and has sent nothing since. That is usual with few accounts to listen to (SLIPSTREAM_INDEX_SCOPE=authors); if it listens to the whole network, the host itself is stuck: slipstream doctor asks it.`,
  }
}

function aboutDisk({ pulse }: IngestStatus, forecast: Forecast | undefined): Finding | undefined {
  const daysLeft = forecast?.daysLeft ?? Infinity
  const isShort = pulse.freeBytes < LEAST_FREE_BYTES
  if (!isShort && daysLeft > SOME_DAYS) return undefined
  const left = Number.isFinite(daysLeft) ? ` At this pace it is full in ${days(daysLeft)}.` : ''
  return {
    level: isShort || daysLeft < FEW_DAYS ? 'bad' : 'notice',
    title: 'The disk is filling up',
    text: `${bytes(pulse.freeBytes)} are free.${left} Make room or give it a bigger disk; as it fills, Slipstream keeps less, and in the end writes nothing until there is room.`,
  }
}

/** What is given up to save disk space. */
const givenUp: Record<Exclude<DiskState, 'ok' | 'full'>, string> = {
  'without-search': 'Posts are not found by their words for now',
  'strangers-pruned':
    'Posts are not found by their words, and what strangers wrote and liked more than a few days ago is being given up (counts stay)',
  'neighbours-pruned':
    'Posts are not found by their words, and old posts by strangers are being given up, those too that people here answered (they are fetched again when looked at)',
  'strangers-refused':
    'Nothing new by strangers is taken: no likes, replies or follows by people whom nobody here follows',
}

function aboutGivenUp({ disk, pulse }: IngestStatus): Finding | undefined {
  const { state, usedBytes, capBytes } = disk
  if (state === 'ok') return undefined
  const room =
    'Make room, raise SLIPSTREAM_DISK_CAP_MB, or set SLIPSTREAM_KEEP_STRANGERS_DAYS to keep less.'
  if (state === 'full') {
    return {
      level: 'bad',
      title: 'The disk is full',
      text: `Nothing new is written; what is here is still served. Nothing is lost if there is room again within ${REPLAY_HOURS} hours: the stream goes on where it stopped. ${bytes(pulse.freeBytes)} are free. ${room}`,
    }
  }
  return {
    level: state === 'without-search' ? 'notice' : 'bad',
    title: 'Less is kept, for want of room',
    text: `${givenUp[state]}. The database uses ${bytes(usedBytes)} of the ${bytes(capBytes)} that it may take. ${room}`,
  }
}

/** Whether more than occasional answers fail. */
export function hasFailures({ pulse }: IngestStatus): boolean {
  return pulse.failuresPerSecond > pulse.requestsPerSecond * FAILURE_SHARE
}

function aboutFailures(status: IngestStatus): Finding | undefined {
  if (!hasFailures(status)) return undefined
  return {
    level: 'bad',
    title: 'Requests are failing',
    text: 'More than one in a hundred answers is a 500 or a 503. A 500 is “request failed” in the log, with the request’s id; a 503 means that this machine gets more requests than it can answer.',
  }
}

/** Judged by the slowest one in a hundred. */
export function isSlow({ pulse }: IngestStatus): boolean {
  return (pulse.answerMs.p99 ?? 0) >= SLOW_ANSWERS_MS
}

function aboutSlowness(status: IngestStatus): Finding | undefined {
  if (!isSlow(status)) return undefined
  const { p99 } = status.pulse.answerMs
  return {
    level: 'notice',
    title: 'Answers are slow',
    text: `One in a hundred takes ${duration(p99)} or more. Right after a start this passes; otherwise look at processor and disk, and at SLIPSTREAM_SERVE_THREADS.`,
  }
}

/** Gaps are routine, so they do not count against the condition. */
function aboutGaps({ openGaps }: IngestStatus): Finding | undefined {
  if (openGaps === 0) return undefined
  const text =
    'What was missed is read again, from the stream or from the accounts’ own servers; slipstream gaps lists it.'
  return { level: 'info', title: `Mending ${plural(openGaps, 'gap')}`, text }
}

/** Other operators' misbehaving labelers do not count against this server. */
function aboutLabelers({ quarantinedLabelers = 0 }: IngestStatus): Finding | undefined {
  if (quarantinedLabelers === 0) return undefined
  return {
    level: 'info',
    title: `${plural(quarantinedLabelers, 'labeler is', 'labelers are')} left alone for a while`,
    text: 'The stream of each broke a limit, or was open when Slipstream ended without being stopped. It is tried again by itself; slipstream stats says which and until when.',
  }
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url
}
