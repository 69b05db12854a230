// Time that videos were watched per day, on the explore page: sums over all videos, without their owners.

import { byId, element, scrollable, table } from './dom.ts'
import { askAsOperator } from './operator.ts'

type Day = { date: string; seconds: number; sessions: number }

export async function showVideos(): Promise<void> {
  const { days } = await askAsOperator<{ days: Day[] }>('videos')
  const nothing = element('p', { class: 'empty' }, 'No videos watched yet.')
  const visible = table(['Day', 'Minutes', 'Viewers'], days.map(row))
  byId('videos').replaceChildren(
    days.length > 0 ? scrollable('Videos watched by day', visible) : nothing,
  )
}

function row({ date, seconds, sessions }: Day): string[] {
  const minutes = (seconds / 60).toLocaleString(undefined, { maximumFractionDigits: 1 })
  return [date, minutes, sessions.toLocaleString()]
}
