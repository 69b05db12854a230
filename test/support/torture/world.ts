// The outside of a run: the simulated network, its PLC directory and PDSs, two Jetstream hosts that carry the
// same events under different seqs, and a trap that must receive no request. Besides the network's random
// acts, members follow, unfollow and write more than other accounts, since the run compares what they see.

import { createJetstreamDouble } from '../jetstream-double/double.ts'
import { createRandom, type Random } from '../random.ts'
import {
  createNetwork,
  type NetworkEvent,
  type SimulatedNetwork,
} from '../simulated-network/network.ts'
import type { SimulatedAccount } from '../simulated-network/repository.ts'
import { type SimulatedServers, serveNetwork } from '../simulated-network/servers.ts'
import { createArrivals } from './arrivals.ts'
import { type Pictures, picturesOnce } from './pictures.ts'
import type { Source, TorturePlan } from './plan.ts'
import { createRelayHost, type StreamHost } from './relay-host.ts'
import { createSignedStream, type SignedStream } from './signed-stream.ts'
import { createStrangers, type Strangers } from './strangers.ts'
import { openTrap, type Trap } from './trap.ts'

export type World = {
  readonly network: SimulatedNetwork
  readonly servers: SimulatedServers
  readonly source: Source
  readonly hosts: readonly StreamHost[]
  readonly members: readonly SimulatedAccount[]
  readonly trap: Trap
  readonly strangers: Strangers
  /** CIDs of pictures that every repository has. */
  readonly pictures: readonly string[]
  /** Any account may read; otherwise members only. */
  readonly isOpen: boolean
  /** Addresses that hold only PDSs and strangers' servers. */
  readonly addresses: readonly string[]
  /** While on, each host receives events of different accounts in its own order. */
  reorder(isOn: boolean): void
  /** From now on only members and steady authors act, and members unfollow no account. */
  restrict(isOn: boolean): void
  /** Makes all hosts drop the events emitted so far; those since `restrict` count as lost. */
  lose(): void
  isLost(number: number): boolean
  /** The number of the event that a host has under this seq. */
  numberAt(host: number, seq: number): number
  /** Events emitted so far. */
  emitted(): number
  /** Performs a random act and emits it. @returns whether there was one. */
  step(): boolean
  emit(event: NetworkEvent): void
  /** The number of the event that created this record; undefined if created before the start. */
  madeAt(uri: string): number | undefined
  /** From now on, the authors that members follow are known. */
  mark(): void
  /** Events emitted before the mark. */
  markedAt(): number
  /** Followed by at least one member from the mark on, without a break. */
  steadyAuthors(): ReadonlySet<string>
  close(): Promise<void>
}

const PDS_ADDRESS = '127.0.0.9'
const FOLLOW = 'app.bsky.graph.follow'
const RARE_SHARE = 0.12
const CHURN_SHARE = 0.05
const MEMBER_POST_SHARE = 0.04

type Outside = Pick<World, 'servers' | 'hosts' | 'strangers' | 'trap' | 'addresses' | 'close'>
type Stream = Pick<
  World,
  'emit' | 'emitted' | 'madeAt' | 'numberAt' | 'reorder' | 'mark' | 'markedAt' | 'steadyAuthors'
>
type Losses = Pick<World, 'restrict' | 'lose' | 'isLost'> & { isRestricted(): boolean }

export async function createWorld(plan: TorturePlan): Promise<World> {
  const random = createRandom(plan.seed)
  const blobs = await picturesOnce()
  const network = networkOf(plan, random, blobs)
  const members = plan.members.map((index) => network.repositories[index]!)
  const { signed, ...outside } = await openOutside(network, blobs, plan)
  const stream = createStream({ hosts: outside.hosts, signed, members, seed: plan.seed })
  const { isRestricted, ...losses } = createLosses({ network, members, ...outside, ...stream })
  return {
    network,
    members,
    pictures: [...blobs.keys()],
    isOpen: plan.isOpen,
    source: plan.source,
    ...outside,
    ...stream,
    ...losses,
    step: () => {
      const isMembers = random.chance(CHURN_SHARE + MEMBER_POST_SHARE)
      const state = { emitted: stream.emitted(), isRestricted: isRestricted() }
      const event = isMembers
        ? memberAct({ plan, random, network, ...state })
        : network.act(Date.now())
      if (event) stream.emit(event)
      return event !== undefined
    },
  }
}

function networkOf(plan: TorturePlan, random: Random, blobs: Pictures): SimulatedNetwork {
  const network = createNetwork({
    random,
    accounts: plan.accounts,
    meanFollows: plan.meanFollows,
    pastEvents: plan.pastEvents,
    pastHours: 36,
    now: Date.now,
    quiet: new Set(plan.quiet),
    pictures: [...blobs].map(([cid, bytes]) => ({ cid, size: bytes.length })),
  })
  followAsPlanned(network, plan, random)
  network.allowRareActs(RARE_SHARE, plan.members)
  return network
}

