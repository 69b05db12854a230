// Preloaded into every thread of a Slipstream under test (`node --import`): shifts its wall clock by the
// number of milliseconds in a file, from one moment to the next, as when a person or NTP sets a computer's
// clock. Elapsed time (performance.now, timers) is unaffected.

import { readFileSync } from 'node:fs'

const LOOK_EVERY_MS = 25

const path = process.env['TORTURE_CLOCK'] ?? ''
const RealDate = Date
const realNow = Date.now
let skewMs = read()
setInterval(() => {
  skewMs = read()
}, LOOK_EVERY_MS).unref()

function read(): number {
  try {
    return Number(readFileSync(path, 'utf8')) || 0
  } catch {
    return 0
  }
}

const now = () => realNow() + skewMs

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  apply: () => new RealDate(now()).toString(),
  get: (target, name, receiver) =>
    name === 'now' ? now : Reflect.get(target, name, receiver === target ? target : receiver),
})
