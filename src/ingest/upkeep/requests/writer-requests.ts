// The serving side's write requests, each in one transaction, answered once the change is committed and
// visible in memory.

import { FetchLimitError } from '../../../bridge/fetch-limit.ts'
import type {
  FeatureRequest,
  PrivateAct,
  WriterReply,
  WriterRequest,
} from '../../../bridge/messages.ts'
import { isBanned } from '../../../data/store/moderation/bans.ts'
import { failedReply } from '../../failed-reply.ts'
import type { IngestCalls, RequestHandlers } from '../../feature.ts'
import { fetchStored } from '../../indexing/fetch-missing.ts'
import { type IndexContext, internActor } from '../../indexing/index-context.ts'
import { redeemInvite } from '../../indexing/members/invites.ts'
import {
  makeSeat,
  memberSeen,
  type SeatLimits,
  storeIdentity,
} from '../../indexing/members/members.ts'
import {
  bookmark,
  changeDraft,
  createDraft,
  mute,
  muteList,
  removeDraft,
  setActorPreferences,
  unbookmark,
  unmute,
  unmuteList,
} from '../../indexing/members/private-state.ts'
import { muteThread, unmuteThread } from '../../indexing/notifications/muted-threads.ts'
import {
  choosePriority,
  seeNotifications,
  setPreferences,
  subscribeToActivity,
} from '../../indexing/notifications/notification-state.ts'
import type { Writer } from '../../indexing/writer.ts'
import type { Labels } from '../../labels/labels.ts'
import type { DiskSpace } from '../disk/disk-space.ts'
import { createFetchBudget, type FetchBudget } from './fetch-budget.ts'

type WriterContext = {
  writer: Pick<Writer, 'commit'>
  /** The account is reading: loads its timeline into memory if it is not there. */
  openTimeline: (did: string) => void
  /** There may be new work for other people's servers. */
  wakeBackfill: () => void
  /** The source of labels; without it there are none. */
  labels?: Pick<Labels, 'named' | 'requested'>
  /** An account's key differs from the one that a serving thread knew. */
  onIdentityChanged?: (did: string) => void
  /** Most members allowed; 0 or undefined: no limit. */
  maxMembers?: number
  /** Origin of a member's request: members from one address share the budget of cold starts. */
  cameFrom?: (uid: number, origin: string) => void
  /** Called with the number of one-time members that were removed to make room. */
  onSeatsGivenUp?: (count: number) => void
  /** DIDs named by the configuration: these members keep their places. */
  namedMembers?: () => readonly string[]
  /** Handlers of features' requests. */
  ofFeatures?: RequestHandlers
  /** The same for requests that begin no transaction of their own. */
  calls?: IngestCalls
  /** Without it every write is tried. */
  diskSpace?: Pick<DiskSpace, 'attempt'>
}

const tryAll: Pick<DiskSpace, 'attempt'> = { attempt: (work) => work() }

export function createWriterRequests(
  context: WriterContext,
): (request: WriterRequest) => WriterReply {
  const { writer, diskSpace = tryAll } = context
  const fetches = createFetchBudget()
  return (request) => {
    try {
      if (isForOthers(request)) {
        passOn(context, request, diskSpace)
        return { id: request.id, ok: true }
      }
      if (isOfFeature(request)) return answerOfFeature({ ...context, fetches }, request, diskSpace)
      let isCut = false
      const work = (ctx: IndexContext) => {
        if (request.kind === 'fetch-requested') isCut = !fetches.want(ctx, request)
        else apply(ctx, request, { ...context, fetches })
        return ctx.changes.filter(({ kind }) => kind === 'member-removed').length
      }
      const left = diskSpace.attempt(() => writer.commit(work))
      if (left > 0) context.onSeatsGivenUp?.(left)
      if (request.kind === 'member-seen') context.openTimeline(request.did)
      context.wakeBackfill()
      if (isCut) throw new FetchLimitError()
      return { id: request.id, ok: true }
    } catch (error) {
      return failedReply(request.id, error)
    }
  }
}

function isOfFeature(request: WriterRequest): request is WriterRequest & FeatureRequest {
  return request.kind.includes('/')
}

function answerOfFeature(
  {
    writer,
    calls = {},
    ofFeatures = {},
    wakeBackfill,
    fetches,
  }: WriterContext & { fetches: FetchBudget },
  { id, kind, did, body }: { id: number; did: string } & FeatureRequest,
  diskSpace: Pick<DiskSpace, 'attempt'>,
): WriterReply {
  const [call, handler] = [calls[kind], ofFeatures[kind]]
  if (call) return { id, ok: true, result: call(did, body as never) }
  if (!handler) throw new Error(`no feature answers ${kind}`)
  const result = diskSpace.attempt(() =>
    writer.commit((ctx) => {
      const accepted = (act: PrivateAct | FeatureRequest) => {
        if ('body' in act) ofFeatures[act.kind]?.(ctx, did, act.body as never, { accepted })
        else apply(ctx, { ...act, id, did }, { fetches, isShared: true })
      }
      return handler(ctx, did, body as never, { accepted })
    }),
  )
  wakeBackfill()
  return { id, ok: true, result }
}

