// Checks the server itself: whether it runs, with these settings and this version, and its state.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { StreamStatus } from '@slipstream/jetstream'
import { type Config, ConfigError } from '../../base/config/config.ts'
import { MINUTE_MS } from '../../base/util/durations.ts'
import { bytes } from '../../base/util/format.ts'
import { version } from '../../base/util/version.ts'
import type { BeforeLive } from '../../bridge/messages.ts'
import { lockDataDir } from '../../data/store/files/lock.ts'
import type { Facts } from '../../http/operator/facts.ts'
import type { Status } from '../../http/operator/status.ts'
import { choicesInWords, leftOutInWords, paceInWords } from '../../http/operator/traffic-words.ts'
import { type DoctorContext, runningServer } from './context.ts'
import { here } from './cures.ts'
import { type Finding, good, notice, unchecked, wrong } from './finding.ts'

const LATE_MS = MINUTE_MS
const MANY_DROPS = 0.01
const GB = 1e9

export function checkServer(doctor: DoctorContext): Finding[] {
  const server = runningServer(doctor)
  if (server) return aboutRunning(server.status, doctor)
  if (typeof doctor.server === 'object')
    return [unchecked('can’t tell whether it runs: see permissions')]
  return [aboutLock(doctor)]
}

function aboutRunning(status: Status, { config }: DoctorContext): Finding[] {
  const found = [good(`process ${status.pid}, version ${status.version}`)]
  if (status.version !== version) {
    found.push(wrong(`it is ${status.version}, but the sources here are ${version}`, here.restart))
  }
  const differs = [
    ...(status.origin !== config.publicOrigin
      ? [`${status.origin}, not ${config.publicOrigin}`]
      : []),
    ...(status.did !== config.serviceDid ? [`${status.did}, not ${config.serviceDid}`] : []),
    ...(status.scope !== config.indexScope
      ? [`scope ${status.scope}, not ${config.indexScope}`]
      : []),
  ]
  if (differs.length > 0) {
    const text = `its settings differ from this shell’s: ${differs.join('; ')}`
    found.push(wrong(text, `${here.restart} Or run this with its settings.`))
  }
  return [
    ...found,
    ...aboutStream(status),
    ...aboutTraffic(status, config),
    ...aboutBudget(status, config),
    ...aboutUnsigned(status.ingest?.counts['unverified']),
    ...aboutGaps(status),
    ...aboutQuarantine(status),
  ]
}

function aboutStream({ ingest, uptimeSeconds }: Status): Finding[] {
  if (!ingest) return [unchecked('it is starting, and has not reported yet')]
  const { connected, host, lagMs, lastError, paused, quietMs = 0 } = ingest.stream
  const { lastErrorHost = host } = ingest.stream
  if (ingest.beforeLive) return [aboutBeforeLive(ingest.beforeLive)]
  if (!connected) {
    const why = lastError ? `: ${lastError}` : ''
    return [
      wrong(
        `it has no connection to ${lastErrorHost}${why}`,
        `\`${here.command('doctor --only network,jetstream')}\` says why.`,
      ),
    ]
  }
  if (lagMs === undefined) {
    const seconds = Math.min(uptimeSeconds, Math.round(quietMs / 1000))
    return [notice(`no event from ${host} in ${seconds} s`)]
  }
  const behind = `${(lagMs / 1000).toFixed(1)} s behind the network, from ${host}`
  if (lagMs < LATE_MS) return [good(behind), ...aboutDrops(ingest.stream)]
  const fix = paused
    ? 'Disk or CPU is the limit. If it persists: a bigger machine, or SLIPSTREAM_INDEX_SCOPE=authors.'
    : `It is catching up; check again later: \`${here.command('stats')}\`.`
  return [notice(behind, fix), ...aboutDrops(ingest.stream)]
}

/** `counts`: by host and reason, what a source said and its accounts did not sign. */
export function aboutUnsigned(counts: Readonly<Record<string, number>> = {}): Finding[] {
  return Object.entries(counts).map(([name, count]) => {
    const [host, reason] = name.split(' ')
    const text = `${host} sent ${count} times what its accounts did not sign or kept back what they did (${reason})`
    return notice(text, 'It was put right from the accounts’ own servers. Name other hosts first.')
  })
}

