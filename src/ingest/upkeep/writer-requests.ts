// What the serving side asks the writer to change, each in one transaction, answered when the change
// is committed and visible in memory.

import { FetchLimitError } from '../../bridge/fetch-limit.ts'
import type { WriterReply, WriterRequest } from '../../bridge/messages.ts'
import { putAgeAssurance } from '../../data/store/age-assurance.ts'
import { isBanned } from '../../data/store/bans.ts'
import { appendOperation, deleteOperations } from '../../data/store/bsync-operations.ts'
import type { Counting } from '../counts/counting.ts'
import type { VideoWatches } from '../counts/video-watches.ts'
import { fetchKept } from '../indexing/fetch-missing.ts'
import { type IndexContext, internActor } from '../indexing/index-context.ts'
import { redeemInvite } from '../indexing/invites.ts'
import { keepIdentity, makeSeat, memberSeen } from '../indexing/members.ts'
import { muteThread, unmuteThread } from '../indexing/muted-threads.ts'
import {
  choosePriority,
  seeNotifications,
  setPreferences,
  subscribeToActivity,
} from '../indexing/notification-state.ts'
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
} from '../indexing/private-state.ts'
import { changePushes } from '../indexing/push-registrations.ts'
import type { Writer } from '../indexing/writer.ts'
import type { Labels } from '../labels/labels.ts'
import { applySharedState } from '../member-state/apply-changes.ts'
import { applySharedPlace } from '../place/apply-place.ts'
import type { DiskRoom } from './disk/disk-room.ts'
import { failedReply } from './failed-reply.ts'
import { createFetchBudget, type FetchBudget } from './fetch-budget.ts'

type WriterParts = {
  writer: Pick<Writer, 'commit'>
  /** The account reads: its timeline is put in memory where it is not. */
  openTimeline: (did: string) => void
  /** New work may be waiting for other people's servers. */
  wakeBackfill: () => void
  /** Where labels come from; without it they don't come. */
  labels?: Pick<Labels, 'named' | 'requested'>
  /** An account's key is another than a serving thread knew. */
  onIdentityChanged?: (did: string) => void
  /** What asks for earlier counts; undefined where nobody is asked. */
  counting?: Pick<Counting, 'requested'> | undefined
  /** What counts for how long videos are watched. */
  videoWatches?: VideoWatches
  /** How many members there may be; no limit where 0 or not given. */
  maxMembers?: number
  /** Whence a member's request came: those from one address share what cold starts may take. */
  cameFrom?: (uid: number, origin: string) => void
  /** So many members who came once only had to make room for somebody. */
  onSeatsGivenUp?: (count: number) => void
  /** DIDs that the configuration names: they keep their places. */
  namedMembers?: () => readonly string[]
  /** Without it every write is tried. */
  room?: Pick<DiskRoom, 'attempt'>
}

const tryAll: Pick<DiskRoom, 'attempt'> = { attempt: (work) => work() }

export function createWriterRequests(parts: WriterParts): (request: WriterRequest) => WriterReply {
  const { writer, room = tryAll } = parts
  const fetches = createFetchBudget()
  return (request) => {
    try {
      if (isForOthers(request)) {
        passOn(parts, request, room)
        return { id: request.id, ok: true }
      }
      let isCut = false
      const work = (ctx: IndexContext) => {
        if (request.kind === 'fetch-requested') isCut = !fetches.want(ctx, request)
        else apply(ctx, request, { ...parts, fetches })
        return ctx.changes.filter(({ kind }) => kind === 'member-removed').length
      }
      const left = room.attempt(() => writer.commit(work))
      if (left > 0) parts.onSeatsGivenUp?.(left)
      if (request.kind === 'member-seen') parts.openTimeline(request.did)
      parts.wakeBackfill()
      if (isCut) throw new FetchLimitError()
      return { id: request.id, ok: true }
    } catch (error) {
      return failedReply(request.id, error)
    }
  }
}

