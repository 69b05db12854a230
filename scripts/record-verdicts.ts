// Odd records: whether they are indexed here and by the reference, as a table of docs/METHODS.md. Both columns
// are checked by running both validators (test/e2e/verdicts.test.ts).

type Verdict = {
  what: string
  collection: string
  record: Record<string, unknown>
  here: boolean
  there: boolean
  why: string
}

const createdAt = '2026-11-01T12:00:00.000Z'
const did = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
const uri = `at://${did}/app.bsky.feed.post/3kaaaaaaaaa2a`
const cid = 'bafyreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'
const rawCid = cid.replace('bafyrei', 'bafkrei')
const AS_THERE = 'as there'

const blob = (more: object = {}) => ({
  $type: 'blob',
  ref: { $link: rawCid },
  mimeType: 'image/jpeg',
  size: 1000,
  ...more,
})
const post = (more: object) => ({ $type: 'app.bsky.feed.post', text: '', createdAt, ...more })
const pictured = (image: object) =>
  post({ embed: { $type: 'app.bsky.embed.images', images: [{ image, alt: '' }] } })
const quoting = (record: object) => post({ embed: { $type: 'app.bsky.embed.record', record } })

function ofPost(what: string, record: Record<string, unknown>, verdict: Partial<Verdict>): Verdict {
  const { here = false, there = false, why = AS_THERE } = verdict
  return { what, collection: 'app.bsky.feed.post', record, here, there, why }
}

const yes = { here: true, there: true }

export const recordVerdicts: readonly Verdict[] = [
  ofPost('a picture of type `text/html`', pictured(blob({ mimeType: 'text/html' })), {}),
  ofPost('a picture of type `IMAGE/JPEG`', pictured(blob({ mimeType: 'IMAGE/JPEG' })), {}),
  ofPost(
    'a picture of type `image/svg+xml`, `image/jpg` or with parameters',
    pictured(blob({ mimeType: 'image/jpeg; charset=utf-8' })),
    yes,
  ),
  ofPost('a picture larger than `maxSize`', pictured(blob({ size: 50_000_000 })), {}),
  ofPost('a picture of 0 bytes', pictured(blob({ size: 0 })), yes),
  ofPost('a blob of negative or fractional size', pictured(blob({ size: -1 })), {}),
  ofPost('a blob whose CID is not of raw bytes', pictured(blob({ ref: { $link: cid } })), {}),
  ofPost(
    'a blob of the first form (`cid`, `mimeType`)',
    pictured({ cid: rawCid, mimeType: 'image/png' }),
    {
      here: true,
      why: 'Posts and profiles of the network’s first year have them.',
    },
  ),
  ofPost(
    'a blob of the first form and another type',
    pictured({ cid: rawCid, mimeType: 'text/html' }),
    {},
  ),
  {
    what: 'a profile whose avatar is `image/webp`',
    collection: 'app.bsky.actor.profile',
    record: { $type: 'app.bsky.actor.profile', avatar: blob({ mimeType: 'image/webp' }) },
    here: false,
    there: false,
    why: `${AS_THERE}; the profile before it stays`,
  },
  ofPost('a blob as the whole embed', post({ embed: blob() }), {
    there: true,
    why: 'No client shows it, and the lexicon validator reads it as no embed.',
  }),
  ofPost('a language `EN` or `english`', post({ langs: ['EN'] }), {}),
  ofPost('a language `en-us`', post({ langs: ['en-us'] }), yes),
  ofPost(
    'a reference that says another `$type`',
    quoting({ $type: 'app.bsky.feed.post', uri, cid }),
    {},
  ),
  ofPost(
    'a reference with a CID in base 58',
    quoting({ uri, cid: 'zdpuAsSPMBj8dWMgsvm5HyfYxjd3EkhDMmQBLvfDyqTgMUqKS' }),
    {},
  ),
  ofPost(
    'an integer beyond 2^53',
    post({
      embed: {
        $type: 'app.bsky.embed.images',
        images: [{ image: blob(), alt: '', aspectRatio: { width: 2 ** 60, height: 1 } }],
      },
    }),
    {},
  ),
  ofPost('a `createdAt` before 1970', post({ createdAt: '1776-07-04T00:00:00.000Z' }), {
    ...yes,
    why: `${AS_THERE}, with its date and order, of every kind of record`,
  }),
  ofPost('a `createdAt` without a timezone', post({ createdAt: '2026-01-01T00:00:00' }), {}),
]

export function recordVerdictsTable(): string {
  const word = (isIndexed: boolean) => (isIndexed ? 'indexed' : 'left out')
  const rows = recordVerdicts.map(
    ({ what, here, there, why }) => `| ${what} | ${word(here)} | ${word(there)} | ${why} |`,
  )
  return [
    '| a record with … | here | there | because |',
    '| --- | --- | --- | --- |',
    ...rows,
  ].join('\n')
}
