// Formats numbers for people, in English notation like the pages' text.

import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './durations.ts'

const UNKNOWN = '–'

/** Made late: they are a tenth of what a command takes to load. */
function once<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

const integers = once(() => new Intl.NumberFormat('en', { maximumFractionDigits: 0 }))
const day = once(
  () => new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' }),
)
const time = once(
  () => new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' }),
)
const compact = once(
  () => new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 }),
)

/** 1,234 or 5.6M. */
export function count(value: number | undefined): string {
  if (value === undefined) return UNKNOWN
  return value < 100_000 ? integers().format(value) : compact().format(value)
}

/** A rate per second, with one decimal place if it is small. */
export function rate(value: number | undefined): string {
  if (value === undefined) return UNKNOWN
  return value > 0 && value < 10 ? value.toFixed(1) : count(value)
}

/** 0.4 ms, 12 ms, 1.2 s, 3 min, 5 h, 2 days. */
export function duration(milliseconds: number | undefined): string {
  if (milliseconds === undefined || !Number.isFinite(milliseconds)) return UNKNOWN
  const ms = Math.max(0, milliseconds)
  if (ms < 10) return `${ms.toFixed(1)} ms`
  if (ms < SECOND_MS) return `${Math.round(ms)} ms`
  if (ms < 10 * SECOND_MS) return `${(ms / SECOND_MS).toFixed(1)} s`
  if (ms < 2 * MINUTE_MS) return `${Math.round(ms / SECOND_MS)} s`
  if (ms < 2 * HOUR_MS) return `${Math.round(ms / MINUTE_MS)} min`
  if (ms < 2 * DAY_MS) return `${Math.round(ms / HOUR_MS)} h`
  return days(ms / DAY_MS)
}

/** 12 days, 5 months, 3 years. */
export function days(value: number): string {
  if (value < 1) return 'less than a day'
  if (value < 60) return plural(Math.round(value), 'day')
  if (value < 730) return plural(Math.round(value / 30.4), 'month')
  return value < 3_650 ? plural(Math.round(value / 365), 'year') : 'more than ten years'
}

/** 512 MB, 1.2 GB; powers of ten, as disks are sold. */
export function bytes(value: number | undefined): string {
  if (value === undefined) return UNKNOWN
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB', 'PB']
  let size = value
  let unit = 0
  while (size >= 1_000 && unit < units.length - 1) {
    size /= 1_000
    unit++
  }
  return `${size < 10 && unit > 0 ? size.toFixed(1) : Math.round(size)} ${units[unit]}`
}

export function plural(value: number, singular: string, many = `${singular}s`): string {
  return `${count(value)} ${value === 1 ? singular : many}`
}

/**
 * 12 Nov, 14:20 UTC, since the reader's time zone is unknown.
 * @param at - milliseconds since 1970
 */
export function moment(at: number): string {
  return `${dayOf(at)}, ${time().format(at)} UTC`
}

/**
 * 5 Nov.
 *
 * @param at - milliseconds since 1970
 */
export function dayOf(at: number): string {
  return day().format(at)
}

/** 99.98 %, rounded down: 100 % appears only if nothing is missing. */
export function percent(share: number | undefined): string {
  if (share === undefined) return UNKNOWN
  return `${Math.floor(share * 10_000) / 100} %`
}
