// Queries labelers for the labels of shown subjects: com.atproto.label.queryLabels. Subjects gather for a
// moment, each is queried only once in a while, and a labeler that fails rests for a minute. Subjects over
// the limits are dropped: they are queried when they are shown again.

import { LruMap } from '../../base/util/lru.ts'
import { reconcileLabels } from '../indexing/moderation/label.ts'
import { capacityForLabels, countStoredLabels } from './label-capacity.ts'
import { askLabeler } from './label-question.ts'
import type { LabelsContext } from './labels-context.ts'

type LabelQueries = {
  /** @param subjects - DIDs and at-URIs */
  want(labeler: string, subjects: readonly string[]): void
  /** Makes all subjects of this labeler due again. */
  forget(labeler: string): void
  /** Its stream could not be believed about this subject, which is queried as if there were none. */
  doubt(labeler: string, subject: string): void
  stop(): Promise<void>
}

const MAX_REMEMBERED = 300_000
const MAX_DOUBTED = 10_000

/** `since`: queries before this time no longer count. */
type Waiting = { subjects: Set<string>; restsUntil: number; isRunning: boolean; since: number }

export function createLabelQueries(
  context: LabelsContext,
  isStreamed: (labeler: string) => boolean,
): LabelQueries {
  const { limits, now } = context
  const requested = new LruMap<string, number>(MAX_REMEMBERED)
  const doubted = new LruMap<string, true>(MAX_DOUBTED)
  const waiting = new Map<string, Waiting>()
  const running = new Set<Promise<void>>()
  const stopping = new AbortController()
  let timer: NodeJS.Timeout | undefined

  function want(labeler: string, subjects: readonly string[]): void {
    const of = waiting.get(labeler) ?? idle()
    waiting.set(labeler, of)
    if (now() < of.restsUntil) return
    const isFollowed = isStreamed(labeler)
    for (const subject of subjects) {
      if (of.subjects.size >= limits.maxSubjectsWaiting) break
      const key = keyOf(labeler, subject)
      const believes = isFollowed && doubted.get(key) === undefined
      const after = believes ? limits.askStreamedAfterMs : limits.askOthersAfterMs
      const at = requested.get(key) ?? -Infinity
      if (at > of.since && now() - at < after) continue
      requested.set(key, now())
      of.subjects.add(subject)
    }
    if (of.subjects.size > 0) tick()
  }

  function tick(): void {
    if (!stopping.signal.aborted) timer ??= setTimeout(start, limits.gatherMs)
  }

  function start(): void {
    timer = undefined
    for (const [labeler, of] of waiting) {
      if (running.size >= limits.maxQueries) return
      if (of.isRunning || of.subjects.size === 0) continue
      const query = ask(labeler, of, takeSome(of, limits.maxSubjectsRequested)).finally(() => {
        running.delete(query)
        tick()
      })
      running.add(query)
    }
    if (waiting.size > limits.maxRemembered) forgetIdle(waiting)
  }

  async function ask(labeler: string, of: Waiting, subjects: string[]): Promise<void> {
    const { signal } = stopping
    of.isRunning = true
    const answer = await askLabeler(context, { labeler, subjects, signal }).catch((error) => {
      context.log.debug({ labeler, err: error }, 'a labeler does not answer')
      rest(of, now(), limits.restMs)
    })
    of.isRunning = false
    if (!answer || signal.aborted) return
    for (const subject of answer.subjects) doubted.delete(keyOf(labeler, subject))
    await apply(context, labeler, answer)
  }

  return {
    want,
    forget(labeler) {
      const of = waiting.get(labeler)
      if (of) of.since = now()
    },
    doubt: (labeler, subject) => doubted.set(keyOf(labeler, subject), true),
    async stop() {
      stopping.abort()
      clearTimeout(timer)
      await Promise.all(running)
    },
  }
}

const keyOf = (labeler: string, subject: string) => `${labeler} ${subject}`

async function apply(
  context: LabelsContext,
  ...[labeler, answer]: [labeler: string, Parameters<typeof reconcileLabels>[2]]
): Promise<void> {
  const { actors, writeRetry, writer } = context
  const write = () =>
    writer.commit((ctx) => {
      const uid = actors.uidOf(labeler)
      const done = reconcileLabels(ctx, labeler, answer, capacityForLabels(context, labeler, uid))
      countStoredLabels(ctx.db, uid, done.added)
    })
  await writeRetry.retry(write)
}

function idle(): Waiting {
  return { subjects: new Set(), restsUntil: 0, isRunning: false, since: 0 }
}

function takeSome({ subjects }: Waiting, atMost: number): string[] {
  const some = [...subjects].slice(0, atMost)
  for (const value of some) subjects.delete(value)
  return some
}

function rest(of: Waiting, now: number, restMs: number): void {
  of.restsUntil = now + restMs
  of.since = now
  of.subjects.clear()
}

function forgetIdle(waiting: Map<string, Waiting>): void {
  for (const [labeler, of] of waiting) {
    if (!of.isRunning && of.subjects.size === 0) waiting.delete(labeler)
  }
}
