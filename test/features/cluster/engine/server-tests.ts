// Whole servers that share an engine: a member's state written on one is visible on the other, and each holds
// its share of the buckets, until one is killed and one is stopped.

import { expect, test } from 'vitest'
import { BUCKETS, bucketOf } from '../../../../src/features/cluster/engine/buckets.ts'
import type { Engine } from '../../../../src/features/cluster/engine/connect.ts'
import { leaseOverview } from '../../../../src/features/cluster/engine/lease-overview.ts'
import { createLeaseTable } from '../../../../src/features/cluster/engine/lease-table.ts'
import { cliJson } from '../../../support/cli.ts'
import { didOf } from '../../../support/records.ts'
import type { SlipstreamProcess } from '../../../support/slipstream-process.ts'
import { startMemberOfTwo } from './member-of-two.ts'

type ClusterState = { connect: () => Promise<Engine>; address: () => string }

const ALICE = didOf('alice')

export function testServers({ connect, address }: ClusterState): void {
  test('the other server takes over members’ state and buckets from a killed or stopped one', async () => {
    const table = createLeaseTable(await connect())
    const held = async (node: SlipstreamProcess) => {
      const name = `:${await node.port()}#`
      return (await table.leases()).filter((lease) => lease.node?.includes(name)).length
    }
    const cluster = await startMemberOfTwo(address())
    const [first, second] = cluster.nodes
    await cluster.prefer(first!, true)
    await expect.poll(() => cluster.preferred(second!)).toBe(true)
    await cluster.prefer(second!, false)
    await expect.poll(() => Promise.all(cluster.nodes.map(held))).toEqual([128, 128])
    await first!.stop('SIGKILL')
    await expect.poll(() => held(second!)).toBe(BUCKETS)
    await expect.poll(() => metric(second!, 'buckets_held')).toBe(BUCKETS)
    const seen = await statusOf(address())
    expect(seen).toMatchObject({ unowned: [], holders: [{ isAlive: true, buckets: BUCKETS }] })
    expect(seen.of).toMatchObject({ bucket: bucketOf(ALICE), node: seen.holders[0]!.node })
    const third = cluster.start()
    await expect.poll(() => cluster.preferred(third)).toBe(false)
    await cluster.prefer(third, true)
    await expect.poll(() => cluster.preferred(second!)).toBe(true)
    await expect.poll(() => held(third)).toBe(128)
    await third.stop('SIGTERM')
    // Released before it ended, instead of after it was found dead.
    expect(await held(third)).toBe(0)
    await second!.stop('SIGKILL')
    await expect.poll(async () => (await leaseOverview(table)).unowned.length).toBe(BUCKETS)
    await cluster.stop()
  })
}

type Status = { holders: { node: string }[]; unowned: number[]; of?: object }

function statusOf(engine: string): Promise<Status> {
  return cliJson<Status>({ ENGINE: engine }, ['engine', 'status', '--of', ALICE])
}

async function metric(node: SlipstreamProcess, name: string): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${await node.port()}/metrics`)
  const [, value] = new RegExp(`^slipstream_${name} (.*)$`, 'm').exec(await answer.text()) ?? []
  return Number(value)
}
