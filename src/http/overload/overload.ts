// Overload protection between a call and its handler: charges the caller (charges.ts) and schedules the call
// (fair-queue.ts). A call's time on the thread is measured turn by turn (base/util/turn.ts), and what it takes
// beyond its points is charged afterwards, so that a point is the same time for every method. The health route
// and the fixed pages cost only their address's time (address-time.ts), and requests without a socket nothing.

import type { XRPCError } from '../../base/atproto/xrpc-error.ts'
import { bearerToken } from '../../base/util/secrets.ts'
import { CallTime } from '../../base/util/turn.ts'
import type { Asker } from '../../sources/identity/resolver.ts'
import { type AddressTime, REQUEST_MS } from './address-time.ts'
import { createAskers } from './askers.ts'
import type { ChargedRequest } from './charged-request.ts'
import {
  type ChargesConfig,
  createCharges,
  type Payer,
  type Program,
  type Purse,
} from './charges.ts'
import { FairQueue, type Queued, type Who, type Work } from './fair-queue.ts'
import type { RateBuffers } from './rate-limits.ts'

/** Who makes a call, and the call's time on the thread, which is charged to them. */
export type Caller = {
  /** For scheduling; undefined for requests without a network socket that are not a member's. */
  readonly who: Who | undefined
  readonly time: CallTime
  /** Whether the payer has no points left, for what goes on for long, such as streams. */
  isSpent(): boolean
}

export type Overload = {
  /**
   * Charges a call to its account, or without one to its address.
   * @param member - DID of a verified member
   * @throws XRPCError 429
   */
  admit(request: ChargedRequest, member: string | undefined, points: number): Caller
  /** Charges a call to a program. @throws XRPCError 429 */
  admitProgram(request: ChargedRequest, program: Program, points: number): Caller
  /**
   * A call of the official AppView's frontend, which speaks for everybody who reads through it: it
   * takes turns like any, but is never out of points.
   */
  admitFrontend(): Turns
  /** The time of a request other than XRPC, which takes `points` from the address's purse. */
  timeOf(request: ChargedRequest, points: number, from: Purse): CallTime
  /** The address that is charged; undefined if it has no limits. */
  visitorOf(request: Pick<ChargedRequest, 'remoteAddress' | 'header'>): string | undefined
  /**
   * Charges the address's points in the purse `from`.
   * @returns the error if not enough points are left.
   */
  chargeAddress(request: ChargedRequest, points: number, from?: Purse): XRPCError | undefined
  /**
   * Charges the address for a failure before the caller was known, such as a bad token.
   * @returns the error to send instead if it has failed too often.
   */
  chargeFailure(request: ChargedRequest, points: number): XRPCError | undefined
  /** What addresses use up of the thread without a valid token. */
  readonly addressTime: AddressTime
  /**
   * Returns the payer for look-ups of this request's issuer, charged before any request is sent.
   */
  askerFor(request: ChargedRequest): Asker
  run<T>(caller: Turns, work: Work<T>): T | Promise<T>
}

/** What the queue must know of a call. */
type Turns = { readonly who: Queued | undefined; readonly time: CallTime }

/**
 * Processor time of a turn after which its readers end early. The read under way and the writing of
 * the page come on top.
 */
const TURN_MS = 20

