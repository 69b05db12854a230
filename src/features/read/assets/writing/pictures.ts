// Pictures on their way into a post: drawn anew, which leaves out where they were taken and whatever else a
// camera writes, and made as small as a post allows.

import { phrase } from './words.ts'

export type Picture = {
  file: globalThis.Blob
  url: string
  width: number
  height: number
  alt: string
}

export const MAX_PICTURES = 4
const MAX_SIDE = 2_000
const MAX_BYTES = 950_000
const QUALITIES = [0.9, 0.8, 0.7, 0.55, 0.4]

/** @throws if the browser can't read it as a picture, or it can't be made small enough */
export async function prepare(file: globalThis.Blob): Promise<Picture> {
  const bitmap = await createImageBitmap(file).catch(() => {
    throw new Error(phrase('badPicture'))
  })
  const scale = Math.min(1, MAX_SIDE / Math.max(bitmap.width, bitmap.height))
  const [width, height] = [bitmap.width, bitmap.height].map((side) =>
    Math.max(1, Math.round(side * scale)),
  ) as [number, number]
  const canvas = document.createElement('canvas')
  Object.assign(canvas, { width, height })
  const context = canvas.getContext('2d')!
  // JPEG has no transparency.
  context.fillStyle = '#fff'
  context.fillRect(0, 0, width, height)
  context.drawImage(bitmap, 0, 0, width, height)
  bitmap.close()
  for (const quality of QUALITIES) {
    const made = await new Promise<globalThis.Blob | null>((resolve) =>
      canvas.toBlob(resolve, 'image/jpeg', quality),
    )
    if (made && made.size <= MAX_BYTES)
      return { file: made, url: URL.createObjectURL(made), width, height, alt: '' }
  }
  throw new Error(phrase('badPicture'))
}
