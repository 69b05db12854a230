// Leases on a real engine with several nodes, some of which are stopped, paused and killed. No test depends
// on the clock.

import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, describe, expect, test } from 'vitest'
import { BUCKETS } from '../../../../src/features/cluster/engine/buckets.ts'
import type { Engine } from '../../../../src/features/cluster/engine/connect.ts'
import { createCqlLeases } from '../../../../src/features/cluster/engine/cql-leases.ts'
import {
  createLeaseTable,
  type LeaseTable,
} from '../../../../src/features/cluster/engine/lease-table.ts'
import type { Leases } from '../../../../src/features/cluster/engine/leases.ts'
import { heldBy, testLeaseContract } from './lease-contract.ts'

type ClusterState = { connect: () => Promise<Engine>; address: () => string }

const HOLDER = join(import.meta.dirname, 'lease-holder.ts')
const log = { info() {}, warn() {} }
let nodes = 0

export function testLeases({ connect, address }: ClusterState): void {
  describe('leases', () => {
    const opened: Leases[] = []
    const children: ChildProcess[] = []
    let table: LeaseTable | undefined

    async function open(): Promise<Leases> {
      table ??= createLeaseTable(await connect())
      const leases = createCqlLeases({ table: async () => table!, name: `n${++nodes}`, log })
      opened.push(leases)
      return leases
    }
    afterEach(async () => {
      for (const child of children.splice(0)) child.kill('SIGKILL')
      await Promise.all(opened.splice(0).map((leases) => leases.release()))
    })

    testLeaseContract(open)

    test('nodes share the buckets evenly as they join and leave, and each bucket has one holder', async () => {
      const first = await open()
      await expect.poll(() => first.counts().held).toBe(BUCKETS)
      const others = [await open(), await open()]
      const all = [first, ...others]
      await expect
        .poll(() => all.map((leases) => leases.counts().held).sort())
        .toEqual([84, 86, 86])
      expectDisjoint(await Promise.all(all.map(heldBy)))
      await others[0]!.release()
      const left = [first, others[1]!]
      await expect.poll(() => left.map((leases) => leases.counts().held)).toEqual([128, 128])
      expectDisjoint(await Promise.all(left.map(heldBy)))
    })

    for (const how of ['SIGKILL', 'SIGSTOP'] as const) {
      test(`after ${how}, another node holds a node’s buckets in a higher epoch, and the first writes nothing more in its own`, async () => {
        const holder = startHolder(address(), children)
        await expect.poll(() => holder.epochs(0).size).toBe(2)
        const before = holder.epochs(0)
        holder.child.kill(how)
        const successor = await open()
        await expect.poll(() => successor.counts().held).toBe(BUCKETS)
        const after = await heldBy(successor)
        for (const [bucket, epoch] of before) expect(after.get(bucket)).toBeGreaterThan(epoch)
        if (how === 'SIGKILL') return
        const notified = holder.lines.length
        holder.child.kill('SIGCONT')
        await expect.poll(() => holder.lines.length).toBeGreaterThan(notified + 20)
        for (const [bucket, epoch] of holder.epochs(notified)) {
          expect(epoch).toBeGreaterThan(after.get(bucket)!)
        }
        await expect.poll(() => successor.counts().held).toBe(BUCKETS / 2)
      })
    }
  })
}

function expectDisjoint(all: readonly Map<number, number>[]): void {
  const buckets = all.flatMap((held) => [...held.keys()])
  expect(buckets.length).toBe(BUCKETS)
  expect(new Set(buckets).size).toBe(BUCKETS)
}

function startHolder(engine: string, children: ChildProcess[]) {
  const child = spawn(process.execPath, [HOLDER, engine, `holder${++nodes}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  process.once('exit', () => child.kill('SIGKILL'))
  const lines: string[] = []
  createInterface({ input: child.stdout! }).on('line', (line) => void lines.push(line))
  return {
    child,
    lines,
    /** The lowest epoch per bucket with which it would have written since that line. */
    epochs(from: number): Map<number, number> {
      const found = new Map<number, number>()
      for (const line of lines.slice(from)) {
        const [bucket, epoch] = line.split(' ').map(Number)
        if (!Number.isNaN(epoch)) {
          found.set(bucket!, Math.min(epoch!, found.get(bucket!) ?? Number.MAX_SAFE_INTEGER))
        }
      }
      return found
    },
  }
}
