// The cluster that nodes share, key by key: conversions between this node's rows and the changes between nodes.
// A key is its kind, a colon and a name; the change of a removed key says who removed it and why.

import type { InviteRow } from '../../../data/store/members/invites.ts'
import type { StoredToken } from '../../timelines/store/programs/service-tokens.ts'

export type TokenDoc = {
  digest: string
  scopes: string
  rate: number
  at: number
  expiresAt: number | null
  revokedAt: number | null
}

export type InviteDoc = {
  note: string
  maxUses: number
  uses: number
  at: number
  expiresAt: number | null
  disabledAt: number | null
}

/** `code`: the member's invite; null if the operator let them in. */
export type AdmissionDoc = { at: number; code: string | null }

/** `isSeen`: the member joined by making a request. */
export type MemberDoc = { at: number; isSeen: boolean }

/** A hide, tag or ban, or the end of one. */
export type DecisionDoc = {
  at: number
  by: string
  reason: string
  ref?: string
  blobs?: readonly string[]
}

/** Key of a formerly single node; cursors signed with it are valid on all nodes. */
export type CursorKeyDoc = { at: number; secret: string }

type ClusterDocs = {
  'cursor-key': CursorKeyDoc
  token: TokenDoc
  invite: InviteDoc
  admission: AdmissionDoc
  member: MemberDoc
  ban: DecisionDoc
  hide: DecisionDoc
  tag: DecisionDoc
}

type DocKind = keyof ClusterDocs

/** A change before it is numbered. */
export type DocChange = { key: string; change: string; isGone: boolean }

export function docKey(kind: DocKind, name: string): string {
  return `${kind}:${name}`
}

export function docChange<K extends DocKind>(
  kind: K,
  name: string,
  doc: ClusterDocs[K],
): DocChange {
  return { key: docKey(kind, name), change: JSON.stringify(doc), isGone: false }
}

export function goneChange(
  kind: DocKind,
  name: string,
  { at, by, reason }: Pick<DecisionDoc, 'at' | 'by' | 'reason'>,
): DocChange {
  return { key: docKey(kind, name), change: JSON.stringify({ at, by, reason }), isGone: true }
}

export function splitKey(key: string): { kind: DocKind; name: string } {
  const colon = key.indexOf(':')
  return { kind: key.slice(0, colon) as DocKind, name: key.slice(colon + 1) }
}

/** The name of a tag on a subject; neither contains a space. */
export function tagName(subject: string, tag: string): string {
  return `${subject} ${tag}`
}

export function splitTag(name: string): { subject: string; tag: string } {
  const space = name.lastIndexOf(' ')
  return { subject: name.slice(0, space), tag: name.slice(space + 1) }
}

export function tokenDoc(row: StoredToken): TokenDoc {
  const { scopes, rate, created_at: at, expires_at: expiresAt, revoked_at: revokedAt } = row
  return { digest: row.digest.toString('hex'), scopes, rate, at, expiresAt, revokedAt }
}

export function tokenRow(name: string, doc: TokenDoc): StoredToken {
  const { scopes, rate, at, expiresAt, revokedAt } = doc
  return {
    name,
    scopes,
    rate,
    created_at: at,
    expires_at: expiresAt,
    revoked_at: revokedAt,
    digest: Buffer.from(doc.digest, 'hex'),
  }
}

export function inviteDoc(row: InviteRow): InviteDoc {
  const { note, uses, max_uses: maxUses, created_at: at } = row
  return { note, maxUses, uses, at, expiresAt: row.expires_at, disabledAt: row.disabled_at }
}

export function inviteRow(code: string, doc: InviteDoc): InviteRow {
  const { note, uses, maxUses, at, expiresAt, disabledAt } = doc
  const row = { code, note, uses, max_uses: maxUses, created_at: at }
  return { ...row, expires_at: expiresAt, disabled_at: disabledAt }
}
