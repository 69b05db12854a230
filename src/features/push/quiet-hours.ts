// Hours of the day on a member's own clock, which is that of a time zone, so that they move with daylight saving.

import type { QuietHours } from './store/quiet-hours.ts'

const TIME = /^([01]\d|2[0-3]):([0-5]\d)$/
const MINUTES_AN_HOUR = 60

/** @param time - `22:30`. @returns minutes since midnight, or undefined if it is no time of day */
function minutesOf(time: string): number | undefined {
  const [, hours, minutes] = TIME.exec(time) ?? []
  return hours === undefined ? undefined : Number(hours) * MINUTES_AN_HOUR + Number(minutes)
}

/** As clients and members' documents have them. */
export type SpokenHours = { from: string; until: string; timeZone: string }

export function spokenHours({ starts, ends, timeZone }: QuietHours): SpokenHours {
  return { from: timeOf(starts), until: timeOf(ends), timeZone }
}

/** @returns the hours, or why these are none */
export function readHours({ from, until, timeZone }: Partial<SpokenHours>): QuietHours | string {
  const starts = minutesOf(from ?? '')
  const ends = minutesOf(until ?? '')
  if (starts === undefined || ends === undefined) {
    return 'from and until must be times of day such as 22:30, or both be missing'
  }
  if (starts === ends) return 'from and until must differ'
  if (timeZone === undefined || !isTimeZone(timeZone)) {
    return 'timeZone must be a name such as Europe/Berlin'
  }
  return { starts, ends, timeZone }
}

function timeOf(minutes: number): string {
  const parts = [Math.floor(minutes / MINUTES_AN_HOUR), minutes % MINUTES_AN_HOUR]
  return parts.map((part) => String(part).padStart(2, '0')).join(':')
}

function isTimeZone(name: string): boolean {
  try {
    clockOf(name)
    return true
  } catch {
    return false
  }
}

/** @param now - milliseconds since 1970 */
export function isQuiet({ starts, ends, timeZone }: QuietHours, now: number): boolean {
  const time = minutesOf(clockOf(timeZone).format(now))!
  return starts < ends ? time >= starts && time < ends : time >= starts || time < ends
}

/** @throws RangeError for an unknown time zone */
function clockOf(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
}
