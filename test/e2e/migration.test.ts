// An account that moves to another PDS under the same DID, while nothing but the two PDSs brings events: it goes on, what
// stayed behind is gone, and Slipstream may be away for any part of it.

import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { type Account, createAccount, follow, post, remove } from './support/account.ts'
import { freePort } from './support/free-port.ts'
import { migrate } from './support/migrate.ts'
import { type Network, startNetwork } from './support/network.ts'
import { onlyHosts, PATIENCE } from './support/only-hosts.ts'
import { fullTimeline } from './support/reading.ts'
import { createSlipstream, type Slipstream } from './support/slipstream.ts'

const LOG_TAIL = 12_000
let network: Network
let slipstream: Slipstream
let reader: Account
let writers: Account[]

beforeAll(async () => {
  const port = await freePort()
  network = await startNetwork(port)
  const appViewDid = `did:web:localhost%3A${port}`
  const person = (name: string) => createAccount(network, { name, appViewDid })
  const hosts = [network.pdsUrl, await network.second()]
  slipstream = createSlipstream(port, onlyHosts(network, hosts))
  reader = await person('reader')
  writers = [
    await person('mover'),
    await person('rebased'),
    await person('away'),
    await person('doubled'),
  ]
  for (const writer of writers) await follow(reader, writer)
  await slipstream.start()
  await eventually(visible)
})

afterEach(({ task }) => {
  if (task.result?.state === 'fail') console.error(slipstream.log().slice(-LOG_TAIL))
})
afterAll(async () => {
  await slipstream?.dispose()
  await network?.stop()
})

const visible = async () => (await fullTimeline(reader, 100)).map((item) => item.post.uri).sort()

async function isVisible(uris: readonly string[]): Promise<void> {
  await eventually(async () => expect(await visible()).toEqual(uris.toSorted()), PATIENCE)
}

test('an account goes on from its new PDS', async () => {
  const before = await visible()
  const [mover] = writers
  const old = await post(mover!, 'at the old PDS')
  await isVisible([...before, old.uri])
  const moved = await migrate(network, mover!)
  const fresh = await post(moved, 'at the new PDS')
  await isVisible([...before, old.uri, fresh.uri])
  await remove(moved, old)
  await isVisible([...before, fresh.uri])
})

test('what its new repository does not have is gone, and what it has again is back', async () => {
  const before = await visible()
  const [, rebased] = writers
  const stored = await post(rebased!, 'kept')
  const removed = await post(rebased!, 'removed behind the export')
  await isVisible([...before, stored.uri, removed.uri])
  let late: { uri: string } | undefined
  const moved = await migrate(network, rebased!, {
    async exported() {
      late = await post(rebased!, 'written behind the export')
      await remove(rebased!, removed)
      await isVisible([...before, stored.uri, late!.uri])
    },
  })
  await isVisible([...before, stored.uri, removed.uri])
  const fresh = await post(moved, 'after all that')
  await isVisible([...before, stored.uri, removed.uri, fresh.uri])
})

test('it may move while Slipstream is killed', async () => {
  const before = await visible()
  const [, , away] = writers
  const old = await post(away!, 'before the kill')
  await isVisible([...before, old.uri])
  await slipstream.kill()
  const moved = await migrate(network, away!)
  const meanwhile = await post(moved, 'while away')
  await slipstream.start()
  await isVisible([...before, old.uri, meanwhile.uri])
  await slipstream.kill()
  await slipstream.start()
  const fresh = await post(moved, 'back')
  await isVisible([...before, old.uri, meanwhile.uri, fresh.uri])
})

test('what the old PDS still sends of it does not count', async () => {
  const before = await visible()
  const doubled = writers[3]!
  const old = await post(doubled, 'before the move')
  await isVisible([...before, old.uri])
  let fresh: { uri: string } | undefined
  const moved = await migrate(network, doubled, {
    async activated(atHome) {
      fresh = await post(atHome, 'at the new PDS')
      await isVisible([...before, old.uri, fresh.uri])
      await post(doubled, 'signed with the old key')
      await remove(doubled, old)
      await eventually(async () => {
        const metrics = await (await fetch(`${slipstream.origin}/metrics`)).text()
        expect(metrics).toMatch(/^slipstream_unverified_total\{.*reason="bad-signature"\} [2-9]/m)
      }, PATIENCE)
      await isVisible([...before, old.uri, fresh.uri])
    },
  })
  const last = await post(moved, 'and goes on')
  await isVisible([...before, old.uri, fresh!.uri, last.uri])
})
