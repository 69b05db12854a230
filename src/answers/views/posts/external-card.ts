// The card of a link to an article or publication (standard.site): what the records that the post names say beyond the
// post's own title and picture. Those records must belong together and be at the link's address; otherwise the link
// is shown as the post describes it.

import type { $Typed, AppBskyEmbedExternal } from '@atproto/api'
import { type AssociatedRef, toAssociatedRefs } from '../../../base/atproto/associated-refs.ts'
import { associatedKey } from '../../hydrate/card-records.ts'
import type {
  AssociatedRecord,
  DocumentRecord,
  PublicationRecord,
} from '../../hydrate/stored-records.ts'
import type { FeedState, ProfileState } from '../../hydrate/types.ts'
import { blobCid, hasType } from '../fields.ts'
import { labelsOf } from '../labels.ts'
import { isWithheld } from '../members-only.ts'
import { profileViewBasic, visibleActor } from '../profiles/profile-views.ts'
import { isArticleAt, isPublicationAt } from './standard-site-url.ts'

type ExternalView = $Typed<AppBskyEmbedExternal.View>
type Card = AppBskyEmbedExternal.ViewExternal
type Source = AppBskyEmbedExternal.ViewExternalSource

/** What a card is made from: an article, its publication, or both. */
type CardRecords = {
  document?: DocumentRecord | undefined
  publication?: PublicationRecord | undefined
}

/** @param view - the link as the post describes it */
export function withCard(
  state: FeedState,
  view: ExternalView,
  { external }: AppBskyEmbedExternal.Main,
): ExternalView {
  const refs = toAssociatedRefs(external.associatedRefs)
  const records = refs.length > 0 ? namedRecords(state, refs) : undefined
  const card = records && externalCard(state, records, external.uri)
  if (!card) return view
  const { thumb = card.thumb, associatedRefs } = view.external
  return { ...view, external: { ...view.external, ...card, thumb, associatedRefs } }
}

/** @returns undefined if the records don't belong together, or one is hidden */
function namedRecords(state: FeedState, refs: readonly AssociatedRef[]): CardRecords | undefined {
  const found = refs.map((ref) => state.associated.get(associatedKey(ref)))
  if (found.some((record) => record?.isHidden)) return undefined
  return belonging(found.filter((record) => record !== undefined))
}

/**
 * The first article and the first publication. An article that names a publication goes with that one only.
 * @returns undefined if they don't belong together
 */
export function belonging(records: readonly AssociatedRecord[]): CardRecords | undefined {
  const document = records.find((record) => record.collection === 'site.standard.document')
  const publication = records.find((record) => record.collection === 'site.standard.publication')
  if (!document) return publication && { publication }
  const { site } = document.record
  if (publication) return site === publication.uri ? { document, publication } : undefined
  return site.startsWith('at://') ? undefined : { document }
}

/**
 * The whole card for a link. @returns undefined if the records are not at the link's address, say no title, or are
 * hidden from the viewer with their accounts
 */
export function externalCard(
  state: ProfileState,
  { document, publication }: CardRecords,
  link: string,
): Card | undefined {
  const records = [document, publication].filter((record) => record !== undefined)
  if (records.length === 0 || records.some(({ uid }) => isOwnerHidden(state, uid))) return undefined
  if (!isAt(link, { document, publication })) return undefined
  const title = document ? document.record.title : publication?.record.name
  if (!title) return undefined
  const { description = '' } = (document ?? publication)!.record
  const labels = labelsOf(state, ...records.map(({ uri }) => uri))
  const owners = [...new Set(records.map(({ uid }) => uid))].flatMap(
    (uid) => profileViewBasic(state, uid) ?? [],
  )
  return {
    uri: link as Card['uri'],
    title,
    description,
    ...(document && articleFields(state, document)),
    ...(labels.length > 0 && { labels }),
    ...(publication && { source: sourceView(state, publication) }),
    ...(owners.length > 0 && { associatedProfiles: owners }),
  }
}

/** An account that is not known here yet hides nothing. */
function isOwnerHidden(state: ProfileState, uid: number): boolean {
  const isKnown = state.actors.has(uid)
  return (isKnown && !visibleActor(state, uid)) || isWithheld(state, uid)
}

function isAt(link: string, { document, publication }: CardRecords): boolean {
  if (!document) return isPublicationAt(link, publication!.record.url)
  const { site, path } = document.record
  return isArticleAt(link, publication?.record.url ?? site, path)
}

function articleFields({ urls }: ProfileState, { uri, record }: DocumentRecord): Partial<Card> {
  const cover = blobCid(record.coverImage)
  const { publishedAt, updatedAt, readingMinutes } = record
  return {
    ...(cover && { thumb: urls.image('feed_thumbnail', ownerOf(uri), cover) as Card['thumb'] }),
    createdAt: publishedAt as Card['createdAt'],
    ...(updatedAt !== undefined && { updatedAt: updatedAt as Card['updatedAt'] }),
    ...(readingMinutes !== undefined && { readingTime: readingMinutes }),
  }
}

function sourceView({ urls }: ProfileState, { uri, record }: PublicationRecord): Source {
  const icon = blobCid(record.icon)
  const theme = record.basicTheme && themeView(record.basicTheme)
  return {
    $type: 'app.bsky.embed.external#viewExternalSource',
    uri: record.url as Source['uri'],
    ...(icon && { icon: urls.image('avatar', ownerOf(uri), icon) as Source['icon'] }),
    title: record.name,
    ...(record.description !== undefined && { description: record.description }),
    ...(theme && { theme }),
  }
}

const COLOURS = {
  background: 'backgroundRGB',
  foreground: 'foregroundRGB',
  accent: 'accentRGB',
  accentForeground: 'accentForegroundRGB',
} as const

/** Colours of other kinds than RGB are left out. */
function themeView(theme: { [name: string]: unknown }): Source['theme'] {
  const colours = Object.entries(COLOURS).flatMap(([name, visible]) => {
    const colour = theme[name]
    if (!hasType<Rgb>(colour, 'site.standard.theme.color#rgb')) return []
    const { r, g, b } = colour
    return [[visible, { $type: 'app.bsky.embed.external#colorRGB', r, g, b }] as const]
  })
  return colours.length > 0 ? Object.fromEntries(colours) : undefined
}

type Rgb = { $type?: 'site.standard.theme.color#rgb'; r: number; g: number; b: number }

function ownerOf(uri: string): string {
  return uri.split('/')[2]!
}
