// bsync.Service: the frontend's writes that live in no repository. Each operation becomes the request that
// the matching XRPC call sends, and is in force when the call returns. It is then logged in the stream of
// operations, under the key it has here, for others to read (bsync-stream.ts).

import type { ServiceImpl } from '@connectrpc/connect'
import { parseRecordUri, recordUri } from '../../../base/atproto/at-uri.ts'
import { isObject, type JsonObject } from '../../../base/util/json-object.ts'
import type { Writer } from '../../../bridge/messages.ts'
import { completePreferences } from '../../../data/store/notifications/notification-preferences.ts'
import { bookmarksAmong } from '../../../data/store/private/bookmarks.ts'
import { prepareActivitySubscriptions } from '../../../data/store/read/accounts/activity-subscriptions.ts'
import {
  Method,
  MuteOperation_Type,
  MuteOperationSchema,
  NotifOperationSchema,
  OperationSchema,
  type PutOperationRequest,
  type Service,
} from '../generated/bsync-pb.ts'
import type { Reading } from '../reading/reading.ts'
import { askWriter } from '../requests.ts'
import type { BsyncStream } from '../store/bsync-operations.ts'
import { encode } from '../wire/encoded.ts'
import { namespaceOf } from './bsync-stream.ts'
import { didOf, unfit, uriOf } from './mutes.ts'
import { msOf } from './notifications.ts'
import { nameInKey, privateKey } from './private-keys.ts'
import { NAMESPACES } from './private-state.ts'

const LIST = 'app.bsky.graph.list'
const POST = 'app.bsky.feed.post'
const MAX_PAYLOAD_BYTES = 256 << 10

type Put = Pick<PutOperationRequest, 'key' | 'method' | 'payload'> & { did: string }

export function bsyncRpcs(reading: Reading): Partial<ServiceImpl<typeof Service>> {
  const { writer } = reading
  const log = (stream: BsyncStream, did: string, operation: Uint8Array, namespace = '') =>
    askWriter(writer, did, {
      kind: 'dataplane/log-operation',
      body: { stream, namespace, operation },
    })
  return {
    ping: () => ({}),

    async addMuteOperation({ type, actorDid, subject, onlyReposts, onlyQuoteposts }) {
      const did = didOf(actorDid)
      const scope = { onlyReposts, onlyQuoteposts }
      await mute(writer, { type, did, subject, scope })
      const operation = { type, actorDid, subject, ...scope }
      await log('mutes', did, encode(MuteOperationSchema, operation))
      return { operation: { id: '0', ...operation } }
    },

    async addNotifOperation({ actorDid, priority }) {
      const did = didOf(actorDid)
      if (priority !== undefined) {
        await writer.send({ kind: 'notification-priority', did, priority })
      }
      const operation = { actorDid, ...(priority !== undefined && { priority }) }
      await log('notifications', did, encode(NotifOperationSchema, operation))
      return { operation: { id: '0', ...operation } }
    },

    async putOperation({ actorDid, namespace, key, method, payload }) {
      const did = didOf(actorDid)
      namespaceOf(namespace)
      checkPut({ method, payload })
      const ownKey = await puts[namespace]?.(reading, { did, key, method, payload })
      const operation = { actorDid, namespace, key: ownKey ?? key, method, payload }
      await log('others', did, encode(OperationSchema, operation), namespace)
      return { operation: { id: '0', ...operation } }
    },

    async fanoutNotificationSeen({ actorDid, timestamp }) {
      if (!timestamp) throw unfit('timestamp is required')
      const seenAt = msOf(timestamp)
      await writer.send({ kind: 'notifications-seen', did: didOf(actorDid), seenAt })
      return {}
    },
  }
}

/** @throws ConnectError if the reference's bsync refuses it */
function checkPut({ method, payload }: Pick<Put, 'method' | 'payload'>): void {
  if (!METHODS.has(method)) throw unfit('operation method is invalid')
  if (payload.length > MAX_PAYLOAD_BYTES) throw unfit('payload too large')
  if (method !== Method.DELETE) jsonOf(payload)
  else if (payload.length > 0) throw unfit('cannot specify a payload when method is DELETE')
}

const METHODS: ReadonlySet<Method> = new Set([Method.CREATE, Method.UPDATE, Method.DELETE])

type Mute = {
  type: MuteOperation_Type
  did: string
  subject: string
  scope: { onlyReposts: boolean; onlyQuoteposts: boolean }
}

