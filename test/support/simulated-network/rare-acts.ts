// Rare events on a network: blocks, new profiles and handles, pictures, gated threads, lists, backdated
// posts, accounts that close and reopen, repositories announced anew. Off in the demo; the fault harness
// turns them on.

import { HOUR_MS } from '../../../src/base/util/durations.ts'
import { cidOf as cidOfText } from '../jetstream-double/made-up-ids.ts'
import type { Random } from '../random.ts'
import type { NetworkEvent, Picture } from './network.ts'
import type { Commit, SimulatedAccount } from './repository.ts'

export type RareActs = {
  act(atMs: number): NetworkEvent | undefined
  /** Whether the last act has a second part, which must come next. */
  isOwed(): boolean
  /** These accounts are never closed, and take part in more blocks than others. */
  spare(accounts: readonly number[]): void
}

type Parts = {
  random: Random
  repositories: readonly SimulatedAccount[]
  mayAct: (account: number) => boolean
  /** Whether the account may be changed now. */
  isAllowed: (account: number) => boolean
  /** Whether accounts may be deactivated now. */
  mayGoAway: () => boolean
  /** Existing blobs; made-up ones if empty. */
  pictures: readonly Picture[]
  post: (atMs: number, more?: Record<string, unknown>) => Commit | undefined
  put: (account: number, collection: string, value: Record<string, unknown>, atMs: number) => Commit
  /** Stops all references to the account's records, and their deletion. */
  forgetAccount: (account: number) => void
}

type Act = (atMs: number) => NetworkEvent | undefined

export function createRareActs(parts: Parts): RareActs {
  const { random, repositories, mayAct, isAllowed, pictures, post, put } = parts
  const owed: NetworkEvent[] = []
  let spared: readonly number[] = []
  let changes = 0

  const acts: [Act, weight: number][] = [
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
  const deck = acts.flatMap(([act, weight]) => Array.from({ length: weight }, () => act))

  function someone(): number | undefined {
    const account = random.below(repositories.length)
    return mayAct(account) ? account : undefined
  }

  function block(atMs: number): NetworkEvent | undefined {
    const isOfSpared = spared.length > 0 && random.chance(0.4)
    const first = isOfSpared ? random.pick(spared) : random.below(repositories.length)
    const second = random.zipf(repositories.length)
    const [account, subject] = random.chance(0.5) ? [first, second] : [second, first]
    if (account === subject || !mayAct(account)) return
    return put(account, 'app.bsky.graph.block', { subject: repositories[subject]!.did }, atMs)
  }

  function rewriteProfile(atMs: number): NetworkEvent | undefined {
    const account = someone()
    if (account === undefined) return
    const value = { displayName: `User ${account}, take ${++changes}`, description: 'Anew' }
    const collection = 'app.bsky.actor.profile'
    return repositories[account]!.put({ collection, rkey: 'self', value, atMs })
  }

  function postPicture(atMs: number): NetworkEvent | undefined {
    const { cid, size } = pictures.length > 0 ? random.pick(pictures) : madeUpPicture()
    const image = { $type: 'blob', ref: { $link: cid }, mimeType: 'image/jpeg', size }
    const images = [{ alt: 'A picture', image, aspectRatio: { width: 4, height: 3 } }]
    return post(atMs, { embed: { $type: 'app.bsky.embed.images', images } })
  }

  function madeUpPicture(): Picture {
    const cid = cidOfText(`picture ${++changes}`).replace('bafyrei', 'bafkrei')
    return { cid, size: 1 + random.below(900_000) }
  }

  /** Adds an account to a list of the owner, creating the list first if there is none. */
  function enlist(atMs: number): NetworkEvent | undefined {
    const owner = random.zipf(repositories.length)
    const subject = random.below(repositories.length)
    if (!mayAct(owner)) return
    const { did, collections } = repositories[owner]!
    const lists = [...(collections.get('app.bsky.graph.list')?.keys() ?? [])]
    const write = (name: string, value: Record<string, unknown>) =>
      put(owner, `app.bsky.graph.${name}`, value, atMs)
    if (lists.length === 0) {
      const purpose = 'app.bsky.graph.defs#curatelist'
      return write('list', { name: `List ${++changes}`, purpose })
    }
    const list = `at://${did}/app.bsky.graph.list/${random.pick(lists)}`
    return write('listitem', { list, subject: repositories[subject]!.did })
  }

  /** Only the author may reply. */
  function postGated(atMs: number): NetworkEvent | undefined {
    const root = post(atMs, { reply: undefined })
    if (!root) return
    const collection = 'app.bsky.feed.threadgate'
    const uri = `at://${root.did}/${root.collection}/${root.rkey}`
    const value = { post: uri, allow: [], createdAt: new Date(atMs).toISOString() }
    const repository = repositories.find(({ did }) => did === root.did)!
    owed.push(repository.put({ collection, rkey: root.rkey, value, atMs }))
    return root
  }

  function postBackdated(atMs: number): NetworkEvent | undefined {
    const createdAt = new Date(atMs - random.below(48 * HOUR_MS)).toISOString()
    return post(atMs, { createdAt })
  }

  function moveAccount(): NetworkEvent | undefined {
    const account = random.below(repositories.length)
    const repository = repositories[account]!
    if (spared.includes(account) || repository.state === 'deleted' || !isAllowed(account)) return
    if (repository.state === 'deactivated') return repository.setState(undefined)
    const isForEver = random.chance(0.2)
    if (!isForEver && !parts.mayGoAway()) return
    if (isForEver) parts.forgetAccount(account)
    return repository.setState(isForEver ? 'deleted' : 'deactivated')
  }

  function rename(): NetworkEvent | undefined {
    const account = someone()
    return account === undefined
      ? undefined
      : repositories[account]!.rename(`user${account}-${++changes}.simulated.example`)
  }

  function announce(): NetworkEvent | undefined {
    const account = someone()
    if (account === undefined) return
    const { did, rev } = repositories[account]!
    return { kind: 'sync', did, rev }
  }

  return {
    act: (atMs) => owed.shift() ?? random.pick(deck)(atMs),
    isOwed: () => owed.length > 0,
    spare: (accounts) => {
      spared = accounts
    },
  }
}
