// Loaded into a Slipstream under test before anything of its own (`node --import`), in each of its
// threads: its wall clock is off by as many milliseconds as a file says, from one moment to the next, as
// when somebody or NTP sets a computer's clock. What counts time that passes (performance.now, timers)
// goes on as ever.

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