async function mute(writer: Writer, { type, did, subject, scope }: Mute): Promise<void> {
  const { ADD, REMOVE } = MuteOperation_Type
  // Clients cannot clear mutes, so there is no request for it.
  if (type !== ADD && type !== REMOVE) throw unfit('the operation is neither ADD nor REMOVE')
  const isAdded = type === ADD
  if (subject.startsWith('did:')) {
    const subjectDid = didOf(subject)
    if (isAdded) await writer.send({ kind: 'mute', did, subjectDid, ...scope })
    else await writer.send({ kind: 'unmute', did, subjectDid })
    return
  }
  const uri = uriOf(subject)
  if (parseRecordUri(uri)!.collection === LIST) {
    await writer.send({ kind: isAdded ? 'mute-list' : 'unmute-list', did, list: uri })
  } else {
    await writer.send({ kind: isAdded ? 'mute-thread' : 'unmute-thread', did, root: uri })
  }
}

/** Each returns the key used here, if it differs. */
const puts: Record<string, (reading: Reading, put: Put) => Promise<string | undefined>> = {
  [NAMESPACES.bookmark]: putBookmark,
  [NAMESPACES.draft]: putDraft,
  [NAMESPACES.subscription]: putSubscription,
  [NAMESPACES.preferences]: putPreferences,
  [NAMESPACES.age]: putAge,
  [NAMESPACES.earlierAge]: putAge,
}

async function putBookmark(
  reading: Reading,
  { did, key, method, payload }: Put,
): Promise<string | undefined> {
  const { actors, db, writer } = reading
  if (method === Method.DELETE) {
    const name = nameInKey(key)
    const uri = /^\d{1,15}$/.test(name)
      ? reading.postUris([Number(name)]).get(Number(name))
      : undefined
    if (uri) await writer.send({ kind: 'unbookmark', did, uri })
    return undefined
  }
  const subject = objectOf(jsonOf(payload)['subject'])
  const { uri, cid } = subject
  const post = parseRecordUri(uri)
  if (post?.collection !== POST || typeof cid !== 'string') throw unfit('no subject')
  const named = recordUri(post.did, POST, post.rkey)
  await writer.send({ kind: 'bookmark', did, uri: named, cid })
  const id = reading.postsByUri([named]).get(named)?.id
  const [stored] = id === undefined ? [] : bookmarksAmong(db, actors.uidOf(did), [id])
  return stored && privateKey(stored.createdAt, stored.post)
}

async function putDraft(
  { writer }: Reading,
  { did, key, method, payload }: Put,
): Promise<undefined> {
  if (method === Method.DELETE) {
    await writer.send({ kind: 'delete-draft', did, draftId: key })
    return
  }
  const draft = JSON.stringify(objectOf(jsonOf(payload)['draft']))
  const kind = method === Method.CREATE ? 'create-draft' : 'update-draft'
  await writer.send({ kind, did, draftId: key, draft })
}

async function putSubscription(reading: Reading, put: Put): Promise<string | undefined> {
  const { actors, db, writer } = reading
  const { did, key, method, payload } = put
  if (method === Method.DELETE) {
    const none = { post: false, reply: false }
    await writer.send({
      kind: 'activity-subscription',
      did,
      subject: didOf(nameInKey(key)),
      ...none,
    })
    return undefined
  }
  const { subject, activitySubscription } = jsonOf(payload)
  const { post, reply } = objectOf(activitySubscription)
  await writer.send({
    kind: 'activity-subscription',
    did,
    subject: didOf(String(subject)),
    post: post === true,
    reply: reply === true,
  })
  const uid = actors.uidOf(String(subject))
  const cached = prepareActivitySubscriptions(db)(actors.uidOf(did), [uid]).get(uid)
  return cached && privateKey(cached.createdAt, String(subject))
}

/** Takes both event forms. As in the reference, events are only created, never deleted. */
async function putAge({ writer }: Reading, { did, method, payload }: Put): Promise<undefined> {
  if (method !== Method.CREATE) return
  const { status, access, createdAt } = jsonOf(payload)
  if (typeof status !== 'string') throw unfit('no status')
  const startedAt =
    status === 'pending' && typeof createdAt === 'string' ? Date.parse(createdAt) : NaN
  await askWriter(writer, did, {
    kind: 'dataplane/age-assurance',
    body: {
      status,
      access: typeof access === 'string' ? access : null,
      initiatedAt: Number.isNaN(startedAt) ? null : startedAt,
    },
  })
}

/** As in the reference, they are replaced as a whole: what the payload lacks takes its default. */
async function putPreferences(
  { writer }: Reading,
  { did, method, payload }: Put,
): Promise<undefined> {
  const named = method === Method.DELETE ? {} : jsonOf(payload)
  const patch = completePreferences(named)
  await writer.send({ kind: 'notification-preferences', did, patch })
}

/** @throws ConnectError */
function jsonOf(payload: Uint8Array): JsonObject {
  try {
    return objectOf(JSON.parse(Buffer.from(payload).toString()))
  } catch {
    throw unfit('the payload is not a JSON object')
  }
}

function objectOf(value: unknown): JsonObject {
  if (isObject(value)) return value
  throw unfit('the payload has the wrong form')
}
