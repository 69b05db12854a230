// What accounts sign, as relays pass it on: the bodies of com.atproto.sync.subscribeRepos. Each account's repository is
// followed event by event, since the network's own may already have the second half of an act. Each commit comes
// with its whole tree.

import { encode } from '@atproto/lex-cbor'
import { jsonToLex } from '@atproto/lex-json'
import { carOf, type Sign, signedTree } from '../repo-file.ts'
import type { NetworkEvent, SimulatedNetwork } from '../simulated-network/network.ts'
import type { SimulatedRecord } from '../simulated-network/repository.ts'

type Records = Map<string, Map<string, SimulatedRecord>>
type Account = { did: string; rev: string; collections: Records; data: string; sign: Sign }
export type Body = { type: string; fields: Record<string, unknown> }

export type SignedStream = {
  /** Notes an event once, before a host has it. */
  sign(event: NetworkEvent): void
  /** What a host says of an event that was signed. */
  bodyOf(event: NetworkEvent): Body
}

const link = (cid: string) => jsonToLex({ $link: cid } as never)

/** @param signers - by DID */
export function createSignedStream(
  { repositories }: Pick<SimulatedNetwork, 'repositories'>,
  signers: ReadonlyMap<string, Sign>,
): SignedStream {
  const accounts = new Map<string, Account>()
  const bodies = new Map<string, Body>()
  for (const { did, rev, collections } of repositories) {
    const copies = [...collections].map(([name, records]) => [name, new Map(records)] as const)
    const account = { did, rev, collections: new Map(copies), sign: signers.get(did)! }
    accounts.set(did, { ...account, data: signedTree(account, account.sign).data })
  }
  return {
    sign(event) {
      const account = accounts.get(event.did)!
      if (event.kind === 'commit') bodies.set(keyOf(event), commitBody(account, event))
      if (event.kind === 'sync') bodies.set(keyOf(event), syncBody(account))
      if (event.kind === 'account' && event.status === 'deleted') account.collections.clear()
    },
    bodyOf: (event) => bodies.get(keyOf(event)) ?? plainBody(event),
  }
}

function keyOf(event: NetworkEvent): string {
  return 'rev' in event ? `${event.kind} ${event.did} ${event.rev}` : ''
}

type CommitEvent = Extract<NetworkEvent, { kind: 'commit' }>

function commitBody(account: Account, event: CommitEvent): Body {
  const { did, collections } = account
  const { collection, rkey, rev, operation } = event
  const records = collections.get(collection) ?? new Map<string, SimulatedRecord>()
  collections.set(collection, records)
  const before = records.get(rkey)?.cid
  const [since, prevData] = [account.rev, account.data]
  if (operation === 'delete') records.delete(rkey)
  else records.set(rkey, { rkey, cid: event.cid, value: event.record })
  account.rev = rev
  const { root, data, blocks } = signedTree(account, account.sign)
  account.data = data
  const op = {
    action: operation,
    path: `${collection}/${rkey}`,
    cid: operation === 'delete' ? null : link(event.cid),
    ...(before !== undefined && { prev: link(before) }),
  }
  return {
    type: '#commit',
    fields: {
      repo: did,
      rev,
      since,
      commit: link(root),
      prevData: link(prevData),
      blocks: carOf(root, blocks),
      ops: [op],
      blobs: [],
      rebase: false,
      tooBig: false,
    },
  }
}

function syncBody(account: Account): Body {
  const { did, rev } = account
  const { root, blocks } = signedTree(account, account.sign)
  return { type: '#sync', fields: { did, rev, blocks: carOf(root, blocks.slice(-1)) } }
}

function plainBody(event: NetworkEvent): Body {
  const { kind, ...fields } = event
  return { type: `#${kind}`, fields }
}

/** A frame of the stream. */
export function frameOf({ type, fields }: Body, at: { seq: number; timeUs: number }): Buffer {
  const { seq, timeUs } = at
  const millis = new Date(Math.floor(timeUs / 1000)).toISOString().slice(0, -1)
  const time = `${millis}${String(timeUs % 1000).padStart(3, '0')}Z`
  const message = { ...fields, seq, time }
  return Buffer.concat([encode({ op: 1, t: type }), encode(message as never)])
}