type ForOthers = Extract<
  WriterRequest,
  {
    kind:
      | 'labelers-named'
      | 'labels-requested'
      | 'counts-requested'
      | 'identity-changed'
      | 'videos-watched'
  }
>

const FOR_OTHERS =
  /^(labelers-named|labels-requested|counts-requested|identity-changed|videos-watched)$/

function isForOthers(request: WriterRequest): request is ForOthers {
  return FOR_OTHERS.test(request.kind)
}

/** But for whose labelers are known here, nothing is written before somebody else has answered. */
function passOn(
  { labels, counting, videoWatches, onIdentityChanged }: WriterParts,
  request: ForOthers,
  room: Pick<DiskRoom, 'attempt'>,
): void {
  if (request.kind === 'counts-requested') counting?.requested(request)
  else if (request.kind === 'identity-changed') onIdentityChanged?.(request.did)
  else if (request.kind === 'videos-watched')
    room.attempt(() => videoWatches?.record(request.watches))
  else if (request.kind === 'labelers-named')
    room.attempt(() => labels?.named(request.labelers, request.did))
  else labels?.requested(request.labelers, request.subjects)
}

type Applying = Pick<WriterParts, 'maxMembers' | 'namedMembers' | 'cameFrom'> & {
  fetches: FetchBudget
  /** Another node took it in, within its own budget: it can't be refused any more. */
  isShared?: boolean
}

/** @throws FetchLimitError: a mute of people whom nobody knows would be none. */
function fetchMutedList(
  ctx: IndexContext,
  { did, list }: { did: string; list: string },
  { fetches, isShared }: { fetches: FetchBudget; isShared: boolean },
): void {
  if (fetches.want(ctx, { did, uris: [list], dids: [] })) return
  if (!isShared) throw new FetchLimitError()
  fetchKept(ctx, list)
}

function apply(
  ctx: IndexContext,
  request: Exclude<WriterRequest, ForOthers | { kind: 'fetch-requested' }>,
  { maxMembers = 0, namedMembers = () => [], cameFrom, fetches, isShared = false }: Applying,
): void {
  switch (request.kind) {
    case 'member-seen':
      // The serving side asks too (membership.ts); here nobody comes at the same moment.
      if (isBanned(ctx.db, request.did)) return
      makeSeat(ctx, request.did, { maxMembers, except: namedMembers() })
      if (request.from !== undefined) cameFrom?.(internActor(ctx, request.did), request.from)
      return memberSeen(ctx, request.did)
    case 'shared-state': {
      const { id, did } = request
      return applySharedState(ctx, did, request, (act) =>
        apply(ctx, { ...act, id, did }, { fetches, isShared: true }),
      )
    }
    case 'shared-place':
      return applySharedPlace(ctx, request)
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
      // One that is left out now is asked for by the page of bookmarks that shows it.
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
    case 'register-push':
    case 'unregister-push':
    case 'begin-pushes':
    case 'pushes-told':
      return changePushes(ctx, request)
    case 'log-operation':
    case 'delete-operations':
    case 'age-assurance':
      return applyOfficial(ctx, request)
    case 'identity-found':
      return keepIdentity(ctx, request.did, request)
    case 'redeem-invite':
      return redeemInvite(ctx, request.did, request.code)
  }
}

type Official = Extract<
  WriterRequest,
  { kind: 'log-operation' | 'delete-operations' | 'age-assurance' }
>

/** What an official AppView writes through the dataplane. */
function applyOfficial(ctx: IndexContext, request: Official): void {
  switch (request.kind) {
    case 'log-operation':
      return appendOperation(ctx.db, request.stream, request)
    case 'delete-operations':
      return deleteOperations(ctx.db, request.did, request.namespace)
    case 'age-assurance':
      return putAgeAssurance(ctx.db, { ...request, uid: internActor(ctx, request.did) })
  }
}
