// No Jetstream at all: a real PDS is the relay, read by com.atproto.sync.subscribeRepos, while people write and
// Slipstream is killed. Every commit of everybody is verified with the accounts' keys from the real directory.

import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { type Account, createAccount, follow, post, remove } from './support/account.ts'
import { freePort } from './support/free-port.ts'
import { CONFIGURED_APPVIEW_DID, type Network, startNetwork } from './support/network.ts'
import { fullTimeline } from './support/reading.ts'
import { createSlipstream, type Slipstream } from './support/slipstream.ts'

const KILLS = 3
let network: Network
let slipstream: Slipstream
let reader: Account
let writers: Account[]

beforeAll(async () => {
  const port = await freePort()
  network = await startNetwork(port)
  const appViewDid = `did:web:localhost%3A${port}`
  const person = (name: string) => createAccount(network, { name, appViewDid })
  slipstream = createSlipstream(port, {
    SLIPSTREAM_PLC_URL: network.plcUrl,
    SLIPSTREAM_ALT_AUDIENCES: CONFIGURED_APPVIEW_DID,
    SLIPSTREAM_JETSTREAM_HOSTS: 'off',
    SLIPSTREAM_VERIFY: 'all',
    SLIPSTREAM_RELAY_HOSTS: network.pdsUrl.replace('http', 'ws'),
    SLIPSTREAM_METRICS: 'open',
  })
  reader = await person('reader')
  writers = [await person('writer'), await person('writer')]
  for (const writer of writers) await follow(reader, writer)
  await slipstream.start()
})

afterAll(async () => {
  await slipstream?.dispose()
  await network?.stop()
})

const visible = async () => (await fullTimeline(reader, 100)).map((item) => item.post.uri).sort()

async function nothingUnverified(): Promise<void> {
  const metrics = await (await fetch(`${slipstream.origin}/metrics`)).text()
  expect(metrics).not.toMatch(/^slipstream_unverified_total\{/m)
}

test(`by a PDS alone, nothing is lost or doubled over ${KILLS} × kill -9`, async () => {
  const written: string[] = []
  const write = async (text: string) => {
    for (const writer of writers) written.push((await post(writer, text)).uri)
  }
  await eventually(visible)
  await write('first')
  await eventually(async () => expect(await visible()).toEqual(written.toSorted()))
  for (let i = 0; i < KILLS; i++) {
    for (let k = 0; k < 5; k++) await write(`${k} before kill ${i}`)
    await slipstream.kill()
    for (let k = 0; k < 5; k++) await write(`${k} while away ${i}`)
    const gone = written.splice(written.length - 3, 1)[0]!
    await remove(writers.find(({ did }) => gone.includes(did))!, { uri: gone })
    await slipstream.start()
    await sleep(500)
  }
  await eventually(async () => expect(await visible()).toEqual(written.toSorted()))
  await nothingUnverified()
})

test.each([
  ['announced', true],
  ['not announced', false],
])(
  'a key that is rotated and %s: what is signed with the new one counts',
  async (_, isAnnounced) => {
    const [author] = writers
    const before = await visible()
    await network.rotateKey(author!.did, isAnnounced)
    const { uri } = await post(author!, `signed with another key, ${isAnnounced}`)
    await eventually(async () => expect(await visible()).toEqual([...before, uri].sort()))
    await nothingUnverified()
  },
)

test('what accounts write while they are away is not shown, and is once they are back', async () => {
  const [author, other] = writers
  const before = await visible()
  const without = (did: string) => before.filter((uri) => !uri.includes(did))
  await author!.agent.com.atproto.server.deactivateAccount({})
  await eventually(async () => expect(await visible()).toEqual(without(author!.did)))
  await author!.agent.com.atproto.server.activateAccount()
  await eventually(async () => expect(await visible()).toEqual(before))
  await network.takeDown(other!.did, true)
  await eventually(async () => expect(await visible()).toEqual(without(other!.did)))
  await network.takeDown(other!.did, false)
  await eventually(async () => expect(await visible()).toEqual(before))
  await nothingUnverified()
})