type ForOthers = Extract<
  WriterRequest,
  {
    kind: 'labelers-named' | 'labels-requested' | 'identity-changed'
  }
>

const FOR_OTHERS = /^(labelers-named|labels-requested|identity-changed)$/

function isForOthers(request: WriterRequest): request is ForOthers {
  return FOR_OTHERS.test(request.kind)
}

/**
 * Passes on requests that write nothing before another server has answered, except for known
 * labelers.
 */
function passOn(
  { labels, onIdentityChanged }: WriterContext,
  request: ForOthers,
  diskSpace: Pick<DiskSpace, 'attempt'>,
): void {
  if (request.kind === 'identity-changed') onIdentityChanged?.(request.did)
  else if (request.kind === 'labelers-named')
    diskSpace.attempt(() => labels?.named(request.labelers, request.did))
  else labels?.requested(request.labelers, request.subjects)
}

type Applying = Pick<WriterContext, 'maxMembers' | 'namedMembers' | 'cameFrom'> & {
  fetches: FetchBudget
  /** Another server accepted it within its own budget, so it can't be refused any more. */
  isShared?: boolean
}

/** @throws FetchLimitError: a mute of unknown accounts would have no effect. */
function fetchMutedList(
  ctx: IndexContext,
  { did, list }: { did: string; list: string },
  { fetches, isShared }: { fetches: FetchBudget; isShared: boolean },
): void {
  if (fetches.want(ctx, { did, uris: [list], dids: [] })) return
  if (!isShared) throw new FetchLimitError()
  fetchStored(ctx, list)
}

function apply(
  ctx: IndexContext,
  request: Exclude<WriterRequest, ForOthers | FeatureRequest | { kind: 'fetch-requested' }>,
  { maxMembers = 0, namedMembers = () => [], cameFrom, fetches, isShared = false }: Applying,
): void {
  const limits = () => ({ maxMembers, except: namedMembers() })
  switch (request.kind) {
    case 'member-seen':
      return seeMember(ctx, request, { ...limits(), cameFrom })
    case 'mute':
      return mute(ctx, request.did, request.subjectDid, request)
    case 'unmute':
      return unmute(ctx, request.did, request.subjectDid)
    case 'mute-list':
      fetchMutedList(ctx, request, { fetches, isShared })
      return muteList(ctx, request.did, request.list)
    case 'unmute-list':
      return unmuteList(ctx, request.did, request.list)
    case 'mute-thread':
      return muteThread(ctx, request.did, request.root)
    case 'unmute-thread':
      return unmuteThread(ctx, request.did, request.root)
    case 'bookmark':
      bookmark(ctx, request.did, request)
      // If it is skipped now, the bookmarks page that shows it asks for it.
      return void fetches.want(ctx, { did: request.did, uris: [request.uri], dids: [] })
    case 'unbookmark':
      return unbookmark(ctx, request.did, request.uri)
    case 'create-draft':
      return createDraft(ctx, request.did, request)
    case 'update-draft':
      return changeDraft(ctx, request.did, request)
    case 'delete-draft':
      return removeDraft(ctx, request.did, request.draftId)
    case 'actor-preferences':
      return setActorPreferences(ctx, request.did, request.preferences)
    case 'notifications-seen':
      return seeNotifications(ctx, request.did, request.seenAt)
    case 'notification-priority':
      return choosePriority(ctx, request.did, request.priority)
    case 'notification-preferences':
      return setPreferences(ctx, request.did, request.patch)
    case 'activity-subscription':
      return subscribeToActivity(ctx, request.did, request)
    case 'identity-found':
      return storeIdentity(ctx, request.did, request)
    case 'redeem-invite':
      return redeemInvite(ctx, request.did, { code: request.code, ...limits() })
  }
}

/** @throws Error if no seat can be freed for a newcomer */
function seeMember(
  ctx: IndexContext,
  { did, from }: { did: string; from?: string },
  { cameFrom, ...limits }: SeatLimits & Pick<WriterContext, 'cameFrom'>,
): void {
  // The serving side checks bans too (membership.ts), but a ban may arrive at the same moment.
  if (isBanned(ctx.db, did)) return
  makeSeat(ctx, did, limits)
  if (from !== undefined) cameFrom?.(internActor(ctx, did), from)
  memberSeen(ctx, did)
}
