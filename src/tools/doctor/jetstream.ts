// Checks each Jetstream host on both wires, as the stream itself would: the dictionary, whether frames are
// readable, how far behind the network they are, and how far back the host goes.

import { foreignUnit, foreignUnitWords } from '@slipstream/jetstream'
import type { Config } from '../../base/config/config.ts'
import { HOUR_MS, MINUTE_MS } from '../../base/util/durations.ts'
import type { DoctorContext } from './context.ts'
import { type Finding, good, notice, unchecked, wrong } from './finding.ts'
import { type Heard, listenTo } from './network/hear-jetstream.ts'

type Wire = 'v1' | 'v2'

const LATE_MS = MINUTE_MS
/** Further back than any host keeps, so that it starts at its window's beginning. */
const LONG_AGO_MS = 30 * 24 * HOUR_MS
const WIRE_FIX =
  'Set SLIPSTREAM_JETSTREAM_WIRE=auto, or name another host in SLIPSTREAM_JETSTREAM_HOSTS.'

const COMPRESSION_FIX = 'Set SLIPSTREAM_JETSTREAM_COMPRESS=off, or ask the host’s operator.'
const HOST_FIX = 'Ask the host’s operator, or name another host in SLIPSTREAM_JETSTREAM_HOSTS.'

export async function checkJetstream(doctor: DoctorContext): Promise<Finding[]> {
  const hosts = [...new Set(doctor.config.jetstreamHosts)]
  if (hosts.length === 0) return [good('it is not read: SLIPSTREAM_JETSTREAM_HOSTS is off')]
  const found = await Promise.all(hosts.map((host) => aboutHost(doctor, host)))
  const isOneGood = found.some((some) => some.every(({ level }) => level !== 'wrong'))
  // If one host is down, the others replace it.
  return found
    .flat()
    .map((finding) =>
      isOneGood && finding.level === 'wrong' ? { ...finding, level: 'notice' } : finding,
    )
}

async function aboutHost(doctor: DoctorContext, host: string): Promise<Finding[]> {
  const { jetstreamWire } = doctor.config
  const [v2, v1, from] = await Promise.all([
    listenTo(doctor, { host, wire: 'v2' }),
    listenTo(doctor, { host, wire: 'v1' }),
    windowOf(doctor, host),
  ])
  const isAway = v1.end === 'unreachable' && v2.end === 'unreachable'
  if (isAway) return [await aboutAway(doctor, host, v2.why)]
  const found = [
    aboutWire({ host, wire: 'v2', heard: v2 }, doctor),
    aboutWire({ host, wire: 'v1', heard: v1 }, doctor),
  ]
  const isWanted = (wire: Wire) =>
    jetstreamWire === wire ||
    (jetstreamWire === 'auto' && (wire === 'v2' ? v2.end === undefined : v2.end !== undefined))
  const judged = found.map((finding, i) => {
    const wire: Wire = i === 0 ? 'v2' : 'v1'
    return finding.level === 'good' || isWanted(wire) ? finding : unneeded(finding)
  })
  return [...judged, ...aboutWindow(host, from, doctor)]
}

/** A wire that is not used need not exist. */
function unneeded({ text }: Finding): Finding {
  return notice(`${text} (not used: SLIPSTREAM_JETSTREAM_WIRE)`)
}

async function aboutAway({ isOnline }: DoctorContext, host: string, why: string): Promise<Finding> {
  if (!(await isOnline())) return unchecked(`offline: ${host} was not reached`)
  return wrong(
    `${host} can’t be reached: ${why}`,
    'Check the name in SLIPSTREAM_JETSTREAM_HOSTS, and that your firewall allows outgoing port 443.',
  )
}

function aboutWire(
  { host, wire, heard }: { host: string; wire: Wire; heard: Heard },
  { config, now }: DoctorContext,
): Finding {
  const name = `${host} ${wire}`
  if (heard.end === 'no such wire') return wrong(`${name}: not offered by this host`, WIRE_FIX)
  if (heard.end !== undefined)
    return wrong(
      `${name}: ${heard.why}`,
      'Try later, or name another host in SLIPSTREAM_JETSTREAM_HOSTS.',
    )
  const bad = aboutDictionary(name, heard, config)
  if (bad) return bad
  const how = heard.dictionaryId === undefined ? 'plain' : `dictionary ${heard.dictionaryId}`
  if (heard.unreadable !== undefined) {
    const text = `${name}: frames can’t be read (${heard.unreadable})`
    const isPacked = heard.unreadable === 'bad-zstd'
    return wrong(text, isPacked ? COMPRESSION_FIX : HOST_FIX)
  }
  const unit = heard.timeUs && foreignUnit(heard.timeUs)
  if (unit) return wrong(`${name}: ${foreignUnitWords(unit)}`, HOST_FIX)
  if (heard.timeUs === undefined)
    return notice(
      `${name}: connected (${how}), but no event in ${heard.seconds} s`,
      'That is normal on a quiet private network; otherwise try again.',
    )
  const lagMs = now() - heard.timeUs / 1000
  const lag = `${name}: ${how}, ${Math.max(0, lagMs / 1000).toFixed(1)} s behind`
  if (lagMs > LATE_MS) return notice(lag, 'Either the host lags, or this machine’s clock is ahead.')
  return good(lag)
}

function aboutDictionary(
  name: string,
  { noDictionary }: Heard,
  config: Config,
): Finding | undefined {
  if (!config.jetstreamCompress || noDictionary === undefined) return undefined
  const text = `${name}: no dictionary (${noDictionary}), so the stream comes uncompressed: over twice the traffic`
  const fix = name.endsWith('v1')
    ? `Check SLIPSTREAM_JETSTREAM_V1_DICTIONARY=${config.jetstreamV1Dictionary}; a path to a copy of the file works too.`
    : 'Try later, or name another host.'
  return notice(text, fix)
}

/** Start of the host's window, in microseconds; undefined if it does not say. */
async function windowOf(doctor: DoctorContext, host: string): Promise<number | undefined> {
  const wire: Wire = doctor.config.jetstreamWire === 'v1' ? 'v1' : 'v2'
  const cursor = (doctor.now() - LONG_AGO_MS) * 1000
  const { timeUs } = await listenTo(doctor, { host, wire, cursor })
  return timeUs && foreignUnit(timeUs) ? undefined : timeUs
}

function aboutWindow(
  host: string,
  fromUs: number | undefined,
  { config, now }: DoctorContext,
): Finding[] {
  if (fromUs === undefined) return []
  const hours = (now() - fromUs / 1000) / HOUR_MS
  const text = `${host}: keeps ${hours < 1 ? 'less than an hour' : `${Math.round(hours)} hours`}`
  if (hours + 1 >= config.replayHours) return [good(text)]
  const rest = `${text}, less than the ${config.replayHours} that start new members’ timelines: the rest is fetched from each author’s server`
  return [notice(rest, 'This works, but takes longer.')]
}
