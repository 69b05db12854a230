// One seeded run: a world, a Slipstream in it, events and faults, a quiet end, the comparison.

import { until } from '../eventually.ts'
import { createRandom } from '../random.ts'
import { type Actions, createActions } from './actions.ts'
import type { Comparison, Difference } from './checking.ts'
import { compareAll } from './compare.ts'
import { type Costs, findExcess, meterCosts } from './costs.ts'
import { findUnsent } from './coverage.ts'
import { WithoutEffect } from './fault.ts'
import { strike } from './faults.ts'
import { leaveMark } from './mark.ts'
import {
  type FaultKind,
  type PlannedFault,
  planRun,
  type RunSize,
  type TorturePlan,
} from './plan.ts'
import { sleep } from './sleep.ts'
import { createSubject, type Subject } from './subject.ts'
import { createWorld, type World } from './world.ts'

export type FoundDifference = Difference & {
  seed: number
  /** The first Jetstream host's events about it. */
  history: string[]
}

export type RunReport = {
  seed: number
  tookMs: number
  events: number
  /** Frames that the hosts wrote, including repeats. */
  sent: number
  faults: Partial<Record<FaultKind, number>>
  /** Those of the faults that had no effect, each with the missing effect. */
  withoutEffect: { kind: FaultKind; what: string }[]
  compared: number
  costs: Costs
  differences: FoundDifference[]
}

type Run = {
  plan: TorturePlan
  world: World
  subject: Subject
  actions: Actions
  struck: Partial<Record<FaultKind, number>>
  withoutEffect: RunReport['withoutEffect']
  problems: Difference[]
}

const TICK_MS = 20
const SIGN_IN_TIMEOUT_MS = 60_000
const QUIET_TIMEOUT_MS = 150_000
const ACTION_EVERY_TICKS = 7
const POLL_MS = 100
const PROFILE = 'app.bsky.actor.profile'

export async function runSeed(seed: number, size: Partial<RunSize> = {}): Promise<RunReport> {
  const startedAt = performance.now()
  const plan = planRun(seed, size)
  const world = await createWorld(plan)
  const subject = await createSubject(world, plan.settings)
  const actions = createActions({ world, subject, random: createRandom(seed + 31) })
  const meter = meterCosts(subject)
  const run: Run = { plan, world, subject, actions, struck: {}, withoutEffect: [], problems: [] }
  try {
    const { compared, differences } = await judge(run)
    const costs = meter.stop(world.strangers.calls())
    differences.push(...findExcess(costs, run.struck))
    return {
      seed,
      tookMs: Math.round(performance.now() - startedAt),
      events: world.emitted(),
      sent: world.hosts
        .flatMap((host) => host.connections())
        .reduce((sum, { sentCount }) => sum + sentCount, 0),
      faults: run.struck,
      withoutEffect: run.withoutEffect,
      compared,
      costs,
      differences: differences.map((difference) => ({
        seed,
        ...difference,
        history: historyOf(world, difference.about),
      })),
    }
  } finally {
    meter.stop(world.strangers.calls())
    await subject.dispose()
    await world.close()
  }
}

/** An error that stops the run is a difference too. */
async function judge(run: Run): Promise<Comparison> {
  try {
    await run.subject.start()
    if (run.plan.isOpen) await signIn(run)
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

/**
 * Emits events in a steady beat, with faults beside them, each after its number of events. If a
 * fault is due while another is active, events wait for the active one to end: so each has events
 * around it, however slow the machine is.
 */
async function play(run: Run): Promise<void> {
  const { plan, struck, world, actions } = run
  const waiting = [...plan.faults]
  let faulty: Promise<void> | undefined
  let failure: unknown
  let happened = 0
  let ticks = 0
  /** After what a host keeps back, its account must write nothing: a later write would hide it. */
  const isHeld = () => faulty !== undefined && isLying
  let isLying = false
  const begin = (planned: PlannedFault) => {
    isLying = planned.kind === 'host-lies' && world.source === 'jetstream'
    struck[planned.kind] = (struck[planned.kind] ?? 0) + 1
    faulty = strike(run, planned)
      .catch((error: unknown) => {
        const isIdle = error instanceof WithoutEffect
        if (isIdle) run.withoutEffect.push({ kind: planned.kind, what: error.message })
        else failure ??= error
      })
      .finally(() => {
        faulty = undefined
      })
  }
  const goOnUntil = async (count: number) => {
    for (; happened < count; await sleep(TICK_MS)) {
      if (failure) throw failure
      if (isHeld()) continue
      const isDue = waiting[0] !== undefined && waiting[0].at <= happened
      if (isDue && faulty) continue
      if (isDue) begin(waiting.shift()!)
      for (let i = 0; i < plan.eventsPerTick && happened < count; i++) if (world.step()) happened++
      if (++ticks % ACTION_EVERY_TICKS === 0) actions.next()
    }
    await faulty
    if (failure) throw failure
  }
  await goOnUntil(plan.earlyEvents)
  await becomeQuiet(run, 'the cold start')
  await lookAtNotifications(run)
  world.mark()
  await goOnUntil(plan.earlyEvents + plan.events)
  await actions.settled()
}

/**
 * If no member is configured, accounts become members by signing in. On a busy machine the
 * directory's first answer may be late.
 */
async function signIn({ world, subject }: Run): Promise<void> {
  for (const { did } of world.members) {
    const ask = () => subject.get(did, 'app.bsky.notification.getUnreadCount', {})
    const came = () => ask().then(Boolean, () => false)
    await until(came, { what: 'a member signed in', withinMs: SIGN_IN_TIMEOUT_MS })
  }
}

/** Marks notifications as seen, since members who never did have none unread. */
async function lookAtNotifications({ world, subject }: Run): Promise<void> {
  const seenAt = new Date().toISOString()
  for (const { did } of world.members) {
    await subject.post(did, 'app.bsky.notification.updateSeen', { seenAt })
  }
}

/** Waits until every event is applied, as a last one shows, and no fetch is pending. */
async function becomeQuiet(run: Run, when: string): Promise<void> {
  const { world, subject, problems } = run
  const isQuiet = () => subject.waitingJobs().length === 0 && subject.openGaps().length === 0
  const isMarkSeen = leaveMark(world, subject)
  try {
    await until(async () => (await isMarkSeen()) && isQuiet(), {
      what: 'quiet',
      withinMs: QUIET_TIMEOUT_MS,
    })
  } catch {
    const health = await subject.health().catch(String)
    const jobs = subject.waitingJobs().slice(0, 10)
    const got = { health, jobs, gaps: subject.openGaps() }
    const about = world.members[0]!.did
    problems.push({ what: `quiet after ${when}`, viewer: '', about, expected: 'quiet', got })
  }
}

/** Reads everything once, so that missing records are fetched, then compares. */
async function compare(run: Run): Promise<Comparison> {
  const { plan, world, subject, actions, problems } = run
  const parts = { world, subject, actions, pageSize: plan.pageSize }
  await compareAll(parts)
  await sleep(POLL_MS)
  await becomeQuiet(run, 'the first look')
  const { compared, differences } = await compareAll(parts)
  for (const death of subject.deaths()) {
    problems.push({ what: 'process', viewer: '', about: 'process', expected: 'alive', got: death })
  }
  for (const got of world.trap.caught()) {
    problems.push({ what: 'trap', viewer: '', about: 'trap', expected: 'nobody', got })
  }
  return { compared, differences: [...problems, ...differences] }
}

/**
 * For a URI, its own events and those that refer to it; for an account, all events except its
 * records'.
 */
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
