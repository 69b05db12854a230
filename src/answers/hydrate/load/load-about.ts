// What profiles show about accounts besides their profile records: whether they are labelers or live, who may
// message them, and which trusted verifiers vouch for them.

import { recordUri } from '../../../base/atproto/at-uri.ts'
import { collectionCodes } from '../../../base/atproto/collections.ts'
import { unpackCid } from '../../../base/atproto/keys.ts'
import type { RecordRow, VerificationRow } from '../../../data/store/read/records/records.ts'
import type { Loader } from '../page.ts'
import { parseRecord } from '../shapes/parse-record.ts'
import { isSoundDeclaration, isSoundStatus, isSoundVerification } from '../shapes/record-shapes.ts'
import type { AboutActor, LiveStatus, Verification } from '../stored-records.ts'
import type { ProfileState } from '../types.ts'
import { loadActors } from './load-actors.ts'

const STATUS = 'app.bsky.actor.status'
const VERIFICATION = 'app.bsky.graph.verification'
const SUBSCRIBERS = ['followers', 'mutuals', 'none'] as const

type Declaration = {
  allowIncoming?: string
  allowGroupInvites?: string
  allowSubscriptions?: string
  messageMe?: { showButtonTo: string; messageMeUrl: string }
}

/** Fills `about`, and adds the verifiers it names to `actors`. */
export function loadAbout(loader: Loader, state: ProfileState, uids: ReadonlySet<number>): void {
  if (uids.size === 0) return
  const { readers, context } = loader
  const verifiers = new Set(
    (context.trustedVerifiers ?? []).map((did) => context.actors.uidOf(did)),
  )
  verifiers.delete(0)
  for (const row of readers.records.ownOf(uids)) addOwn(loader, aboutOf(state, row.uid), row)
  for (const uid of verifiers) if (uids.has(uid)) aboutOf(state, uid).isTrustedVerifier = true
  if (verifiers.size === 0) return
  const issuers = new Set<number>()
  for (const row of readers.records.verificationsOf(uids, verifiers)) {
    const verification = toVerification(loader, row)
    if (!verification) continue
    aboutOf(state, row.subject).verifications.push(verification)
    if (!state.actors.has(row.issuer)) issuers.add(row.issuer)
  }
  if (issuers.size === 0) return
  for (const actor of loadActors(loader, issuers)) state.actors.set(actor.uid, actor)
}

function aboutOf({ about }: ProfileState, uid: number): AboutActor {
  const known = about.get(uid)
  if (known) return known
  const made: AboutActor = {
    isLabeler: false,
    isTrustedVerifier: false,
    chat: undefined,
    allowSubscriptions: 'followers',
    germ: undefined,
    status: undefined,
    verifications: [],
  }
  about.set(uid, made)
  return made
}

function addOwn(loader: Loader, about: AboutActor, row: RecordRow): void {
  switch (row.collection) {
    case collectionCodes['app.bsky.labeler.service']:
      about.isLabeler = true
      break
    case collectionCodes[STATUS]:
      about.status = toStatus(loader, row)
      break
    default:
      addDeclaration(loader, about, row)
  }
}

/** The kinds of declaration have distinct field names, so they need not be told apart. */
function addDeclaration(loader: Loader, about: AboutActor, row: RecordRow): void {
  const declared = parseRecord<Declaration>(row.record, {
    kind: 'declaration',
    isSound: isSoundDeclaration,
    onUnusable: loader.onUnusable,
  })
  if (!declared) return
  const { allowIncoming, allowGroupInvites, allowSubscriptions, messageMe } = declared
  if (allowIncoming) about.chat = { allowIncoming, allowGroupInvites }
  about.allowSubscriptions =
    SUBSCRIBERS.find((item) => item === allowSubscriptions) ?? about.allowSubscriptions
  if (messageMe) {
    const { showButtonTo, messageMeUrl } = messageMe
    about.germ = { showButtonTo, messageMeUrl }
  }
}

function toStatus(loader: Loader, row: RecordRow): LiveStatus | undefined {
  const record = parseRecord<LiveStatus['record']>(row.record, {
    kind: 'status',
    isSound: isSoundStatus,
    onUnusable: loader.onUnusable,
  })
  if (!record) return undefined
  const uri = recordUri(loader.context.actors.didOf(row.uid), STATUS, row.rkey)
  return { uri, cid: unpackCid(row.cid), record, sortAt: row.sortAt }
}

function toVerification(loader: Loader, row: VerificationRow): Verification | undefined {
  const record = parseRecord<{ handle: string; displayName: string }>(row.record, {
    kind: 'verification',
    isSound: isSoundVerification,
    onUnusable: loader.onUnusable,
  })
  if (!record) return undefined
  const { handle, displayName } = record
  const uri = recordUri(loader.context.actors.didOf(row.issuer), VERIFICATION, row.rkey)
  return { issuer: row.issuer, uri, handle, displayName, sortAt: row.sortAt }
}
