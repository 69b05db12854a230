// Runs all checks concurrently, each with its own timeout and isolated from the others: a check that throws
// or takes too long becomes a line that says so.

import { within } from '../../base/util/waits.ts'
import type { DoctorContext } from './context.ts'
import { type Finding, unchecked } from './finding.ts'

export type Check = {
  area: string
  run(doctor: DoctorContext): Promise<Finding[]> | Finding[]
}

export type Examined = { area: string; findings: Finding[]; ms: number }

export type Examination = {
  /** Nothing is wrong. */
  ok: boolean
  areas: Examined[]
}

const CHECK_TIMEOUT_MS = 30_000

/** @returns the areas in the order of `checks`. */
export async function examine(
  checks: readonly Check[],
  doctor: DoctorContext,
  { onDone = () => undefined, timeoutMs = CHECK_TIMEOUT_MS }: ExamineOptions = {},
): Promise<Examination> {
  const areas = await Promise.all(
    checks.map(async (check) => {
      const examined = await examineOne(check, doctor, timeoutMs)
      onDone(examined)
      return examined
    }),
  )
  const ok = areas.every(({ findings }) => findings.every(({ level }) => level !== 'wrong'))
  return { ok, areas }
}

type ExamineOptions = { onDone?: (examined: Examined) => void; timeoutMs?: number }

async function examineOne(
  { area, run }: Check,
  doctor: DoctorContext,
  timeoutMs: number,
): Promise<Examined> {
  const startedAt = performance.now()
  const late = unchecked(`took longer than ${timeoutMs / 1000} s`)
  const findings = (await within(
    timeoutMs,
    attempt(() => run(doctor)),
  )) ?? [late]
  return { area, findings, ms: Math.round(performance.now() - startedAt) }
}

async function attempt(run: () => Promise<Finding[]> | Finding[]): Promise<Finding[]> {
  try {
    return await run()
  } catch (error) {
    return [unchecked(`this check itself failed: ${(error as Error).message}`)]
  }
}
