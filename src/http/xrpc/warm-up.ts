// Makes home timelines right after the start, before clients ask, which they do at once after a restart. Until V8 has
// compiled the code behind a page, which takes some twenty pages, each takes longer, the first ten times as long
// (docs/notes/2026-11-28-starting-after-a-kill.md). The members seen last come first, since the views made for them
// stay in the cache. The first page grows, since all of its new code at once would be a long turn. Like a call, a page
// hands the thread back when its turn is over, and after each the thread rests for as long as it took.

import { setTimeout as pause } from 'node:timers/promises'
import { jsonBytes } from '../../answers/views/json/ready-json.ts'
import { NO_LABELERS } from '../../base/atproto/labelers.ts'
import type { Logger } from '../../base/obs/log.ts'
import { CallTime } from '../../base/util/turn.ts'
import { lastSeenMembers } from '../../data/store/members/members.ts'
import { getTimeline } from './app/bsky/feed/getTimeline.ts'
import type { AppContext } from './app-context.ts'
import { createCall } from './call.ts'

const PAGES = 25
/** As many items as the app asks for. */
const LIMIT = 30
/** How many items the first page has as it grows. */
const FIRST_LIMITS = [1, 2, 4, 8, 16]
const TURN_MS = 20

/** Begins once the caller's turn has ended. The first page that fails is logged, and is the last. */
export function warmUp(app: AppContext, log: Pick<Logger, 'error'>): { close(): void } {
  const closing = new AbortController()
  makePages(app, closing.signal).catch((error: unknown) => {
    if (closing.signal.aborted) return
    log.error({ err: error }, 'a page could not be made in advance')
  })
  return { close: () => closing.abort() }
}

async function makePages(app: AppContext, signal: AbortSignal): Promise<void> {
  const rest = (ms: number) => pause(ms, undefined, { signal, ref: false })
  await rest(0)
  for (const [i, did] of lastSeenMembers(app.db, PAGES).entries()) {
    for (const limit of i === 0 ? [...FIRST_LIMITS, LIMIT] : [LIMIT]) {
      await rest(await makePage(app, did, { limit, signal }))
    }
  }
}

/**
 * Calls the handler itself: what a page lacks is fetched when its member asks, not because of this.
 * @returns how long it held the thread, in milliseconds
 */
async function makePage(
  app: AppContext,
  viewer: string,
  { limit, signal }: { limit: number; signal: AbortSignal },
): Promise<number> {
  const time = new CallTime({ turnMs: TURN_MS })
  const call = createCall(app, {
    viewer,
    params: { limit },
    input: undefined,
    token: undefined,
    labelers: NO_LABELERS,
    header: () => undefined,
    headersWith: () => ({}),
    signal,
  })
  const answer = await time.run(() => getTimeline.handler(app, call))
  time.run(() => jsonBytes(answer.body))
  return time.usedMs
}
