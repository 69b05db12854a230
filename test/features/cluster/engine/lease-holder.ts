// A node for tests that stop, pause or kill it: it repeatedly prints the epochs with which it would write for
// two buckets, in the tick in which it may.

import { connectEngine } from '../../../../src/features/cluster/engine/connect.ts'
import { createCqlLeases } from '../../../../src/features/cluster/engine/cql-leases.ts'
import { createLeaseTable } from '../../../../src/features/cluster/engine/lease-table.ts'

const [engine, name] = process.argv.slice(2)
const settings = { engine, enginePasswordFile: undefined, engineCa: undefined }
const table = createLeaseTable(await connectEngine(settings))
const log = { info() {}, warn() {} }
const leases = createCqlLeases({ table: async () => table, name: name!, log })

async function speak(): Promise<void> {
  for (const bucket of [7, 200]) {
    const epoch = await leases.epochOf(bucket)
    process.stdout.write(`${bucket} ${epoch ?? 'not mine'}\n`)
  }
}

setInterval(() => void speak(), 25)
