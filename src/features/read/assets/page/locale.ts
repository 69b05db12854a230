// Numbers, times and lists as they are written where the reader is.

import { language } from '../../../sign-in/assets/language.ts'

/** What a page asks for a hundred times. */
function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** The language as it is written where the reader is: times and numbers differ by country. */
const locale = once(
  () => navigator.languages.find((value) => value.slice(0, 2) === language()) ?? language(),
)
/** Making a format takes longer than a page's use of it. */
const completeNumbers = once(() => new Intl.NumberFormat(locale()))
const shortNumbers = once(() => new Intl.NumberFormat(language(), { notation: 'compact' }))
const lists = once(() => new Intl.ListFormat(language()))
const times = once(
  () => new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeStyle: 'short' }),
)
const timesPast = once(
  () => new Intl.RelativeTimeFormat(locale(), { numeric: 'auto', style: 'narrow' }),
)

export function clock(at: Date): string {
  return at.toLocaleTimeString(locale(), { hour: '2-digit', minute: '2-digit' })
}

export function dateAndTime(at: number): string {
  return Number.isNaN(at) ? '' : times().format(at)
}

/** The time since, up to a week; then the date. */
export function ago(at: string, now = Date.now()): string {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return ''
  const minutes = Math.floor((now - date.getTime()) / 60_000)
  if (minutes < -5 || minutes >= 10_080)
    return date.toLocaleDateString(locale(), { dateStyle: 'medium' })
  if (minutes < 60) return timesPast().format(-Math.max(minutes, 0), 'minute')
  if (minutes < 1_440) return timesPast().format(-Math.floor(minutes / 60), 'hour')
  return timesPast().format(-Math.floor(minutes / 1_440), 'day')
}

/** Such as 1,234. */
export const numeral = (value: number): string => completeNumbers().format(value)

/** Such as 1.2K. */
export const compact = (count: number): string => shortNumbers().format(count)

/** Such as "Ann, Ben and Cem". */
export const listed = (parts: readonly string[]): string => lists().format(parts)
