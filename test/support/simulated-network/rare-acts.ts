// Rare events on a network: blocks, new profiles and handles, pictures, gated threads, lists, backdated
// posts, accounts that close and reopen, repositories announced anew. Off in the demo; the fault harness
// turns them on.

import { HOUR_MS } from '../../../src/base/util/durations.ts'
import { cidOf as cidOfText } from '../jetstream-double/made-up-ids.ts'
import { forgetAccount, isAllowed, mayAct, type NetworkContext, post, put } from './common-acts.ts'
import type { AccountEvent, Commit, SyncEvent } from './repository.ts'

type RareEvent = Commit | AccountEvent | SyncEvent
type Picture = { cid: string; size: number }

export type RareActs = {
  act(atMs: number): RareEvent | undefined
  /** Whether the last act has a second part, which must come next. */
  isPending(): boolean
  /** These accounts are never closed, and take part in more blocks than others. */
  spare(accounts: readonly number[]): void
}

/** The network, and the state of its rare acts. */
type Rare = {
  readonly network: NetworkContext
  /** Existing blobs; made-up ones if empty. */
  readonly pictures: readonly Picture[]
  /** Second parts of acts. */
  readonly pending: RareEvent[]
  spared: readonly number[]
  /** Makes names differ. */
  changes: number
}

type Act = (rare: Rare, atMs: number) => RareEvent | undefined

const WEIGHTS: [Act, weight: number][] = [
  [block, 5],
  [rewriteProfile, 4],
  [postPicture, 3],
  [postGated, 3],
  [enlist, 4],
  [postBackdated, 2],
  [moveAccount, 2],
  [rename, 1],
  [announce, 1],
]
const DECK = WEIGHTS.flatMap(([act, weight]) => Array.from({ length: weight }, () => act))

export function createRareActs(network: NetworkContext, pictures: readonly Picture[]): RareActs {
  const rare: Rare = { network, pictures, pending: [], spared: [], changes: 0 }
  return {
    act: (atMs) => rare.pending.shift() ?? network.random.pick(DECK)(rare, atMs),
    isPending: () => rare.pending.length > 0,
    spare: (accounts) => {
      rare.spared = accounts
    },
  }
}

function someone(network: NetworkContext): number | undefined {
  const account = network.random.below(network.repositories.length)
  return mayAct(network, account) ? account : undefined
}

function block({ network, spared }: Rare, atMs: number): RareEvent | undefined {
  const { random, repositories } = network
  const isOfSpared = spared.length > 0 && random.chance(0.4)
  const first = isOfSpared ? random.pick(spared) : random.below(repositories.length)
  const second = random.zipf(repositories.length)
  const [account, subject] = random.chance(0.5) ? [first, second] : [second, first]
  if (account === subject || !mayAct(network, account)) return
  const value = { subject: repositories[subject]!.did }
  return put(network, { account, collection: 'app.bsky.graph.block', value, atMs })
}

function rewriteProfile(rare: Rare, atMs: number): RareEvent | undefined {
  const account = someone(rare.network)
  if (account === undefined) return
  const value = { displayName: `User ${account}, take ${++rare.changes}`, description: 'Anew' }
  const collection = 'app.bsky.actor.profile'
  return rare.network.repositories[account]!.put({ collection, rkey: 'self', value, atMs })
}

function postPicture(rare: Rare, atMs: number): RareEvent | undefined {
  const { network, pictures } = rare
  const { cid, size } = pictures.length > 0 ? network.random.pick(pictures) : madeUpPicture(rare)
  const image = { $type: 'blob', ref: { $link: cid }, mimeType: 'image/jpeg', size }
  const images = [{ alt: 'A picture', image, aspectRatio: { width: 4, height: 3 } }]
  return post(network, atMs, { embed: { $type: 'app.bsky.embed.images', images } })
}

function madeUpPicture(rare: Rare): Picture {
  const cid = cidOfText(`picture ${++rare.changes}`).replace('bafyrei', 'bafkrei')
  return { cid, size: 1 + rare.network.random.below(900_000) }
}

/** Adds an account to a list of the owner, creating the list first if there is none. */
function enlist(rare: Rare, atMs: number): RareEvent | undefined {
  const { random, repositories } = rare.network
  const owner = random.zipf(repositories.length)
  const subject = random.below(repositories.length)
  if (!mayAct(rare.network, owner)) return
  const { did, collections } = repositories[owner]!
  const lists = [...(collections.get('app.bsky.graph.list')?.keys() ?? [])]
  const write = (name: string, value: Record<string, unknown>) =>
    put(rare.network, { account: owner, collection: `app.bsky.graph.${name}`, value, atMs })
  if (lists.length === 0) {
    const purpose = 'app.bsky.graph.defs#curatelist'
    return write('list', { name: `List ${++rare.changes}`, purpose })
  }
  const list = `at://${did}/app.bsky.graph.list/${random.pick(lists)}`
  return write('listitem', { list, subject: repositories[subject]!.did })
}

/** Only the author may reply. */
function postGated({ network, pending }: Rare, atMs: number): RareEvent | undefined {
  const root = post(network, atMs, { reply: undefined })
  if (!root) return
  const collection = 'app.bsky.feed.threadgate'
  const uri = `at://${root.did}/${root.collection}/${root.rkey}`
  const value = { post: uri, allow: [], createdAt: new Date(atMs).toISOString() }
  const repository = network.repositories.find(({ did }) => did === root.did)!
  pending.push(repository.put({ collection, rkey: root.rkey, value, atMs }))
  return root
}

function postBackdated({ network }: Rare, atMs: number): RareEvent | undefined {
  const createdAt = new Date(atMs - network.random.below(48 * HOUR_MS)).toISOString()
  return post(network, atMs, { createdAt })
}

/** Closes an account for a time or forever, or reopens it. */
function moveAccount({ network, spared }: Rare): RareEvent | undefined {
  const { random, repositories, restriction } = network
  const account = random.below(repositories.length)
  const repository = repositories[account]!
  const isClosed = repository.state === 'deleted'
  if (spared.includes(account) || isClosed || !isAllowed(network, account)) return
  if (repository.state === 'deactivated') return repository.setState(undefined)
  const isForEver = random.chance(0.2)
  if (!isForEver && restriction) return
  if (isForEver) forgetAccount(network, account)
  return repository.setState(isForEver ? 'deleted' : 'deactivated')
}

function rename(rare: Rare): RareEvent | undefined {
  const account = someone(rare.network)
  if (account === undefined) return
  const handle = `user${account}-${++rare.changes}.simulated.example`
  return rare.network.repositories[account]!.rename(handle)
}

function announce({ network }: Rare): RareEvent | undefined {
  const account = someone(network)
  if (account === undefined) return
  const { did, rev } = network.repositories[account]!
  return { kind: 'sync', did, rev }
}
