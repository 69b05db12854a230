// Prepares a Jetstream double to send at full speed: frames are built and compressed beforehand, so that the
// reader never waits for the double.

import { fixtureDictionary } from '../../test/support/jetstream-double/dictionaries.ts'
import type { JetstreamDouble } from '../../test/support/jetstream-double/double.ts'
import type { Emission } from '../../test/support/jetstream-double/emission.ts'
import {
  compressedFrame,
  textFrame,
  type Wire,
} from '../../test/support/jetstream-double/event-log.ts'

export type WireForm = { wire: Wire; compressed: boolean }

/** @returns a function that starts the sending */
export function makeReady(
  double: JetstreamDouble,
  events: Iterable<Emission>,
  { wire, compressed }: WireForm = { wire: 'v2', compressed: true },
): () => void {
  const dictionary = fixtureDictionary(wire)
  double.behaviour.stalled = true
  const before = double.entries().length
  for (const event of events) double.emit(event)
  for (const entry of double.entries().slice(before)) {
    if (compressed) compressedFrame(entry, wire, true, dictionary)
    else textFrame(entry, wire, true)
  }
  return () => {
    double.behaviour.stalled = false
    double.resume()
  }
}
