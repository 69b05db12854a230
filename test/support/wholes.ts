// What features add to tests of all tables: nothing in a tree without them.

import { existsSync } from 'node:fs'
import { features } from '../../src/base/feature.ts'
import type { StoredTable } from './stored-tables/entry.ts'
import type { World } from './world.ts'

/** A member, one of their follows, and a labeler. */
export type Life = { did: string; friend: string; labeler: string }

/** test/features/NAME/whole.ts: its part in tests of all tables. */
export type CompleteOf = {
  /** Writes a row wherever the feature can hold one about the account. */
  live?(world: World, life: Life): void
  storedTables: Readonly<Record<string, StoredTable>>
  /** Its files below src/ that build parts of others, without their suffix: test/wiring.test.ts. */
  wiring?: readonly string[]
}

export const wholes: readonly CompleteOf[] = await Promise.all(
  features.flatMap(({ name }) => {
    const file = new URL(`../features/${name}/whole.ts`, import.meta.url)
    return existsSync(file) ? [partOf(file)] : []
  }),
)

async function partOf(file: URL): Promise<CompleteOf> {
  return ((await import(file.href)) as { whole: CompleteOf }).whole
}