export function createOverload(options: {
  config: ChargesConfig
  /** Shared by all serving threads. */
  buffers: RateBuffers
  /** Look-ups of members are free, once a day each. */
  isMember?: ((did: string) => boolean) | undefined
  /** Hears of the thread's time that a member's call took, turn by turn. */
  onMemberTime?: ((did: string, ms: number) => void) | undefined
  now?: () => number
  /** Milliseconds of the thread's processor time; tests give their own. */
  clock?: (() => number) | undefined
}): Overload {
  const { isMember = () => false, clock, onMemberTime } = options
  const charges = createCharges(options)
  const queue = new FairQueue()
  let frontendCalls = 0

  function timeOf(payer: Payer, points: number, who?: Who): CallTime {
    return new CallTime(new CallAccount({ clock, payer, points, who, queue, onMemberTime }))
  }

  /** A call without a token was counted when it arrived. */
  function visitor(request: ChargedRequest): Payer {
    const payer = charges.address(request)
    if (request.header('authorization') !== undefined) payer.use(REQUEST_MS)
    return payer
  }

  function prove(request: ChargedRequest, name: string): void {
    const address = charges.visitorOf(request)
    if (address !== undefined) charges.time.prove(address, name)
  }

  function admitted(payer: Payer, points: number, who: Who | undefined): Caller {
    const refused = payer.charge(points)
    if (refused) throw refused
    return new AdmittedCaller(who, timeOf(payer, points, who), payer)
  }

  return {
    askerFor: createAskers({ ...charges, isMember }),
    admit(request, member, points) {
      if (member !== undefined) {
        prove(request, member)
        return admitted(charges.member(request, member), points, { rank: 'member', key: member })
      }
      const key = charges.addressOf(request)
      const who = key === undefined ? undefined : ({ rank: 'visitor', key } as const)
      return admitted(visitor(request), points, who)
    },
    admitProgram(request, program, points) {
      prove(request, bearerToken(request.header('authorization')) ?? program.name)
      const who = { rank: 'program', key: program.name } as const
      return admitted(charges.program(request, program), points, who)
    },
    admitFrontend: () => new FrontendCall(String(++frontendCalls), { clock, queue }),
    timeOf: (request, points, from) => timeOf(charges.address(request, from), points),
    chargeAddress: (request, points, from) => charges.address(request, from).charge(points),
    visitorOf: charges.visitorOf,
    chargeFailure: charges.failure,
    addressTime: charges.time,
    run({ who, time }, work) {
      work.time = time
      return who ? queue.run(who, work) : time.run(work.run)
    },
  }
}

class AdmittedCaller implements Caller {
  readonly who: Who | undefined
  readonly time: CallTime
  readonly #payer: Payer

  constructor(who: Who | undefined, time: CallTime, payer: Payer) {
    this.who = who
    this.time = time
    this.#payer = payer
  }

  isSpent(): boolean {
    return this.#payer.isSpent()
  }
}

/** A frontend's call has a lane of its own, so that one about thousands of items waits behind the others. */
class FrontendCall implements Turns {
  readonly who: Queued
  readonly time: CallTime
  readonly turnMs = TURN_MS
  readonly clock: (() => number) | undefined
  readonly #queue: FairQueue

  constructor(key: string, context: Pick<AccountContext, 'clock' | 'queue'>) {
    this.who = { rank: 'frontend', key }
    this.clock = context.clock
    this.#queue = context.queue
    this.time = new CallTime(this)
  }

  goOn<T>(work: () => T | Promise<T>): T | Promise<T> {
    return this.#queue.goOn(this.who, work)
  }
}

type AccountContext = {
  clock: (() => number) | undefined
  payer: Payer
  points: number
  who: Who | undefined
  queue: FairQueue
  onMemberTime: ((did: string, ms: number) => void) | undefined
}

/** Charges what a call has used beyond its points, a part of a point not yet; and queues it again. */
class CallAccount {
  readonly turnMs = TURN_MS
  readonly clock: (() => number) | undefined
  readonly #context: AccountContext
  #paid: number
  #countedMs = 0

  constructor(context: AccountContext) {
    this.clock = context.clock
    this.#context = context
    this.#paid = context.points
  }

  onUsed(usedMs: number): void {
    const { payer, who, onMemberTime } = this.#context
    payer.use(usedMs - this.#countedMs)
    if (who?.rank === 'member') onMemberTime?.(who.key, usedMs - this.#countedMs)
    this.#countedMs = usedMs
    const more = Math.floor(usedMs / payer.msAPoint) - this.#paid
    if (more <= 0) return
    this.#paid += more
    payer.chargeAfterwards(more)
  }

  goOn<T>(work: () => T | Promise<T>): T | Promise<T> {
    const { who, queue } = this.#context
    return who ? queue.goOn(who, work) : work()
  }
}
