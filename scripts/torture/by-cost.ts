// `npm run torture -- --kind costly`: looks for requests that cost the serving thread too much in one go, and
// prints each as it is found, with the functions that the time was spent in.

import { type CostlyReport, type Finding, runCostly } from '../../test/support/costly/run.ts'

export const COSTLY_USAGE = `--kind costly looks instead for requests that hold the serving thread for too long, over the worst rows:
  --seeds N      seeds of further requests, drawn from all parameters (10)
  --rows N       how many there are of what there may be most of (20000)
  --bound MS     processor time that one turn of the thread may take (60)
  --methods M    only methods and routes with this in their names`

type Options = {
  rows: number
  boundMs: number
  only?: string | undefined
  seeds: readonly number[]
  isJson: boolean
}

const SHOWN_POSITIONS = 4
const PRESENTED_PATH = 400
const MOST_METHODS = 20

/** @returns whether nothing was found. */
export async function tortureByCost({ isJson, ...options }: Options): Promise<boolean> {
  const say = isJson ? () => undefined : console.log
  say(`filling a data folder with ${options.rows} rows of each kind`)
  const report = await runCostly({ ...options, onFound: (found) => say(describe(found)) })
  console.log(isJson ? JSON.stringify(report) : sum(report))
  return report.findings.length === 0
}

function describe({ request, status, firstMs, againMs, hottest = [], beside }: Finding): string {
  const positions = hottest.slice(0, SHOWN_POSITIONS).map(({ at, ms }) => `    ${ms} ms in ${at}`)
  const who = request.token ?? request.viewer ?? 'a visitor'
  const waits = beside
    ? `    sixteen at once: a member's page p99 ${ms(beside.p99Ms)}, ${ms(beside.eachMs)} each, ${ms(beside.turnMs)} in one turn, ${JSON.stringify(beside.statuses)}`
    : ''
  return `${ms(againMs)} in one turn (${ms(firstMs)} at first), ${status}, as ${who}
    ${decodeURIComponent(request.path).slice(0, PRESENTED_PATH)}
${[...positions, waits].filter(Boolean).join('\n')}`
}

function sum({ requested, statuses, longest, alone, findings }: CostlyReport): string {
  const methods = Object.entries(longest).sort(([, value], [, other]) => other - value)
  const most = methods.slice(0, MOST_METHODS).map(([name, longestMs]) => `${name} ${ms(longestMs)}`)
  return `requests ${requested} (${JSON.stringify(statuses)}), methods and routes with an answer ${methods.length}
the longest turns: ${most.join(', ')}
a member's page alone: p99 ${alone ? ms(alone.p99Ms) : 'unknown'}
findings ${findings.length}`
}

function ms(value: number): string {
  return `${value.toFixed(0)} ms`
}
