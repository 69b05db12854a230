// Members' own PDSs as the only sources, one of them a process that is killed (kill -9) while people write and while
// repositories are fetched, and whose sequence numbers are set back. What is shown is what it has in the end: nothing
// is lost, doubled or believed though it was never stored.

import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { createRandom } from '../support/random.ts'
import { testSeed } from '../support/seed.ts'
import { type Account, createAccount, follow, post, remove } from './support/account.ts'
import { freePort } from './support/free-port.ts'
import { createKillablePds, type KillablePds } from './support/killable-pds.ts'
import { CONFIGURED_APPVIEW_DID, type Network, startNetwork } from './support/network.ts'
import { fullTimeline } from './support/reading.ts'
import { createSlipstream, type Slipstream } from './support/slipstream.ts'

const SEED = testSeed('kill -9 of a PDS')
const KILLS = Number(process.env['SLIPSTREAM_E2E_KILLS'] ?? 4)
const WRITERS = 3
/** Where a server was away, it is asked again later. */
const PATIENCE = { withinMs: 400_000, pollMs: 200 }
const LOG_TAIL = 12_000
const random = createRandom(SEED)
let network: Network
let pds: KillablePds
let slipstream: Slipstream
let reader: Account
let writers: Account[]
let appViewDid: string

beforeAll(async () => {
  const port = await freePort()
  appViewDid = `did:web:localhost%3A${port}`
  network = await startNetwork(port)
  pds = await createKillablePds(network, `http://localhost:${port}`)
  await pds.start()
  const hosts = [network.pdsUrl, pds.url]
  slipstream = createSlipstream(port, {
    SLIPSTREAM_PLC_URL: network.plcUrl,
    SLIPSTREAM_ALT_AUDIENCES: CONFIGURED_APPVIEW_DID,
    SLIPSTREAM_JETSTREAM_HOSTS: 'off',
    SLIPSTREAM_VERIFY: 'all',
    SLIPSTREAM_RELAY_HOSTS: hosts.map((url) => url.replace('http', 'ws')).join(','),
    SLIPSTREAM_RELAY_USE: 'always',
    SLIPSTREAM_METRICS: 'open',
  })
  writers = []
  const there = { ...network, pdsUrl: pds.url }
  for (let i = 0; i < WRITERS; i++) {
    writers.push(await createAccount(there, { name: 'writer', appViewDid }))
  }
  reader = await readerOfAll()
  await slipstream.start()
  await isEverything()
})

afterEach(({ task }) => {
  if (task.result?.state === 'fail') console.error(slipstream.log().slice(-LOG_TAIL))
})

afterAll(async () => {
  await slipstream?.dispose()
  await pds?.dispose()
  await network?.stop()
})

async function readerOfAll(): Promise<Account> {
  const account = await createAccount(network, { name: 'reader', appViewDid })
  for (const writer of writers) await follow(account, writer)
  return account
}

const visible = async (by: Account) =>
  (await fullTimeline(by, 100)).map((item) => item.post.uri).sort()

/** What the PDS itself has. */
async function stored(): Promise<string[]> {
  const uris: string[] = []
  for (const { did, agent } of writers) {
    let cursor: string | undefined
    do {
      const page = { repo: did, collection: 'app.bsky.feed.post', limit: 100 }
      const { data } = await agent.com.atproto.repo.listRecords({
        ...page,
        ...(cursor !== undefined && { cursor }),
      })
      uris.push(...data.records.map(({ uri }) => uri))
      cursor = data.cursor
    } while (cursor !== undefined)
  }
  return uris.sort()
}

async function isEverything(by = reader): Promise<string[]> {
  const all = await stored()
  await eventually(async () => expect(await visible(by)).toEqual(all), PATIENCE)
  return all
}

/** All writers post at once, until they are stopped. @returns what was acknowledged, once they are */
function startWriting(): () => Promise<string[]> {
  const acknowledged: string[] = []
  let isOver = false
  const writing = writers.map(async (writer) => {
    for (let k = 0; !isOver; k++) {
      await post(writer, `${k} of many`).then(
        ({ uri }) => acknowledged.push(uri),
        () => sleep(20),
      )
    }
  })
  return async () => {
    isOver = true
    await Promise.all(writing)
    return acknowledged
  }
}

test(`kill -9 of the PDS while all write, ${KILLS} times: what it has is shown, and nothing else`, async () => {
  const acknowledged: string[] = []
  for (let i = 0; i < KILLS; i++) {
    const stop = startWriting()
    await sleep(100 + random.below(300))
    await pds.kill()
    acknowledged.push(...(await stop()))
    await sleep(random.below(500))
    await pds.start()
  }
  const all = await isEverything()
  expect(all).toEqual(expect.arrayContaining(acknowledged))
})

