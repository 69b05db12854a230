// What the streams receive, in words: for the operator's page and `slipstream stats`.

import { bytes, count } from '../../base/util/format.ts'
import type { StreamBytesFacts } from '../../data/store/stream/stream-bytes.ts'
import type { StreamChoiceFacts } from '../../data/store/stream/stream-choices.ts'

const PRESENTED_KINDS = 6

export function paceInWords({ dayAhead, monthAhead }: StreamBytesFacts): string {
  if (dayAhead === undefined) return 'known after ten minutes'
  return `${bytes(dayAhead)} a day, ${bytes(monthAhead)} a month`
}

export function receivedInWords({ today, thisMonth }: StreamBytesFacts): string {
  return `${bytes(today)} today, ${bytes(thisMonth)} this month`
}

/** By connection, the largest first. */
export function sourcesInWords({ sources }: StreamBytesFacts): string {
  const parts = sources.map(({ host, wire, use, bytes: received }) => {
    return `${URL.parse(host)?.host ?? host} ${wire} (${use}) ${bytes(received)}`
  })
  return parts.join(', ') || '–'
}

/** The largest collections, with their share before and after decompression. */
export function collectionsInWords({ collections }: StreamBytesFacts): string {
  const all = collections.reduce((sum, { received }) => sum + received, 0)
  const parts = collections.slice(0, PRESENTED_KINDS).map(({ kind, frames, received, plain }) => {
    const percent = Math.round((received / all) * 100)
    return `${kind} ${percent} % (${bytes(received)} of ${bytes(plain)} plain, ${count(frames)} events)`
  })
  return parts.join(', ') || '–'
}

/** What is left out now. */
export function leftOutInWords({ level, since, choices }: StreamChoiceFacts): string {
  if (level === 0 || since === undefined) return 'nothing'
  const day = new Date(since).toISOString().slice(0, 10)
  return `${choices[level]!.name}, since ${day}; counts include them only as far as a public AppView gives them`
}

/** A month with each choice, and what it saves. */
export function choicesInWords({ level, choices }: StreamChoiceFacts): string {
  const complete = choices[0]!.monthBytes
  if (complete === undefined) return 'known after an hour'
  const parts = choices.map(({ name, monthBytes }, i) => {
    const now = i === level ? ' (now)' : ''
    if (monthBytes === undefined) return `without ${name}${now} not known yet`
    const saved = i === 0 ? '' : `, saves ${bytes(Math.max(0, complete - monthBytes))}`
    const what = i === 0 ? 'everything' : `without ${name}`
    return `${what}${now} ${bytes(monthBytes)}${saved}`
  })
  return parts.join('; ')
}
