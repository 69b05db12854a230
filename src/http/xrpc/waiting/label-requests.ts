// Subjects shown to members may have labels that are unknown here: the ingest thread is asked to look, and
// the next answer has them. Each subject once per interval for each set of labelers, batched per turn into
// one message; what is dropped is requested with a later call.

import type { Viewer } from '../../../answers/hydrate/types.ts'
import type { Labelers } from '../../../base/atproto/labelers.ts'
import { MINUTE_MS } from '../../../base/util/durations.ts'
import { LruMap } from '../../../base/util/lru.ts'
import type { Writer } from '../../../bridge/messages.ts'

type AskForLabels = (viewer: Viewer, labelers: Labelers, subjects: readonly string[]) => void

const MAX_REMEMBERED = 100_000
const REQUESTED_AGAIN_AFTER_MS = 5 * MINUTE_MS
const MAX_A_MESSAGE = 500
const MAX_IN_FLIGHT = 4

type Pending = { did: string; labelers: readonly string[]; subjects: Set<string> }

export function createLabelRequests(parts: { writer: Writer; now?: () => number }): AskForLabels {
  const { writer, now = Date.now } = parts
  /** Time of the last request, by labelers and subject. */
  const requested = new LruMap<string, number>(MAX_REMEMBERED)
  const pending = new Map<string, Pending>()
  let inFlight = 0
  let isTicking = false

  function send(): void {
    isTicking = false
    for (const [key, { did, labelers, subjects }] of pending) {
      pending.delete(key)
      if (inFlight >= MAX_IN_FLIGHT) continue
      inFlight++
      writer
        .send({ kind: 'labels-requested', did, labelers: [...labelers], subjects: [...subjects] })
        .catch(() => undefined) // a busy writer is asked again later
        .finally(() => inFlight--)
    }
  }

  return (viewer, { dids }, subjects) => {
    if (!viewer || dids.length === 0) return
    const key = dids.join()
    const isDue = (subject: string) => {
      const at = requested.get(`${key} ${subject}`)
      return at === undefined || now() - at >= REQUESTED_AGAIN_AFTER_MS
    }
    const due = subjects.filter(isDue)
    if (due.length === 0) return
    const fetchRequests = pending.get(key) ?? {
      did: viewer.did,
      labelers: dids,
      subjects: new Set(),
    }
    pending.set(key, fetchRequests)
    for (const subject of due) {
      if (fetchRequests.subjects.size >= MAX_A_MESSAGE) break
      fetchRequests.subjects.add(subject)
      requested.set(`${key} ${subject}`, now())
    }
    if (isTicking) return
    isTicking = true
    setImmediate(send)
  }
}
