// The load while servers and the engine fail: records arrive by the stream and members read them, a program
// posts, and members change their private state, repeating each change until it is acknowledged.

import { MAX_WAIT_MS } from '../../../../support/patience.ts'
import type { Random } from '../../../../support/random.ts'
import { sleep } from '../../../../support/torture/sleep.ts'
import { AUTHORS, type FaultyCluster, type Followed, READERS } from './cluster.ts'
import { countRefusal, type FaultReport, type Refusals } from './report.ts'
import { ask, askAs, countRead, type Notified, readPage } from './requests.ts'

/** `isOver`: no new load starts. */
export type Running = { isOver: boolean; report: FaultReport; random: Random }

const STREAMED_EVERY_MS = 40
const READ_EVERY_MS = 100
const WRITTEN_EVERY_MS = 60
const AGAIN_AFTER_MS = 100
/** Time without new events, though some are missing, after which a reader gives up. */

/** @returns a promise that resolves when the run is over and every streamed record was read */
export async function loadCluster(cluster: FaultyCluster, running: Running): Promise<void> {
  await Promise.all([
    stream(cluster, running),
    ...READERS.map((name) => readOn(cluster, running, name)),
    ...READERS.map((name) => changeOn(cluster, running, name)),
    postOn(cluster, running),
  ])
}

async function stream(cluster: FaultyCluster, running: Running): Promise<void> {
  const { nodes, follows, timelines } = cluster
  const { random, report } = running
  while (!running.isOver) {
    const author = random.pick(AUTHORS)
    const text = `post ${report.streamed++}`
    const rkey = nodes[0]!.emit(author, 'app.bsky.feed.post', { text })
    const uri = `at://${nodes[0]!.didOf(author)}/app.bsky.feed.post/${rkey}`
    const at = performance.now()
    for (const [name, all] of follows) {
      if (all.includes(author)) timelines.get(name)!.expected.push({ uri, at })
    }
    await sleep(STREAMED_EVERY_MS)
  }
}

/** Reads on page by page until every streamed record has arrived. */
async function readOn(cluster: FaultyCluster, running: Running, name: string): Promise<void> {
  const { report } = running
  const timeline = cluster.timelines.get(name)!
  const key = `following:${cluster.nodes[0]!.didOf(name)}`
  let newsAt = performance.now()
  while (!running.isOver || timeline.found < timeline.expected.length) {
    const page = await readPage(cluster, report, { key, query: timeline.query })
    const events = page?.events ?? []
    for (const event of events) if (!take(timeline, event, { report, name })) return
    if (page) timeline.query = `limit=50&cursor=${page.next_cursor}`
    if (events.length > 0) newsAt = performance.now()
    else if (running.isOver && performance.now() - newsAt > MAX_WAIT_MS) {
      const left = timeline.expected.slice(timeline.found)
      report.failed.lost.push(...left.map(({ uri }) => `${name}: ${uri}`))
      return
    } else await sleep(READ_EVERY_MS)
  }
}

type Event = { entity_id: string; sequence_id: string }

/** @returns whether it is the expected event, under the expected number */
export function take(
  timeline: Followed,
  { entity_id, sequence_id }: Event,
  { report, name }: { report: FaultReport; name: string },
): boolean {
  const { expected, found } = timeline
  const next = expected[found]
  timeline.found++
  if (next?.uri === entity_id && Number(sequence_id) === timeline.found) {
    report.slowestMs = Math.max(report.slowestMs, Math.round(performance.now() - next.at))
    return true
  }
  const { doubled, reordered } = report.failed
  const isKnown = expected.slice(0, found).some(({ uri }) => uri === entity_id)
  const what = `${name}: ${entity_id} as ${sequence_id} instead of ${next?.uri} as ${timeline.found}`
  ;(isKnown ? doubled : reordered).push(what)
  return false
}

type Attempt = { running: Running; refused: Refusals }

/** Repeats an attempt until it is acknowledged. */
async function insist({ refused }: Attempt, attempt: () => Promise<Notified>): Promise<Notified> {
  for (;;) {
    const notified = await attempt()
    if (notified.status === 200) return notified
    countRefusal(refused, notified.status, String(notified.body['error'] ?? ''))
    await sleep(AGAIN_AFTER_MS)
  }
}

/** Posts to a program's timeline, one event after the other. */
async function postOn(cluster: FaultyCluster, running: Running): Promise<void> {
  const { balancer, token, acknowledged } = cluster
  const { report, random } = running
  const run = random.below(1_000_000_000)
  for (let n = 0; !running.isOver; n++) {
    const id = `${run}-${n}`
    const note = { entity_id: id, entity_type: 'note', payload: { id }, idempotency_key: id }
    const body = { ...note, producer_ts: '2026-11-22T14:00:00.000Z' }
    const path = '/v1/timelines/custom:faults/events'
    const post = () => ask({ origin: balancer.origin, path, token, body })
    const notified = await insist({ running, refused: report.posts.refused }, post)
    acknowledged.set(id, String(notified.body['sequence_id']))
    report.posts.acknowledged++
    await sleep(WRITTEN_EVERY_MS)
  }
}

/** Counts up a member's number and toggles mutes; after each change a read has to show it. */
async function changeOn(cluster: FaultyCluster, running: Running, name: string): Promise<void> {
  const { report, random } = running
  const { origin } = cluster.balancer
  const cached = cluster.kept.get(name)!
  const others = READERS.filter((other) => other !== name)
  while (!running.isOver) {
    const other = cluster.nodes[0]!.didOf(random.pick(others))
    const isMuted = cached.mutes.has(other)
    const acts: [string, unknown][] = [
      [`${ACTOR}.putPreferences`, { preferences: [preferenceOf(cached.count + 1)] }],
      [`${GRAPH}.${isMuted ? 'unmuteActor' : 'muteActor'}`, { actor: other }],
    ]
    for (const [nsid, body] of acts) {
      const change = () => askAs(cluster, name, { origin, nsid, body })
      await insist({ running, refused: report.changes.refused }, change)
      report.changes.acknowledged++
    }
    cached.count++
    if (isMuted) cached.mutes.delete(other)
    else cached.mutes.add(other)
    await lookAgain(cluster, running, name)
    await sleep(WRITTEN_EVERY_MS)
  }
}

const ACTOR = 'app.bsky.actor'
const GRAPH = 'app.bsky.graph'
const PREFERENCE = `${ACTOR}.defs#interestsPref`

function preferenceOf(count: number) {
  return { $type: PREFERENCE, tags: [String(count)] }
}

async function lookAgain(cluster: FaultyCluster, { report }: Running, name: string): Promise<void> {
  const { origin } = cluster.balancer
  const { count } = cluster.kept.get(name)!
  const notified = await askAs(cluster, name, { origin, nsid: `${ACTOR}.getPreferences` })
  countRead(report, notified, `${name}’s preferences`)
  if (notified.status !== 200 || notified.isBehind) return
  const visible = countIn(notified)
  if (visible !== count) report.failed.stale.push(`${name} has ${visible} instead of ${count}`)
}

export function countIn({ body }: Notified): number {
  const preferences = body['preferences'] as { $type: string; tags?: string[] }[]
  return Number(preferences.find(({ $type }) => $type === PREFERENCE)?.tags?.[0] ?? 0)
}
