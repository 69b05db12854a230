// `npm run torture`: runs the fault harness over seeds, one after another, or several at once in separate
// processes. Differences are printed as they are found; the last line sums up everything.

import { spawn } from 'node:child_process'
import { text as textOf } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { readArguments } from '../src/tools/script-usage.ts'
import { type FaultKind, faultKinds, type Source } from '../test/support/torture/plan.ts'
import { type RunReport, runSeed } from '../test/support/torture/run.ts'
import { ADDRESS_USAGE, tortureByAddress } from './torture/by-address.ts'
import { ATTACKERS_USAGE, tortureByAttackers } from './torture/by-attackers.ts'
import { COSTLY_USAGE, tortureByCost } from './torture/by-cost.ts'

const USAGE = `npm run torture -- [options]
Starts Slipstreams, kills them and breaks their dependencies, and compares their answers with an oracle.

  --seeds N      number of runs (10)
  --first N      seed of the first run (1)
  --at-once N    parallel runs (1)
  --events N     events per run, instead of the seed's number
  --faults N     faults per run, likewise
  --kinds A,B    only these faults; the same seeds then give other runs:
                 ${faultKinds.join(', ')}
  --source relay no Jetstream, but two relays, with all that accounts signed (jetstream)
  --verify-all   with relays: what strangers sign is verified, too (SLIPSTREAM_VERIFY=all)
  --json         one line of JSON per run, and one for all

${COSTLY_USAGE}

${ATTACKERS_USAGE}

${ADDRESS_USAGE}`
const PRESENTED_DIFFERENCES = 10
/** Each of these is a run of its own. */
const OWN_KINDS = ['costly', 'attackers', 'address']

const { given, seeds, atOnce, size, isJson, costly, attackers, address } = readArguments(
  USAGE,
  readOptions,
)

// Unlike a signal's default action, an exit also ends the Slipstream under test.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

if (attackers) process.exit((await tortureByAttackers({ ...attackers, isJson })) ? 0 : 1)
if (address) process.exit((await tortureByAddress({ ...address, isJson })) ? 0 : 1)
if (costly) process.exit((await tortureByCost({ ...costly, seeds, isJson })) ? 0 : 1)

const reports: RunReport[] = []
const pending = seeds.values()
await Promise.all(Array.from({ length: atOnce }, work))
const total = sumUp(reports)
console.log(isJson ? JSON.stringify(total) : describe(total))
process.exit(total.differences === 0 && total.neverStruck.length === 0 ? 0 : 1)

function readOptions(args: string[]) {
  const string = { type: 'string' } as const
  const { values } = parseArgs({
    args,
    options: {
      seeds: string,
      first: string,
      'at-once': string,
      events: string,
      faults: string,
      kinds: string,
      source: string,
      'verify-all': { type: 'boolean' },
      json: { type: 'boolean' },
      kind: string,
      rows: string,
      bound: string,
      methods: string,
      posts: string,
      seconds: string,
      bought: string,
      generated: string,
    },
  })
  const number = (name: Exclude<keyof typeof values, 'json' | 'verify-all'>, usual?: number) =>
    values[name] === undefined ? usual : integer(name, values[name])
  const first = number('first', 1)!
  return {
    given: values,
    seeds: Array.from({ length: number('seeds', 10)! }, (_, i) => first + i),
    atOnce: Math.max(1, number('at-once', 1)!),
    size: {
      ...(values.events !== undefined && { events: number('events') }),
      ...(values.faults !== undefined && { faults: number('faults') }),
      ...(values.kinds !== undefined &&
        !isCostly(values) && { kinds: values.kinds.split(',').map(faultKind) }),
      ...(values.source !== undefined && { source: sourceOf(values.source) }),
      verifiesAll: values['verify-all'] ?? false,
    },
    isJson: values.json ?? false,
    costly: isCostly(values) && {
      rows: number('rows', 20_000)!,
      boundMs: number('bound', 60)!,
      only: values.methods,
    },
    attackers: values.kind === 'attackers' && {
      posts: number('posts', 300_000)!,
      seconds: number('seconds', 5)!,
      mostGenerated: number('generated'),
    },
    address: values.kind === 'address' && {
      posts: number('posts', 20_000)!,
      seconds: number('seconds', 10)!,
      boughtSeconds: number('bought', 300)!,
      only: values.methods,
    },
  }
}

function isCostly({ kind, kinds }: { kind?: string; kinds?: string }): boolean {
  if (kind !== undefined && !OWN_KINDS.includes(kind)) {
    throw new Error(`--kind: only ${OWN_KINDS.join(', ')}, not ${kind}`)
  }
  return kind === 'costly' || kinds === 'costly'
}

