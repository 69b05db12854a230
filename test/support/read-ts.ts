// Reads an MPEG transport stream directly by its standard (ISO/IEC 13818-1): the units of each stream with
// their times, and whether a packet is missing.

type Unit = { pts: number; dts: number; body: Buffer }

export function readTs(bytes: Buffer) {
  const counters = new Map<number, number>()
  const units = new Map<number, Unit[]>()
  let gaps = 0
  let tables = 0
  for (let at = 0; at < bytes.length; at += 188) {
    const packet = bytes.subarray(at, at + 188)
    if (packet[0] !== 0x47 || packet.length !== 188) throw new Error(`no packet at ${at}`)
    const pid = packet.readUInt16BE(1) & 0x1fff
    const count = packet[3]! & 0x0f
    if (counters.has(pid) && ((counters.get(pid)! + 1) & 0x0f) !== count) gaps += 1
    counters.set(pid, count)
    const payload = packet.subarray(packet[3]! & 0x20 ? 5 + packet[4]! : 4)
    const isStart = (packet[1]! & 0x40) !== 0
    if (pid === 0) tables += 1
    if (pid !== 0x100 && pid !== 0x101) continue
    const list = units.get(pid) ?? []
    units.set(pid, list)
    if (isStart) list.push(unitOf(payload))
    else list.at(-1)!.body = Buffer.concat([list.at(-1)!.body, payload])
  }
  const sound = units.get(0x101) ?? []
  return { gaps, tables, pictures: units.get(0x100) ?? [], sound, soundFrames: framesIn(sound) }
}

function unitOf(payload: Buffer): Unit {
  if (payload.readUIntBE(0, 3) !== 1) throw new Error('no start of a unit')
  const pts = timeAt(payload, 9)
  const dts = (payload[7]! & 0x40) !== 0 ? timeAt(payload, 14) : pts
  return { pts, dts, body: payload.subarray(9 + payload[8]!) }
}

function timeAt(bytes: Buffer, at: number): number {
  const high = (bytes[at]! >> 1) & 7
  return (
    high * 2 ** 30 + ((bytes.readUInt16BE(at + 1) >> 1) << 15) + (bytes.readUInt16BE(at + 3) >> 1)
  )
}

/** Counts ADTS frames, which follow each other, each with its own header. */
function framesIn(units: readonly Unit[]): number {
  let frames = 0
  for (const { body } of units) {
    for (let at = 0; at < body.length; frames += 1) {
      if ((body.readUInt16BE(at) & 0xfff6) !== 0xfff0) throw new Error('no frame of sound')
      at += (body.readUIntBE(at + 3, 3) >> 5) & 0x1fff
    }
  }
  return frames
}
