// What of the records in data/store/records.ts a state holds. Keyed by at-URI where something names them, and
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

/** The collections whose records have views of their own. */
export type ShownCollection = keyof Records

/** One record, with what all accounts and the viewer did to it. */
export type StoredRecord = {
  [Name in ShownCollection]: {
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
}[ShownCollection]

/** How many profiles say that they joined through a starter pack. */
export type Joins = { allTime: number; week: number }

/** What a starter pack shows besides itself. */
export type PackContent = {
  /** lists.id */
  list: number | undefined
  /** at-URIs of items of its list, and whom they name; who opted out is in it for the list's owner alone. */
  sample: { uri: string; subject: number; isOptedOut?: boolean }[]
}

export type LiveStatus = {
  uri: string
  cid: string
  record: AppBskyActorStatus.Record
  sortAt: number
  /** By the operator: nobody but its owner sees it. */
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
  /** Who may write to it, where it says so. */
  chat: { allowIncoming: string; allowGroupInvites: string | undefined } | undefined
  allowSubscriptions: 'followers' | 'mutuals' | 'none'
  germ: { showButtonTo: string; messageMeUrl: string } | undefined
  status: LiveStatus | undefined
  /** By trusted verifiers, oldest first. */
  verifications: Verification[]
}
