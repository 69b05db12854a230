// Members' own PDSs as the only sources, one of them a process that can be killed: a reader at one, writers at the other.
// What is shown must be what that PDS has in the end.

import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { type Account, createAccount, follow } from './account.ts'
import { freePort } from './free-port.ts'
import { createKillablePds, type KillablePds } from './killable-pds.ts'
import { startNetwork } from './network.ts'
import { onlyHosts, PATIENCE } from './only-hosts.ts'
import { fullTimeline } from './reading.ts'
import { createSlipstream, type Slipstream } from './slipstream.ts'

export type KillablePdsRig = {
  pds: KillablePds
  slipstream: Slipstream
  writers: [Account, Account, Account]
  /** URIs of the posts in the reader's timeline. */
  visible: () => Promise<string[]>
  /** Waits until what is shown is what the PDS has. @returns it */
  isEverything: () => Promise<string[]>
  /** Waits until nothing is compared any more. */
  isRepaired: () => Promise<void>
  dispose: () => Promise<void>
}

const LOG_TAIL = 12_000

/** Starts one before a file's tests, and prints Slipstream's log where one fails. */
export function useKillablePdsRig(take: (rig: KillablePdsRig) => void): void {
  let rig: KillablePdsRig | undefined
  beforeAll(async () => {
    rig = await startKillablePdsRig()
    take(rig)
    await rig.isEverything()
  })
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') console.error(rig?.slipstream.log().slice(-LOG_TAIL))
  })
  afterAll(() => rig?.dispose())
}

async function startKillablePdsRig(): Promise<KillablePdsRig> {
  const port = await freePort()
  const network = await startNetwork(port)
  const pds = await createKillablePds(network, `http://localhost:${port}`)
  await pds.start()
  const slipstream = createSlipstream(port, onlyHosts(network, [network.pdsUrl, pds.url]))
  const appViewDid = `did:web:localhost%3A${port}`
  const there = { ...network, pdsUrl: pds.url }
  const writer = () => createAccount(there, { name: 'writer', appViewDid })
  const writers: KillablePdsRig['writers'] = [await writer(), await writer(), await writer()]
  const reader = await createAccount(network, { name: 'reader', appViewDid })
  const [last, ...others] = writers
  for (const followed of others) await follow(reader, followed)
  await slipstream.start()
  // By the stream, if it is connected by then: a host that has numbered nothing leaves a gap at each start.
  await follow(reader, last)

  const visible = async () => (await fullTimeline(reader, 100)).map((item) => item.post.uri).sort()
  const stored = async () => (await Promise.all(writers.map(postsOf))).flat().sort()
  return {
    pds,
    slipstream,
    writers,
    visible,
    async isEverything() {
      const all = await stored()
      await eventually(async () => expect(await visible()).toEqual(all), PATIENCE)
      return all
    },
    isRepaired: () =>
      eventually(async () => {
        const metrics = await (await fetch(`http://localhost:${port}/metrics`)).text()
        expect(metrics).toMatch(/^slipstream_gaps\{state="open"\} 0$/m)
        expect(metrics).toMatch(/^slipstream_gaps\{state="repairing"\} 0$/m)
      }, PATIENCE),
    async dispose() {
      await slipstream.dispose()
      await pds.dispose()
      await network.stop()
    },
  }
}

async function postsOf({ did, agent }: Account): Promise<string[]> {
  const uris: string[] = []
  const page = { repo: did, collection: 'app.bsky.feed.post', limit: 100 }
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const { data } = await agent.com.atproto.repo.listRecords({ ...page, cursor })
    uris.push(...data.records.map(({ uri }) => uri))
    cursor = data.cursor
  }
  return uris
}
