// One run: a member's warm page is polled evenly by a process of its own while attackers send what costs the
// most. Reported for each attack: the polls' p99 beside that of an idle server and of the same polls alone,
// and the longest turn of the serving thread.

import { setTimeout as pause } from 'node:timers/promises'
import { type PageWatch, watchPages } from '../../../bench/world/page-watch.ts'
import type { PageReport } from '../../../bench/world/page-watcher.ts'
import { everyRequest } from '../costly/every-request.ts'
import { writeAsProgram } from '../costly/programs-rows.ts'
import type { Request } from '../costly/requests.ts'
import { spread } from '../costly/run.ts'
import { type CostlyServer, DEFAULT_LIMITS, startCostlyServer } from '../costly/server.ts'
import { type Cast, MEMBER, POLLER } from '../costly/worst-rows.ts'
import { type Attack, type Attacker, attacksOver } from './attacks.ts'
import { type Flood, flood, fromNewAddress } from './flood.ts'
import { attacksBeyond, startOutside } from './outside.ts'

export type AttackersOptions = {
  dataDir: string
  cast: Cast
  /** How long each attack lasts. */
  seconds: number
  /** Sends only this many of the generated requests, spread over them. */
  mostGenerated?: number | undefined
  /** How many loops send each attack: one run for each number. */
  atOnce?: readonly number[]
  onRow?: (row: AttackRow) => void
}

export type AttackRow = {
  attack: string
  by: 'nobody' | Attacker | 'all'
  atOnce: number
  /** Milliseconds: of the polls, and of an idle server's page at the same moments. */
  p99Ms: number
  noiseMs: number
  /** Processor time that the serving thread spends while a poll waits: what else runs doesn't matter. */
  aheadMs: number
  polls: number
  /** Processor time of the serving thread's longest turn, in milliseconds. */
  turnMs: number
  statuses: Record<number, number>
}

export type AttackersReport = {
  rows: AttackRow[]
  /** How many questions of visitors a public AppView was asked that allows `APPVIEW_ALLOWS`. */
  visitorsQuestions: number
}

const POLL_EVERY_MS = 25
const AT_ONCE = 16
const WARM_MS = 1_500
/** Attackers ask more than a member may; each could be another member. */
const LIMITS = { ...DEFAULT_LIMITS, MEMBER_RATE_LIMIT: '1000000000' }

export const polledPage: Request = {
  method: 'app.bsky.feed.getTimeline',
  viewer: POLLER,
  path: '/xrpc/app.bsky.feed.getTimeline?limit=50',
}

export async function runAttackers(options: AttackersOptions): Promise<AttackersReport> {
  const { dataDir, cast, onRow } = options
  const outside = await startOutside()
  const server = await startCostlyServer(dataDir, { ...LIMITS, ...outside.env })
  const watch = await watchPages([server.signed(polledPage)], {
    everyMs: POLL_EVERY_MS,
    pid: server.pid,
  })
  try {
    const rows: AttackRow[] = []
    const measured = { server, watch }
    await writeAsProgram(server, cast.rows)
    const attacks = [...attacksOver(cast), ...(await attacksBeyond(server, outside, cast))]
    await warm(measured, cast)
    for (const item of planned(options, attacks)) {
      const row = await rowOf(measured, item)
      rows.push(row)
      onRow?.(row)
    }
    return { rows, visitorsQuestions: outside.visitorsQuestions() }
  } finally {
    watch.stop()
    await server.close()
    await outside.close()
  }
}

/** A server's first calls of each kind take longer, as its code is compiled. */
async function warm({ server }: Measured, cast: Cast): Promise<void> {
  await pause(WARM_MS)
  for (const { requests } of attacksOver(cast)) await server.ask(asMember(requests[0]!))
}

type Measured = { server: CostlyServer; watch: PageWatch }
type Planned = Pick<AttackRow, 'attack' | 'by' | 'atOnce'> & { flood: Flood }

function planned(options: AttackersOptions, attacks: readonly Attack[]): Planned[] {
  const { cast, seconds, mostGenerated = Infinity, atOnce = [1, AT_ONCE] } = options
  const forMs = seconds * 1_000
  const alone = { attack: 'none', by: 'nobody' as const, atOnce: 0 }
  const none = { atOnce: 0, forMs, next: () => undefined }
  return [
    { ...alone, flood: none },
    ...attacks.flatMap((attack) => waysOf(attack, { forMs, atOnce })),
    ...generated(cast, mostGenerated),
    { ...alone, flood: none },
  ]
}

function waysOf(
  { name, by = ['a visitor', 'a member'], requests }: Attack,
  { forMs, atOnce: ways }: { forMs: number; atOnce: readonly number[] },
): Planned[] {
  return by.flatMap((who) =>
    ways.map((atOnce) => ({
      attack: name,
      by: who,
      atOnce,
      flood: {
        atOnce,
        forMs,
        next: inTurn(requests, sentBy[who]),
      },
    })),
  )
}

/** Every request that the search for costly ones makes, sixteen at once. */
function generated(cast: Cast, most: number): Planned[] {
  const others = everyRequest(cast).filter(({ token }) => token !== 'operator')
  const requests = spread(others, most)
  const left = requests.values()
  const next = () => {
    const { value } = left.next()
    return value && fromNewAddress(value)
  }
  const attack = `${requests.length} generated requests`
  return [{ attack, by: 'all', atOnce: AT_ONCE, flood: { atOnce: AT_ONCE, forMs: Infinity, next } }]
}

function inTurn(requests: readonly Request[], as: (request: Request) => Request): () => Request {
  let i = 0
  return () => as(requests[i++ % requests.length]!)
}

const sentBy: Record<Attacker, (request: Request) => Request> = {
  'a visitor': fromNewAddress,
  'a member': asMember,
  'a program': (request) => request,
}

function asMember(request: Request): Request {
  return { ...request, viewer: request.viewer ?? MEMBER }
}

async function rowOf({ server, watch }: Measured, planned: Planned): Promise<AttackRow> {
  const { flood: attack, ...named } = planned
  watch.begin()
  const least = named.atOnce === 0 ? attack.forMs : 0
  const { maxMs, result } = await server.metered(async () => {
    const [answers] = await Promise.all([flood(server, attack), pause(least)])
    return answers
  })
  const { page, noise } = await watch.report()
  return { ...named, ...summed(page, noise), turnMs: maxMs, ...result }
}

function summed(page: PageReport['page'], noise: PageReport['noise']) {
  return { p99Ms: page.p99, noiseMs: noise.p99, aheadMs: page.aheadP99, polls: page.count }
}
