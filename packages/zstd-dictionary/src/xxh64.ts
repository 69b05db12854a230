// XXH64 with seed 0 (https://xxhash.com, XXH64 specification); zstd keeps its low 32 bits.
//
// JavaScript has no 64-bit multiplication: emulating it takes a fifth of the decoder's time. WebAssembly has
// one, so the function is assembled here, instruction by instruction, from small expressions, and works on
// the decoder's output memory.

type Code = readonly number[]

// The part of the global that is used: neither Node's types nor the ES library declare it.
declare const WebAssembly: {
  Module: new (binary: Uint8Array) => object
  Instance: new (module: object, imports: object) => { exports: { [name: string]: unknown } }
  Memory: new (pages: { initial: number }) => { buffer: ArrayBuffer }
}

const P1 = 0x9e3779b185ebca87n
const P2 = 0xc2b2ae3d27d4eb4fn
const P3 = 0x165667b19e3779f9n
const P4 = 0x85ebca77c2b2ae63n
const P5 = 0x27d4eb2f165667c5n

const PAGE_BYTES = 65_536
const I32 = 0x7f
const I64 = 0x7e
const VOID = 0x40

const get = (local: number): Code => [0x20, local]
const set = (local: number, value: Code): Code => [...value, 0x21, local]
const i32 = (value: number): Code => [0x41, ...signedLeb(BigInt(value))]
const i64 = (value: bigint): Code => [0x42, ...signedLeb(BigInt.asIntN(64, value))]
const load64 = (at: Code, offset = 0): Code => [...at, 0x29, 0, offset]
const load32 = (at: Code): Code => [...at, 0x35, 0, 0]
const load8 = (at: Code): Code => [...at, 0x31, 0, 0]
const add = (a: Code, b: Code): Code => [...a, ...b, 0x7c]
const mul = (a: Code, by: bigint): Code => [...a, ...i64(by), 0x7e]
const xor = (a: Code, b: Code): Code => [...a, ...b, 0x85]
const rotl = (a: Code, by: number): Code => [...a, ...i64(BigInt(by)), 0x89]
const shiftRight = (a: Code, by: number): Code => [...a, ...i64(BigInt(by)), 0x88]
const addAddress = (a: Code, b: Code): Code => [...a, ...b, 0x6a]
const isAtMost = (a: Code, b: Code): Code => [...a, ...b, 0x4d]
const toI32 = (a: Code): Code => [...a, 0xa7]
const toI64 = (a: Code): Code => [...a, 0xad]
const when = (condition: Code, body: Code, otherwise: Code = []): Code => [
  ...condition,
  ...[0x04, VOID],
  ...body,
  ...(otherwise.length > 0 ? [0x05, ...otherwise] : []),
  0x0b,
]
/** Runs `body` while `condition` holds, checked first. */
const repeat = (condition: Code, body: Code): Code => [
  ...[0x02, VOID, 0x03, VOID],
  ...[...condition, 0x45, 0x0d, 1],
  ...body,
  ...[0x0c, 0, 0x0b, 0x0b],
]

// Parameters, then locals.
const AT = 0
const LENGTH = 1
const END = 2
const LANES = [3, 4, 5, 6] as const
const HASH = 7

const round = (lane: Code, input: Code): Code => mul(rotl(add(lane, mul(input, P2)), 31), P1)
const merge = (lane: number): Code =>
  set(HASH, add(mul(xor(get(HASH), round(i64(0n), get(lane))), P1), i64(P4)))
const advance = (bytes: number): Code => set(AT, addAddress(get(AT), i32(bytes)))
const isLeft = (bytes: number): Code => isAtMost(addAddress(get(AT), i32(bytes)), get(END))
const [A, B, C, D] = LANES

const stripes: Code = [
  ...set(A, i64(P1 + P2)),
  ...set(B, i64(P2)),
  ...set(C, i64(0n)),
  ...set(D, i64(-P1)),
  ...repeat(isLeft(32), [
    ...LANES.flatMap((lane, i) => set(lane, round(get(lane), load64(get(AT), 8 * i)))),
    ...advance(32),
  ]),
  ...set(HASH, add(add(rotl(get(A), 1), rotl(get(B), 7)), add(rotl(get(C), 12), rotl(get(D), 18)))),
  ...LANES.flatMap(merge),
]

const body: Code = [
  ...set(END, addAddress(get(AT), get(LENGTH))),
  ...when(isLeft(32), stripes, set(HASH, i64(P5))),
  ...set(HASH, add(get(HASH), toI64(get(LENGTH)))),
  ...repeat(isLeft(8), [
    ...set(HASH, xor(get(HASH), round(i64(0n), load64(get(AT))))),
    ...set(HASH, add(mul(rotl(get(HASH), 27), P1), i64(P4))),
    ...advance(8),
  ]),
  ...when(isLeft(4), [
    ...set(HASH, xor(get(HASH), mul(load32(get(AT)), P1))),
    ...set(HASH, add(mul(rotl(get(HASH), 23), P2), i64(P3))),
    ...advance(4),
  ]),
  ...repeat(isLeft(1), [
    ...set(HASH, mul(rotl(xor(get(HASH), mul(load8(get(AT)), P5)), 11), P1)),
    ...advance(1),
  ]),
  ...set(HASH, mul(xor(get(HASH), shiftRight(get(HASH), 33)), P2)),
  ...set(HASH, mul(xor(get(HASH), shiftRight(get(HASH), 29)), P3)),
  ...toI32(xor(get(HASH), shiftRight(get(HASH), 32))),
]

const locals: Code = [2, 1, I32, 5, I64]
const functionCode: Code = [...locals, ...body, 0x0b]
const binary = Uint8Array.from([
  ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...section(1, [1, 0x60, 2, I32, I32, 1, I32]),
  ...section(2, [1, 1, 0x6d, 1, 0x6d, 2, 0, 1]),
  ...section(3, [1, 0]),
  ...section(7, [1, 1, 0x68, 0, 0]),
  ...section(10, [1, ...leb(functionCode.length), ...functionCode]),
])
const module = new WebAssembly.Module(binary)

export type HashedMemory = {
  bytes: Uint8Array<ArrayBuffer>
  /** The low 32 bits, as a signed number, of the hash of `length` bytes at `at`. */
  hash(at: number, length: number): number
}

export function createHashedMemory(minBytes: number): HashedMemory {
  const memory = new WebAssembly.Memory({ initial: Math.ceil(minBytes / PAGE_BYTES) })
  const { exports } = new WebAssembly.Instance(module, { m: { m: memory } })
  const hash = exports.h as (at: number, length: number) => number
  return { bytes: new Uint8Array(memory.buffer), hash }
}

function section(id: number, content: Code): Code {
  return [id, ...leb(content.length), ...content]
}

function leb(value: number): Code {
  return value < 128 ? [value] : [(value & 127) | 128, ...leb(value >>> 7)]
}

function signedLeb(value: bigint): Code {
  const low = Number(value & 127n)
  const rest = value >> 7n
  const isLast = (rest === 0n && low < 64) || (rest === -1n && low >= 64)
  return isLast ? [low] : [low | 128, ...signedLeb(rest)]
}