test('what was sent before a kill, but never stored, is not shown', async () => {
  const before = await isEverything()
  const commits = () =>
    pds.sequences((db) =>
      db.prepare("SELECT count(*) FROM repo_seq WHERE eventType = 'append'").pluck().get(),
    ) as number
  const sent = commits()
  await pds.act({ killAt: 'next-commit' })
  await post(writers[0]!, 'never stored').catch(() => undefined)
  await pds.kill()
  expect(commits()).toBe(sent + 1)
  await pds.start()
  expect(await isEverything()).toEqual(before)
  // Not only because it has not arrived yet.
  await post(writers[1]!, 'after it in the stream')
  await isEverything()
})

test('kill -9 of both while all write', async () => {
  for (let i = 0; i < 2; i++) {
    const stop = startWriting()
    await sleep(100 + random.below(300))
    await Promise.all([pds.kill(), slipstream.kill()])
    await stop()
    await pds.start()
    if (i > 0) await post(writers[0]!, 'while only one is back')
    await slipstream.start()
  }
  for (const writer of writers) await post(writer, 'once both are back')
  await isEverything()
})

test('kill -9 while repositories are fetched, and a key that is rotated before the rest', async () => {
  const newcomer = await readerOfAll()
  const first = visible(newcomer).catch(() => [])
  await sleep(random.below(300))
  await pds.kill()
  await first
  await pds.start()
  await pds.act({ rotate: writers[0]!.did as `did:plc:${string}`, isAnnounced: false })
  for (const writer of writers) await post(writer, 'after the first pages')
  await remove(writers[1]!, await post(writers[1]!, 'removed at once'))
  await isEverything(newcomer)
})

const SET_BACK = `DELETE FROM repo_seq WHERE seq > (SELECT max(seq) FROM repo_seq) - ?`
const NEXT = `UPDATE sqlite_sequence SET seq = coalesce((SELECT max(seq) FROM repo_seq), 0)`

/** As by a backup of its sequencer. */
function setBack(by: number): void {
  pds.sequences((db) => {
    db.prepare(SET_BACK).run(by)
    db.prepare(NEXT).run()
  })
}

test('numbers that are set back, or begin anew, while Slipstream reads', async () => {
  for (const by of [4, 1_000_000]) {
    for (const writer of writers) await post(writer, `before, ${by}`)
    await pds.kill()
    setBack(by)
    await pds.start()
    for (const writer of writers) await post(writer, `after, ${by}`)
    await isEverything()
  }
})

test('numbers that are set back while Slipstream is away, and are past its own again', async () => {
  for (const writer of writers) await post(writer, 'seen')
  await isEverything()
  await slipstream.kill()
  await pds.kill()
  setBack(3)
  await pds.start()
  for (const writer of writers) await post(writer, 'under a number that was given before')
  await post(writers[0]!, 'under a new number')
  await slipstream.start()
  await isEverything()
})

test('a PDS that no longer has what was missed', async () => {
  await post(writers[0]!, 'seen')
  await isEverything()
  await slipstream.kill()
  for (const writer of writers) await post(writer, 'too long ago')
  await pds.kill()
  await pds.start({ repoBackfillLimitMs: 1 })
  await slipstream.start()
  await post(writers[0]!, 'now')
  await isEverything()
})

test('a #sync without a commit tells of what was never sent', async () => {
  const [author] = writers
  await post(author!, 'seen')
  await isEverything()
  await slipstream.kill()
  const { uri } = await post(author!, 'never sent')
  await post(writers[1]!, 'sent')
  await pds.kill()
  pds.sequences((db) => {
    db.prepare(
      'DELETE FROM repo_seq WHERE seq = (SELECT max(seq) FROM repo_seq WHERE did = ?)',
    ).run(author!.did)
  })
  await pds.start()
  await slipstream.start()
  const all = await stored()
  const without = all.filter((other) => other !== uri)
  await eventually(async () => expect(await visible(reader)).toEqual(without), PATIENCE)
  await pds.act({ sync: author!.did as `did:plc:${string}` })
  await isEverything()
})

test('an account that is away over a kill, and back', async () => {
  const [author] = writers
  const all = await isEverything()
  const others = all.filter((uri) => !uri.includes(author!.did))
  await author!.agent.com.atproto.server.deactivateAccount({})
  await pds.kill()
  await pds.start()
  await eventually(async () => expect(await visible(reader)).toEqual(others), PATIENCE)
  await author!.agent.com.atproto.server.activateAccount()
  await pds.kill()
  await pds.start()
  await isEverything()
  const metrics = await (await fetch(`${slipstream.origin}/metrics`)).text()
  expect(metrics).not.toMatch(/^slipstream_unverified_total\{.*reason="bad-/m)
})
