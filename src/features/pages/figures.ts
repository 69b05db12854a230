// All changing parts of the operator's view of the server, ready for display: texts by name, the state in
// words, and newcomers' progress. Made on the server, so that the script need not format numbers.

import { bytes, count, days, duration, plural, rate } from '../../base/util/format.ts'
import type { FanOutStatus, IngestStatus } from '../../bridge/messages.ts'
import {
  choicesInWords,
  collectionsInWords,
  leftOutInWords,
  paceInWords,
  receivedInWords,
  sourcesInWords,
} from '../../http/operator/traffic-words.ts'
import type { TrafficStatus } from '../../sources/traffic.ts'
import type { Forecast } from './forecast.ts'
import { type Finding, stateInWords } from './state-words.ts'

const FIGURES = [
  'events',
  'lag',
  'quiet',
  'visible',
  'requests',
  'answerP50',
  'answerP99',
  'failures',
  'members',
  'timelines',
  'actors',
  'follows',
  'jobs',
  'openGaps',
  'memory',
  'database',
  'databaseLog',
  'diskFree',
  'diskForecast',
  'host',
  'fanOut',
  'writesSaved',
  'traffic',
  'trafficReceived',
  'trafficSources',
  'trafficCollections',
  'trafficLeftOut',
  'trafficChoices',
] as const

/** Shorter pauses are not reported. */
const QUIET_MS = 5_000

export type FigureName = (typeof FIGURES)[number]

type Figures = {
  texts: Record<FigureName, string>
  state: Finding[]
  /** Without names, which are requested separately. */
  coldStarts: { count: number; percent: number; text: string }
  /** Hidden unless an archive is being read. */
  archive: { isShown: boolean; percent: number; text: string }
}

/** @param status - undefined until the ingest thread has reported. */
export function figuresOf(
  status: IngestStatus | undefined,
  forecast: Forecast | undefined,
): Figures {
  return {
    texts: textsOf(status, forecast),
    state: stateInWords(status, forecast),
    coldStarts: coldStartsOf(status),
    archive: archiveOf(status),
  }
}

function textsOf(
  status: IngestStatus | undefined,
  forecast: Forecast | undefined,
): Figures['texts'] {
  const pulse = status?.pulse
  return {
    events: rate(pulse?.eventsPerSecond),
    lag: lagInWords(status),
    quiet: quietInWords(status),
    visible: duration(status?.visibleMs.count ? status.visibleMs.p99 : undefined),
    requests: rate(pulse?.requestsPerSecond),
    answerP50: duration(pulse?.hourAnswerMs),
    answerP99: duration(pulse?.answerMs.p99),
    failures: rate(pulse?.failuresPerSecond),
    members: count(status?.members),
    timelines: count(status?.timelines),
    actors: count(status?.actors),
    follows: count(status?.follows),
    jobs: count(status?.jobs),
    openGaps: count(status?.openGaps),
    memory: bytes(pulse?.memoryBytes),
    database: bytes(pulse?.databaseBytes),
    databaseLog: bytes(pulse?.logBytes),
    diskFree: bytes(pulse?.freeBytes),
    diskForecast: forecastInWords(forecast),
    fanOut: fanOutInWords(status?.fanOut),
    writesSaved: savedInWords(status?.fanOut),
    ...trafficInWords(status?.traffic),
    host: status ? (URL.parse(status.stream.host)?.host ?? status.stream.host) : '–',
  }
}

type TrafficFigure = Extract<FigureName, `traffic${string}`>

function trafficInWords(status: TrafficStatus | undefined): Record<TrafficFigure, string> {
  return {
    traffic: status ? paceInWords(status.facts) : '–',
    trafficReceived: status ? receivedInWords(status.facts) : '–',
    trafficSources: status ? sourcesInWords(status.facts) : '–',
    trafficCollections: status ? collectionsInWords(status.facts) : '–',
    trafficLeftOut: status ? leftOutInWords(status.choice) : '–',
    trafficChoices: status ? choicesInWords(status.choice) : '–',
  }
}

/**
 * While the archive is read, the age of its events does not tell how far behind the network we are.
 */
export function lagInWords(status: IngestStatus | undefined): string {
  const before = status?.beforeLive
  return before ? `${before.what} first` : duration(status?.stream.lagMs)
}

function quietInWords(status: IngestStatus | undefined): string {
  const quietMs = status?.stream.quietMs
  if (quietMs === undefined) return 'not connected now'
  return quietMs < QUIET_MS ? 'events are arriving' : `no events for ${duration(quietMs)}`
}

function archiveOf(status: IngestStatus | undefined): Figures['archive'] {
  const before = status?.beforeLive
  if (!before) return { isShown: false, percent: 0, text: '' }
  return { isShown: true, percent: before.percent, text: before.text }
}

function forecastInWords(forecast: Forecast | undefined): string {
  if (!forecast) return 'known after an hour'
  if (forecast.daysLeft === undefined) return 'does not fill up'
  return `full in ${days(forecast.daysLeft)}`
}

function fanOutInWords(fanOut: FanOutStatus | undefined): string {
  const posts = fanOut?.sizes.counts.reduce((sum, value) => sum + value, 0)
  if (!fanOut || !posts) return count(undefined)
  return `${count(Math.round(fanOut.sizes.sum / posts))}, at most ${count(fanOut.largest)}`
}

/** For the last hour, and since the start. */
function savedInWords(fanOut: FanOutStatus | undefined): string {
  if (!fanOut) return count(undefined)
  const { isLossy, lastHour, total } = fanOut
  if (!isLossy) return 'no limit'
  const all = lastHour.written + lastHour.leftOut
  const percent = all === 0 ? 0 : Math.round((lastHour.leftOut / all) * 100)
  return `${count(lastHour.leftOut)} in the last hour (${percent} %), ${count(total.leftOut)} since the start`
}

function coldStartsOf(status: IngestStatus | undefined): Figures['coldStarts'] {
  const running = status?.coldStarts.filter(({ stage }) => stage !== 'done') ?? []
  const done = running.reduce((sum, value) => sum + value.complete.done, 0)
  const total = running.reduce((sum, value) => sum + value.complete.total, 0)
  const percent = total === 0 ? 0 : Math.floor((done / total) * 100)
  return { count: running.length, percent, text: newcomersInWords(running.length, percent) }
}

function newcomersInWords(running: number, percent: number): string {
  if (running === 0) return 'No new member is being set up.'
  const who = plural(running, 'new member is', 'new members are')
  return `${who} being set up: ${percent} % of their follows are fetched.`
}
