// One run: every method and route over the worst rows. The first seed asks every request that `requests.ts`
// makes; each seed draws further ones. A request whose turn is too long is a finding, and is also sent sixteen
// times at once beside a member.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRandom, type Random } from '../random.ts'
import { type Beside, measureBeside } from './beside.ts'
import { fillDataFolder } from './data-folder.ts'
import { everyRequest } from './every-request.ts'
import { type Measured, measure } from './measure.ts'
import { writeAsProgram } from './programs-rows.ts'
import { queryNames } from './query-names.ts'
import { drawnQuery, labelled, type Request } from './requests.ts'
import { type CostlyServer, startCostlyServer } from './server.ts'
import type { Cast } from './worst-rows.ts'

export type CostlyOptions = {
  /** How many rows there are of what there may be most of. */
  rows: number
  /** Processor time that one turn of the serving thread may take, in milliseconds. */
  boundMs: number
  seeds: readonly number[]
  /** Only methods and routes with this in their names. */
  only?: string | undefined
  /** Requests that each seed draws for each method. */
  drawn?: number
  /** Asks only this many of the requests that are made for each method, spread over them. */
  mostOfEach?: number
  isSearchable?: boolean
  onFound?: (found: Finding) => void
  onMethod?: (method: string) => void
}

export type Finding = Measured & { beside: Beside | undefined }

export type CostlyReport = {
  requested: number
  /** By status. */
  statuses: Record<number, number>
  /** Methods and routes that answered 200 at least once, with their longest turn in milliseconds. */
  longest: Record<string, number>
  /** The polls without anything beside. */
  alone: Beside | undefined
  findings: Finding[]
}

const DRAWN = 12

export async function runCostly(options: CostlyOptions): Promise<CostlyReport> {
  const dataDir = mkdtempSync(join(tmpdir(), 'slipstream-costly-'))
  try {
    const cast = fillDataFolder(dataDir, options.rows, options.isSearchable)
    const server = await startCostlyServer(dataDir)
    try {
      await writeAsProgram(server, cast.rows)
      return await askAll(server, requestsOf(cast, options), options)
    } finally {
      await server.close()
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

function requestsOf(cast: Cast, options: CostlyOptions): Request[] {
  const { seeds, only = '', drawn = DRAWN, mostOfEach = Infinity } = options
  const names = queryNames()
  const made = everyRequest(cast)
  const all = [
    ...[...Map.groupBy(made, ({ method }) => method).values()].flatMap((of) =>
      spread(of, mostOfEach),
    ),
    ...seeds.flatMap((seed) => drawnRequests(names, cast, { random: createRandom(seed), drawn })),
  ]
  return all.filter(({ method }) => method.includes(only))
}

export function spread<T>(items: readonly T[], most: number): readonly T[] {
  if (items.length <= most) return items
  return Array.from({ length: most }, (_, i) => items[Math.floor((i * items.length) / most)]!)
}

function drawnRequests(
  names: readonly string[],
  cast: Cast,
  { random, drawn }: { random: Random; drawn: number },
): Request[] {
  const draw = (nsid: string) => {
    const request = drawnQuery(nsid, cast, random)
    return random.chance(0.2) ? labelled(request) : request
  }
  return names.flatMap((nsid) => Array.from({ length: drawn }, () => draw(nsid)))
}

async function askAll(
  server: CostlyServer,
  requests: readonly Request[],
  { boundMs, onFound, onMethod }: CostlyOptions,
): Promise<CostlyReport> {
  // Its first pages are slower than a warm server's.
  for (let i = 0; i < 2; i++) await measureBeside(server, undefined)
  const alone = await measureBeside(server, undefined)
  const report: CostlyReport = { requested: 0, statuses: {}, longest: {}, alone, findings: [] }
  let method = ''
  for (const request of requests) {
    if (request.method !== method) onMethod?.(request.method)
    method = request.method
    for (const measured of await measure(server, request, boundMs)) {
      note(report, measured)
      if (measured.againMs <= boundMs) continue
      const found = { ...measured, beside: await measureBeside(server, measured.request) }
      report.findings.push(found)
      onFound?.(found)
    }
  }
  return report
}

function note(report: CostlyReport, { request, status, againMs }: Measured): void {
  const { statuses, longest } = report
  report.requested++
  statuses[status] = (statuses[status] ?? 0) + 1
  if (status !== 200) return
  longest[request.method] = Math.max(longest[request.method] ?? 0, againMs)
}
