// The recorded world as both trees come to know it: two processes behind one network, the events in two
// halves with the members' private state between, and labels. In the end both are at rest.

import { setTimeout as sleep } from 'node:timers/promises'
import { parseRecordUri } from '../../../src/base/atproto/at-uri.ts'
import { until } from '../../../test/support/eventually.ts'
import { createRandom } from '../../../test/support/random.ts'
import { type RecordedActs, recordActs } from './acts.ts'
import { type Asker, createAsker, parsed, type Recorded } from './ask.ts'
import { type Cast, castOf } from './cast.ts'
import { KEEN, ownMembers, randomMembers } from './member-acts.ts'
import { type RecordedNetwork, startNetwork } from './network.ts'
import { startTree, type Tree } from './tree.ts'

export type Scene = {
  trees: readonly [before: Tree, now: Tree]
  network: RecordedNetwork
  cast: Cast
  ask: Asker
  startMs: number
  /** Times from then on are the trees' own. */
  sentAtMs: number
  cid(uri: string): string
  /** Sends all events; `between` runs once the first half is applied. */
  play(between: () => Promise<void>): Promise<number>
  quiet(what: string): Promise<void>
  close(): Promise<void>
}

const PROFILE = 'app.bsky.actor.profile'
const MARKS = 3
const APPLY_MS = 120_000
const CLEAR_OF_ACTS_MS = 1_000

export async function createScene(paths: readonly [string, string], seed: number): Promise<Scene> {
  const { world, verifier } = recordActs(seed, Date.now())
  const accounts = [...world.accounts.values()]
  const network = await startNetwork(accounts)
  const members = [...ownMembers.map(({ did }) => did), ...randomMembers(world)]
  const start = (path: string) => startTree(path, network, { members, verifier })
  const trees = [await start(paths[0]), await start(paths[1])] as const
  const ask = createAsker(network)
  const quiet = async (what: string) => {
    for (const tree of trees) await tree.quiet(what)
  }
  await until(() => network.stream.openConnections() >= trees.length, { what: 'both listen' })
  await quiet('the start')
  const acts = recordActs(seed, Date.now())
  const lastMs = acts.present.at(-1)!.atMs
  await sleep(lastMs - Date.now() + CLEAR_OF_ACTS_MS)
  const scene = { trees, network, ask, quiet }
  return {
    ...scene,
    cast: castOf(acts, createRandom(seed + 2)),
    startMs: acts.past[0]!.atMs,
    sentAtMs: Date.now(),
    cid: (uri) => cidIn(network, uri),
    play: (between) => play(scene, acts, between),
    async close() {
      for (const tree of trees) await tree.stop()
      await network.close()
    },
  }
}

type Playing = Pick<Scene, 'trees' | 'network' | 'ask' | 'quiet'>

async function play(
  scene: Playing,
  { past, present, beginnings, world }: RecordedActs,
  between: () => Promise<void>,
): Promise<number> {
  const { network, quiet } = scene
  const first = past.slice(0, beginnings)
  let sent = await network.send(first)
  await applied(scene, 'The beginning', first.at(-1)!.atMs)
  await quiet('the beginning')
  sent += await network.send(past.slice(beginnings))
  await applied(scene, 'Half of it', past.at(-1)!.atMs)
  await quiet('the first half')
  await between()
  await sayLabels(network, [...world.accounts.keys()], past)
  sent += await network.send(present)
  await applied(scene, 'All of it', present.at(-1)!.atMs)
  await quiet('the second half')
  return sent + MARKS
}

/** Sends a last event and waits until both trees show it. */
async function applied(
  { network, trees, ask }: Playing,
  name: string,
  atMs: number,
): Promise<void> {
  const value = { displayName: name, description: 'reads' }
  const mark = { kind: 'put', did: KEEN, collection: PROFILE, rkey: 'self', value, atMs } as const
  await network.send([mark])
  const method = 'app.bsky.actor.getProfile'
  const path = `/xrpc/${method}?actor=${KEEN}`
  const request: Recorded = { method, viewer: KEEN, path, about: 'mark' }
  for (const tree of trees) {
    const isVisible = async () => {
      const [answer] = await ask(tree, request)
      return (parsed(answer!.text) as { displayName?: string })?.displayName === name
    }
    await until(isVisible, { what: `${tree.path} shows the last event`, withinMs: APPLY_MS })
  }
}

async function sayLabels(
  { labeler }: RecordedNetwork,
  people: readonly string[],
  past: RecordedActs['past'],
): Promise<void> {
  const posts = past.flatMap((act) =>
    act.kind === 'put' && act.collection === 'app.bsky.feed.post'
      ? [`at://${act.did}/${act.collection}/${act.rkey}`]
      : [],
  )
  const values = ['porn', 'spam', '!warn', '!hide', 'rude', '!takedown', '!no-unauthenticated']
  for (const [i, val] of values.entries()) {
    for (const uri of posts.slice(i * 20, i * 20 + 4)) await labeler.say({ uri, val })
    if (val !== '!hide') await labeler.say({ uri: people[6 + i]!, val })
  }
  await labeler.say({ uri: people[6]!, val: 'porn', neg: true })
}

function cidIn({ repositories }: RecordedNetwork, uri: string): string {
  const { did, collection, rkey } = parseRecordUri(uri)!
  const record = repositories.get(did)?.collections.get(collection)?.get(rkey)
  return record?.cid ?? 'bafyreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'
}
