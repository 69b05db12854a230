// A real relay (the reference's, built with Go) between a real PDS and Slipstream, each of the two killed while people
// write. Every commit of everybody is verified.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { type Account, createAccount, follow, post, remove } from './support/account.ts'
import { freePort } from './support/free-port.ts'
import { isBuilt, RELAY } from './support/go-build.ts'
import { type IndigoRelay, startIndigoRelay } from './support/indigo-relay.ts'
import { CONFIGURED_APPVIEW_DID, type Network, startNetwork } from './support/network.ts'
import { fullTimeline } from './support/reading.ts'
import { createSlipstream, type Slipstream } from './support/slipstream.ts'

const isWanted = isBuilt(RELAY) || process.env['SLIPSTREAM_E2E_RELAY'] === 'build'
if (!isWanted) {
  console.warn(
    'The real relay is NOT tested: it is not built. SLIPSTREAM_E2E_RELAY=build builds it (minutes, once, with Go).',
  )
}

const REPAIRED = { withinMs: 400_000, pollMs: 200 }

describe.skipIf(!isWanted)('a real relay', () => {
  let network: Network
  let relay: IndigoRelay
  let slipstream: Slipstream
  let reader: Account
  let writers: Account[]

  beforeAll(async () => {
    const port = await freePort()
    network = await startNetwork(port)
    relay = await startIndigoRelay(network.plcUrl, [network.pdsUrl])
    const appViewDid = `did:web:localhost%3A${port}`
    const person = (name: string) => createAccount(network, { name, appViewDid })
    slipstream = createSlipstream(port, {
      SLIPSTREAM_PLC_URL: network.plcUrl,
      SLIPSTREAM_ALT_AUDIENCES: CONFIGURED_APPVIEW_DID,
      SLIPSTREAM_JETSTREAM_HOSTS: 'off',
      SLIPSTREAM_VERIFY: 'all',
      SLIPSTREAM_RELAY_HOSTS: relay.url,
      SLIPSTREAM_METRICS: 'open',
    })
    reader = await person('reader')
    writers = [await person('writer'), await person('writer')]
    for (const writer of writers) await follow(reader, writer)
    await slipstream.start()
    await eventually(visible)
  }, 1_500_000)

  afterAll(async () => {
    await slipstream?.dispose()
    await relay?.stop()
    await network?.stop()
  })

  const visible = async () => (await fullTimeline(reader, 100)).map((item) => item.post.uri).sort()

  /** A key may be late on a machine that is busy with something else; the account is then compared with its server. */
  async function nothingForged(): Promise<void> {
    const metrics = await (await fetch(`${slipstream.origin}/metrics`)).text()
    const found = [...metrics.matchAll(/^slipstream_unverified_total\{.*reason="([^"]*)"/gm)]
    expect(found.map(([, reason]) => reason).filter((value) => value !== 'unknown-key')).toEqual([])
  }

  test('nothing is lost or doubled over kill -9 of Slipstream and of the relay', async () => {
    const written: string[] = []
    const write = async (text: string) => {
      for (const writer of writers) written.push((await post(writer, text)).uri)
    }
    // What the relay itself has lost comes from the accounts' server.
    const allThere = () =>
      eventually(async () => expect(await visible()).toEqual(written.toSorted()), REPAIRED)
    await write('first')
    await allThere()
    for (const isRelay of [false, true, false]) {
      for (let k = 0; k < 5; k++) await write(`${k} before`)
      await (isRelay ? relay : slipstream).kill()
      for (let k = 0; k < 5; k++) await write(`${k} while one is away`)
      const gone = written.splice(written.length - 3, 1)[0]!
      await remove(writers.find(({ did }) => gone.includes(did))!, { uri: gone })
      await (isRelay ? relay : slipstream).start()
      await allThere()
    }
    await nothingForged()
  })

  test('a key that is rotated, an account that is away, and one that is taken down', async () => {
    const [author, other] = writers
    const before = await visible()
    await network.rotateKey(author!.did, true)
    const { uri } = await post(author!, 'signed with another key')
    const now = [...before, uri].sort()
    await eventually(async () => expect(await visible()).toEqual(now))
    const without = (did: string) => now.filter((atUriString) => !atUriString.includes(did))
    await author!.agent.com.atproto.server.deactivateAccount({})
    await eventually(async () => expect(await visible()).toEqual(without(author!.did)))
    await author!.agent.com.atproto.server.activateAccount()
    await eventually(async () => expect(await visible()).toEqual(now))
    await network.takeDown(other!.did, true)
    await eventually(async () => expect(await visible()).toEqual(without(other!.did)))
    await network.takeDown(other!.did, false)
    await eventually(async () => expect(await visible()).toEqual(now))
    await nothingForged()
  })
})
