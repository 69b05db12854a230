import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { afterEach, expect, test } from 'vitest'
import { createCounts } from '../../src/base/obs/counts.ts'
import { DEFAULT_LIMITS } from '../../src/ingest/backfill/limits.ts'
import { createOutside } from '../../src/ingest/outside.ts'
import { createDiskSpace } from '../../src/ingest/upkeep/disk/disk-space.ts'
import { until } from '../support/eventually.ts'
import { plcDid } from '../support/plc-double.ts'

const held: ServerResponse[] = []
const directory = createServer((_request, response) => void held.push(response))

afterEach(() => {
  directory.closeAllConnections()
  directory.close()
})

test('a newcomer’s follows are looked up at the directory as many at a time as jobs ask', async () => {
  await new Promise<void>((resolve) => directory.listen(0, '127.0.0.1', resolve))
  const plcUrl = `http://127.0.0.1:${(directory.address() as AddressInfo).port}`
  const log = pino({ level: 'silent' })
  const { resolver } = createOutside(
    { allowPrivateHosts: false, plcUrl },
    { counts: createCounts(), log, now: Date.now, diskSpace: createDiskSpace(log) },
  )
  const { identities } = DEFAULT_LIMITS
  const looked = Array.from({ length: 2 * identities }, (_, i) => resolver.resolve(plcDid(`${i}`)))
  for (let round = 0; round < 2; round++) {
    await until(() => held.length === identities)
    for (const response of held.splice(0)) response.writeHead(404).end()
  }
  expect(await Promise.all(looked)).toEqual(looked.map(() => undefined))
})
