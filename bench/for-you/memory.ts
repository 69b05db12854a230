// What For You takes of a process's memory once the network has passed by: the setting, whatever the number of
// members. Compared is the resident memory before and after, so pages that were never touched don't count.

import { createScratch } from '../../src/features/for-you/engine/recommend.ts'
import type { BenchResult } from '../runner/result.ts'
import { play } from './engine-run.ts'
import type { Network } from './network.ts'

const MEMBERS = [10, 1_000, 10_000]

export function memoryFigures(network: Network, bytes: number): BenchResult[] {
  // All stay, so that none takes the place of another.
  const retained: object[] = []
  return MEMBERS.map((count) => {
    const members = new Set(Array.from({ length: Math.min(count, network.people) }, (_, i) => i))
    const before = resident()
    retained.push(play(network, { bytes, members, until: network.endMinute }), createScratch())
    const value = (resident() - before) / 2 ** 20
    return { name: `for-you.rss_${count}_members.mb`, value, unit: 'MB' }
  })
}

function resident(): number {
  globalThis.gc?.()
  return process.memoryUsage.rss()
}
