// Runs all checks concurrently, each with its own timeout and isolated from the others: a check that throws
// or takes too long becomes a line that says so.

import { within } from '../../base/util/waits.ts'
import type { DoctorContext } from './context.ts'
import { type Finding, unchecked } from './finding.ts'

export type Check = {
  area: string
  run(doctor: DoctorContext): Promise<Finding[]> | Finding[]
  /** What is good if nothing in the area is wrong; comes first. */
  ifFine?: ((doctor: DoctorContext) => Finding) | undefined
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
  { area, run, ifFine }: Check,
  doctor: DoctorContext,
  timeoutMs: number,
): Promise<Examined> {
  const startedAt = performance.now()
  const late = unchecked(`took longer than ${timeoutMs / 1000} s`)
  const findings = (await within(
    timeoutMs,
    attempt(async () => withFine(await run(doctor), () => ifFine?.(doctor))),
  )) ?? [late]
  return { area, findings, ms: Math.round(performance.now() - startedAt) }
}

function withFine(findings: Finding[], ifFine: () => Finding | undefined): Finding[] {
  const fine = findings.some(({ level }) => level === 'wrong') ? undefined : ifFine()
  return fine ? [fine, ...findings] : findings
}

async function attempt(run: () => Promise<Finding[]> | Finding[]): Promise<Finding[]> {
  try {
    return await run()
  } catch (error) {
    return [unchecked(`this check itself failed: ${(error as Error).message}`)]
  }
}
