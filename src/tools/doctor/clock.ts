// Compares the clock with those of several hosts. Tokens signed by PDSs are valid for sixty seconds by our
// clock, and events are dated by theirs. HTTP dates are in whole seconds, so differences below two are not
// reported.

import type { DoctorContext } from './context.ts'
import { type Finding, good, notice, unchecked, wrong } from './finding.ts'
import { openOrigins } from './independence.ts'

const NOTED_MS = 5_000
const WRONG_MS = 30_000
const FIX = 'Set the clock: `sudo timedatectl set-ntp true`, and see `timedatectl`.'

export async function checkClock(doctor: DoctorContext): Promise<Finding[]> {
  const origins = openOrigins(doctor.config)
  const requested = await Promise.all(origins.map((origin) => skewOf(doctor, origin)))
  const skews = requested.filter((skew) => skew !== undefined).sort((a, b) => a - b)
  if (skews.length === 0) return [unchecked('no host sent its time')]
  return [aboutSkew(skews[Math.floor(skews.length / 2)]!, skews.length)]
}

export function aboutSkew(skewMs: number, hosts: number): Finding {
  const seconds = Math.round(Math.abs(skewMs) / 1000)
  const direction = skewMs > 0 ? 'ahead of' : 'behind'
  const text = `this clock is ${seconds} s ${direction} ${hosts === 1 ? 'one host’s' : `the median of ${hosts} hosts`}`
  if (Math.abs(skewMs) >= WRONG_MS)
    return wrong(`${text}: members’ tokens seem expired, or not valid yet`, FIX)
  if (Math.abs(skewMs) >= NOTED_MS) return notice(text, FIX)
  return good(`it agrees with ${hosts === 1 ? 'one host' : `${hosts} hosts`}`)
}

/** Our clock minus theirs, in milliseconds; undefined if they send no date. */
async function skewOf({ ask, now }: DoctorContext, origin: string): Promise<number | undefined> {
  try {
    const startedAt = now()
    const { headers } = await ask(`${origin}/`)
    const middle = (startedAt + now()) / 2
    // How long a cached answer has been stored.
    const ageMs = Number(headers['age'] ?? 0) * 1000 || 0
    const theirs = Date.parse(headers['date'] ?? '') + ageMs
    // Truncated to whole seconds, so on average half a second too early.
    return Number.isNaN(theirs) ? undefined : middle - (theirs + 500)
  } catch {
    return undefined
  }
}
