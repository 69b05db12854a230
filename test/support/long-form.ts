// Articles, publications and posts with link cards to them, in the shapes that their platforms write: an article of a
// blog that WordPress's plugin publishes, and what posts of it embed.

import type { JsonObject } from '../../src/base/util/json-object.ts'
import { blobOf } from './records.ts'

export const DOCUMENT = 'site.standard.document'
export const PUBLICATION = 'site.standard.publication'

export type Pinned = { uri: string; cid: string }

const rgb = (r: number, g: number, b: number) => ({
  $type: 'site.standard.theme.color#rgb',
  r,
  g,
  b,
})

export function publicationRecord(more: JsonObject = {}): JsonObject {
  return {
    url: 'https://blog.example.org',
    name: 'Notes from the shed',
    description: 'Wood, glue and patience',
    icon: blobOf('icon', 'image/png'),
    basicTheme: {
      $type: 'site.standard.theme.basic',
      background: rgb(255, 250, 240),
      foreground: rgb(20, 20, 20),
      accent: rgb(180, 60, 20),
      accentForeground: rgb(255, 255, 255),
    },
    preferences: { showInDiscover: true },
    ...more,
  }
}

/** @param site - at-URI of the publication, or an address */
export function documentRecord(site: string, more: JsonObject = {}): JsonObject {
  return {
    site,
    path: '/2026/05/dovetails',
    title: 'Dovetails by hand',
    description: 'A joint that needs no glue.',
    textContent: 'word '.repeat(450),
    content: { $type: 'org.wordpress.html', html: '<p>word</p>' },
    coverImage: blobOf('cover'),
    tags: ['wood'],
    publishedAt: '2026-05-20T08:00:00.000Z',
    updatedAt: '2026-05-21T09:30:00.000Z',
    ...more,
  }
}

export function cardEmbed(refs: readonly Pinned[], more: JsonObject = {}): JsonObject {
  return {
    $type: 'app.bsky.embed.external',
    external: {
      uri: 'https://blog.example.org/2026/05/dovetails',
      title: 'Dovetails by hand – Notes from the shed',
      description: 'as the page says',
      associatedRefs: refs.map(({ uri, cid }) => ({ uri, cid })),
      ...more,
    },
  }
}
