// What bytes are, by how they begin. What somebody says they are is never asked: a type that a PDS sends
// or a record names can lie, and the decoders behind this must only see the formats they are for.

/** Formats that are pictures of pixels. No SVG: that is a document, with scripts and links in it. */
type PictureFormat = 'jpeg' | 'png' | 'webp' | 'gif' | 'avif'

export function pictureFormat(bytes: Buffer): PictureFormat | undefined {
  if (startsWith(bytes, 0, '\xff\xd8\xff')) return 'jpeg'
  if (startsWith(bytes, 0, '\x89PNG\r\n\x1a\n')) return 'png'
  if (startsWith(bytes, 0, 'GIF87a') || startsWith(bytes, 0, 'GIF89a')) return 'gif'
  if (startsWith(bytes, 0, 'RIFF') && startsWith(bytes, 8, 'WEBP')) return 'webp'
  if (startsWith(bytes, 4, 'ftypavif') || startsWith(bytes, 4, 'ftypavis')) return 'avif'
  return undefined
}

function startsWith(bytes: Buffer, at: number, text: string): boolean {
  return bytes.toString('latin1', at, at + text.length) === text
}

/** Videos that a browser plays; lexicons allow MP4 only. */
export function videoType(bytes: Buffer): 'video/mp4' | 'video/webm' | undefined {
  if (startsWith(bytes, 0, '\x1a\x45\xdf\xa3')) return 'video/webm'
  const brand = startsWith(bytes, 4, 'ftyp') ? bytes.toString('latin1', 8, 12) : ''
  return /^(isom|iso[2-9]|mp4[12]|avc1|M4V |dash|msdh)$/.test(brand) ? 'video/mp4' : undefined
}