async function openOutside(
  network: SimulatedNetwork,
  blobs: Pictures,
  { seed, source }: Pick<TorturePlan, 'seed' | 'source'>,
): Promise<Outside & { signed: SignedStream | undefined }> {
  const servers = await serveNetwork(network.repositories, { hostname: PDS_ADDRESS, blobs })
  const strangers = await createStrangers(servers)
  const trap = await openTrap()
  const signed = source === 'relay' ? await signAll(network, servers) : undefined
  const open = (options: { firstSeq: number; seed: number }): Promise<StreamHost> =>
    signed ? createRelayHost(signed, options) : createJetstreamDouble(options)
  const hosts = [
    await open({ firstSeq: 1_000, seed }),
    await open({ firstSeq: 5_000_000, seed: seed + 1 }),
  ]
  return {
    servers,
    strangers,
    trap,
    hosts,
    signed,
    addresses: [PDS_ADDRESS, ...strangers.addresses],
    close: async () => {
      await Promise.all(hosts.map((host) => host.close()))
      await servers.close()
      await strangers.close()
      await trap.close()
    },
  }
}

async function signAll(
  network: SimulatedNetwork,
  { signerOf }: SimulatedServers,
): Promise<SignedStream> {
  const signers = network.repositories.map(async ({ did }) => [did, await signerOf(did)] as const)
  return createSignedStream(network, new Map(await Promise.all(signers)))
}

/** Numbers events, passes them to the hosts, and from the mark on tracks the steady authors. */
function createStream({
  hosts,
  signed,
  members,
  seed,
}: Pick<World, 'hosts' | 'members'> & { signed: SignedStream | undefined; seed: number }): Stream {
  const memberDids = new Set(members.map(({ did }) => did))
  const made = new Map<string, number>()
  let emitted = 0
  let markedAt = Number.POSITIVE_INFINITY
  let steady = new Set<string>()
  const isSteady = (did: string) => steady.has(did)
  const waits = hosts.map((host, i) => createArrivals(host, createRandom(seed + 77 + i), isSteady))

  function narrow(): void {
    const now = authors(members)
    steady = new Set([...steady].filter((did) => now.has(did)))
  }

  return {
    emit: (event) => {
      signed?.sign(event)
      for (const arrival of waits) arrival.take(event, emitted)
      if (event.kind === 'commit' && event.operation === 'create') {
        made.set(`at://${event.did}/${event.collection}/${event.rkey}`, emitted)
      }
      emitted++
      const isUnfollow = event.kind === 'commit' && event.operation === 'delete'
      if (isUnfollow && memberDids.has(event.did)) narrow()
    },
    emitted: () => emitted,
    madeAt: (uri) => made.get(uri),
    numberAt: (host, seq) => waits[host]!.numberAt(seq),
    reorder: (isOn) => {
      for (const arrival of waits) arrival.reorder(isOn)
    },
    mark: () => {
      markedAt = emitted
      steady = authors(members)
    },
    markedAt: () => markedAt,
    steadyAuthors: () => steady,
  }
}

function createLosses(
  world: Pick<World, 'network' | 'members' | 'hosts' | 'emitted' | 'steadyAuthors'>,
): Losses {
  const { network, members, hosts, emitted, steadyAuthors } = world
  const lost: [from: number, to: number][] = []
  let restrictedAt = 0
  let isRestricted = false
  return {
    isRestricted: () => isRestricted,
    restrict: (isOn) => {
      restrictedAt = emitted()
      isRestricted = isOn
      const loyal = new Set(members.map(({ did }) => did))
      const dids = new Set([...steadyAuthors(), ...loyal])
      network.restrict(isOn ? { dids, loyal } : undefined)
    },
    lose: () => {
      lost.push([restrictedAt, emitted()])
      for (const host of hosts) host.raiseFloor(host.nextSeq())
    },
    isLost: (number) => lost.some(([from, to]) => number >= from && number < to),
  }
}

type Acting = {
  plan: TorturePlan
  random: Random
  network: SimulatedNetwork
  emitted: number
  isRestricted: boolean
}

/** A post, follow or unfollow by a random member. */
function memberAct({
  plan,
  random,
  network,
  emitted,
  isRestricted,
}: Acting): NetworkEvent | undefined {
  const account = random.pick(plan.members)
  const repository = network.repositories[account]!
  const atMs = Date.now()
  if (random.chance(MEMBER_POST_SHARE / (MEMBER_POST_SHARE + CHURN_SHARE))) {
    if (plan.quiet.includes(account)) return
    const value = { text: `Of my own, ${emitted}`, createdAt: new Date(atMs).toISOString() }
    return repository.put({ collection: 'app.bsky.feed.post', value, atMs })
  }
  const follows = [...(repository.collections.get(FOLLOW)?.keys() ?? [])]
  if (follows.length > 1 && !isRestricted && random.chance(0.45)) {
    return repository.remove(FOLLOW, random.pick(follows), atMs)
  }
  return network.follow({ account, subject: random.below(plan.accounts), atMs })
}

function followAsPlanned(network: SimulatedNetwork, plan: TorturePlan, random: Random): void {
  const atMs = Date.now() - 36 * 3_600_000
  for (const account of plan.quiet) {
    for (let i = 0; i < 2; i++) network.follow({ account, subject: random.zipf(20), atMs })
  }
  for (const account of plan.keen) {
    for (let subject = 0; subject < plan.accounts; subject++) {
      if (random.chance(0.6)) network.follow({ account, subject, atMs })
    }
  }
}

/** Members and the accounts they follow. */
function authors(members: readonly SimulatedAccount[]): Set<string> {
  const dids = new Set(members.map(({ did }) => did))
  for (const { collections } of members) {
    for (const { value } of collections.get(FOLLOW)?.values() ?? []) {
      dids.add(value['subject'] as string)
    }
  }
  return dids
}
