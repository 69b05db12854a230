// Faces and pictures for a simulated network, drawn in code, so that none have to be fetched or stored.

import sharp from 'sharp'
import { blobCid } from '../test/support/blob-host.ts'
import type { Picture } from './simulated-people.ts'

export type Pictures = {
  faces: Picture[]
  scenes: Picture[]
  /** By CID, as served by the simulated servers. */
  blobs: Map<string, Buffer>
}

const FACES = 30
const SCENES: [alt: string, sky: string, ground: string][] = [
  ['Hills under a morning sky', '#f7c59f', '#4c6b53'],
  ['The sea in the evening', '#7d8cc4', '#23395b'],
  ['A field before the harvest', '#b8d8e3', '#d4a017'],
  ['Snow on the moor', '#dfe7ec', '#8d99a6'],
  ['The harbour at night', '#1b2a41', '#0c1821'],
  ['Dunes after the rain', '#c9d6df', '#c2a878'],
]

export async function drawPictures(): Promise<Pictures> {
  const blobs = new Map<string, Buffer>()
  const store = (bytes: Buffer, alt: string): Picture => {
    const cid = blobCid(bytes)
    blobs.set(cid, bytes)
    return { cid, size: bytes.length, alt }
  }
  const faces = Array.from({ length: FACES }, async (_, i) =>
    store(
      await sharp(Buffer.from(faceSvg(i)))
        .png()
        .toBuffer(),
      '',
    ),
  )
  const scenes = SCENES.map(async ([alt, sky, ground]) =>
    store(
      await sharp(Buffer.from(sceneSvg(sky, ground)))
        .jpeg()
        .toBuffer(),
      alt,
    ),
  )
  return { faces: await Promise.all(faces), scenes: await Promise.all(scenes), blobs }
}

function faceSvg(i: number): string {
  const hue = (i * 47) % 360
  const hair = (hue + 150) % 360
  const smile = 150 + (i % 3) * 8
  return `<svg xmlns="http://www.w3.org/2000/svg" width="256" height="256">
<rect width="256" height="256" fill="hsl(${hue},45%,72%)"/>
<circle cx="128" cy="${118 - (i % 4) * 3}" r="84" fill="hsl(${hair},35%,30%)"/>
<circle cx="128" cy="140" r="70" fill="hsl(${20 + (i % 5) * 4},55%,${48 + (i % 6) * 6}%)"/>
<circle cx="102" cy="130" r="8" fill="#222"/><circle cx="154" cy="130" r="8" fill="#222"/>
<path d="M96 162Q128 ${smile + 30} 160 162" fill="none" stroke="#222" stroke-width="6" stroke-linecap="round"/>
</svg>`
}

function sceneSvg(sky: string, ground: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="800" height="600">
<rect width="800" height="600" fill="${sky}"/>
<circle cx="610" cy="150" r="60" fill="#fff6e0" opacity=".8"/>
<path d="M0 400Q200 300 400 390T800 350V600H0z" fill="${ground}"/>
<path d="M0 480Q220 420 430 490T800 450V600H0z" fill="${ground}" opacity=".7"/>
</svg>`
}
