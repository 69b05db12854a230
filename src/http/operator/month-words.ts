// The last thirty days in words, for the command and the explore page.

import { bytes, count, duration, moment, percent } from '../../base/util/format.ts'
import type { Month } from './month.ts'

/** Names and what is told under them; empty before the first figures. */
export function monthInWords(month: Month): [name: string, text: string][] {
  if (month.from === undefined) return []
  const { answers, failures, members, databaseBytes } = month
  return [
    ['since', moment(month.from)],
    ['ran', `${percent(month.ran)} of that time`],
    ['read', readInWords(month)],
    ['answered', `${count(answers)} requests, of which ${count(failures)} failed`],
    ['answers', `99 of 100 within ${duration(month.answerP99Ms)}, on a usual day`],
    ['members', members ? `${count(members.to)}, ${signed(members.to - members.from)}` : '?'],
    [
      'database',
      databaseBytes ? `${bytes(databaseBytes.to)}, from ${bytes(databaseBytes.from)}` : '?',
    ],
    ['streams', `${bytes(month.streamBytes)} received since the first of this month`],
  ]
}

/** Of a stream that brought nothing, the history knows only since when it is awaited. */
function readInWords({ events, mostLagMs }: Month): string {
  if (events === 0) return 'nothing: no event has arrived'
  return `${count(events)} events, at most ${duration(mostLagMs)} behind`
}

function signed(change: number): string {
  return change === 0 ? 'as before' : `${change > 0 ? '+' : '−'}${count(Math.abs(change))}`
}
