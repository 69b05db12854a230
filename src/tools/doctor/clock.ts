// The clock against those of several hosts. Tokens that PDSs sign are good for sixty seconds by our clock,
// and events are dated by theirs. An HTTP date is whole seconds, so nothing below two is told.

import type { DoctorContext } from './context.ts'
import { type Finding, good, notice, unchecked, wrong } from './finding.ts'

const NOTED_MS = 5_000
const WRONG_MS = 30_000
const FIX = 'Set the clock: `sudo timedatectl set-ntp true`, and see `timedatectl`.'

export async function checkClock(doctor: DoctorContext): Promise<Finding[]> {
  const hosts = hostsWithClocks(doctor)
  const asked = await Promise.all(hosts.map((host) => skewOf(doctor, host)))
  const skews = asked.filter((skew) => skew !== undefined).sort((a, b) => a - b)
  if (skews.length === 0) return [unchecked('no host sent its time')]
  return [aboutSkew(skews[Math.floor(skews.length / 2)]!, skews.length)]
}

export function aboutSkew(skewMs: number, hosts: number): Finding {
  const seconds = Math.round(Math.abs(skewMs) / 1000)
  const direction = skewMs > 0 ? 'ahead of' : 'behind'
  const text = `this clock is ${seconds} s ${direction} ${hosts === 1 ? 'one host’s' : `the middle of ${hosts} hosts`}`
  if (Math.abs(skewMs) >= WRONG_MS)
    return wrong(`${text}: members’ tokens seem expired, or not valid yet`, FIX)
  if (Math.abs(skewMs) >= NOTED_MS) return notice(text, FIX)
  return good(`it agrees with ${hosts === 1 ? 'one host' : `${hosts} hosts`}`)
}

function hostsWithClocks({ config }: DoctorContext): string[] {
  const { plcUrl, fallbackAppview, jetstreamHosts } = config
  const origins = [plcUrl, ...jetstreamHosts.map((host) => host.replace(/^ws/, 'http'))]
  if (fallbackAppview !== 'none') origins.push(fallbackAppview)
  return [...new Set(origins)]
}

/** Ours less theirs, in milliseconds; undefined where they tell none. */
async function skewOf({ ask, now }: DoctorContext, origin: string): Promise<number | undefined> {
  try {
    const startedAt = now()
    const { headers } = await ask(`${origin}/`)
    const middle = (startedAt + now()) / 2
    // What a cache kept has been lying there for so long.
    const ageMs = Number(headers['age'] ?? 0) * 1000 || 0
    const theirs = Date.parse(headers['date'] ?? '') + ageMs
    // Cut to whole seconds, so half a second later in the middle.
    return Number.isNaN(theirs) ? undefined : middle - (theirs + 500)
  } catch {
    return undefined
  }
}
