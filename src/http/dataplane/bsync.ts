// bsync.Service: what the frontend writes that lives in no repository. Each operation becomes the request that
// the same deed makes by XRPC, and is in force when it is answered; so there is no stream of operations to
// be read, and no second store.

import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect'
import { parseRecordUri, recordUri } from '../../base/atproto/at-uri.ts'
import type { JsonObject } from '../../base/event.ts'
import { isObject } from '../../base/util/json-object.ts'
import type { Writer } from '../../bridge/messages.ts'
import { knownPreferences } from '../../data/store/notification-preferences.ts'
import {
  Method,
  MuteOperation_Type,
  type PutOperationRequest,
  type Service,
} from './generated/bsync-pb.ts'
import { didOf, unfit, uriOf } from './mutes.ts'
import { msOf } from './notifications.ts'
import { NAMESPACES } from './private-state.ts'
import type { Reading } from './reading.ts'

const LIST = 'app.bsky.graph.list'
const POST = 'app.bsky.feed.post'
const MAX_PAYLOAD_BYTES = 256 << 10

type Put = Pick<PutOperationRequest, 'key' | 'method' | 'payload'> & { did: string }

export function bsyncRpcs(reading: Reading): Partial<ServiceImpl<typeof Service>> {
  const { writer } = reading
  return {
    ping: () => ({}),

    async addMuteOperation({ type, actorDid, subject, onlyReposts, onlyQuoteposts }) {
      const did = didOf(actorDid)
      const scope = { onlyReposts, onlyQuoteposts }
      await mute(writer, { type, did, subject, scope })
      return { operation: { id: '0', type, actorDid, subject, ...scope } }
    },

    async addNotifOperation({ actorDid, priority }) {
      const did = didOf(actorDid)
      if (priority !== undefined) {
        await writer.send({ kind: 'notification-priority', did, priority })
      }
      return { operation: { id: '0', actorDid, ...(priority !== undefined && { priority }) } }
    },

    async putOperation({ actorDid, namespace, key, method, payload }) {
      const did = didOf(actorDid)
      const put = puts[namespace]
      if (!put) throw new ConnectError(`${namespace} is not kept here`, Code.Unimplemented)
      if (payload.length > MAX_PAYLOAD_BYTES) throw unfit('payload too large')
      await put(reading, { did, key, method, payload })
      return { operation: { id: '0', actorDid, namespace, key, method, payload } }
    },

    async fanoutNotificationSeen({ actorDid, timestamp }) {
      if (!timestamp) throw unfit('timestamp is required')
      const seenAt = msOf(timestamp)
      await writer.send({ kind: 'notifications-seen', did: didOf(actorDid), seenAt })
      return {}
    },
  }
}

type Mute = {
  type: MuteOperation_Type
  did: string
  subject: string
  scope: { onlyReposts: boolean; onlyQuoteposts: boolean }
}

async function mute(writer: Writer, { type, did, subject, scope }: Mute): Promise<void> {
  const { ADD, REMOVE } = MuteOperation_Type
  // Clearing is no deed of a client's, and there is no request for it.
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

const puts: Record<string, (reading: Reading, put: Put) => Promise<void>> = {
  [NAMESPACES.bookmark]: putBookmark,
  [NAMESPACES.draft]: putDraft,
  [NAMESPACES.subscription]: putSubscription,
  [NAMESPACES.preferences]: putPreferences,
}

async function putBookmark(reading: Reading, { did, key, method, payload }: Put): Promise<void> {
  const { writer } = reading
  if (method === Method.DELETE) {
    const uri = /^\d{1,15}$/.test(key)
      ? reading.postUris([Number(key)]).get(Number(key))
      : undefined
    if (uri) await writer.send({ kind: 'unbookmark', did, uri })
    return
  }
  const subject = objectOf(jsonOf(payload)['subject'])
  const { uri, cid } = subject
  const post = parseRecordUri(uri)
  if (post?.collection !== POST || typeof cid !== 'string') throw unfit('no subject')
  await writer.send({ kind: 'bookmark', did, uri: recordUri(post.did, POST, post.rkey), cid })
}

async function putDraft({ writer }: Reading, { did, key, method, payload }: Put): Promise<void> {
  if (method === Method.DELETE) {
    await writer.send({ kind: 'delete-draft', did, draftId: key })
    return
  }
  const draft = JSON.stringify(objectOf(jsonOf(payload)['draft']))
  const kind = method === Method.CREATE ? 'create-draft' : 'update-draft'
  await writer.send({ kind, did, draftId: key, draft })
}

async function putSubscription({ writer }: Reading, put: Put): Promise<void> {
  const { did, key, method, payload } = put
  if (method === Method.DELETE) {
    const none = { post: false, reply: false }
    await writer.send({ kind: 'activity-subscription', did, subject: didOf(key), ...none })
    return
  }
  const { subject, activitySubscription } = jsonOf(payload)
  const { post, reply } = objectOf(activitySubscription)
  await writer.send({
    ...{ kind: 'activity-subscription', did, subject: didOf(String(subject)) },
    ...{ post: post === true, reply: reply === true },
  })
}

async function putPreferences({ writer }: Reading, { did, payload }: Put): Promise<void> {
  const patch = knownPreferences(jsonOf(payload))
  await writer.send({ kind: 'notification-preferences', did, patch })
}

/** @throws ConnectError */
function jsonOf(payload: Uint8Array): JsonObject {
  try {
    return objectOf(JSON.parse(Buffer.from(payload).toString()))
  } catch {
    throw unfit('the payload is no JSON object')
  }
}

function objectOf(value: unknown): JsonObject {
  if (isObject(value)) return value
  throw unfit('the payload is not of its form')
}
