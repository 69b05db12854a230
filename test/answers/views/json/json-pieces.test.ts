import { serialize } from 'node:v8'
import { expect, test } from 'vitest'
import { jsonPieces } from '../../../../src/answers/views/json/json-pieces.ts'
import { SLOT, slot } from '../../../../src/answers/views/json/slots.ts'

const ONE_BYTE_STRING = 0x22

/** The tag by which V8 serialises a string says how many bytes it takes for a character. */
function isOneByte(text: string): boolean {
  return serialize(text)[2] === ONE_BYTE_STRING
}

const view = () => ({
  uri: 'at://did:plc:ewvi7nxzyoun6zhxrhs64oiz/app.bsky.feed.post/3l2ngxldzwp2z',
  author: slot<object>(SLOT.profile, 1),
  text: 'an emoji 🌊 and ünicode',
  labels: [slot<object>(SLOT.postLabels, 2), { val: 'ünsafe' }],
  viewer: slot<object>(SLOT.postViewer, 2),
  indexedAt: '2026-11-28T05:50:06.000Z',
})

test('a view is cut at its slots into one byte a character, whatever its text', () => {
  expect(isOneByte('🌊')).toBe(false)
  const { pieces, slots } = jsonPieces(view)!
  expect(pieces.map(isOneByte)).toEqual(pieces.map(() => true))
  expect(slots.map(({ kind, id }) => [kind, id])).toEqual([
    [SLOT.profile, 1],
    [SLOT.postViewer, 2],
  ])
  const [before, between, after] = pieces
  const bytes = Buffer.from(`${before}{"did":"x"${between},"viewer":{}${after}}`, 'latin1')
  const { author, viewer, labels, ...rest } = view()
  expect(JSON.parse(bytes.toString())).toEqual({
    ...rest,
    author: { did: 'x' },
    labels: [labels[1]],
    viewer: {},
  })
})

test('labels are inserted by bytes, not by characters', () => {
  const { pieces, spots } = jsonPieces(view)!
  expect(spots).toHaveLength(1)
  const { piece, at } = spots[0]!
  expect(pieces[piece]!.slice(0, at).endsWith('"labels":[')).toBe(true)
  expect(pieces[piece]!.slice(at).startsWith('{"val":')).toBe(true)
})
