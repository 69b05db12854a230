// Attacks by strangers (test/support/torture/stranger-faults.ts), one after another, on a server in a memory
// group of 1 GB (as root on Linux; otherwise without one), with default settings, and with --full also with
// its own pictures and videos. Reported for each: the latency of members' pages next to an idle server's,
// which is the machine's own noise; how long a newcomer from another address waited; memory; and whether the
// process survived.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { meterCosts } from '../test/support/torture/costs.ts'
import { strike } from '../test/support/torture/faults.ts'
import { planRun } from '../test/support/torture/plan.ts'
import { strangerFaults } from '../test/support/torture/stranger-faults.ts'
import { createSubject, type Subject } from '../test/support/torture/subject.ts'
import { createWorld, type World } from '../test/support/torture/world.ts'
import type { BenchOptions, BenchResult } from './runner/result.ts'
import { createMemoryGroup, type MemoryGroup } from './world/memory-group.ts'
import { type PageWatch, watchPages } from './world/page-watch.ts'
import type { PageReport } from './world/page-watcher.ts'

const GROUP_MB = 1_024
const SEED = 1
const TIMELINE = 'app.bsky.feed.getTimeline'
const QUIET_MS = 10_000
/** Minimum time to watch an attack; its effects outlast a short one. */
const LEAST_MS = 8_000
const NEWCOMER_AFTER_MS = 1_000
const RETRY_MS = 250
const LONGEST_MS = 120_000
const SETTLE_MS = 60_000
const HOOK = join(import.meta.dirname, 'world/join-group.ts')

type Kind = keyof typeof strangerFaults
type Dependencies = { world: World; subject: Subject }

const kinds = Object.keys(strangerFaults) as Kind[]

export async function bench({ full, wants }: BenchOptions): Promise<BenchResult[]> {
  const wanted = kinds.filter((kind) => wants(`strangers.${kind}`))
  // By default a CDN serves pictures and videos, so no client requests them from the server.
  const withoutMedia = wanted.filter((kind) => kind !== 'stranger-media')
  const plain = await attackAll(withoutMedia, { name: 'strangers', settings: {} })
  if (!full) return plain
  const settings = { IMAGES: 'own', VIDEOS: 'own' }
  return [...plain, ...(await attackAll(wanted, { name: 'strangersOwnMedia', settings }))]
}

async function attackAll(
  attacks: readonly Kind[],
  { name, settings }: { name: string; settings: Record<string, string> },
): Promise<BenchResult[]> {
  const group = createMemoryGroup(GROUP_MB)
  const world = await createWorld(planRun(SEED, { faults: 1, kinds: ['stranger-newcomers'] }))
  const subject = await createSubject(world, settings, {
    ...(group && { hook: HOOK, env: { BENCH_GROUP: group.members } }),
    disk: ordinaryDisk(),
  })
  const meter = meterCosts(subject)
  try {
    await subject.start()
    const watch = await signIn({ world, subject })
    const results = [...figuresOf(`${name}.before`, await watchFor(watch, () => sleep(QUIET_MS)))]
    for (const kind of attacks)
      results.push(...(await attack({ world, subject }, { kind, name, watch })))
    watch.stop()
    const { rssMb, childrenMb, logMb } = meter.stop(world.strangers.calls())
    const megabytes = { rss: rssMb, childrens: childrenMb, log: logMb, group: group?.peakMb() ?? 0 }
    for (const [what, value] of Object.entries(megabytes))
      results.push({ name: `${name}.${what}_mb`, value, unit: 'MB' })
    results.push({ name: `${name}.ends`, value: endsOf(subject, group), unit: 'processes' })
    return results
  } finally {
    meter.stop(world.strangers.calls())
    await subject.dispose()
    await world.close()
    group?.dispose()
  }
}

/** Unexpected exits of the server, and kills in the group by the kernel. */
function endsOf(subject: Subject, group: MemoryGroup | undefined): number {
  return subject.deaths().length + (group?.kills() ?? 0)
}

