// Slipstream's condition in words for the operator: what is wrong, and what to do about it. The thresholds
// are those of the alert rules in deploy/; visitor-words.ts has the visitors' version.

import { MINUTE_MS } from '../../base/util/durations.ts'
import { bytes, days, duration, plural, rate } from '../../base/util/format.ts'
import type { DiskState, IngestStatus } from '../../bridge/messages.ts'
import type { Forecast } from './forecast.ts'

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
    return [{ level: 'notice', title: 'Starting', text: 'The first report arrives in a second.' }]
  }
  const findings = [
    aboutStalls(status),
    aboutBeforeLive(status),
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
    text: `Nothing has moved for ${duration(longest.seconds * 1_000)}: ${longest.what}. Stored data is still served. If this persists, Slipstream exits to be restarted, and continues where it stopped; the log says why (standing still).`,
  }
}

function aboutBeforeLive({ beforeLive }: IngestStatus): Finding | undefined {
  if (!beforeLive) return undefined
  const { what, waiting } = beforeLive
  const text = `${beforeLive.text} The stream continues where the ${what} ends; until then no new posts are shown.`
  const level = waiting?.fix === undefined ? 'notice' : 'bad'
  return { level, title: `Reading the ${what}`, text }
}

function aboutStream({ stream, beforeLive }: IngestStatus): Finding | undefined {
  if (stream.connected || beforeLive) return undefined
  const { lastError, lastErrorHost = stream.host } = stream
  const why = lastError ? ` The last error was: ${lastError}.` : ''
  return {
    level: 'bad',
    title: 'No connection to the stream',
    text: `${hostOf(lastErrorHost)} does not answer.${why} Nothing is lost if it is back within ${REPLAY_HOURS} hours: missed events are read then. Check this machine’s network and ${stream.wire === 'repos' ? 'SLIPSTREAM_RELAY_HOSTS' : 'SLIPSTREAM_JETSTREAM_HOSTS'}.`,
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
      ? `The disk or CPU is the limit (${rateText}). If this persists, the machine is too small, or SLIPSTREAM_INDEX_SCOPE too wide.`
      : `Reading missed events, at ${rateText}. Timelines fill up meanwhile.`,
  }
}

/** Silence is normal with few accounts; on the whole network, it means the host is stuck. */
function aboutQuiet({ stream }: IngestStatus): Finding | undefined {
  const { quietMs = 0, connected } = stream
  if (!connected || quietMs < LONG_QUIET_MS) return undefined
  return {
    level: 'info',
    title: `Quiet for ${duration(quietMs)}`,
    text: `${hostOf(stream.host)} is connected and answers, but has sent no event since. That is normal with few accounts (SLIPSTREAM_INDEX_SCOPE=authors); for the whole network, the host itself is stuck: check it with slipstream doctor.`,
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
    text: `${bytes(pulse.freeBytes)} are free.${left} Make room or use a bigger disk; as it fills, Slipstream keeps less, and finally stops writing until there is room.`,
  }
}

/** What is given up to save disk space. */
const givenUp: Record<Exclude<DiskState, 'ok' | 'full'>, string> = {
  'without-search': 'Search does not find posts by text for now',
  'strangers-pruned':
    'Search does not find posts by text, and strangers’ posts and likes older than a few days are being deleted (counts stay)',
  'neighbours-pruned':
    'Search does not find posts by text, and old posts by strangers are being deleted, even those that people here answered (they are fetched again when viewed)',
  'strangers-refused':
    'New records by strangers are ignored: no likes, replies or follows by people not followed here',
}

function aboutGivenUp({ disk, pulse }: IngestStatus): Finding | undefined {
  const { state, usedBytes, capBytes } = disk
  if (state === 'ok') return undefined
  const advice =
    'Make room, raise SLIPSTREAM_DISK_CAP_MB, or set SLIPSTREAM_KEEP_STRANGERS_DAYS to keep less.'
  if (state === 'full') {
    return {
      level: 'bad',
      title: 'The disk is full',
      text: `Slipstream has stopped writing; stored data is still served. Nothing is lost if there is room within ${REPLAY_HOURS} hours: the stream resumes where it stopped. ${bytes(pulse.freeBytes)} are free. ${advice}`,
    }
  }
  return {
    level: state === 'without-search' ? 'notice' : 'bad',
    title: 'Less is stored, because disk space is short',
    text: `${givenUp[state]}. The database uses ${bytes(usedBytes)} of the ${bytes(capBytes)} that it may use. ${advice}`,
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
    text: 'More than 1 % of answers are a 500 or a 503. A 500 is “request failed” in the log, with the request’s id; a 503 means that this machine gets more requests than it can answer.',
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
    text: `One in a hundred takes ${duration(p99)} or more. This is normal right after a start; otherwise check CPU, disk and SLIPSTREAM_SERVE_THREADS.`,
  }
}

/** Gaps are routine, so they do not count against the condition. */
function aboutGaps({ openGaps }: IngestStatus): Finding | undefined {
  if (openGaps === 0) return undefined
  const text =
    'Missed events are read again, from the stream or from the accounts’ own servers; slipstream gaps lists them.'
  return { level: 'info', title: `Repairing ${plural(openGaps, 'gap')}`, text }
}

/** Other operators' misbehaving labelers do not count against this server. */
function aboutLabelers({ quarantinedLabelers = 0 }: IngestStatus): Finding | undefined {
  if (quarantinedLabelers === 0) return undefined
  return {
    level: 'info',
    title: `${plural(quarantinedLabelers, 'labeler is', 'labelers are')} paused`,
    text: 'The stream of each broke a limit, or was open when Slipstream crashed. It is retried automatically; slipstream stats says which and until when.',
  }
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url
}
