// What can be restored: each base with the changes that follow it without a gap.

import type { Base } from '../copying/bases.ts'
import { FOLDERS, readChangeName, readTimed, runFolder } from '../copying/names.ts'
import type { Objects } from '../copying/objects.ts'
import { SealError } from '../sealing/seal.ts'

export type Point = {
  name: string
  base: Base
  /** Numbers of the changes, from the base's first. */
  changes: number[]
}

/**
 * Newest first. A base that is damaged, or that lacks a change, is passed over.
 * @param onUnfit - told why
 */
export async function* pointsOf(
  objects: Objects,
  {
    until = Infinity,
    onUnfit = () => {},
  }: { until?: number; onUnfit?: (why: string) => void } = {},
): AsyncGenerator<Point> {
  const names = (await objects.list(FOLDERS.bases)).map(({ name }) => name).sort()
  for (const name of names.reverse()) {
    if ((readTimed(name)?.at ?? Infinity) > until + 1_000) continue
    const base = await readBase(objects, name, onUnfit)
    if (!base || base.at > until) continue
    const changes = await changesOf(objects, base)
    if ((changes.at(-1) ?? 0) >= base.through) yield { name, base, changes }
    else onUnfit(`${name} lacks changes that complete it`)
  }
}

async function readBase(
  objects: Objects,
  name: string,
  onUnfit: (why: string) => void,
): Promise<Base | undefined> {
  try {
    return await objects.getJson<Base>(name)
  } catch (error) {
    if (!(error instanceof SealError)) throw error
    onUnfit(error.message)
    return undefined
  }
}

async function changesOf(objects: Objects, base: Base): Promise<number[]> {
  const stored = (await objects.list(runFolder(base.run))).flatMap(
    ({ name }) => readChangeName(name)?.seq ?? [],
  )
  const there = new Set(stored)
  const changes: number[] = []
  for (let seq = base.from; there.has(seq); seq++) changes.push(seq)
  return changes
}
