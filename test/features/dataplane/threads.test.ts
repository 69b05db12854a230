// Several threads share the dataplane's port: a write by one connection is visible to all, whichever thread
// each is connected to, even if that thread had cached the previous state. A process as an operator runs it.

import { createClient } from '@connectrpc/connect'
import { createGrpcTransport, Http2SessionManager } from '@connectrpc/connect-node'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Service } from '../../../src/features/dataplane/generated/bsky-pb.ts'
import {
  Service as BsyncService,
  MuteOperation_Type,
} from '../../../src/features/dataplane/generated/bsync-pb.ts'
import { findFreePort } from '../../../src/http/serve/free-port.ts'
import { until } from '../../support/eventually.ts'
import { type PlcDouble, startPlcDouble } from '../../support/plc-double.ts'
import { didOf } from '../../support/records.ts'
import {
  freshDataDir,
  type SlipstreamProcess,
  startSlipstream,
} from '../../support/slipstream-process.ts'

/** The kernel assigns each to a thread; the chance that all go to one of three is 1 in 3^23. */
const CONNECTIONS = 24
const [vera, gil] = [didOf('vera'), didOf('gil')]

let plc: PlcDouble
let slipstream: SlipstreamProcess | undefined
const sessions: Http2SessionManager[] = []
beforeEach(async () => {
  plc = await startPlcDouble()
})
afterEach(async () => {
  for (const session of sessions.splice(0)) session.abort()
  await slipstream?.stop('SIGKILL')
  await plc.close()
})

test('a write by one connection is visible to all', async () => {
  const port = await findFreePort({ bind: '127.0.0.1', port: 0 })
  slipstream = startSlipstream({
    SERVE_THREADS: '3',
    DATAPLANE_PORT: String(port),
    HOSTNAME: 'appview.example.org',
    ALLOW_PRIVATE_HOSTS: 'on',
    DATA_DIR: freshDataDir(),
    JETSTREAM_HOSTS: 'ws://127.0.0.1:9',
    PLC_URL: plc.url,
  })
  await slipstream.port()
  const transports = Array.from({ length: CONNECTIONS }, () => {
    const baseUrl = `http://127.0.0.1:${port}`
    const sessionManager = new Http2SessionManager(baseUrl)
    sessions.push(sessionManager)
    return createGrpcTransport({ baseUrl, sessionManager })
  })
  await until(async () => {
    const client = createClient(Service, transports[0]!)
    return client.ping({}).then(
      () => true,
      () => false,
    )
  })
  const muted = async () => {
    const answers = await Promise.all(
      transports.map((transport) =>
        createClient(Service, transport).getRelationships({ actorDid: vera, targetDids: [gil] }),
      ),
    )
    return answers.map(({ relationships }) => relationships[0]!.muted)
  }
  const mute = (type: MuteOperation_Type, by: number) =>
    createClient(BsyncService, transports[by]!).addMuteOperation({
      type,
      actorDid: vera,
      subject: gil,
    })
  const all = (value: boolean) => Array.from({ length: CONNECTIONS }, () => value)
  for (let by = 0; by < 6; by++) {
    await mute(MuteOperation_Type.ADD, by)
    expect(await muted()).toEqual(all(true))
    await mute(MuteOperation_Type.REMOVE, CONNECTIONS - 1 - by)
    expect(await muted()).toEqual(all(false))
  }
  const { operations } = await createClient(BsyncService, transports[7]!).scanMuteOperations({})
  expect(operations).toHaveLength(12)
})
