// Shows the progress of a new member's cold start, until it is done or the user interrupts.

import { setTimeout } from 'node:timers/promises'
import type { ColdStartProgress, IngestStatus } from '../../bridge/messages.ts'
import type { ControlClient } from './control-client.ts'
import { type Progress, say, startProgress, thousands } from './terminal.ts'

const LOOK_EVERY_MS = 500
/** Reports arrive each second; a cold start missing from them by then was already over. */
const APPEARS_WITHIN_MS = 10_000
const COMPLETE = 100

const STAGES: Record<ColdStartProgress['stage'], string> = {
  follows: 'reading their follows',
  recent: 'fetching recent posts by everyone they follow',
  older: 'filling the timeline',
  rest: 'fetching profiles, follow lists, blocks and lists',
  done: 'done',
}

export async function followColdStart(server: ControlClient, did: string): Promise<void> {
  const stopping = new AbortController()
  const stop = () => stopping.abort()
  process.once('SIGINT', stop)
  const bar = startProgress('fetching', COMPLETE)
  try {
    const last = await watch(server, did, { bar, signal: stopping.signal })
    bar.stop()
    say(summary(last))
  } finally {
    bar.stop()
    process.off('SIGINT', stop)
  }
}

/** @returns the last progress seen; undefined if it never appeared. */
async function watch(
  server: ControlClient,
  did: string,
  { bar, signal }: { bar: Progress; signal: AbortSignal },
): Promise<ColdStartProgress | undefined> {
  const beganAt = Date.now()
  for (let last: ColdStartProgress | undefined; ; ) {
    const { ingest } = await server.ask<{ ingest?: IngestStatus }>('GET', '/status')
    const seen = ingest?.coldStarts.find((start) => start.did === did)
    if (seen) bar.update(percentOf(seen), stageOf(seen))
    if (seen?.stage === 'done' || signal.aborted) return seen ?? last
    if (!seen && (last || Date.now() - beganAt > APPEARS_WITHIN_MS)) return last
    last = seen
    await setTimeout(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined)
  }
}

function stageOf({ stage, mirror }: ColdStartProgress): string {
  const name = STAGES[stage]
  return mirror === undefined ? name : `${name} (PDS away, from ${new URL(mirror).host})`
}

/** A rough estimate by the duration of each stage. */
function percentOf({
  stage,
  replay,
  authors,
  complete,
  timelineItems,
  timelineTarget,
}: ColdStartProgress): number {
  switch (stage) {
    case 'follows':
      return 2
    case 'recent':
      return 5 + Math.floor(replay.percent * 0.25)
    case 'older':
      return (
        30 + Math.floor(30 * Math.max(share(authors), timelineItems / Math.max(1, timelineTarget)))
      )
    case 'rest':
      return 60 + Math.floor(39 * share(complete))
    case 'done':
      return COMPLETE
  }
}

function share({ done, total }: { done: number; total: number }): number {
  return total === 0 ? 1 : Math.min(1, done / total)
}

function summary(last: ColdStartProgress | undefined): string {
  if (!last) return 'Fetching continues in the background; `slipstream stats` shows its progress.'
  const { follows, timelineItems, stage } = last
  const what = `${thousands(follows.done)} follows, ${thousands(timelineItems)} items in the timeline`
  return stage === 'done'
    ? `Done: ${what}.`
    : `So far ${what}; fetching continues in the background.`
}
