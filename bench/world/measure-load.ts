// One measurement of a served world: a load from the generator, and the CPU time that the server's process
// spent on it. An answer other than 200 means a broken benchmark, so it yields no figure.

import type { LoadGenerator } from '../load/load-generator.ts'
import type { LoadPlan, LoadReport } from '../load/types.ts'
import type { CpuSeconds } from './process-cpu.ts'

/** The server that is asked: the product, or a plain one. */
export type MeasuredServer = { readonly pid: number; readonly port: number; cpu(): CpuSeconds }

export type Measured = LoadReport & {
  /** Of the server's whole process, per answer. */
  cpuMs: number
  /** Of the serving thread, per answer. */
  servingCpuMs: number
  /** Answers per second of the process's CPU time. */
  perCore: number
}

export async function measureLoad(
  parts: { generator: LoadGenerator; app: MeasuredServer },
  plan: Omit<LoadPlan, 'port'>,
  onMeasuring: () => void = () => {},
): Promise<Measured> {
  const { app, generator } = parts
  let before: CpuSeconds | undefined
  let after: CpuSeconds | undefined
  const report = await generator.run(
    { ...plan, port: app.port },
    {
      onMeasuring: () => {
        before = app.cpu()
        onMeasuring()
      },
      onMeasured: () => {
        after = app.cpu()
      },
    },
  )
  if (report.refused > 0)
    throw new Error(
      `${report.refused} requests were refused, the first with ${report.firstRefusal}`,
    )
  if (report.answered === 0 || !before || !after) throw new Error('no request was answered')
  const total = after.total - before.total
  return {
    ...report,
    cpuMs: (total / report.answered) * 1000,
    servingCpuMs: ((after.serving - before.serving) / report.answered) * 1000,
    perCore: report.answered / total,
  }
}
