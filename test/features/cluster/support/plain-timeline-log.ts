// A plain in-memory twin of timelines' logs on an engine, which can be made unavailable, or made to leave the
// outcome of a write unknown.

import { EngineUnavailableError } from '../../../../src/features/cluster/engine/connect.ts'
import type { TimelineLog } from '../../../../src/features/cluster/engine/timeline-log.ts'

type Mood = 'well' | 'away' | 'silent' | 'does and does not say so'

export function createPlainTimelineLog() {
  const logs = new Map<string, string[]>()
  const state = { mood: 'well' as Mood }
  const of = (timeline: string) => logs.get(timeline) ?? []

  async function feel(): Promise<void> {
    if (state.mood === 'away') throw new EngineUnavailableError('away')
    if (state.mood === 'silent') await new Promise(() => undefined)
  }

  const log: TimelineLog = {
    async put(timeline, number, entry) {
      await feel()
      if (of(timeline).length >= number) return false
      logs.set(timeline, [...of(timeline), entry])
      if (state.mood === 'does and does not say so') throw new EngineUnavailableError('open')
      return true
    },
    async after(timeline, number) {
      await feel()
      const entries = of(timeline).map((entry, i) => ({ number: i + 1, entry }))
      const found = entries.slice(number, number + 3)
      return { entries: found, isMore: entries.length > number + 3 }
    },
    names: async () => [...logs.keys()],
  }
  return { log, state }
}
