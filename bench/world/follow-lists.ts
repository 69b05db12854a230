// Lists of keyed follows for `slipstream import-follows`: the same follows in the order of accounts, as adjacency
// lists mostly are, and in random order. Followed accounts are drawn by the network's popularity.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRandom, type Random } from '../../test/support/random.ts'
import { tidAt } from '../../test/support/records.ts'
import { powerLawDid, powerLawLists } from '../support/power-law.ts'

const FOLLOWS_EACH = 50
const KEYS_FROM = 1.7e15
const KEYS_LAST_SECONDS = 30_000_000

export type FollowList = { name: string; path: string; lines: number }

export function writeFollowLists(folder: string, edges: number): FollowList[] {
  const random = createRandom(17)
  const lines: string[] = []
  const accounts = Math.round(edges / FOLLOWS_EACH)
  for (const [creator, subjects] of powerLawLists({ accounts, edges, seed: 17 })) {
    for (const subject of subjects) {
      const rkey = tidAt(KEYS_FROM + random.below(KEYS_LAST_SECONDS) * 1e6 + (lines.length % 1e6))
      lines.push(`${powerLawDid(creator)},${powerLawDid(subject)},${rkey}`)
    }
  }
  const ordered = write(folder, 'ordered', lines)
  shuffle(lines, random)
  return [ordered, write(folder, 'unordered', lines)]
}

function write(folder: string, name: string, lines: readonly string[]): FollowList {
  const path = join(folder, `${name}.csv`)
  writeFileSync(path, lines.join('\n'))
  return { name, path, lines: lines.length }
}

function shuffle(lines: string[], random: Random): void {
  for (let i = lines.length - 1; i > 0; i--) {
    const j = random.below(i + 1)
    const line = lines[i]!
    lines[i] = lines[j]!
    lines[j] = line
  }
}
