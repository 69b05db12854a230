// A few real pictures, as blobs that the simulated network's posts may embed.

import sharp from 'sharp'
import { blobCid } from '../blob-host.ts'

export type Pictures = ReadonlyMap<string, Buffer>

const SHADES = [40, 120, 200]

let made: Promise<Pictures> | undefined

export function picturesOnce(): Promise<Pictures> {
  made ??= makePictures()
  return made
}

async function makePictures(): Promise<Pictures> {
  const entries = await Promise.all(
    SHADES.map(async (shade) => {
      const background = { r: shade, g: 255 - shade, b: 90 }
      const image = sharp({ create: { width: 400, height: 300, channels: 3, background } })
      const bytes = await image.jpeg().toBuffer()
      return [blobCid(bytes), bytes] as const
    }),
  )
  return new Map(entries)
}
