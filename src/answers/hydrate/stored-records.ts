// The records of data/store/records/records.ts that a state holds. Keyed by at-URI where other records name them, and
// by account where a profile shows them.

import type {
  AppBskyActorStatus,
  AppBskyFeedGenerator,
  AppBskyGraphStarterpack,
  AppBskyLabelerService,
} from '@atproto/api'

type Records = {
  'app.bsky.feed.generator': AppBskyFeedGenerator.Record
  'app.bsky.graph.starterpack': AppBskyGraphStarterpack.Record
  'app.bsky.labeler.service': AppBskyLabelerService.Record
}

/** The collections whose records have their own views. */
export type PresentedCollection = keyof Records

/** One record, with its like count and the viewer's like. */
export type StoredRecord = {
  [Name in PresentedCollection]: {
    collection: Name
    id: number
    uid: number
    uri: string
    cid: string
    record: Records[Name]
    sortAt: number
    likeCount: number
    /** at-URI of the viewer's like. */
    like: string | undefined
  }
}[PresentedCollection]

type DocumentCard = {
  /** at-URI of its publication, or the address of a site without one. */
  site: string
  path?: string
  title: string
  description?: string
  coverImage?: unknown
  publishedAt: string
  updatedAt?: string
  readingMinutes?: number
}

type PublicationCard = {
  name: string
  url: string
  description?: string
  icon?: unknown
  basicTheme?: { [name: string]: unknown }
}

type Associated<Name, Card> = {
  collection: Name
  uid: number
  uri: string
  cid: string
  record: Card
  /** Nobody, or not this viewer, may see it. */
  isHidden?: boolean
}

export type DocumentRecord = Associated<'site.standard.document', DocumentCard>
export type PublicationRecord = Associated<'site.standard.publication', PublicationCard>

/** A version of a record that a post's link card names; only what cards show of it. */
export type AssociatedRecord = DocumentRecord | PublicationRecord

/** Number of profiles that name a starter pack as the one they joined through. */
export type Joins = { allTime: number; week: number }

/** What a starter pack shows besides its record. */
export type PackContent = {
  /** lists.id */
  list: number | undefined
  /**
   * at-URIs of items of its list, and their subjects. Only the list's owner is shown members who
   * opted out.
   */
  sample: { uri: string; subject: number; isOptedOut?: boolean }[]
}

export type LiveStatus = {
  uri: string
  cid: string
  record: AppBskyActorStatus.Record
  sortAt: number
  /** Taken down by the operator: only its owner sees it. */
  isTakenDown?: boolean
}

export type Verification = {
  /** actors.uid */
  issuer: number
  uri: string
  handle: string
  displayName: string
  sortAt: number
}

/** What profiles show of an account besides its profile record. */
export type AboutActor = {
  isLabeler: boolean
  isTrustedVerifier: boolean
  /** Who may message the account, if it declares so. */
  chat: { allowIncoming: string; allowGroupInvites: string | undefined } | undefined
  allowSubscriptions: 'followers' | 'mutuals' | 'none'
  germ: { showButtonTo: string; messageMeUrl: string } | undefined
  status: LiveStatus | undefined
  /** Issued by trusted verifiers, oldest first. */
  verifications: Verification[]
}
