// Common content of post records: the fields of the public lexicons (app.bsky.feed.post with its embeds and
// facets) in the order in which servers write them, and common words. Rows are packed with it, so it never
// changes; a better one needs a first byte of its own (record-bytes.ts).

const WORDS =
  'for with that this you the and was are not have but what just they from like about when will more ' +
  "people would there their know good today really because think been time only than don't it's can "

const FIELDS = [
  '{"$type":"app.bsky.feed.post","bridgyOriginalText":"<p>","bridgyOriginalUrl":"https://',
  '"embed":{"$type":"app.bsky.embed.video","aspectRatio":{"height":1920,"width":1080},"video":',
  '{"$type":"blob","ref":{"$link":"bafkrei"},"mimeType":"video/mp4","size":',
  '"embed":{"$type":"app.bsky.embed.recordWithMedia","media":{"$type":"app.bsky.embed.images",',
  '"record":{"$type":"app.bsky.embed.record","record":{"cid":"bafyrei',
  '"labels":{"$type":"com.atproto.label.defs#selfLabels","values":[{"val":"porn"}]}',
  '"facets":[{"$type":"app.bsky.richtext.facet","features":[{"$type":"app.bsky.richtext.facet#tag","tag":"',
  '"}],"index":{"byteEnd":100,"byteStart":1',
  '"features":[{"$type":"app.bsky.richtext.facet#mention","did":"did:plc:',
  '"features":[{"$type":"app.bsky.richtext.facet#link","uri":"https://www.youtube.com/watch?v=',
  '"embed":{"$type":"app.bsky.embed.external","external":{"description":"","thumb":',
  '{"$type":"blob","ref":{"$link":"bafkrei"},"mimeType":"image/jpeg","size":1',
  '},"title":"","uri":"https://',
  '"embed":{"$type":"app.bsky.embed.images","images":[{"alt":"","aspectRatio":{"height":2000,"width":1500},',
  '"image":{"$type":"blob","ref":{"$link":"bafkrei"},"mimeType":"image/jpeg","size":9',
  '"embed":{"$type":"app.bsky.embed.record","record":{"cid":"bafyrei","uri":"at://did:plc:',
  '"langs":["ja"],"langs":["pt"],"langs":["de"],"langs":["en"],',
  '{"$type":"app.bsky.feed.post","createdAt":"2026-01-01T00:00:00.000Z","langs":["en"],',
  '"reply":{"parent":{"cid":"bafyrei","uri":"at://did:plc:"},"root":{"cid":"bafyrei',
  '/app.bsky.feed.post/3m"}},"text":"',
]

export const POST_DICTIONARY = WORDS + FIELDS.join('')
