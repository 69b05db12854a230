// Other decoders of zstd frames with a dictionary: Node's own, and packages that keep a digested dictionary. Those that
// must be compiled are skipped where there is no compiler.

import { zstdDecompressSync } from 'node:zlib'
import { fromNpm } from './from-npm.ts'

type Decode = (frame: Buffer) => Uint8Array
type Contestant = { name: string; decode: Decode }

const WASM = 'zstd-codec@0.1.5'
const NATIVE = 'zstd-napi@0.0.13'

type ZstdCodec = { run(use: (binding: Binding) => void): void }
type Binding = {
  Dict: { Decompression: new (dictionary: Uint8Array) => object }
  Simple: new () => { decompressUsingDict(frame: Buffer, dictionary: object): Uint8Array }
}
type Native = {
  Decompressor: new () => { loadDictionary(bytes: Uint8Array): void; decompress: Decode }
}

/** Says on the error output which are missing. */
export async function otherDecoders(dictionary: Uint8Array): Promise<Contestant[]> {
  const found: Contestant[] = [
    { name: 'node', decode: (frame) => zstdDecompressSync(frame, { dictionary }) },
  ]
  for (const [name, load] of [
    ['zstd_codec', zstdCodec],
    ['zstd_napi', zstdNapi],
  ] as const) {
    const decode = await load(dictionary)
    if (decode) found.push({ name, decode })
    else console.error(`NOT MEASURED: ${name}, which npm can’t bring`)
  }
  return found
}

async function zstdCodec(dictionary: Uint8Array): Promise<Decode | undefined> {
  const packages = fromNpm(WASM)
  if (!packages) return undefined
  const { ZstdCodec } = packages.require('zstd-codec') as { ZstdCodec: ZstdCodec }
  const { Dict, Simple } = await new Promise<Binding>((resolve) => ZstdCodec.run(resolve))
  packages.dispose()
  const [digested, simple] = [new Dict.Decompression(dictionary), new Simple()]
  return (frame) => simple.decompressUsingDict(frame, digested)
}

async function zstdNapi(dictionary: Uint8Array): Promise<Decode | undefined> {
  const packages = fromNpm(NATIVE)
  if (!packages) return undefined
  try {
    const { Decompressor } = packages.require('zstd-napi') as Native
    const decompressor = new Decompressor()
    decompressor.loadDictionary(dictionary)
    return (frame) => decompressor.decompress(frame)
  } catch {
    return undefined
  } finally {
    packages.dispose()
  }
}
