// Members' own PDSs as the only sources, one of them a process that can be killed: a reader at one, writers at the other.
// What is shown must be what that PDS has in the end.

import { expect } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { type Account, createAccount, follow } from './account.ts'
import { freePort } from './free-port.ts'
import { createKillablePds, type KillablePds } from './killable-pds.ts'
import { CONFIGURED_APPVIEW_DID, startNetwork } from './network.ts'
import { fullTimeline } from './reading.ts'
import { createSlipstream, type Slipstream } from './slipstream.ts'

export type KillablePdsRig = {
  pds: KillablePds
  slipstream: Slipstream
  writers: [Account, Account, Account]
  /** URIs of the posts in the reader's timeline. */
  visible: () => Promise<string[]>
  /** URIs of the writers' posts that the PDS itself has. */
  stored: () => Promise<string[]>
  /** Waits until what is shown is what the PDS has. @returns it */
  isEverything: () => Promise<string[]>
  dispose: () => Promise<void>
}

/** Where a server was away, it is asked again later. */
export const PATIENCE = { withinMs: 400_000, pollMs: 200 }

export async function startKillablePdsRig(): Promise<KillablePdsRig> {
  const port = await freePort()
  const network = await startNetwork(port)
  const pds = await createKillablePds(network, `http://localhost:${port}`)
  await pds.start()
  const hosts = [network.pdsUrl, pds.url]
  const slipstream = createSlipstream(port, {
    SLIPSTREAM_PLC_URL: network.plcUrl,
    SLIPSTREAM_ALT_AUDIENCES: CONFIGURED_APPVIEW_DID,
    SLIPSTREAM_JETSTREAM_HOSTS: 'off',
    SLIPSTREAM_VERIFY: 'all',
    SLIPSTREAM_RELAY_HOSTS: hosts.map((url) => url.replace('http', 'ws')).join(','),
    SLIPSTREAM_RELAY_USE: 'always',
    SLIPSTREAM_METRICS: 'open',
  })
  const appViewDid = `did:web:localhost%3A${port}`
  const there = { ...network, pdsUrl: pds.url }
  const writer = () => createAccount(there, { name: 'writer', appViewDid })
  const writers: KillablePdsRig['writers'] = [await writer(), await writer(), await writer()]
  const reader = await createAccount(network, { name: 'reader', appViewDid })
  for (const followed of writers) await follow(reader, followed)
  await slipstream.start()

  const visible = async () => (await fullTimeline(reader, 100)).map((item) => item.post.uri).sort()
  const stored = async () => (await Promise.all(writers.map(postsOf))).flat().sort()
  return {
    pds,
    slipstream,
    writers,
    visible,
    stored,
    async isEverything() {
      const all = await stored()
      await eventually(async () => expect(await visible()).toEqual(all), PATIENCE)
      return all
    },
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
