// The inputs of a fault, and a choice by its dice.

import type { PlannedFault } from './plan.ts'
import type { Subject } from './subject.ts'
import type { World } from './world.ts'

export type Dependencies = { world: World; subject: Subject }
export type Fault = (parts: Dependencies, planned: PlannedFault) => Promise<void>

/** The fault had no effect: not a difference, but the run's report must say so. */
export class WithoutEffect extends Error {
  override name = 'WithoutEffect'
}

/** @throws WithoutEffect if the fault had none. */
export function hadEffect(what: string, isSo: boolean): void {
  if (!isSo) throw new WithoutEffect(what)
}

export function pick<T>(items: readonly T[], dice: number): T {
  return items[Math.floor(dice * items.length)]!
}
