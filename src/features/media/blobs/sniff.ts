// Detects a file's type by its first bytes, never by its declared type: a type sent by a PDS or named by a
// record may be false, and the decoders must only see the formats they are meant for.

/** Raster formats. No SVG: that is a document with scripts and links. */
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

/** Types of video that browsers play; lexicons allow only MP4. */
export function videoType(bytes: Buffer): 'video/mp4' | 'video/webm' | undefined {
  if (startsWith(bytes, 0, '\x1a\x45\xdf\xa3')) return 'video/webm'
  const brand = startsWith(bytes, 4, 'ftyp') ? bytes.toString('latin1', 8, 12) : ''
  return /^(isom|iso[2-9]|mp4[12]|avc1|M4V |dash|msdh)$/.test(brand) ? 'video/mp4' : undefined
}