/** Only against an allowance: what is much depends on the provider. */
export function aboutTraffic(
  { facts: { traffic } }: { facts: Pick<Facts, 'traffic'> },
  config: Pick<Config, 'streamAllowanceGbMonth'>,
): Finding[] {
  const allowed = config.streamAllowanceGbMonth * GB
  if (allowed === 0 || traffic.monthAhead === undefined) return []
  const text = `the streams receive ${paceInWords(traffic)}, of ${bytes(allowed)} allowed`
  if (traffic.monthAhead <= allowed) return [good(text)]
  return [
    notice(text, 'SLIPSTREAM_INDEX_SCOPE=authors leaves out what strangers do; see docs/COST.md.'),
  ]
}

/** Against the budget of a calendar month: whether it holds, what is left out for it, and what that saves. */
export function aboutBudget(
  { facts: { traffic, streamChoice } }: { facts: Pick<Facts, 'traffic' | 'streamChoice'> },
  config: Pick<Config, 'streamBudgetGbMonth'>,
): Finding[] {
  const budget = config.streamBudgetGbMonth * GB
  if (budget === 0) return []
  const { choices, level } = streamChoice
  const month = choices[level]!.monthBytes
  const text = `${bytes(traffic.thisMonth)} of ${bytes(budget)} received this month; left out: ${leftOutInWords(streamChoice)}. A month: ${choicesInWords(streamChoice)}`
  const isLast = level === choices.length - 1
  if (isLast && month !== undefined && month > budget) {
    return [
      notice(
        `${text}. Even so, a month does not fit`,
        'Raise SLIPSTREAM_STREAM_BUDGET_GB_MONTH; what members and those they follow do is never left out.',
      ),
    ]
  }
  if (traffic.thisMonth > budget) {
    return [
      notice(
        `${text}. The month’s budget is used up`,
        'Nothing more can be left out before the next month; raise SLIPSTREAM_STREAM_BUDGET_GB_MONTH if this recurs.',
      ),
    ]
  }
  return [good(text)]
}

function aboutBeforeLive({ what, percent, waiting }: BeforeLive): Finding {
  const text = `it reads the ${what} first: ${percent} % so far`
  if (!waiting) return good(text)
  const why = `${text}, and waits: ${waiting.message}`
  return waiting.fix === undefined
    ? notice(why, 'It resumes automatically.')
    : wrong(why, waiting.fix)
}

/** Drops are unusable frames, and some of them cause a gap. */
function aboutDrops({ dropped, received }: StreamStatus): Finding[] {
  const { duplicate: _twice = 0, ...lost } = dropped
  const sum = Object.values(lost).reduce((a, b) => a + b, 0)
  if (received === 0 || sum / received < MANY_DROPS) return []
  const worst = Object.entries(lost).sort((a, b) => b[1] - a[1])[0]![0]
  const text = `${sum} of ${received} events were unusable, mostly because of ${worst}`
  return [notice(text, 'If it persists: SLIPSTREAM_JETSTREAM_COMPRESS=off, or another host.')]
}

function aboutGaps({ facts: { gaps } }: Status): Finding[] {
  const open = gaps.open + gaps.repairing
  if (open === 0) return []
  return [
    notice(`${open} gaps are being repaired automatically`, `See \`${here.command('gaps')}\`.`),
  ]
}

function aboutQuarantine({ facts }: Status): Finding[] {
  return facts.quarantinedLabelers.map(({ did, reason, until }) =>
    notice(
      `the labeler ${did} is paused until ${until}: ${reason}`,
      'It is retried automatically. If it is one of SLIPSTREAM_LABELERS and this recurs, tell its operator.',
    ),
  )
}

/** The socket does not answer; the lock tells whether a server is running. */
function aboutLock({ config: { dataDir } }: DoctorContext): Finding {
  if (!existsSync(join(dataDir, 'slipstream.lock')))
    return unchecked('it is not running', here.start)
  try {
    lockDataDir(dataDir).release()
    return unchecked('it is not running', here.start)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const fix = `It is starting or stopping, another command is running, or its socket could not be created: check its log. ${error.hint}`
    return wrong(`${error.message} It does not answer on its socket.`, fix)
  }
}
