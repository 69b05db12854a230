// After a run each server is asked directly, and all have to give the same complete answers: members'
// timelines by number, the program's posts, and members' private state.

import { MAX_WAIT_MS } from '../../../../support/patience.ts'
import type { PageJson } from '../../../../support/timelines-process.ts'
import { sleep } from '../../../../support/torture/sleep.ts'
import { type FaultyCluster, type FaultyNode, type Followed, READERS } from './cluster.ts'
import { countIn } from './load.ts'
import type { FaultReport } from './report.ts'
import { ask, askAs, type Notified } from './requests.ts'

/** Where a run begins, so that the next one compares only new events. */
export type Beginning = { found: number; query: string }

const AGAIN_AFTER_MS = 100

export function beginnings({ timelines }: FaultyCluster): Map<string, Beginning> {
  return new Map([...timelines].map(([name, { found, query }]) => [name, { found, query }]))
}

export async function compareServers(
  cluster: FaultyCluster,
  report: FaultReport,
  begun: ReadonlyMap<string, Beginning>,
): Promise<void> {
  const next: string[] = []
  for (const [i, node] of cluster.nodes.entries()) {
    const say = (what: string) => report.failed.differences.push(`server ${i + 1}: ${what}`)
    for (const name of READERS) {
      const from = { ...begun.get(name)!, key: `following:${node.didOf(name)}` }
      const timeline = cluster.timelines.get(name)!
      const awaited = timeline.expected.length - from.found
      compareTimeline(timeline, from, await readAll(cluster, node, { ...from, awaited }), say)
      compareStored(cluster, name, await storedOn(cluster, node, name), say)
    }
    const posted = await readAll(cluster, node, { key: 'custom:faults', ...cluster.posted })
    comparePosts(cluster, posted.events, i === 0 ? report.failed.lost : undefined, say)
    next.push(posted.query)
  }
  cluster.posted = { query: next[0]! }
  cluster.acknowledged.clear()
}

type Say = (what: string) => void
type Found = { events: PageJson['events']; query: string }

/**
 * Reads all that the server has of a timeline, from the engine itself. A log entry is shown only
 * once its record has arrived by the server's own stream, so the server gets some time while
 * `awaited` events are missing.
 */
async function readAll(
  { token }: FaultyCluster,
  node: FaultyNode,
  { key, query, awaited = 0 }: { key: string; query: string; awaited?: number },
): Promise<Found> {
  const events: PageJson['events'] = []
  const until = performance.now() + MAX_WAIT_MS
  for (let requested = query; ; ) {
    const path = `/v1/timelines/${encodeURIComponent(key)}/events?${requested}`
    const { body } = await settled(() => ask({ origin: node.origin(), path, token }))
    const page = body as PageJson
    if (page.next_cursor !== null) requested = `limit=50&cursor=${page.next_cursor}`
    events.push(...page.events)
    if (page.events.length > 0) continue
    if (events.length >= awaited || performance.now() > until) return { events, query: requested }
    await sleep(AGAIN_AFTER_MS)
  }
}

/** Repeats a request: a server that has just returned, or a busy machine, may need a moment. */
async function settled(request: () => Promise<Notified>): Promise<Notified> {
  const until = performance.now() + MAX_WAIT_MS
  for (;;) {
    const notified = await request()
    if (notified.status === 200 && !notified.isBehind) return notified
    if (performance.now() > until)
      throw new Error(`${notified.status} ${JSON.stringify(notified.body)}`)
    await sleep(AGAIN_AFTER_MS)
  }
}

function compareTimeline(
  { expected }: Followed,
  { found, key }: Beginning & { key: string },
  { events }: Found,
  say: Say,
): void {
  const messages = events.map(({ entity_id, sequence_id }) => `${sequence_id} ${entity_id}`)
  const right = expected.slice(found).map(({ uri }, i) => `${found + i + 1} ${uri}`)
  const at = right.findIndex((value, i) => messages[i] !== value)
  if (at >= 0) say(`${key}: ${messages[at]} instead of ${right[at]}`)
  if (messages.length > right.length) say(`${key}: ${messages.length - right.length} too many`)
}

function comparePosts(
  { acknowledged }: FaultyCluster,
  events: PageJson['events'],
  lost: string[] | undefined,
  say: Say,
): void {
  const found = new Map(events.map(({ entity_id, sequence_id }) => [entity_id, sequence_id]))
  if (found.size !== events.length) say(`${events.length - found.size} posts are doubled`)
  for (const [id, number] of acknowledged) {
    if (!found.has(id)) (lost ?? { push: say }).push(`post ${id}`)
    else if (found.get(id) !== number) say(`post ${id} is ${found.get(id)} instead of ${number}`)
  }
}

async function storedOn(cluster: FaultyCluster, node: FaultyNode, name: string) {
  const as = (nsid: string) => askAs(cluster, name, { origin: node.origin(), nsid })
  const preferences = await settled(() => as('app.bsky.actor.getPreferences'))
  const { body } = await settled(() => as('app.bsky.graph.getMutes'))
  const mutes = (body['mutes'] as { did: string }[]).map(({ did }) => did)
  return { count: countIn(preferences), mutes }
}

function compareStored(
  cluster: FaultyCluster,
  name: string,
  { count, mutes }: { count: number; mutes: string[] },
  say: Say,
): void {
  const cached = cluster.kept.get(name)!
  if (count !== cached.count) say(`${name} has changed ${count} times, not ${cached.count}`)
  const [notified, right] = [mutes, [...cached.mutes]].map((all) => all.toSorted().join())
  if (notified !== right) say(`${name} mutes ${notified}, not ${right}`)
}
