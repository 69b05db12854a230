// One seeded run: a world, a Slipstream in it, events and faults, quiet, comparison.

import { type Comparison, compareAll, type Difference } from './compare.ts'
import { findUnsent } from './coverage.ts'
import { sleep, strike } from './faults.ts'
import { type FaultKind, planRun, type RunSize, type TorturePlan } from './plan.ts'
import { createSubject, type Subject } from './subject.ts'
import { createWorld, type World } from './world.ts'

export type FoundDifference = Difference & {
  seed: number
  /** What the first Jetstream host has about it. */
  history: string[]
}

export type RunReport = {
  seed: number
  tookMs: number
  events: number
  /** Frames that the hosts wrote, repeats included. */
  sent: number
  faults: Partial<Record<FaultKind, number>>
  compared: number
  differences: FoundDifference[]
}

type Run = {
  plan: TorturePlan
  world: World
  subject: Subject
  struck: Partial<Record<FaultKind, number>>
  problems: Difference[]
}

const TICK_MS = 20
const QUIET_TIMEOUT_MS = 60_000
const POLL_MS = 100
const PROFILE = 'app.bsky.actor.profile'

export async function runSeed(seed: number, size: Partial<RunSize> = {}): Promise<RunReport> {
  const startedAt = performance.now()
  const plan = planRun(seed, size)
  const world = await createWorld(plan)
  const subject = await createSubject(world, plan.settings)
  const run: Run = { plan, world, subject, struck: {}, problems: [] }
  try {
    const { compared, differences } = await judge(run)
    return {
      seed,
      tookMs: Math.round(performance.now() - startedAt),
      events: world.emitted(),
      sent: world.hosts
        .flatMap((host) => host.connections())
        .reduce((sum, { sentCount }) => sum + sentCount, 0),
      faults: run.struck,
      compared,
      differences: differences.map((one) => ({
        seed,
        ...one,
        history: historyOf(world, one.about),
      })),
    }
  } finally {
    await subject.dispose()
    await world.close()
  }
}

/** Whatever stops the run is a difference too. */
async function judge(run: Run): Promise<Comparison> {
  try {
    await run.subject.start()
    await play(run)
    await becomeQuiet(run, 'the end')
    run.problems.push(...findUnsent(run.world))
    return await compare(run)
  } catch (error) {
    const got = `${(error as Error).stack}\n${run.subject.output()}`
    run.problems.push({ what: 'run', viewer: '', about: 'run', expected: 'an end', got })
    return { compared: 0, differences: run.problems }
  }
}

/** Events in a steady beat, faults beside them, each after its number of events. */
async function play(run: Run): Promise<void> {
  const { plan, struck, world } = run
  const waiting = [...plan.faults]
  let faulty: Promise<void> = Promise.resolve()
  const emitUntil = async (count: number) => {
    while (world.emitted() < count) {
      for (let i = 0; i < plan.eventsPerTick && world.emitted() < count; i++) world.step()
      while (waiting[0] && waiting[0].at <= world.emitted()) {
        const planned = waiting.shift()!
        struck[planned.kind] = (struck[planned.kind] ?? 0) + 1
        faulty = faulty.then(() => strike(run, planned))
        faulty.catch(() => {})
      }
      await sleep(TICK_MS)
    }
  }
  await emitUntil(plan.earlyEvents)
  await faulty
  await becomeQuiet(run, 'the cold start')
  world.mark()
  await emitUntil(world.emitted() + plan.events)
  await faulty
}

/** Every event applied, as a last one shows, and nothing left to be fetched. */
async function becomeQuiet(run: Run, when: string): Promise<void> {
  const { world, subject, problems } = run
  const deadline = Date.now() + QUIET_TIMEOUT_MS
  const member = world.members[0]!
  const displayName = `Marker ${world.emitted()}`
  const value = { displayName }
  world.emit(member.put({ collection: PROFILE, rkey: 'self', value, atMs: Date.now() }))
  let shown: string | undefined
  const isSeen = async () => {
    const params = { actor: member.did }
    const method = 'app.bsky.actor.getProfile'
    shown = await subject
      .get<{ displayName?: string }>(member.did, method, params)
      .then((profile) => profile.displayName, String)
    return shown === displayName
  }
  const isQuiet = async () => (await isSeen()) && subject.waitingJobs().length === 0
  while (!(await isQuiet())) {
    if (Date.now() > deadline) {
      const health = await subject.health().catch(String)
      const got = { shown, health, jobs: subject.waitingJobs().slice(0, 10) }
      problems.push({
        what: `quiet after ${when}`,
        viewer: '',
        about: member.did,
        expected: 'quiet',
        got,
      })
      return
    }
    await sleep(POLL_MS)
  }
}

/** Looked at once, so that what an answer lacked is fetched; then for good. */
async function compare(run: Run): Promise<Comparison> {
  const { plan, world, subject, problems } = run
  await compareAll(world, subject, plan.pageSize)
  await sleep(POLL_MS)
  await becomeQuiet(run, 'the first look')
  const { compared, differences } = await compareAll(world, subject, plan.pageSize)
  for (const death of subject.deaths()) {
    problems.push({ what: 'process', viewer: '', about: 'process', expected: 'alive', got: death })
  }
  return { compared, differences: [...problems, ...differences] }
}

/** A URI's own events and those that point at it; an account's all but its records'. */
function historyOf(world: World, about: string): string[] {
  const [did, collection, rkey] = about.replace('at://', '').split('/')
  return world.hosts[0]!.entries()
    .map(({ event }) => event)
    .filter((event) => {
      if ('rkey' in event && rkey) {
        const isOwn = event.did === did && event.collection === collection && event.rkey === rkey
        return isOwn || JSON.stringify(event.record ?? '').includes(about)
      }
      return event.did === did && (event.kind !== 'commit' || event.collection === PROFILE)
    })
    .map((event) => JSON.stringify(event).slice(0, 400))
    .slice(-30)
}
