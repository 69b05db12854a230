// Converts RFC 3339 times to microseconds. The v2 wire always writes UTC with six digits, so the date and
// minute, which hardly change from frame to frame, are parsed once and cached.

const MINUTE = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/
const GENERAL = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/
const ZERO = 48
const WIRE_LENGTH = '2006-01-02T15:04:05.000000Z'.length

let knownMinute = ''
let knownMinuteUs = 0

/** @returns undefined if `time` is not an RFC 3339 time after 1970. */
export function parseTimeUs(time: unknown): number | undefined {
  if (typeof time !== 'string') return undefined
  if (time.length !== WIRE_LENGTH || !time.endsWith('Z')) return parseGeneral(time)
  if (!time.startsWith(knownMinute) || knownMinute === '') {
    const minute = time.slice(0, 16)
    const minuteUs = MINUTE.test(minute) ? Date.parse(`${minute}:00Z`) * 1000 : Number.NaN
    if (!(minuteUs >= 0)) return undefined
    knownMinute = minute
    knownMinuteUs = minuteUs
  }
  if (time[16] !== ':' || time[19] !== '.') return undefined
  const seconds = digits(time, 17, 19)
  const micros = digits(time, 20, 26)
  // In this form the NaN of a wrong digit fails too.
  if (!(seconds <= 60 && micros <= 999_999)) return undefined
  return knownMinuteUs + seconds * 1_000_000 + micros
}

/** @returns NaN if there is anything but digits. */
function digits(text: string, from: number, to: number): number {
  let value = 0
  for (let i = from; i < to; i++) {
    const digit = text.charCodeAt(i) - ZERO
    if (digit < 0 || digit > 9) return Number.NaN
    value = value * 10 + digit
  }
  return value
}

function parseGeneral(time: string): number | undefined {
  if (time.length > 40) return undefined
  const match = GENERAL.exec(time)
  if (!match) return undefined
  const ms = Date.parse(match[1]! + match[3]!)
  const micros = Number((match[2] ?? '').padEnd(6, '0').slice(0, 6))
  return ms >= 0 ? ms * 1000 + micros : undefined
}