async function signIn({ world, subject }: Dependencies): Promise<PageWatch> {
  const pages: { url: string; token: string }[] = []
  for (const { did: iss } of world.members) {
    await eventually(() => subject.get(iss, TIMELINE, {}))
    const claims = { iss, aud: subject.audience, lxm: TIMELINE, lifetimeSeconds: 3_600 }
    const url = `${subject.origin}/xrpc/${TIMELINE}?limit=30`
    pages.push({ url, token: await world.servers.serviceJwt(claims) })
  }
  const deadline = performance.now() + SETTLE_MS
  while (subject.waitingJobs().length > 0 && performance.now() < deadline) await sleep(RETRY_MS)
  return watchPages(pages)
}

async function watchFor(watch: PageWatch, work: () => Promise<void>): Promise<PageReport> {
  watch.begin()
  await Promise.all([work(), sleep(LEAST_MS)])
  return watch.report()
}

async function attack(
  parts: Dependencies,
  { kind, name, watch }: { kind: Kind; name: string; watch: PageWatch },
): Promise<BenchResult[]> {
  let newcomerMs = 0
  let failure: unknown
  const report = await watchFor(watch, async () => {
    const planned = { kind, at: 0, forMs: 3_000, dice: 0.5 }
    const striking = strike(parts, planned).catch((error: unknown) => {
      failure = error
    })
    await sleep(NEWCOMER_AFTER_MS)
    newcomerMs = await newcomerComes(parts)
    await striking
  })
  if (failure) {
    // An attack that had no effect would be measured in vain.
    console.error(`${kind}: ${String(failure)}`)
    process.exitCode = 1
  }
  const figures = figuresOf(`${name}.${kind}`, report)
  const passed = { name: `${name}.${kind}.failures`, value: failure ? 1 : 0, unit: 'attacks' }
  return [...figures, passed, ms(`${name}.${kind}.newcomer_ms`, newcomerMs)]
}

/** @returns how long a client with a real account and its own address waited for a first answer */
async function newcomerComes({ world, subject }: Dependencies): Promise<number> {
  const iss = world.strangers.mint()
  const startedAt = performance.now()
  await eventually(async () => {
    const token = await world.strangers.token({ iss, aud: subject.audience, lxm: TIMELINE })
    const from = `192.0.2.${1 + Math.floor(Math.random() * 250)}`
    const headers = { authorization: `Bearer ${token}`, 'x-forwarded-for': from }
    const { status, bytes } = await subject.call(TIMELINE, '', headers)
    if (status !== 200) throw new Error(`${status} ${bytes}`)
  })
  return performance.now() - startedAt
}

async function eventually(work: () => Promise<unknown>): Promise<void> {
  const deadline = performance.now() + LONGEST_MS
  for (;;) {
    try {
      await work()
      return
    } catch (error) {
      if (performance.now() > deadline) throw error
      await sleep(RETRY_MS)
    }
  }
}

function figuresOf(name: string, { page, noise }: PageReport): BenchResult[] {
  return [
    ms(`${name}.page_p50_ms`, page.p50),
    ms(`${name}.page_p99_ms`, page.p99),
    ms(`${name}.page_max_ms`, page.max),
    ms(`${name}.page_p99_ms.baseline`, noise.p99),
    ms(`${name}.page_max_ms.baseline`, noise.max),
    { name: `${name}.pages_refused`, value: page.refused, unit: `of ${page.count}` },
  ]
}

function ms(name: string, value: number): BenchResult {
  return { name, value, unit: 'ms' }
}

function ordinaryDisk() {
  const root = mkdtempSync(join(tmpdir(), 'slipstream-bench-'))
  const folder = join(root, 'data')
  mkdirSync(folder)
  const nothing = () => undefined
  return {
    folder,
    isBounded: false,
    fill: nothing,
    free: nothing,
    dispose: () => rmSync(root, { recursive: true, force: true }),
  }
}