async function work(): Promise<void> {
  for (const seed of pending) {
    const report = await (atOnce > 1 ? runApart(seed) : runSeed(seed, size))
    reports.push(report)
    if (isJson) console.log(JSON.stringify(report))
    else print(report)
  }
}

/** Runs in a separate process with the same arguments. */
async function runApart(seed: number): Promise<RunReport> {
  const { events, faults, kinds, source } = given
  const options = Object.entries({ seeds: '1', first: String(seed), events, faults, kinds, source })
  const messages = options.flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, value],
  )
  if (given['verify-all']) messages.push('--verify-all')
  const child = spawn(process.execPath, [import.meta.filename, ...messages, '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const end = () => child.kill()
  process.once('exit', end)
  const [report] = (await textOf(child.stdout)).split('\n')
  process.off('exit', end)
  if (!report) throw new Error(`seed ${seed} ended without a report`)
  return JSON.parse(report) as RunReport
}

function print(report: RunReport): void {
  const { seed, tookMs, events, compared, differences } = report
  const seconds = (tookMs / 1000).toFixed(1)
  console.log(
    `seed ${seed}: ${events} events, ${compared} compared, ${differences.length} differences, ${seconds} s`,
  )
  for (const difference of differences.slice(0, PRESENTED_DIFFERENCES)) {
    const { what, about, viewer, expected, got, history } = difference
    console.log(`  ${what}: ${about} as seen by ${viewer}
    expected ${text(expected)}
    got      ${text(got)}
${history.map((line) => `      ${line}`).join('\n')}`)
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function sumUp(all: RunReport[]) {
  const faults: Record<string, number> = {}
  for (const report of all) {
    for (const [kind, times] of Object.entries(report.faults)) {
      faults[kind] = (faults[kind] ?? 0) + times
    }
  }
  const idle = all.flatMap(({ withoutEffect }) => withoutEffect)
  const idleTimes = (kind: string) => idle.filter((item) => item.kind === kind).length
  const sum = (read: (report: RunReport) => number) =>
    all.reduce((total, report) => total + read(report), 0)
  return {
    seeds: all.length,
    faults: Object.values(faults).reduce((total, times) => total + times, 0),
    byKind: faults,
    withoutEffect: idle.map(({ kind, what }) => `${kind}: it is not so that ${what}`),
    /** Fault kinds that affected nothing in the whole pass, and so prove nothing. */
    neverStruck: Object.keys(faults).filter((kind) => idleTimes(kind) === faults[kind]),
    events: sum(({ events }) => events),
    sent: sum(({ sent }) => sent),
    compared: sum(({ compared }) => compared),
    differences: sum(({ differences }) => differences.length),
    costs: mostOf(all.map(({ costs }) => costs)),
  }
}

/** The maximum of each cost. */
function mostOf(all: RunReport['costs'][]): Record<string, number> {
  const most: Record<string, number> = {}
  for (const costs of all) {
    for (const [name, cost] of Object.entries(costs)) most[name] = Math.max(most[name] ?? 0, cost)
  }
  return most
}

function describe({
  byKind,
  costs,
  withoutEffect,
  neverStruck,
  ...total
}: ReturnType<typeof sumUp>): string {
  const kinds = Object.entries(byKind).map(([kind, times]) => `${kind} ${times}`)
  const most = Object.entries(costs).map(([name, cost]) => `${name} ${cost}`)
  return `faults by kind: ${kinds.join(', ')}
strikes without effect: ${withoutEffect.join('; ') || 'none'}${neverStruck.length > 0 ? `; NEVER with any: ${neverStruck.join(', ')}` : ''}
the most in one run: ${most.join(', ')}
seeds ${total.seeds}, faults ${total.faults}, events sent ${total.events} (${total.sent} frames), items compared ${total.compared}, differences ${total.differences}`
}

function faultKind(name: string): FaultKind {
  const kind = faultKinds.find((faultKind) => faultKind === name)
  if (kind) return kind
  throw new Error(`--kinds: there is no ${name}; there are ${faultKinds.join(', ')}`)
}

function sourceOf(name: string): Source {
  if (name === 'jetstream' || name === 'relay') return name
  throw new Error(`--source: only jetstream or relay, not ${name}`)
}

function integer(name: string, value: string): number {
  const number = Number(value)
  if (Number.isInteger(number) && number >= 0) return number
  throw new Error(`--${name} must be a whole number`)
}
